// Chance as code under test has it: what a case draws is the same each time, also where it asks the system, as identifiers do.
'use strict';
const crypto = require('crypto');

/** Puts functions in the place of those that an object has and lets go of. */
function put(object, functions) {
  for (const [name, value] of Object.entries(functions)) Reflect.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Has all code that draws from now on draw from a function that gives numbers from 0 to 1. */
function seeded(next) {
  const bytes = (n) => Buffer.from(Array.from({ length: n }, () => Math.floor(next() * 256)));
  const fill = (view) => (Buffer.from(view.buffer, view.byteOffset, view.byteLength).set(bytes(view.byteLength)), view);
  const uuid = () => {
    const b = bytes(16);
    [b[6], b[8]] = [(b[6] & 15) | 64, (b[8] & 63) | 128];
    return b.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const told = (f) => (...args) => {
    const then = args.pop();
    if (typeof then !== 'function') return f(...args, then);
    const said = f(...args);
    queueMicrotask(() => then(null, said));
  };
  Math.random = next;
  const randomInt = (from, to) => (to === undefined ? Math.floor(next() * from) : from + Math.floor(next() * (to - from)));
  put(crypto, { randomBytes: told(bytes), pseudoRandomBytes: told(bytes), randomInt: told(randomInt), randomFillSync: fill, randomFill: told(fill), getRandomValues: fill, randomUUID: uuid });
  if (crypto.webcrypto) put(crypto.webcrypto, { getRandomValues: fill, randomUUID: uuid });
  require('module').syncBuiltinESMExports();
}

module.exports = { seeded };
