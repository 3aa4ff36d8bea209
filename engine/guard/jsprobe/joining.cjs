// Scripts copied, one behind the other, lists of them in turn, and some of many.
'use strict';

const copy = (v) => JSON.parse(JSON.stringify(v));

/** A script and another one behind it. */
function joined(a, b) {
  const moved = (node) => {
    if (node === null || typeof node !== 'object') return node;
    if (node.k === 'ref') return { ...node, i: node.i + a.length };
    if (Array.isArray(node)) return node.map(moved);
    return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, moved(v)]));
  };
  return copy(a).concat(moved(b));
}

/** The first of each list, the second of each, and so on. */
function inTurn(lists) {
  const out = [];
  for (let n = 0; lists.some((l) => n < l.length); n++) for (const l of lists) if (n < l.length) out.push(l[n]);
  return out;
}

/** A list with one of a few before each so many of it. */
function among(list, few, each) {
  return few.flatMap((x, i) => [x, ...list.slice(i * each, (i + 1) * each)]).concat(list.slice(few.length * each));
}

/** So many of a list at most, from all parts of it. */
function spread(list, most) {
  const n = Math.min(most, list.length);
  return Array.from({ length: n }, (_, i) => list[Math.floor((i * list.length) / n)]);
}

module.exports = { among, copy, inTurn, joined, spread };
