// Calls that are under way at the same time: no call waits for the one before it. What queues, bounds or joins such calls does
// nothing where each is waited for. A step of which nobody waits for the promise has p; y are those that gave one to a test.
'use strict';
const { copy } = require('./joining.cjs');
const { kindOf } = require('./near.cjs');

const MOST = 60; // scripts of one group
const BESIDE = 4; // calls that are made beside each other where a test makes one
const slow = (ms) => ({ k: 'fn', src: `async (...args) => { await new Promise((done) => setTimeout(done, ${ms})); return args.length > 0 ? args[0] : ${ms}; }` });
const failing = { k: 'fn', src: `async () => { await new Promise((done) => setTimeout(done, 15)); throw new Error('thrown'); }` };
const TAKE = [slow(30), slow(10), failing, slow(20)];

const named = (script) => new Set(JSON.stringify(script).match(/"k":"ref","i":\d+/g) || []);

/** The steps of a script whose promises nothing else asks for. */
function free(script) {
  const used = named(script);
  return script.map((s, i) => (s.y && !s.r && !used.has(`"k":"ref","i":${i}`) ? i : -1)).filter((i) => i >= 0);
}

/** A script in which some calls are not waited for, and the functions that they are given take their time. */
function apart(script, list, timed) {
  const out = copy(script);
  list.forEach((i, n) => {
    out[i].p = 1;
    if (timed) out[i].a = out[i].a.map((a) => (kindOf(a) === 'fn' ? TAKE[n % TAKE.length] : a));
  });
  return out;
}

/** A script with its last such call made several times. */
function again(script, i) {
  return [...script.slice(0, i + 1), ...Array.from({ length: BESIDE - 1 }, () => copy(script[i]))];
}

/** Scripts of rows with calls under way at once, those that tell most of each first. */
function atOnce(rows) {
  const out = [];
  for (const row of rows.filter((r) => r.length < 20)) {
    const list = free(row);
    if (list.length === 0 || out.length >= MOST) continue;
    const last = list[list.length - 1];
    const more = again(row, last);
    const all = Array.from({ length: BESIDE }, (_, n) => last + n);
    out.push(apart(more, all, true));
    if (list.length > 1) out.push(apart(row, list, false), apart(row, list, true));
    out.push(apart(more, all, false));
  }
  return out;
}

/** A script with one call that is not waited for, or waited for again. */
function otherwise(script, d) {
  const list = free(script);
  if (list.length === 0) return script;
  const i = d.pick(list);
  const out = d.chance(3) ? again(script, list[list.length - 1]) : copy(script);
  if (out[i].p) delete out[i].p;
  else out[i].p = 1;
  return out;
}

module.exports = { atOnce, otherwise };
