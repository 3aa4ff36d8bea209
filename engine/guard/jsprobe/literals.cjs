// Calls that are written in tests, in benchmarks and in the README with values that stand there: where tests run in a way
// in which nothing can be recorded (jest, vitest, loaders of their own), these are known.
'use strict';
const fs = require('fs');
const { FUNCTIONS, has, nameOf, parse, walk } = require('./source.cjs');
const { offered } = require('./recording.cjs');
const tree = require('./tree.cjs');
const { bare } = require('./typed.cjs');

const MOST_FILES = 100;
const MOST_ROWS = 400; // of one group

class Unwritten extends Error {}

/** Reads values that stand in a text as nodes. look(name) is the expression that a name was given. */
class Reader {
  constructor(source, look) {
    this.source = source;
    this.look = look;
    this.depth = 0;
  }

  value(n) {
    if (!n) return { k: 'hole' };
    switch (n.type) {
      case 'Literal':
        return n.regex ? { k: 're', s: n.regex.pattern, f: n.regex.flags } : n.bigint ? { k: 'big', v: n.bigint } : n.value;
      case 'TemplateLiteral':
        if (n.expressions.length === 0) return n.quasis[0].value.cooked;
        break;
      case 'UnaryExpression':
        if (n.operator === '-' && n.argument.type === 'Literal' && typeof n.argument.value === 'number') return n.argument.value === 0 ? { k: 'num', v: '-0' } : -n.argument.value;
        if (n.operator === 'void') return { k: 'undef' };
        break;
      case 'ArrayExpression':
        return { k: 'arr', v: n.elements.map((x) => this.value(x)) };
      case 'ObjectExpression':
        return { k: 'obj', v: n.properties.map((p) => this.property(p)) };
      case 'Identifier':
        return this.named(n);
      case 'NewExpression':
        return this.made(n);
    }
    if (FUNCTIONS.includes(n.type)) return { k: 'fn', src: this.source.text.slice(n.start, n.end) };
    throw new Unwritten();
  }

  property(p) {
    if (p.type !== 'Property' || p.kind !== 'init' || p.computed) throw new Unwritten();
    return [nameOf(p.key), p.method ? { k: 'fn', src: 'function ' + this.source.text.slice(p.value.start, p.value.end) } : this.value(p.value)];
  }

  named(n) {
    if (n.name === 'undefined') return { k: 'undef' };
    if (n.name === 'NaN' || n.name === 'Infinity') return { k: 'num', v: n.name };
    const init = this.look(n.name);
    if (!init || this.depth > 4) throw new Unwritten();
    this.depth++;
    try {
      return this.value(init);
    } finally {
      this.depth--;
    }
  }

  made(n) {
    const name = nameOf(n.callee);
    const arg = n.arguments[0] ? this.value(n.arguments[0]) : { k: 'arr', v: [] };
    if (name === 'Date' && typeof arg === 'number') return { k: 'date', v: arg };
    if (name === 'Date' && typeof arg === 'string' && !Number.isNaN(Date.parse(arg))) return { k: 'date', v: Date.parse(arg) };
    if (name === 'Set' && arg.k === 'arr') return { k: 'set', v: arg.v };
    if (name === 'Map' && arg.k === 'arr' && arg.v.every((e) => e && e.k === 'arr')) return { k: 'map', v: arg.v.map((e) => [e.v[0], e.v[1]]) };
    if (/Error$/.test(name)) return { k: 'err', t: name, m: typeof arg === 'string' ? arg : '' };
    throw new Unwritten();
  }
}

const listed = (v) => (v === undefined ? [] : [v]);

/** What the names of a file stand for: groups, or those of what a module has. */
function bindings(file, source, byFile) {
  const out = new Map();
  const bind = (target, specifier) => {
    for (const f of tree.resolve(file, specifier)) {
      const groups = byFile.get(f) || new Map();
      if (target.type === 'Identifier') out.set(target.name, { whole: listed(groups.get('') || groups.get('default')), members: groups });
      if (target.type === 'ObjectPattern') for (const p of target.properties) if (p.key && groups.has(nameOf(p.key))) out.set(nameOf(p.value), { whole: listed(groups.get(nameOf(p.key))), members: new Map() });
    }
  };
  walk().full(source.ast, (n) => {
    if (n.type === 'VariableDeclarator' && n.init && n.init.type === 'CallExpression' && nameOf(n.init.callee) === 'require' && n.init.arguments[0]) bind(n.id, String(n.init.arguments[0].value));
    if (n.type !== 'ImportDeclaration') return;
    for (const s of n.specifiers) {
      if (s.type === 'ImportSpecifier') bind({ type: 'ObjectPattern', properties: [{ key: s.imported, value: s.local }] }, n.source.value);
      else bind({ type: 'Identifier', name: s.local.name }, n.source.value);
    }
  });
  return out;
}

