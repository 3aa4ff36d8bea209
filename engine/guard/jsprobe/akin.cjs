// Values that are almost another one: what compares two may take them for one.
'use strict';
const { inTurn } = require('./joining.cjs');
const { LONGEST, instead, runsOf } = require('./numerals.cjs');
const { at, places, put } = require('./scripts.cjs');

const MOST_STEPS = 4; // of a row
const MOST_PAIRS = 2; // of a call
const FRACTION = /\.\d/;
const FINER = ['04', '4']; // digits that what rounds drops

/** A text with more digits behind one of its numbers. */
function longer(s, run, digits) {
  return instead(s, run, run[0] + (run[0].includes('.') ? '' : '.') + digits);
}

/** A text that is one but for a letter, a case, or the last digits of a number; a number that is one but for its last digits. As often it is the same. */
function akin(v, d) {
  if (d.chance(2)) return v;
  if (typeof v === 'number') return Number.isFinite(v) ? v + d.pick([0.004, -0.004, 1, -1, 1e-7]) : v;
  if (v.length > LONGEST) return v;
  const runs = runsOf(v);
  const i = d.n(v.length + 1);
  const k = d.n(runs.length > 0 ? 4 : 3);
  if (k === 0) return v.slice(0, i) + d.pick([' ', 'a', '0', '.', 'é']) + v.slice(i);
  if (k === 1) return v.slice(0, i) + v.slice(i + 1);
  if (k === 2) return v.slice(0, i) + (v.slice(i, i + 1).toUpperCase() === v.slice(i, i + 1) ? v.slice(i).toLowerCase() : v.slice(i).toUpperCase());
  const run = d.pick(runs);
  return longer(v, run, d.chance(2) ? d.pick(FINER) : Array.from({ length: 1 + d.n(3) }, () => d.n(10)).join(''));
}

/** What a text, or a number, is almost, the most telling first. */
function akins(v) {
  if (typeof v === 'number') return [v, v + 0.004, v - 0.004, v + 1e-7];
  const run = runsOf(v.slice(0, LONGEST)).pop();
  const more = run ? FINER.map((digits) => longer(v, run, digits)) : [];
  return [...more, v, v.toUpperCase() === v ? v.toLowerCase() : v.toUpperCase(), v + 'a', v.slice(0, -1)];
}

/** A row with two arguments of a call almost equal. */
function matched(row) {
  return row.slice(0, MOST_STEPS).flatMap((s, step) => {
    const of = (s.a || []).map((a, i) => i).filter((i) => /^(number|string)$/.test(typeof s.a[i]));
    const pairs = of.slice(1).map((i) => [of[0], i]).filter(([a, b]) => typeof s.a[a] === typeof s.a[b]);
    return pairs.slice(0, MOST_PAIRS).flatMap(([a, b]) => akins(s.a[a]).map((v) => put(row, { step, path: [b] }, v)));
  });
}

/** Rows that have numbers with a fraction, also in texts and within others, each with one of them a little finer. */
function refined(rows, most) {
  const of = (row) => places(row).filter((p) => FRACTION.test(at(row, p)) && /^(number|string)$/.test(typeof at(row, p)) && String(at(row, p)).length <= LONGEST);
  const one = (v) => (typeof v === 'number' ? v + 0.004 : longer(v, runsOf(v).findLast((run) => run[0].includes('.')) || runsOf(v).pop(), FINER[0]));
  return inTurn(rows.map((row) => of(row).map((p) => put(row, p, one(at(row, p)))))).slice(0, most);
}

module.exports = { akin, matched, refined };
