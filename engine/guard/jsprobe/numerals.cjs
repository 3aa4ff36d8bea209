// Numbers of texts in other ways of writing: what one way to read a number takes, another leaves, or takes for another one.
'use strict';
const { nameOf } = require('./source.cjs');

const READERS = /^(Number|parseInt|parseFloat|isNaN|isFinite)$/;
const WAYS = [(n) => n + 'px', (n) => '0x' + n, (n) => n + 'e1', (n) => '', (n) => n + '.', (n) => '+' + n, (n) => '.' + n, (n) => n + '_0', (n) => '0' + n, () => 'Infinity', (n) => n + '%', (n) => n + 'n', () => '1e400', (n) => '0b' + n, (n) => '-' + n, (n) => n + ' 1'];
const RUNS = /\d+(?:\.\d+)?|\.\d+/g;
const LONGEST = 2000;

/** Whether a node makes a number of what it is given. */
function reads(node) {
  if (node.type === 'UnaryExpression') return node.operator === '+' && node.argument.type !== 'Literal';
  if (node.type !== 'CallExpression') return false;
  return READERS.test(nameOf(node.callee)) || node.arguments.some((n) => n.type === 'Identifier' && READERS.test(n.name));
}

function runsOf(s) {
  return s.length > LONGEST ? [] : [...s.matchAll(RUNS)];
}

const instead = (s, run, text) => s.slice(0, run.index) + text + s.slice(run.index + run[0].length);

/** A text with its last number, its first, and one between them in each of these ways. */
function rewritten(s) {
  const runs = runsOf(s);
  const few = [...new Set([runs.length - 1, 0, runs.length >> 1])].filter((i) => i >= 0 && i < runs.length);
  return WAYS.flatMap((way) => few.map((i) => instead(s, runs[i], way(runs[i][0]))));
}

/** A text with one of its numbers in another way. */
function rewrittenAnew(s, d) {
  const runs = runsOf(s);
  if (runs.length === 0) return s;
  const run = d.pick(runs);
  return instead(s, run, d.pick(WAYS)(run[0]));
}

module.exports = { LONGEST, instead, reads, rewritten, rewrittenAnew, runsOf };
