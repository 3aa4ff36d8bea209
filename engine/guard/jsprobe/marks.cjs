// Marks in functions: which of their branches ran, and how the two sides of their comparisons stood. Code with marks does
// what it does without.
'use strict';
const { FUNCTIONS, walk } = require('./source.cjs');
const tree = require('./tree.cjs');

const COMPARED = ['===', '!==', '==', '!=', '<', '>', '<=', '>='];

/** The text of a source with marks in some of its functions. */
function mark(source, list) {
  const edits = []; // [place, order, text]
  let next = 0;
  const seen = new Set();
  const around = (node, before, after) => edits.push([node.start, 1, before, node.end - node.start + 0.5], [node.end, 0, after, node.start - node.end - 0.5]);
  const block = (node) => {
    const own = `__atoll_ran(${next++});`;
    if (node.type !== 'BlockStatement') return around(node, '{' + own, '}');
    const directives = node.body.filter((s) => s.directive);
    edits.push([directives.length > 0 ? directives[directives.length - 1].end : node.start + 1, 0, (directives.length > 0 ? ';' : '') + own, 0]);
  };
  const branch = (node) => around(node, `(__atoll_ran(${next++}), `, ')');
  const look = (node) => {
    if (seen.has(node)) return;
    seen.add(node);
    if (FUNCTIONS.includes(node.type)) node.body.type === 'BlockStatement' ? block(node.body) : branch(node.body);
    else if (node.type === 'IfStatement') [node.consequent, node.alternate].filter(Boolean).forEach(block);
    else if (/^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type)) block(node.body);
    else if (node.type === 'ConditionalExpression') [node.consequent, node.alternate].forEach(branch);
    else if (node.type === 'LogicalExpression') branch(node.right);
    else if (node.type === 'CatchClause') block(node.body);
    else if (node.type === 'SwitchCase' && node.consequent.length > 0) edits.push([node.consequent[0].start, 1, `__atoll_ran(${next++});`, Infinity]);
    else if (node.type === 'BinaryExpression' && COMPARED.includes(node.operator)) {
      edits.push([node.start, 1, `__atoll_met(${next++}, "${node.operator}", `, node.end - node.start], [node.end, 0, ')', node.start - node.end]);
      between(source, node, edits);
    }
  };
  for (const f of list) walk().full(f.node, look);
  return applied(source.text, edits);
}

/** Puts a comma in the place of the operator of a comparison. */
function between(source, node, edits) {
  const at = source.tokens.find((t) => t.start >= node.left.end && t.text === node.operator && t.end <= node.right.start);
  edits.push([at.start, 0.5, ',', 0, at.end - at.start]);
}

/** A text with edits: at one place what closes before what opens, and of those the widest first. */
function applied(text, edits) {
  edits.sort((a, b) => a[0] - b[0] || a[1] - b[1] || b[3] - a[3]);
  let out = '';
  let from = 0;
  for (const [at, , put, , gone] of edits) {
    out += text.slice(from, at) + put;
    from = Math.max(from, at) + (gone || 0);
  }
  return out + text.slice(from);
}

const stood = new Set();

function relation(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a < b ? (b - a === 1 ? -1 : -2) : a - b === 1 ? 1 : a > b ? 2 : 3;
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a.length === b.length ? 4 : a.startsWith(b) ? 5 : 6;
  return a === b ? 0 : typeof a === typeof b ? 7 : 8;
}

/** Has files loaded with marks, and the marks noted. */
function install(files) {
  globalThis.__atoll_ran = (i) => void stood.add(i);
  globalThis.__atoll_met = (i, op, a, b) => {
    stood.add(i * 16 + relation(a, b) + 1e6);
    switch (op) {
      case '===': return a === b;
      case '!==': return a !== b;
      case '==': return a == b;
      case '!=': return a != b;
      case '<': return a < b;
      case '>': return a > b;
      case '<=': return a <= b;
      default: return a >= b;
    }
  };
  globalThis[Symbol.for('atoll.marks')] = { begin: () => stood.clear(), ran: () => [...stood] };
  const texts = Object.values(files).flat();
  const marked = new Map(texts.map((t) => [t.was, t.is]));
  const Module = require('module');
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, ...rest) {
    return compile.call(this, marked.get(content) || content, ...rest);
  };
  if (!Module.register) return;
  const names = Object.keys(files).map((f) => require('url').pathToFileURL(tree.within(f)).href);
  Module.register('data:text/javascript,' + encodeURIComponent(`const names = ${JSON.stringify(names)}; const marked = new Map(${JSON.stringify([...marked])});
export async function load(url, context, next) {
  const got = await next(url, context);
  if (!names.includes(url) || got.format !== 'module' || !got.source) return got;
  const text = Buffer.from(got.source).toString();
  return { ...got, source: marked.get(text) || text };
}`));
}

module.exports = { install, mark };
