// Functions among the later arguments of one call beside the first argument of another one: what a function orders or leaves
// out shows in a value in which that matters, and an order that a value has already shows nowhere.
'use strict';
const { inTurn } = require('./joining.cjs');
const { nameOf } = require('./likeness.cjs');
const { at, places, put, refs } = require('./scripts.cjs');

const MOST_FUNCTIONS = 4; // of one group
const MOST_FORMS = 12; // values that are not like each other
const LONGEST = 600; // characters of one as a text
const MOST_ROWS = 1000;
const OF_TWO = /^\s*(?:async\s+)?(?:function\b[^(]*)?\(\s*[\w$]+\s*,\s*[\w$]+\s*\)/; // the text of a function of two parameters
const COMPARES = /localeCompare|[^=]>|<|\s-\s/;
const BY = /sort|compar|cmp|order|less|before/i; // names of what compares
const WAYS = [
  '(a, b) => (a < b ? 1 : a > b ? -1 : 0)', '(a, b) => (a < b ? -1 : a > b ? 1 : 0)', '(a, b) => String(a).length - String(b).length',
  '(a, b) => { const [x, y] = [a, b].map((t) => String(t).slice(-1)); return x < y ? 1 : x > y ? -1 : 0; }',
].map((src) => ({ k: 'fn', src }));

/** What a value is like, down to the values in it and without their names. */
function form(node) {
  if (node === null || typeof node !== 'object') return typeof node;
  if (!Array.isArray(node.v)) return node.k;
  return node.k + '(' + [...new Set(node.v.map((x) => form(node.k === 'obj' ? x[1] : x)))].sort() + ')';
}

/** The values that calls of a name were given first, of each form the one that has most in it. */
function firsts(rows, name) {
  const out = new Map();
  for (const s of rows.slice(0, MOST_ROWS).flat()) {
    if (nameOf(s) !== name || !s.a || s.a.length === 0 || refs(s.a[0]).size > 0) continue;
    const text = JSON.stringify(s.a[0]);
    const key = form(s.a[0]);
    if (text.length <= LONGEST && !text.includes('"k":"same"') && !(out.has(key) && out.get(key).size >= text.length)) out.set(key, { size: text.length, node: s.a[0] });
  }
  return [...out.values()].sort((a, b) => b.size - a.size).slice(0, MOST_FORMS).map((x) => x.node);
}

/** The name of an option, or of a call whose argument it is. */
function called(row, place) {
  const holder = place.path.length > 1 ? at(row, { ...place, path: place.path.slice(0, -1) }) : undefined;
  return Array.isArray(holder) && typeof holder[0] === 'string' ? holder[0] : nameOf(row[place.step]);
}

/** The rows of a group with functions among the later arguments of a call. */
class Meeting {
  constructor(rows) {
    const seen = new Map();
    for (const row of rows.slice(0, MOST_ROWS)) {
      if (row.length >= 20 || seen.size >= MOST_FUNCTIONS) continue;
      for (const place of places(row)) {
        const node = at(row, place);
        if (place.path[0] === 0 || place.path.length > 4 || !node || node.k !== 'fn' || !node.src) continue;
        const name = called(row, place);
        const key = nameOf(row[place.step]) + ' ' + name;
        if (!seen.has(key) && seen.size < MOST_FUNCTIONS) seen.set(key, { row, place, name, node });
      }
    }
    this.list = [...seen.values()].map((f) => ({ ...f, firsts: firsts(rows, nameOf(f.row[f.place.step])) })).filter((f) => f.firsts.length > 1);
    this.any = this.list.length > 0;
  }

  /** The functions that may stand in the place of one: where it compares two values, such as put them in other orders. */
  ways({ name, node }) {
    return OF_TWO.test(node.src) && (BY.test(name) || COMPARES.test(node.src)) ? [WAYS[0], node, ...WAYS.slice(1)] : [node];
  }

  met({ row, place }, way, first) {
    return put(put(row, place, way), { step: place.step, path: [0] }, first);
  }

  /** Scripts of all of them, those that tell most first. */
  scripts() {
    return inTurn(this.list.flatMap((f) => this.ways(f).map((way) => f.firsts.map((first) => this.met(f, way, first)))));
  }

  drawn(d) {
    const f = d.pick(this.list);
    return this.met(f, d.pick(this.ways(f)), d.pick(f.firsts));
  }
}

module.exports = { Meeting };
