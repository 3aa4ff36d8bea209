// Numbers as their texts, and texts of numbers as numbers: code that makes numbers of what it is given takes both.
'use strict';
const { copy, inTurn } = require('./joining.cjs');
const { at, places, put } = require('./scripts.cjs');

/** A number as its text, or the number of a text; undefined for others. */
function respelled(node) {
  if (typeof node === 'number') return String(node);
  return typeof node === 'string' && node !== '' && String(Number(node)) === node && Number.isFinite(Number(node)) ? Number(node) : undefined;
}

/** Scripts of a row with all numbers of a list, or one that stands alone, as their texts, and the other way. */
function spelled(row) {
  const lists = [];
  const alone = [];
  for (const p of places(row)) {
    const node = at(row, p);
    const other = node && node.k === 'arr' && node.v.length > 0 && node.v.every((x) => respelled(x) !== undefined) ? { ...copy(node), v: node.v.map(respelled) } : respelled(node);
    if (other === undefined) continue;
    (node.k === 'arr' ? lists : alone).push(put(row, p, other));
  }
  return inTurn([lists, alone]);
}

module.exports = { spelled };
