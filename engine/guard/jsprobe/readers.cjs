// What objects of classes of a tree tell of themselves without arguments, by the names that such methods have: a list of them says nothing else.
'use strict';
const { chain } = require('./bases.cjs');

const READS = /^(get|is|has|to|as)(?![a-z])|^(toString|toJSON|valueOf|format|inspect)$/;
const MOST_READ = 14; // of one object

const known = new WeakMap(); // by prototype

/** The names of an object's methods that only read, as far as their names say so, and of its getters; the latter in pairs with true. */
function readersOf(v) {
  const proto = Object.getPrototypeOf(v);
  if (proto === null) return [];
  if (!known.has(proto)) {
    const out = new Map();
    for (const p of chain(v).own) {
      for (const key of Object.getOwnPropertyNames(p)) {
        const d = Object.getOwnPropertyDescriptor(p, key);
        if (key.startsWith('_') || out.has(key)) continue;
        if (d.get) out.set(key, true);
        else if (typeof d.value === 'function' && d.value.length === 0 && READS.test(key)) out.set(key, false);
      }
    }
    known.set(proto, [...out].slice(0, MOST_READ));
  }
  return known.get(proto);
}

module.exports = { readersOf };
