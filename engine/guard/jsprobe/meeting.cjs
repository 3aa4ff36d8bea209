// Functions among the later arguments of one call beside the first argument of another one: what a function orders or leaves
// out shows in a value in which that matters, and an order that a value has already shows nowhere.
'use strict';
const { inTurn, spread } = require('./joining.cjs');
const { form, nameOf } = require('./likeness.cjs');
const { at, places, put, refs } = require('./scripts.cjs');

const MOST_FUNCTIONS = 12; // of one group
const MOST_FORMS = 24; // values that are not like each other
const LONGEST = 600; // characters of one as a text
const MOST_ROWS = 1000;
const OF_TWO = /^\s*(?:async\s+)?(?:function\b[^(]*)?\(\s*[\w$]+\s*,\s*[\w$]+\s*\)/; // the text of a function of two parameters
const COMPARES = /localeCompare|[^=]>|<|\s-\s/;
const BY = /sort|compar|cmp|order|less|before/i; // names of what compares
const HOLDERS = ['arr', 'many', 'obj', 'set', 'map'];
const WAYS = [ // each of them orders whatever there is
  '(a, b) => (String(a) < String(b) ? 1 : String(a) > String(b) ? -1 : 0)', '(a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0)',
  '(a, b) => String(a).length - String(b).length', '(a, b) => (String(b).slice(-1) || "a").charCodeAt(0) - (String(a).slice(-1) || "a").charCodeAt(0)',
].map((src) => ({ k: 'fn', src }));

/** Whether a value holds others of several kinds: what compares items may have no order for them. */
const isMixed = (node) => new Set(form(node).match(/\w+/g).filter((k) => !HOLDERS.includes(k))).size > 1;

/** The values that calls of a name were given first, of each form the one that has most in it. */
function firsts(rows, name) {
  const out = new Map();
  for (const s of rows.slice(0, MOST_ROWS).flat()) {
    if (nameOf(s) !== name || !s.a || s.a.length === 0 || refs(s.a[0]).size > 0) continue;
    const text = JSON.stringify(s.a[0]);
    const key = form(s.a[0]);
    if (text.length <= LONGEST && !text.includes('"k":"same"') && !(out.has(key) && out.get(key).size >= text.length)) out.set(key, { size: text.length, node: s.a[0] });
  }
  return spread([...out.values()].sort((a, b) => a.size - b.size).map((x) => x.node), MOST_FORMS);
}

/** The name of an option, or of a call whose argument it is. */
function called(row, place) {
  const holder = place.path.length > 1 ? at(row, { ...place, path: place.path.slice(0, -1) }) : undefined;
  return Array.isArray(holder) && typeof holder[0] === 'string' ? holder[0] : nameOf(row[place.step]);
}

/** Whether a function compares two values, by its name or its text. */
const compares = ({ name, node }) => OF_TWO.test(node.src) && (BY.test(name) || COMPARES.test(node.src));

/** A row with a function in the place of one, beside each of some values. */
function met({ row, place }, way, firsts) {
  return firsts.map((first) => put(put(row, place, way), { step: place.step, path: [0] }, first));
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

  /** Lists of scripts of what compares: it, and such as put values in other orders, beside each of the values. */
  ways(f) {
    return [met(f, WAYS[0], f.firsts), met(f, f.node, f.firsts.filter((first) => !isMixed(first))), ...WAYS.slice(1).map((way) => met(f, way, f.firsts))];
  }

  /** Scripts of all of them, those that tell most first. */
  scripts() {
    this.all = this.all || inTurn([...this.list.filter(compares).flatMap((f) => this.ways(f)), inTurn(this.list.filter((f) => !compares(f)).map((f) => met(f, f.node, f.firsts)))]);
    return this.all;
  }

  drawn(d) {
    return d.pick(this.scripts());
  }
}

module.exports = { Meeting };
