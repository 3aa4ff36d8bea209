// What the sides of comparisons held is looked for in the script that ran, and the other side is put in its place: as a
// number, a text, a part of a text, a character, the digits in a text, a length, that of a part of a text (Aschermann et al. 2019, "REDQUEEN").
'use strict';
const { givenAll } = require('./options.cjs');
const { ofOther, opened } = require('./parts.cjs');
const { at, places, put } = require('./scripts.cjs');

const MOST_WAITING = 600;
const MOST_SEEN = 20000;
const OF_SCRIPT = 48; // scripts that one gives
const OF_PARTS = 16; // beside those, with parts of another length
const MOST_PAIRS = 40; // comparisons of one script
const MOST_PLACES = 60;
const MOST_SPOTS = 3; // where one part of a text is exchanged
const LONGEST = 4000; // characters of a text
const MOST_ROOM = 300; // of a length
const LEAST_DIGITS = 2;

const isCode = (n) => Number.isInteger(n) && n > 0 && n < 0x110000 && !(n >= 0xd800 && n < 0xe000);

/** The text with another part in the place of one: at the first places where that stands, and at the last. */
function exchanged(text, from, to) {
  const spots = [];
  for (let i = text.indexOf(from); i >= 0 && spots.length < MOST_SPOTS; i = text.indexOf(from, i + 1)) spots.push(i);
  const last = text.lastIndexOf(from);
  if (last >= 0 && !spots.includes(last)) spots.push(last);
  return spots.map((i) => text.slice(0, i) + to + text.slice(i + from.length));
}

/** A text or a list of another length, of what it has at its end. */
function ofLength(node, n) {
  if (n > MOST_ROOM) return [];
  if (typeof node === 'string') return [node.slice(0, n).padEnd(n, node.slice(-1) || 'a')];
  return node.v.length > 0 ? [{ ...node, v: Array.from({ length: n }, (_, i) => node.v[Math.min(i, node.v.length - 1)]) }] : [];
}

/** The values that stand for one of a script once one side of a comparison is as the other one is. */
function others(node, a, b) {
  if (typeof node === 'number') return node === a && typeof b === 'number' ? [b] : [];
  const isList = node !== null && typeof node === 'object' && node.k === 'arr';
  const out = (typeof node === 'string' || isList) && Number.isInteger(b) && b >= 0 && a === (isList ? node.v.length : node.length) ? ofLength(node, b) : [];
  if (typeof node !== 'string' || node.length > LONGEST) return out;
  if (typeof a === 'string') return node === a ? [b] : a !== '' && typeof b === 'string' ? exchanged(node, a, b) : [];
  if (isCode(a) && isCode(b)) out.push(...exchanged(node, String.fromCodePoint(a), String.fromCodePoint(b)));
  if (String(a).length >= LEAST_DIGITS) out.push(...exchanged(node, String(a), String(b)));
  return out;
}

/** The same of the parts of a text. */
function parted(node, a, b) {
  const isSize = (n) => Number.isInteger(n) && n >= 0 && n <= MOST_ROOM;
  return typeof node === 'string' && isSize(a) && isSize(b) ? ofOther(node, a, b) : [];
}

/** The scripts of one group that wait to be asked. */
class Meets {
  constructor(edges) {
    this.open = opened(edges); // options beside parts of another length, in their turn
    this.waits = [];
    this.seen = new Set();
  }

  /** Takes what the comparisons of a script held, as [number, one side, the other]; those of what changed have numbers below 0. */
  take(script, pairs) {
    const telling = [...pairs.filter(([n]) => n < 0), ...pairs.filter(([n]) => n >= 0)].slice(0, MOST_PAIRS);
    this.make(script, telling, others, OF_SCRIPT);
    this.make(script, telling, parted, OF_PARTS, (made) => givenAll(made, this.open[this.seen.size % this.open.length]) || made);
  }

  /** Makes scripts of what comparisons held; others gives the values that stand for one. */
  make(script, telling, others, most, beside = (made) => made) {
    let left = most;
    const all = places(script).slice(0, MOST_PLACES);
    for (const [, x, y] of telling) {
      for (const place of all) {
        for (const [a, b] of [[x, y], [y, x]]) {
          for (const v of others(at(script, place), a, b)) {
            if (left === 0 || this.waits.length >= MOST_WAITING || this.seen.size >= MOST_SEEN) return;
            const made = beside(put(script, place, v));
            const key = JSON.stringify(made);
            if (this.seen.has(key)) continue;
            this.seen.add(key);
            this.waits.push(made);
            left--;
          }
        }
      }
    }
  }

  /** The next script; undefined where there is none. */
  next() {
    return this.waits.shift();
  }
}

module.exports = { Meets };
