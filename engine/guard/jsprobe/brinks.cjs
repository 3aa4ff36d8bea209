// The numbers at which an answer changes: a number of a script goes over orders of magnitude, and between two that are
// answered differently the one in the middle is asked until they stand beside each other (boundary value exploration:
// Dobslaw, Feldt and de Oliveira Neto 2023). A threshold that no comparison of the code holds, such as one of
// Math.floor(seconds / 3600 / 24), is nowhere else to be seen, and one that moved a little is found at it. A number in
// the digits of a text is one, too.
'use strict';
const { at, places, put } = require('./scripts.cjs');

const MOST_TAKEN = 8; // places of one group
const MOST_GAPS = 8; // of one place
const NEAR_FRACTION = 2 ** 18; // part of a fraction that two beside each other differ by: rounding alone moves no further
const DIGITS = /[0-9]{1,15}/;
const TENS = Array.from({ length: 16 }, (_, n) => 10 ** n);
const RUNGS = [0, ...TENS.flatMap((n) => [n, 3 * n]), ...TENS.filter((_, i) => i % 2 === 0).map((n) => -n)];

/** The number of a place, and what makes the value of the place with another one; undefined where it has none. */
function numberOf(node) {
  if (typeof node === 'number') return { value: node, whole: Number.isInteger(node), of: (n) => n, rungs: RUNGS };
  const run = typeof node === 'string' ? DIGITS.exec(node) : null;
  if (!run) return undefined;
  const [head, tail] = [node.slice(0, run.index), node.slice(run.index + run[0].length)];
  return { value: Number(run[0]), whole: true, of: (n) => head + n + tail, rungs: RUNGS.filter((n) => n >= 0) };
}

/** An answer without its numbers. */
const inWords = (answer) => answer.replace(/\d+/g, '0');

/** The search of one group. */
class Brinks {
  constructor() {
    this.taken = new Set();
    this.waits = undefined; // the value to ask for, and whether its script is to be kept
    this.asked = undefined; // the same of the script that runs
  }

  /** Begins with a number of a script, where nothing else is looked at. */
  take(script, answer) {
    if (this.waits || this.taken.size >= MOST_TAKEN) return;
    for (const place of places(script)) {
      const step = script[place.step];
      const key = [step.m || step.f.g, ...place.path].join(' ');
      const number = this.taken.has(key) ? undefined : numberOf(at(script, place));
      if (!number) continue;
      this.taken.add(key);
      this.make = (v) => put(script, place, number.of(v));
      this.steps = this.search(number, answer);
      this.waits = this.steps.next().value;
      return;
    }
  }

  /** Yields values and whether their scripts are to be kept, and gets their answers. */
  *search(number, answer) {
    const points = new Map([[number.value, answer]]);
    for (const v of number.rungs) if (!points.has(v)) points.set(v, yield { v });
    const order = [...points.keys()].sort((a, b) => a - b);
    const beside = (low, high) => (number.whole ? high - low <= 1 : !(high - low > Math.max(Math.abs(low), Math.abs(high), 1) / NEAR_FRACTION));
    const alike = ([low, high]) => Number(inWords(points.get(low)) === inWords(points.get(high)));
    const gaps = order.slice(1).map((high, i) => [order[i], high]).filter(([low, high]) => points.get(low) !== points.get(high));
    gaps.sort((a, b) => alike(a) - alike(b) || Math.max(b[1], -b[0]) - Math.max(a[1], -a[0]));
    for (let [low, high] of gaps.slice(0, MOST_GAPS)) {
      const below = points.get(low);
      while (!beside(low, high)) {
        const middle = number.whole ? Math.floor((low + high) / 2) : (low + high) / 2;
        if ((yield { v: middle }) === below) low = middle;
        else high = middle;
      }
      yield { v: low, keep: true };
      yield { v: high, keep: true };
    }
  }

  /** The next script; undefined where there is none. */
  next() {
    this.asked = this.waits;
    return this.asked && this.make(this.asked.v);
  }

  /** Takes the answer of a script, and tells whether it stands where the answer changes. */
  saw(answer) {
    const asked = this.asked;
    this.asked = undefined;
    if (asked) this.waits = this.steps.next(answer).value;
    return Boolean(asked && asked.keep);
  }
}

module.exports = { Brinks };
