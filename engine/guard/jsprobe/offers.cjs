// Options that the changed code reads as tests give them, such as functions, beside the arguments of other calls: what one test
// gives to one call says something of all others.
'use strict';
const { copy, joined, spread } = require('./joining.cjs');
const { nameOf } = require('./likeness.cjs');
const { isPlain } = require('./options.cjs');
const { refs } = require('./scripts.cjs');

const MOST_OFFERS = 8;
const MOST_ALIKE = 2; // values of one option of one call
const ROWS = 12;

/** The options in the rows of tests that are no plain values: name and value, the call, at which of its arguments they stand, and those. */
function offersOf(rows, options) {
  const out = [];
  const alike = new Map();
  const take = (m, a, n, [name, x]) => {
    const key = JSON.stringify([m, n, name]);
    const seen = alike.get(key) || new Set();
    if (!options.includes(name) || x === null || typeof x !== 'object' || refs(a).size > 0 || seen.size >= MOST_ALIKE || seen.has(JSON.stringify(x))) return;
    alike.set(key, seen.add(JSON.stringify(x)));
    out.push({ m, n, name, x, a });
  };
  for (const row of rows) for (const s of row) (s.a || []).forEach((a, n) => isPlain(a) && a.v.forEach((e) => take(nameOf(s), s.a, n, e)));
  return out.slice(0, MOST_OFFERS);
}

/** A script whose last call of that name is offered an option; undefined where it has no such call. What is missing before the option is as the test has it. */
function offered(script, { m, n, name, x, a }) {
  const out = copy(script);
  const step = out.filter((s) => nameOf(s) === m && s.a).pop();
  if (!step) return undefined;
  while (step.a.length < n) step.a.push(copy(a[step.a.length]));
  const own = isPlain(step.a[n]) ? step.a[n].v.filter((e) => e[0] !== name) : [];
  step.a[n] = { k: 'obj', v: own.concat([[name, copy(x)]]) };
  return out;
}

/** Calls of the tests as they were, and behind each the same with an option of another one, for each option. */
function offeredRows(rows, offers) {
  return offers.map((offer) => {
    const of = rows.filter((row) => row.length < 20 && row.some((s) => nameOf(s) === offer.m));
    return spread(of, ROWS).map((row) => joined(row, offered(row, offer)));
  });
}

module.exports = { offered, offeredRows, offersOf };
