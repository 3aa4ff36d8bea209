// What JavaScript code does to the process that it runs in, beyond its answers, and what it keeps between calls.
'use strict';
const { FUNCTIONS, nameOf, parse, walk } = require('./source.cjs');

const ENDS = ['process.exit', 'process.abort', 'process.kill', 'process.reallyExit'];
const HOOKS = ['process.on', 'process.once', 'process.setUncaughtExceptionCaptureCallback', 'Error.prepareStackTrace', 'Error.stackTraceLimit', 'gc', 'v8.setFlagsFromString'];
const PRINTS = /^(console\.\w+|process\.(stdout|stderr)\.write)$/;
const WRITERS = ['set', 'add', 'push', 'pop', 'shift', 'unshift', 'splice', 'delete', 'clear', 'sort', 'reverse', 'fill', 'copyWithin', 'append'];
const WEAK = ['WeakMap', 'WeakSet', 'WeakRef'];
const GLOBALS = new Set([...Object.getOwnPropertyNames(globalThis), 'process', 'console', 'global', 'globalThis', 'window', 'self']);

/** The full name of what a global has, '' for any other. */
function spell(node, bound) {
  if (node.type === 'Identifier') return bound.has(node.name) || !GLOBALS.has(node.name) ? '' : node.name;
  if (node.type !== 'MemberExpression') return '';
  const of = spell(node.object, bound);
  const name = node.computed ? (node.property.type === 'Literal' ? String(node.property.value) : '*') : nameOf(node.property);
  return of ? of + '.' + name : '';
}

/** All names that a source binds anywhere: what one of them hides is not looked at. */
function names(ast) {
  const out = new Set();
  const bind = (p) => {
    if (!p) return;
    if (p.type === 'Identifier') out.add(p.name);
    else if (p.type === 'AssignmentPattern') bind(p.left);
    else if (p.type === 'RestElement') bind(p.argument);
    else if (p.type === 'ArrayPattern') p.elements.forEach(bind);
    else if (p.type === 'ObjectPattern') p.properties.forEach((x) => bind(x.value || x));
  };
  walk().full(ast, (n) => {
    if (n.type === 'VariableDeclarator') bind(n.id);
    if (FUNCTIONS.includes(n.type)) n.params.forEach(bind);
    if ((FUNCTIONS.includes(n.type) || /^Class/.test(n.type)) && n.id) out.add(n.id.name);
    if (/^Import\w*Specifier$/.test(n.type)) out.add(n.local.name);
    if (n.type === 'CatchClause') bind(n.param);
  });
  return out;
}

function does(source) {
  const out = new Set();
  const bound = names(source.ast);
  const set = (name) => name.includes('.') && !/^(exports|module)\b/.test(name) && out.add(`sets ${name.replace(/^(globalThis|global|window|self)\./, '')} for the whole process`);
  walk().full(source.ast, (n) => {
    if (n.type === 'AssignmentExpression') set(spell(n.left, bound));
    else if (n.type === 'UpdateExpression' || (n.type === 'UnaryExpression' && n.operator === 'delete')) set(spell(n.argument, bound));
    else if (n.type === 'CallExpression') called(spell(n.callee, bound), n, bound, out, set);
    else if (n.type === 'MemberExpression' && !n.computed && nameOf(n.property) === 'caller') out.add('looks who calls it (caller)');
  });
  return out;
}

function called(name, node, bound, out, set) {
  if (ENDS.includes(name)) out.add(`ends the process (${name})`);
  else if (HOOKS.includes(name)) out.add(`changes the process that it runs in (${name})`);
  else if (PRINTS.test(name)) out.add('prints');
  else if (/^(Object|Reflect)\.(defineProperty|defineProperties|assign|setPrototypeOf|set)$/.test(name) && node.arguments[0]) {
    const of = spell(node.arguments[0], bound);
    if (of && of !== 'Object') set(of + (node.arguments[1] && node.arguments[1].type === 'Literal' ? '.' + node.arguments[1].value : '.*'));
  }
}

/** The variables of a module: those of the file, or of the one function around all of it. */
function variables(ast) {
  const out = new Map();
  for (let s of ast.body) {
    if (s.type === 'ExportNamedDeclaration' && s.declaration) s = s.declaration;
    if (s.type === 'VariableDeclaration') for (const d of s.declarations) if (d.id.type === 'Identifier') out.set(d.id.name, d.init);
  }
  return out;
}

/** Who writes to variables of their module, by variable: the name of a function, and whether others run while it waits. */
function kept(source) {
  const all = variables(source.ast);
  const out = new Map();
  walk().fullAncestor(source.ast, (n, ancestors) => {
    let of;
    if (n.type === 'AssignmentExpression') of = n.left;
    else if (n.type === 'UpdateExpression' || (n.type === 'UnaryExpression' && n.operator === 'delete')) of = n.argument;
    else if (n.type === 'CallExpression' && n.callee.type === 'MemberExpression' && WRITERS.includes(nameOf(n.callee.property))) of = n.callee.object;
    while (of && of.type === 'MemberExpression') of = of.object;
    if (!of || of.type !== 'Identifier' || !all.has(of.name)) return;
    const init = all.get(of.name);
    if (init && init.type === 'NewExpression' && WEAK.includes(nameOf(init.callee))) return;
    const around = ancestors.slice(0, -1).filter((a) => FUNCTIONS.includes(a.type));
    if (around.length === 0 || around.some((f) => hides(f, of.name))) return;
    const named = ancestors.slice(0, -1).reverse().find((a) => (FUNCTIONS.includes(a.type) && a.id) || a.type === 'MethodDefinition' || a.type === 'Property' || (a.type === 'VariableDeclarator' && a.init && FUNCTIONS.includes(a.init.type)));
    if (init && FUNCTIONS.includes(init.type)) return; // a property of a function, or its prototype
    const waits = around.some((f) => f.async) || (out.get(of.name) || {}).waits || false;
    out.set(of.name, { by: (out.get(of.name) || {}).by || (named ? nameOf(named.id || named.key) : 'a function'), waits });
  });
  return out;
}

function hides(f, name) {
  let found = f.params.some((p) => p.type === 'Identifier' && p.name === name);
  walk().full(f.body, (n) => n.type === 'VariableDeclarator' && n.id.type === 'Identifier' && n.id.name === name && (found = true));
  return found;
}

/** What a changed file does beyond its answers that it did not, and apart what it keeps: answers show whether that is right, but for what is written by functions that wait. */
function beyond(was, is) {
  const a = parse(was);
  const b = parse(is);
  const [da, db] = [does(a), does(b)];
  const [ka, kb] = [kept(a), kept(b)];
  const out = [...db].filter((x) => !da.has(x)).sort().map((what) => ({ what }));
  for (const [name, { by, waits }] of kb) if (!ka.has(name)) out.push({ what: `keeps something between calls in ${name} (written by ${by})`, kept: !waits });
  return out;
}

module.exports = { beyond };
