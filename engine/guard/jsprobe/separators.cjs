// Options that are one character, such as what parts a text: no test need give another one than that which stands for it, and
// texts that have the other one tell what still knows the first.
'use strict';
const { copy, joined, spread } = require('./joining.cjs');
const { given, isPlain, taker } = require('./options.cjs');
const { inAll, marked } = require('./rewording.cjs');
const { FUNCTIONS, nameOf } = require('./source.cjs');

const NAMED = /^(sep|separator|delim|delimiter|quote|quoteChar|escape|escapeChar|glue|comment|comments|newline|eol|joiner|divider)$/i;
const OTHERS = ['|', ';', '.', '\t'];
const MOST_OTHERS = 3;
const ROWS = 4;

const isOne = (node) => node.type === 'Literal' && typeof node.value === 'string' && [...node.value].length === 1 && !/[\p{L}\p{N}]/u.test(node.value);
const named = (node) => (node.type === 'Identifier' || node.type === 'MemberExpression' ? nameOf(node) : '');

/** What a node gives for options that are one character, as [name, character]; a parameter is named by its place, as #1. */
function separatorsOf(node) {
  const out = [];
  const take = (name, value) => name && isOne(value) && out.push([name, value.value]);
  if (node.type === 'LogicalExpression' && node.operator !== '&&') take(named(node.left), node.right);
  if (node.type === 'ConditionalExpression') {
    take(named(node.consequent), node.alternate);
    take(named(node.alternate), node.consequent);
  }
  if (node.type === 'ObjectPattern') node.properties.forEach((p) => p.value && p.value.type === 'AssignmentPattern' && take(nameOf(p.key), p.value.right));
  if (node.type === 'Property' && NAMED.test(nameOf(node.key))) take(nameOf(node.key), node.value);
  if (FUNCTIONS.includes(node.type)) node.params.forEach((p, i) => p.type === 'AssignmentPattern' && take('#' + i, p.right));
  return out;
}

/** The separators of what changed: those with a character that stands for them, and options with the name of one. */
function separators(known, options) {
  const names = new Set(known.map(([name]) => name));
  return known.concat(options.filter((name) => NAMED.test(name) && !names.has(name)).map((name) => [name, '']));
}

/** The text that a call is given for an option, undefined for none. */
function textFor(step, name) {
  const last = step.a[step.a.length - 1];
  const v = name[0] === '#' ? step.a[Number(name.slice(1))] : isPlain(last) ? (last.v.find((e) => e[0] === name) || [])[1] : undefined;
  return typeof v === 'string' ? v : undefined;
}

/** A script whose last call is given a text for an option; undefined where it takes none. */
function giving(row, name, text, known) {
  if (name[0] !== '#') return given(row, name, text, known);
  const out = copy(row);
  const { a } = out[out.length - 1];
  const at = Number(name.slice(1));
  if (at > a.length) return undefined;
  a[at] = text;
  return out;
}

/** A script whose texts have another character where they have one, or in their middle where none has it. */
function written(row, was, to) {
  const out = was === '' ? row : marked(row, was, to);
  if (JSON.stringify(out) !== JSON.stringify(row)) return out;
  return inAll(row, (text, name) => (name || text.length < 2 ? text : text.slice(0, text.length >> 1) + to + text.slice(text.length >> 1)));
}

/** Calls as they were, and behind each the same with another separator, with texts that have it and without: a list for each separator. */
function separated(rows, { options, separators: list }) {
  const some = spread(rows.filter((row) => row.length < 20 && row[row.length - 1].a && !row[row.length - 1].r), ROWS);
  return list.map(([name, usual]) => some.flatMap((row) => {
    const was = textFor(taker(row, options), name) || usual;
    return OTHERS.filter((c) => c !== was).slice(0, MOST_OTHERS).flatMap((c) => {
      const others = [written(row, was, c), row, written(row, '', c)].map((script) => giving(script, name, c, options));
      return others.filter(Boolean).map((other) => joined(row, other));
    });
  }));
}

module.exports = { separated, separators, separatorsOf };
