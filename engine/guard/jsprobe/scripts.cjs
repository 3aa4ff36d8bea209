// Scripts and the values in them. A script is a list of steps
//
//     {f: what is called or has the method, m: the method, a: arguments, n: 1 for new, g: 1 for what is read, r: times,
//      w: 1 where the caller writes to it, or the names by which one gets to what of it is written to}
//
// and f is {k: 'lib', g: group}, {k: 'ref', i: step}, {k: 'own'} for a value of the caller's, which is the argument, or
// {k: 'set', g: group} where the caller sets the field m of a function to the argument.
'use strict';
const { copy } = require('./joining.cjs');

/** Whether a node is an object that the caller may write to. */
const isObject = (node) => node !== null && typeof node === 'object' && ['arr', 'obj', 'map', 'set', 'typed'].includes(node.k) && !node.z;

/** The places of a script where a value stands: arguments, and what is in them. */
function places(script) {
  const out = [];
  const look = (node, step, path) => {
    out.push({ step, path });
    if (node === null || typeof node !== 'object' || out.length > 400) return;
    if (['arr', 'many', 'set', 'typed'].includes(node.k)) node.v.slice(0, 20).forEach((x, i) => look(x, step, [...path, 'v', i]));
    if (node.k === 'map') node.v.slice(0, 10).forEach((_, i) => [0, 1].forEach((j) => look(node.v[i][j], step, [...path, 'v', i, j])));
    if (node.k === 'obj') node.v.slice(0, 20).forEach((_, i) => look(node.v[i][1], step, [...path, 'v', i, 1]));
  };
  script.forEach((s, step) => (s.a || []).forEach((a, i) => look(a, step, [i])));
  return out;
}

function at(script, place) {
  return place.path.reduce((node, key) => node[key], script[place.step].a);
}

function put(script, place, value) {
  const out = copy(script);
  const last = place.path[place.path.length - 1];
  place.path.slice(0, -1).reduce((node, key) => node[key], out[place.step].a)[last] = copy(value === undefined ? null : value);
  return out;
}

/** The steps that a node names. */
function refs(node, out = new Set()) {
  if (node === null || typeof node !== 'object') return out;
  if (node.k === 'ref') out.add(node.i);
  Object.values(node).forEach((x) => refs(x, out));
  return out;
}

function renumber(node, to) {
  if (node === null || typeof node !== 'object') return node;
  if (node.k === 'ref') return { ...node, i: to.get(node.i) };
  if (Array.isArray(node)) return node.map((x) => renumber(x, to));
  return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, renumber(v, to)]));
}

/** A script of some of the steps of another one, and of those only that have what they need. */
function some(script, keep) {
  const to = new Map();
  const out = [];
  script.forEach((s, i) => {
    if (!keep(i) || [...refs(s)].some((r) => !to.has(r))) return;
    to.set(i, out.length);
    out.push(renumber(s, to));
  });
  return out;
}

function insert(script, i, step) {
  const to = new Map(script.map((_, n) => [n, n < i ? n : n + 1]));
  return [...script.slice(0, i).map(copy), copy(step), ...script.slice(i).map((s) => renumber(s, to))];
}

module.exports = { at, insert, isObject, places, put, refs, some };
