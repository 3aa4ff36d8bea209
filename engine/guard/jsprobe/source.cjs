// Reads JavaScript with the parser that is part of node.
'use strict';

let acorn, walk;
try {
  acorn = require('internal/deps/acorn/acorn/dist/acorn');
  walk = require('internal/deps/acorn/acorn-walk/dist/walk');
} catch {} // this node has none, or does not give it

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];
const IMPORTED = /(?:\brequire\s*\(|\bimport\s*\(|\bfrom|\bimport)\s*['"]([^'"\n]+)['"]/g;

/** The tree of a text and its tokens, null where it cannot be read. */
function parse(text) {
  if (!acorn) return null;
  for (const sourceType of ['module', 'script']) {
    const tokens = [];
    try {
      const ast = acorn.parse(text, { ecmaVersion: 'latest', sourceType, allowHashBang: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true, allowSuperOutsideMethod: true, onToken: (t) => tokens.push(t) });
      return { ast, text, tokens: tokens.map((t) => ({ start: t.start, end: t.end, text: text.slice(t.start, t.end) })) };
    } catch {}
  }
  return null;
}

function nameOf(key) {
  return !key ? '' : key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : key.type === 'Literal' ? String(key.value) : key.type === 'MemberExpression' && !key.computed ? nameOf(key.property) : '';
}

/** The name by which a call defines a property: `Object.defineProperty(of, 'name', { get() {} })`; '' for any other. */
function defined(n) {
  const name = n.type === 'CallExpression' && nameOf(n.callee) === 'defineProperty' ? n.arguments[1] : undefined;
  return name && name.type === 'Literal' ? String(name.value) : '';
}

/** The functions of a source with their names, the words of which they are made, and the functions in them. */
function functions(source) {
  const out = [];
  walk.fullAncestor(source.ast, (node, ancestors) => {
    if (!FUNCTIONS.includes(node.type)) return;
    const above = ancestors.slice(0, -1).reverse();
    const names = [];
    if (node.id) names.push(node.id.name);
    for (const a of above) {
      if (FUNCTIONS.includes(a.type) && names.length > 0) break;
      if (defined(a) && names.length > 0) names[names.length - 1] = defined(a);
      else if (a.type === 'MethodDefinition' || a.type === 'Property' || a.type === 'PropertyDefinition') names.push(nameOf(a.key));
      else if (a.type === 'VariableDeclarator' && names.length === 0) names.push(nameOf(a.id));
      else if (a.type === 'AssignmentExpression' && names.length === 0) names.push(nameOf(a.left));
      else if (/^Class/.test(a.type)) names.push(a.id ? a.id.name : '');
      else if (FUNCTIONS.includes(a.type) && a.id) names.push(a.id.name);
    }
    out.push({ node, name: names.filter(Boolean).reverse().join('.'), words: wordsOf(source, node.start, node.end) });
  });
  return out;
}

function wordsOf(source, from, to) {
  return source.tokens.filter((t) => t.start >= from && t.end <= to).map((t) => t.text).join(' ');
}

/** What of a source lies in no function, in words. */
function outside(source, found) {
  const inside = (t) => found.some((f) => f.node.start <= t.start && t.end <= f.node.end);
  return source.tokens.filter((t) => !inside(t)).map((t) => t.text).join(' ');
}

function imports(text) {
  return [...text.matchAll(IMPORTED)].map((m) => m[1]);
}

module.exports = { FUNCTIONS, functions, imports, nameOf, outside, parse, wordsOf, walk: () => walk, has: () => Boolean(acorn) };
