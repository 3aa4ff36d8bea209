// Scripts copied, and one behind the other.
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

module.exports = { copy, joined };