/** The scripts that a source has, by group. */
function read(file, source, byFile, byName, add) {
  const bound = bindings(file, source, byFile);
  const inits = new Map();
  walk().full(source.ast, (n) => {
    const [to, value] = n.type === 'VariableDeclarator' ? [n.id, n.init] : n.type === 'AssignmentExpression' ? [n.left, n.right] : [];
    if (to && value && to.type === 'Identifier') inits.set(to.name, [...(inits.get(to.name) || []), value]);
  });
  const lives = new Map(); // scripts of objects, by the call that made them
  const calls = [];
  walk().full(source.ast, (n) => (n.type === 'CallExpression' || n.type === 'NewExpression') && calls.push(n));
  calls.sort((a, b) => a.start - b.start);
  const before = (name, at) => (inits.get(name) || []).filter((i) => i.start < at).sort((a, b) => a.start - b.start).pop();
  const group = (c) => {
    if (c.type === 'Identifier') return bound.has(c.name) ? bound.get(c.name).whole : byName.get(c.name) || byName.get(c.name.toLowerCase()) || [];
    if (c.type === 'MemberExpression' && !c.computed && c.object.type === 'Identifier' && bound.has(c.object.name)) return listed(bound.get(c.object.name).members.get(nameOf(c)));
    return [];
  };
  for (const n of calls) {
    const reader = new Reader(source, (name) => before(name, n.start));
    try {
      const groups = group(n.callee);
      const made = groups.map((g) => [{ f: { k: 'lib', g }, ...(n.type === 'NewExpression' ? { n: 1 } : {}), a: n.arguments.map((a) => reader.value(a)) }]);
      lives.set(n, made);
      made.forEach((row) => add(row[0].f.g, row));
      if (groups.length === 0 && n.callee.type === 'MemberExpression' && !n.callee.computed && n.callee.object.type === 'Identifier') {
        for (const life of lives.get(before(n.callee.object.name, n.start)) || []) life.push({ f: { k: 'ref', i: 0 }, m: nameOf(n.callee), a: n.arguments.map((a) => reader.value(a)) });
      }
    } catch (e) {
      if (!(e instanceof Unwritten)) throw e;
    }
  }
}

/** The texts that may hold calls: files of tests, and what stands between the fences of the README. */
function texts() {
  const out = tree.files('test').slice(0, MOST_FILES).map((f) => [f, tree.read(tree.within(f))]);
  for (const f of fs.readdirSync(tree.TREE).filter((f) => /^readme\.md$/i.test(f))) {
    for (const m of tree.read(tree.within(f)).matchAll(/```(?:js|javascript|jsx|ts|typescript)\n([\s\S]*?)```/g)) out.push([f, m[1]]);
  }
  return out;
}

/** Adds calls that stand in tests to those of groups of which none was recorded, and those of the README to all. */
async function calls(found, exports) {
  if (!has()) return;
  const all = await offered([...new Set([...tree.entries(), ...tree.files('source')])].slice(0, MOST_FILES), {});
  const byFile = new Map();
  const byName = new Map();
  for (const [g, e] of Object.entries(all)) {
    if (!('n' in e)) continue;
    if (!byFile.has(e.file)) byFile.set(e.file, new Map());
    byFile.get(e.file).set(e.path.join('.'), g);
    const name = g.slice(g.indexOf(':') + 1);
    for (const n of new Set(e.path.length > 0 && e.path.join() !== 'default' ? [name] : [name, name.toLowerCase()])) byName.set(n, [...(byName.get(n) || []), g]);
  }
  const rows = new Map();
  const add = (g, row) => {
    if (!rows.has(g)) rows.set(g, []);
    if (rows.get(g).length < MOST_ROWS) rows.get(g).push(row);
  };
  for (const [file, text] of texts()) {
    const example = file.endsWith('.md');
    const source = parse(bare(example ? 'readme.ts' : file, text));
    if (source) read(file, source, byFile, byName, (g, row) => (example || !found.has(g)) && add(g, row));
  }
  for (const [g, list] of rows) {
    exports[g] = { ...all[g], ...exports[g] };
    found.set(g, new Map([...(found.get(g) || []), ...list.map((r) => [JSON.stringify(r), r])]));
  }
}

module.exports = { calls };
