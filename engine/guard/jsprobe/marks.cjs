// Marks in functions: which of their branches ran, how the two sides of their comparisons stood, and what they held. Code with
// marks does what it does without.
'use strict';
const { FUNCTIONS, walk } = require('./source.cjs');
const tree = require('./tree.cjs');

const MOST_TOLD = 3; // times that the sides of one comparison are told: the first ones, and the last
const COMPARED = ['===', '!==', '==', '!=', '<', '>', '<=', '>='];

/** The parts of a node that run or do not run, and get a mark. */
function parts(node) {
  if (FUNCTIONS.includes(node.type)) return [node.body];
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') return [node.consequent, node.alternate].filter(Boolean);
  if (/^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type) || node.type === 'CatchClause') return [node.body];
  if (node.type === 'LogicalExpression') return [node.right];
  return node.type === 'SwitchCase' && node.consequent.length > 0 ? [node] : [];
}

/** The smallest part of a function that holds what stands between two places. */
function holder(f, [from, to]) {
  let out = f.body;
  walk().full(f, (node) => parts(node).forEach((p) => p.start <= from && to <= p.end && p.end - p.start < out.end - out.start && (out = p)));
  return out;
}

/** The text of a source with marks in some of its functions. What holds a range that differs in one of them, by its node, has negative ones. */
function mark(source, list, ranges = new Map()) {
  const edits = []; // [place, order, text]
  const hot = new Set([...ranges].map(([f, range]) => holder(f, range)));
  let next = 0;
  const seen = new Set();
  const around = (node, before, after) => edits.push([node.start, 1, before, node.end - node.start + 0.5], [node.end, 0, after, node.start - node.end - 0.5]);
  const ran = (node) => `__atoll_ran(${hot.has(node) ? -1 - next++ : next++})`;
  const inside = (f, node) => ranges.has(f) && node.start < ranges.get(f)[1] + 1 && ranges.get(f)[0] <= node.end;
  const put = (node) => {
    if (node.type === 'SwitchCase') return edits.push([node.consequent[0].start, 1, ran(node) + ';', Infinity]);
    if (node.type !== 'BlockStatement') return /Statement$|Declaration$/.test(node.type) ? around(node, '{' + ran(node) + ';', '}') : around(node, `(${ran(node)}, `, ')');
    const directives = node.body.filter((s) => s.directive);
    edits.push([directives.length > 0 ? directives[directives.length - 1].end : node.start + 1, 0, (directives.length > 0 ? ';' : '') + ran(node) + ';', 0]);
  };
  const look = (f, node) => {
    if (seen.has(node)) return;
    seen.add(node);
    parts(node).forEach(put);
    if (node.type === 'BinaryExpression' && COMPARED.includes(node.operator)) {
      edits.push([node.start, 1, `__atoll_met(${inside(f, node) ? -1 - next++ : next++}, "${node.operator}", `, node.end - node.start], [node.end, 0, ')', node.start - node.end]);
      between(source, node, edits);
    }
    const choices = node.type === 'SwitchStatement' ? node.cases.map((c) => c.test && plain(source, c.test)).filter(Boolean) : [];
    if (choices.length > 0) {
      const n = inside(f, node) ? -1 - next - choices.length : next;
      next += choices.length;
      around(node.discriminant, `__atoll_chosen(${n}, [${choices.join(', ')}], `, ')');
    }
  };
  for (const f of list) walk().full(f.node, (node) => look(f.node, node));
  return applied(source.text, edits);
}

/** The text of a literal; '' for what is none. */
function plain(source, node) {
  const literal = node.type === 'UnaryExpression' && node.operator === '-' ? node.argument : node;
  return literal.type === 'Literal' && ['string', 'number'].includes(typeof literal.value) ? source.text.slice(node.start, node.end) : '';
}

/** What of two versions of functions differs, by their nodes: from the first word that does to the last. */
function differing(a, listA, b, listB) {
  const out = new Map();
  for (const f of listA) {
    const other = listB.find((o) => o.name === f.name);
    if (!other) continue;
    const [x, y] = [tokens(a, f.node), tokens(b, other.node)];
    const most = Math.min(x.length, y.length);
    let [first, last] = [0, 0];
    while (first < most && x[first].text === y[first].text) first++;
    while (last < most - first && x[x.length - 1 - last].text === y[y.length - 1 - last].text) last++;
    for (const [list, node] of [[x, f.node], [y, other.node]]) {
      const from = list[first] ? list[first].start : node.end;
      out.set(node, [from, Math.max(from, list.length - 1 - last >= first ? list[list.length - 1 - last].end : from)]);
    }
  }
  return out;
}

const tokens = (source, node) => source.tokens.filter((t) => t.start >= node.start && t.end <= node.end);

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
const sides = new Map(); // of comparisons, by their numbers

/** Notes the sides of a comparison that are not alike. */
function tell(i, a, b) {
  stood.add(i * 16 + relation(a, b) + 1e6);
  if (a === b || !((typeof a === 'number' || typeof a === 'string') && typeof a === typeof b)) return;
  const list = sides.get(i);
  if (!list) sides.set(i, [[i, a, b]]);
  else list[Math.min(list.length, MOST_TOLD - 1)] = [i, a, b];
}

function relation(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a < b ? (b - a === 1 ? -1 : -2) : a - b === 1 ? 1 : a > b ? 2 : 3;
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a.length === b.length ? 4 : a.startsWith(b) ? 5 : 6;
  return a === b ? 0 : typeof a === typeof b ? 7 : 8;
}

/** Has files loaded with marks, and the marks noted. */
function install(files) {
  globalThis.__atoll_ran = (i) => void stood.add(i);
  globalThis.__atoll_met = (i, op, a, b) => {
    tell(i, a, b);
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
  globalThis.__atoll_chosen = (i, choices, v) => {
    choices.forEach((c, n) => tell(i + n, v, c));
    return v;
  };
  const begin = () => {
    stood.clear();
    sides.clear();
  };
  globalThis[Symbol.for('atoll.marks')] = { begin, ran: () => [...stood], hot: () => [...stood].some((i) => i < 0), sides: () => [...sides.values()].flat() };
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

module.exports = { differing, install, mark };
