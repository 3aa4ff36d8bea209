// Calls one after the other of which the second may get what the code kept of the first: with values that are one as keys,
// with one value of several another one, with an object that the caller writes to in between, and all of an object's life again.
'use strict';
const { copy, inTurn, joined, spread } = require('./joining.cjs');
const { near } = require('./near.cjs');
const { at, isObject, places, put } = require('./scripts.cjs');

const ROWS = 12; // rows that are made of where something is kept
const FEW = 6; // and where nothing is known to be
const MOST_NEAR = 8; // other values of one place
const MOST = 240; // scripts of one group

/** Other values that a key made of a text, of JSON or of a few parts does not tell from one. */
function alike(node) {
  if (typeof node === 'string') return [node.toUpperCase(), node.toLowerCase(), node + ' ', node.split('').reverse().join(''), node.slice(0, -1) + 'x'].filter((t) => t !== node);
  if (typeof node === 'number') return [-node, node + 0.5, node + 256, node + 2 ** 32];
  const { k, v } = node || {};
  if (k === 'arr') {
    const halves = v.length > 1 && v.every((x) => typeof x === 'string') ? [{ k, v: [v.join(',')] }] : [];
    const nested = v.length > 1 ? [{ k, v: [...v].reverse() }, { k, v: [v[0], ...v.slice(1).map(other)] }] : [];
    return halves.concat(nested, v.length > 0 ? [{ k, v: v.map(other) }] : []);
  }
  if (k === 'obj' && v.length > 0) return [{ ...node, v: v.map(([name, x, ...rest]) => [name, other(x), ...rest]) }, { ...node, v: v.map((e, i) => (i === v.length - 1 ? [e[0], other(e[1]), ...e.slice(2)] : e)) }];
  if (['map', 'set', 'typed'].includes(k) && v.length > 1) return [{ ...node, v: [...v].reverse() }];
  return [];
}

/** Another value of the same kind and size. */
function other(x) {
  if (typeof x === 'number') return x + 1;
  if (typeof x === 'string') return x === '' ? 'a' : x.slice(0, -1) + (x.endsWith('z') ? 'y' : 'z');
  if (typeof x === 'boolean') return !x;
  return x;
}

/** Makes scripts of the rows of a group. */
class Twins {
  constructor(edges) {
    this.edges = edges;
  }

  /** Values of two types that are one as keys. */
  keys(row) {
    const { kinds } = this.edges;
    if (row.length > 1 || !(kinds.has('key') || kinds.has('string') || kinds.has('number') || this.edges.keeps)) return [];
    return places(row).slice(0, 20).flatMap((p) => {
      const v = at(row, p);
      const others = typeof v === 'string' ? [Number(v), v === 'true', null].filter((x) => String(x) === v) : v === null || typeof v !== 'object' ? [String(v)] : [];
      const list = others.map((x) => put(row, p, x)).concat(p.path.length === 1 && typeof v !== 'object' ? [put(row, p, true), put(row, p, 'true')] : []);
      return list.flatMap((r) => [joined(r, row), joined(row, r)]).concat(list.length > 1 ? [joined(...list.slice(-2)), joined(...list.slice(-2).reverse())] : []);
    });
  }

  /** A row behind itself with another value in one place, and with the end of one text at the beginning of the next. */
  beside(row) {
    const out = [];
    row.forEach((s, step) => (s.a || []).forEach((a, i) => {
      const next = s.a[i + 1];
      if (typeof a === 'string' && typeof next === 'string' && next !== '') out.push(joined(row, put(put(row, { step, path: [i] }, a + next[0]), { step, path: [i + 1] }, next.slice(1))));
    }));
    const list = places(row).slice(0, 12);
    const beside = (values) => inTurn(list.map((p) => values(p).map((v) => joined(row, put(row, p, v)))));
    return out.concat(beside((p) => alike(at(row, p))), beside((p) => near(at(row, p), this.edges, p.path.length > 1 || row[p.step].f.k === 'ref').slice(0, MOST_NEAR)));
  }

  /** A call with an object of the caller's, twice, and in between the caller writes to it. */
  rewritten(row) {
    const [call] = row;
    if (row.length > 1 || call.r) return [];
    return call.a.flatMap((a, n) => {
      if (!isObject(a)) return [];
      const own = { f: { k: 'own' }, a: [a] };
      const asked = { ...copy(call), a: call.a.map((x, i) => (i === n ? { k: 'ref', i: 0 } : copy(x))) };
      return [[own, asked, { f: { k: 'ref', i: 0 }, w: 1 }, copy(asked)]];
    });
  }

  /** Scripts of rows, those that tell most of each first. */
  of(rows) {
    const most = this.edges.keeps ? ROWS : FEW;
    const lists = spread(rows, most)
      .filter((row) => row.length < 20)
      .map((row) => [...this.rewritten(row), joined(row, row), ...inTurn([this.keys(row), this.edges.keeps ? this.beside(row) : []])]);
    return inTurn(lists).slice(0, MOST);
  }
}

module.exports = { Twins };
