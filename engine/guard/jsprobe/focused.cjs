// Long lives in which a method that changed is called: among dozens of calls with values of their own its arguments are
// hardly varied, so it is also called alone, of an object that was just made. And getters that changed, which callers read twice.
'use strict';
const { refs, some } = require('./scripts.cjs');

const MOST = 12;
const MOST_READ = 3; // objects of a script
const LONG = 4; // steps more than the call needs

/** What a step of a script needs: the steps that it names, and those that these name. */
function needed(script, step, out = new Set()) {
  if (out.has(step)) return out;
  out.add(step);
  refs(script[step]).forEach((r) => needed(script, r, out));
  return out;
}

/** Scripts that have of each call of a changed method in long ones that call alone, with what it needs. */
function focused(rows, changed) {
  const out = new Map();
  for (const row of changed.size > 0 ? rows : []) {
    row.forEach((s, i) => {
      if (out.size >= MOST || s.f.k !== 'ref' || !changed.has(s.m)) return;
      const steps = needed(row, i);
      const script = some(row, (n) => steps.has(n));
      if (row.length >= script.length + LONG) out.set(JSON.stringify(script), script);
    });
  }
  return [...out.values()];
}

/** Scripts in which a getter that changed is read twice at the end: of the last object, and of those that calls were made on. */
function reread(row, getters) {
  const of = [...new Set([row.length - 1, ...row.flatMap((s) => (s.f.k === 'ref' ? [s.f.i] : []))])].sort((a, b) => b - a).slice(0, MOST_READ);
  return getters.flatMap((m) => of.map((i) => row.concat([1, 2].map(() => ({ f: { k: 'ref', i }, m, g: 1, a: [] })))));
}

module.exports = { focused, reread };
