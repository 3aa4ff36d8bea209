// Numbers as their texts, and texts of numbers as numbers, where the changed code makes numbers of what it is given: it takes both.
'use strict';
const { copy, inTurn } = require('./joining.cjs');
const { at, places, put } = require('./scripts.cjs');

/** A number as its text, or the number of a text; undefined for others. */
function respelled(node) {
  if (typeof node === 'number') return String(node);
  return typeof node === 'string' && node !== '' && String(Number(node)) === node && Number.isFinite(Number(node)) ? Number(node) : undefined;
}

/** The name that a place has in the object that is nearest around it, or the number of its argument behind a #. */
function nameOf(row, { step, path }) {
  let node = row[step].a;
  let name = '#' + path[0];
  path.forEach((key, i) => {
    if (key === 'v' && node.k === 'obj') name = node.v[path[i + 1]][0];
    node = node[key];
  });
  return name;
}

/** Scripts of a row with all numbers of a list, or one that stands alone, as their texts, and the other way, where the changed code makes numbers of what has that name. */
function spelled(row, names) {
  const lists = [];
  const alone = [];
  for (const p of names.size > 0 ? places(row).filter((p) => names.has(nameOf(row, p))) : []) {
    const node = at(row, p);
    const other = node && node.k === 'arr' && node.v.length > 0 && node.v.every((x) => respelled(x) !== undefined) ? { ...copy(node), v: node.v.map(respelled) } : respelled(node);
    if (other === undefined) continue;
    (node.k === 'arr' ? lists : alone).push(put(row, p, other));
  }
  return inTurn([lists, alone]);
}

module.exports = { spelled };
