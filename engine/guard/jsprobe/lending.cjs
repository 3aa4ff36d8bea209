// Arguments that the caller writes to when something was made of them, before it uses what was made: who took what it needed
// does not see it.
'use strict';
const { inTurn } = require('./joining.cjs');
const { insert, isObject, refs } = require('./scripts.cjs');

const DEEPEST = 3;
const MOST_WRITTEN = 6; // objects of one argument
const LONGEST = 20; // steps

/** The names by which one gets to the objects of a value, itself first. */
function rooms(node, depth = 0) {
  if (!isObject(node)) return [];
  const inner = node.k === 'arr' ? node.v.slice(0, 4).map((x, i) => [String(i), x]) : node.k === 'obj' ? node.v.filter(([name, , how]) => typeof name === 'string' && !how) : [];
  return [[], ...(depth < DEEPEST ? inner.flatMap(([name, x]) => rooms(x, depth + 1).map((path) => [name, ...path])) : [])].slice(0, MOST_WRITTEN);
}

/** Whether a later step asks what one gave, or what it was called on. */
function used(row, i) {
  const of = row[i].f.k === 'ref' ? [i, row[i].f.i] : [i];
  return row.some((s, n) => n > i && !s.p && s.f.k === 'ref' && of.includes(s.f.i));
}

/** Scripts of a row in which the caller writes to an argument, or to what is in it, behind the call that it was given to. */
function lent(row) {
  if (row.length > LONGEST || row.some((s) => s.w) || JSON.stringify(row).includes('"k":"same"')) return [];
  const of = (step, n) => {
    const node = row[step].a[n];
    const own = insert(row, step, { f: { k: 'own' }, a: [node] });
    own[step + 1].a[n] = { k: 'ref', i: step };
    return rooms(node).map((path) => insert(own, step + 2, { f: { k: 'ref', i: step }, w: path }));
  };
  return inTurn(row.flatMap((s, step) => (s.r || s.p || !used(row, step) ? [] : (s.a || []).flatMap((a, n) => (refs(a).size > 0 ? [] : [of(step, n)])))));
}

module.exports = { lent };
