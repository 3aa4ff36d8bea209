// Functions of tests that note their calls, functions in the place of others, and clocks that tests move.
'use strict';
const { anything } = require('./expecting.cjs');

const spies = new Set();

/** A function that notes its calls; what it does can be set, and set for the next calls. */
function fn(does) {
  const state = { does, once: [] };
  const calls = { calls: [], results: [], instances: [], contexts: [], invocationCallOrder: [], get lastCall() { return this.calls[this.calls.length - 1]; } };
  const own = function (...args) {
    calls.calls.push(args);
    calls.instances.push(this);
    const f = state.once.length > 0 ? state.once.shift() : state.does;
    try {
      const value = f ? (new.target ? Reflect.construct(f, args) : f.apply(this, args)) : undefined;
      calls.results.push({ type: 'return', value });
      return value;
    } catch (e) {
      calls.results.push({ type: 'throw', value: e });
      throw e;
    }
  };
  const set = (make) => (v) => ((state.does = make(v)), own);
  const next = (make) => (v) => (state.once.push(make(v)), own);
  const clear = () => (Object.assign(calls, { calls: [], results: [], instances: [] }), own);
  const kinds = { Implementation: (f) => f, ReturnValue: (v) => () => v, ResolvedValue: (v) => async () => v, RejectedValue: (v) => async () => { throw v; }, ReturnThis: () => function () { return this; } };
  for (const [name, make] of Object.entries(kinds)) Object.assign(own, { ['mock' + name]: set(make), ['mock' + name + 'Once']: next(make) });
  return Object.assign(own, {
    mock: calls, _isMockFunction: true, getMockImplementation: () => state.does, mockName: () => own, getMockName: () => 'mock', mockClear: clear,
    mockReset: () => ((state.does = does), (state.once = []), clear()), mockRestore: clear, [Symbol.for('atoll.text')]: () => state.does,
  });
}

/** Puts a function in the place of a method until it is put back. */
function spyOn(object, key, kind) {
  const was = Object.getOwnPropertyDescriptor(object, key);
  const usual = kind ? was && was[kind] : object[key];
  const spy = fn(usual);
  const put = kind ? { ...was, [kind]: spy } : { value: spy, configurable: true, writable: true, enumerable: was ? was.enumerable : true };
  Object.defineProperty(object, key, put);
  const restore = () => {
    if (was) Object.defineProperty(object, key, was);
    else delete object[key];
    spies.delete(restore);
  };
  spies.add(restore);
  return Object.assign(spy, { mockRestore: restore });
}

const restoreAll = () => [...spies].forEach((restore) => restore());

/** The clock of node that can be moved; a node that has none moves nothing. */
function clock() {
  return require('node:test').mock.timers;
}

let moved = false; // whether the clock is not that of the machine

function useFakeTimers(options) {
  useRealTimers();
  moved = true;
  const now = options && options.now !== undefined ? options.now : Date.now();
  try {
    clock().enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now: Number(now) });
  } catch {}
  return mocks;
}

function useRealTimers() {
  if (moved) clock().reset();
  moved = false;
  return mocks;
}

/** Moves the clock as a test asks. */
function move(does) {
  return (...args) => {
    try {
      if (moved) does(clock(), ...args);
    } catch {} // a test of the clock itself
    const done = Promise.resolve();
    return Object.assign(Object.create(mocks), { then: done.then.bind(done) });
  };
}

const stubbed = (into) => (name, value) => ((into()[name] = value), mocks);
const advance = move((c, ms) => c.tick(ms));
const all = move((c) => c.runAll());

const known = {
  fn, spyOn, useFakeTimers, useRealTimers, restoreAllMocks: () => (restoreAll(), mocks), clearAllMocks: () => mocks, resetAllMocks: () => mocks,
  mocked: (v) => v, isMockFunction: (f) => Boolean(f && f._isMockFunction), hoisted: (f) => f(), genMockFunction: fn, createMockFromModule: () => anything,
  advanceTimersByTime: advance, advanceTimersByTimeAsync: advance, runAllTimers: all, runAllTimersAsync: all, runOnlyPendingTimers: all, runOnlyPendingTimersAsync: all, advanceTimersToNextTimer: all,
  setSystemTime: move((c, t) => c.setTime(Number(new Date(t)))), getRealSystemTime: () => Date.now(), stubGlobal: stubbed(() => globalThis), stubEnv: stubbed(() => process.env),
  waitFor: async (f) => f(), waitUntil: async (f) => f(), dynamicImportSettled: async () => {},
  isolateModules: (f) => f(), isolateModulesAsync: (f) => f(), retryTimes: () => mocks, setTimeout: () => mocks,
};

const mocks = new Proxy(known, { get: (t, key) => (key in t ? t[key] : key === 'then' ? undefined : typeof key === 'symbol' ? t[key] : () => mocks) });

module.exports = { mocks };
