// Small numbers in the place of large ones, for code that does not come back from these.
'use strict';

const MOST = 64; // of a number, a length and a repetition
const EXPONENT = /(\de[+-]?\d)\d+/gi;

function small(v) {
  return Math.abs(v) > MOST ? v % MOST : v;
}

/** A value with small numbers, also in texts where they have exponents. */
function tame(v) {
  if (typeof v === 'number') return small(v);
  if (typeof v === 'string') return v.replace(EXPONENT, '$1');
  if (Array.isArray(v)) return v.map(tame);
  if (v === null || typeof v !== 'object') return v;
  if (v.k === 'num') return v.v.endsWith('Infinity') ? MOST : v;
  if (v.k === 'big') return { ...v, v: v.v.slice(0, 3) };
  const out = v.n > MOST ? { ...v, n: MOST } : v;
  return Array.isArray(v.v) ? { ...out, v: v.v.map(tame) } : out;
}

/** A script whose calls have small numbers. */
function tamed(script) {
  return script.map((s) => ({ ...s, ...(s.a ? { a: s.a.map(tame) } : {}), ...(s.r > MOST ? { r: MOST } : {}) }));
}

module.exports = { tamed };
