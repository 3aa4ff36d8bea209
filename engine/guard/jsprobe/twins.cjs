// Calls one after the other of which the second may get what the code kept of the first: with values that are one as keys,
// with one value of several another one, with an object that the caller writes to in between, and all of an object's life again.
'use strict';
const { copy, inTurn, joined, spread } = require('./joining.cjs');
const { U, near } = require('./near.cjs');
const { at, insert, isObject, places, put, refs } = require('./scripts.cjs');

const ROWS = 12; // rows that are made of where something is kept
const FEW = 6; // and where nothing is known to be
const MOST_NEAR = 8; // other values of one place
const MOST = 240; // scripts of one group
const MOST_STEPS = 4; // of one life that are made again
const WORDS = new Map([['true', true], ['false', false], ['null', null], ['undefined', U]]); // texts that other values are as well

/** Other values that a key made of a text, of JSON or of a few parts does not tell from one. */
function alike(node) {
  if (typeof node === 'string') return [node.toUpperCase(), node.toLowerCase(), node + ' ', node.split('').reverse().join(''), node.slice(0, -1) + 'x'].filter((t) => t !== node);
  if (typeof node === 'number') return [-node, node + 0.5, node + 256, node + 2 ** 32];
  const { k, v } = node || {};
  if (k === 'arr') {
    const texts = v.length > 0 && v.every((x) => typeof x === 'string');
    const halves = texts && v.length > 1 ? [{ k, v: [v.join(',')] }] : texts && v[0].length > 1 ? [{ k, v: [v[0][0] + ',' + v[0].slice(1)] }, { k, v: [v[0][0], v[0].slice(1)] }] : [];
    const nested = v.length > 1 ? [{ k, v: [...v].reverse() }, { k, v: [v[0], ...v.slice(1).map(other)] }] : [];
    return halves.concat(nested, v.length > 0 ? [{ k, v: v.map(other) }] : []);
  }
  if (k === 'obj' && v.length > 0) return [{ ...node, v: v.map(([name, x, ...rest]) => [name, other(x), ...rest]) }, { ...node, v: v.map((e, i) => (i === v.length - 1 ? [e[0], other(e[1]), ...e.slice(2)] : e)) }];
  if (['map', 'set', 'typed'].includes(k) && v.length > 1) return [{ ...node, v: [...v].reverse() }];
  return [];
}

/** Values of other types that have the text of one. */
function asKeys(v) {
  if (typeof v === 'string') return [Number(v)].filter((x) => String(x) === v).concat(WORDS.has(v) ? [WORDS.get(v)] : []);
  if (v === null || typeof v !== 'object') return [String(v)];
  return v.k === 'undef' ? ['undefined'] : [];
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
    const { kinds, keeps } = this.edges;
    if (!(kinds.has('key') || kinds.has('string') || kinds.has('number') || keeps)) return [];
    if (row.length > 1) return keeps ? this.inLife(row) : [];
    const words = keeps ? ['true', 'null'] : ['true'];
    return places(row).slice(0, 20).flatMap((p) => {
      const v = at(row, p);
      const list = asKeys(v).map((x) => put(row, p, x));
      const pairs = p.path.length === 1 && typeof v !== 'object' ? words.map((w) => [put(row, p, WORDS.get(w)), put(row, p, w)]) : [];
      return list.flatMap((r) => [joined(r, row), joined(row, r)]).concat(pairs.flatMap(([x, y]) => [joined(x, y), joined(y, x)]));
    });
  }

  /** The life of an object in which a call is made once more, before or behind itself, with a value that is one with its own as a key. */
  inLife(row) {
    const of = row.map((s, i) => i).filter((i) => row[i].f.k === 'ref' && !row[i].p && !row[i].r && !row[i].w && (row[i].a || []).length > 0);
    return spread(of, MOST_STEPS).flatMap((i) => row[i].a.flatMap((a, n) => (refs(a).size > 0 ? [] : asKeys(a).concat(alike(a))).flatMap((x) => {
      const other = { ...copy(row[i]), a: row[i].a.map((y, m) => copy(m === n ? x : y)) };
      return [insert(row, i + 1, other), insert(row, i, other)];
    })));
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
