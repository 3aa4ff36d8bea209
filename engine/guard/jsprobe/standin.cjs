// Stands in the place of frameworks of tests with a module system of their own: it has what tests are written with, runs
// them in their order, and looks at nothing. What they call of the tree is what counts, and a test that fails here has
// called what it called.
'use strict';
const { anything, expect } = require('./expecting.cjs');
const { mocks } = require('./mocks.cjs');

const SECONDS = 5; // that a test may wait

class Suite {
  constructor(above) {
    Object.assign(this, { above, items: [], before: [], after: [], beforeEach: [], afterEach: [] });
  }

  chain(kind) {
    const above = this.above ? this.above.chain(kind) : [];
    return kind === 'afterEach' ? this[kind].concat(above) : above.concat(this[kind]);
  }
}

let current = new Suite(null);
const loading = [];
const dialect = { done: true }; // whether a parameter of a test is what it calls at its end

const isFunction = (f) => typeof f === 'function';

function describe(name, ...rest) {
  const body = rest.find(isFunction);
  const suite = new Suite(current);
  current.items.push(suite);
  if (!body) return;
  const above = current;
  current = suite;
  try {
    const waits = body.call(self, context());
    if (waits && isFunction(waits.then)) loading.push(waits.then(() => {}, () => {}));
  } catch {
  } finally {
    current = above;
  }
}

function test(name, ...rest) {
  const body = isFunction(name) ? name : rest.find(isFunction);
  if (body) current.items.push((args) => call(body, args));
}

/** The rows of a table: those of a list, or of a text with headings. */
function rows(table) {
  if (!table[0] || !table[0].raw) return Array.from(table[0] || []);
  const [strings, ...values] = table;
  const names = strings[0].split('|').map((s) => s.trim()).filter(Boolean);
  return Array.from({ length: Math.floor(values.length / names.length) }, (_, i) => Object.fromEntries(names.map((n, j) => [n, values[i * names.length + j]])));
}

/** A function of tests or suites with what may stand behind it: only, each, concurrent. */
function ways(f) {
  const own = new Proxy(f, {
    get(_, key) {
      switch (key) {
        case 'each':
        case 'for':
          return (...table) => (name, ...rest) => rows(table).forEach((row) => {
            const body = rest.find(isFunction);
            const args = key === 'each' && Array.isArray(row) ? row : [row];
            if (body) f(name, Object.defineProperty((...more) => body(...args, ...more), 'length', { value: Math.max(0, body.length - args.length) }));
          });
        case 'skip':
        case 'todo':
          return ways(() => {});
        case 'skipIf':
        case 'runIf':
          return (condition) => (Boolean(condition) === (key === 'runIf') ? own : ways(() => {}));
        case 'extend':
          return (fixtures) => ways((name, ...rest) => f(name, withFixtures(rest.find(isFunction), fixtures)));
        case 'before':
        case 'after':
        case 'beforeEach':
        case 'afterEach':
          return hook(key);
        case 'always':
          return own;
      }
      return typeof key === 'symbol' || key in Function.prototype ? Reflect.get(f, key) : own;
    },
  });
  return own;
}

/** A test that is given what fixtures make. */
function withFixtures(body, fixtures) {
  return body && (async (ctx) => {
    for (const [name, fixture] of Object.entries(fixtures)) {
      const make = Array.isArray(fixture) ? fixture[0] : fixture;
      if (!isFunction(make)) ctx[name] = make;
      else await new Promise((done) => Promise.resolve(make(ctx, (v) => ((ctx[name] = v), done(), new Promise(() => {})))).then(done, done));
    }
    return body(ctx);
  });
}

const hook = (kind) => (...args) => {
  const f = args.find(isFunction);
  if (f) current[kind].push(f);
};

/** What a test is given: what ends it, an object of its own, and, for frameworks that have it, what it asserts with. */
function context(done = () => {}) {
  const own = Object.assign((e) => done(e), { expect, context: {}, task: { name: '' }, test: (name, ...rest) => call(rest.find(isFunction)), skip: () => {}, signal: new AbortController().signal });
  own.step = own.subtest = own.test;
  return new Proxy(own, { get: (t, key) => (key === 'then' ? undefined : key in t && !(key in Function.prototype) ? t[key] : tried), set: (t, key, v) => Reflect.set(t, key, v) });
}

/** What asserts: of functions that they are called. */
function tried(...args) {
  for (const f of args.slice(0, 1).filter(isFunction)) {
    try {
      const out = f();
      if (out && isFunction(out.then)) return out.then(() => ({}), (e) => e);
    } catch (e) {
      return e;
    }
  }
  return args[0] && isFunction(args[0].then) ? args[0].then((v) => v, (e) => e) : args[0];
}

/** Calls a test, and waits for it. */
async function call(f, args = []) {
  if (!isFunction(f)) return;
  let timer;
  try {
    await Promise.race([
      new Promise((done) => (timer = real.setTimeout(done, 1000 * SECONDS))),
      new Promise((done) => {
        const calls = dialect.done && f.length > args.length;
        Promise.resolve(f.call(self, ...args, context(done))).then(() => calls || done(), done);
      }),
    ]);
  } catch {
  } finally {
    real.clearTimeout(timer);
  }
}

const real = { setTimeout, clearTimeout };
const self = new Proxy({}, { get: (t, key) => (key in t ? t[key] : () => self), set: (t, key, v) => Reflect.set(t, key, v) }); // of mocha

async function each(list) {
  for (const f of list) await call(f);
}

async function run(suite) {
  await each(suite.before);
  for (const item of suite.items) {
    if (item instanceof Suite) await run(item);
    else {
      await each(suite.chain('beforeEach'));
      await item();
      await each(suite.chain('afterEach'));
    }
  }
  await each(suite.after);
}

/** Runs what a file that was loaded has said. */
async function runAll() {
  const root = current;
  current = new Suite(null);
  while (loading.length > 0) await loading.pop();
  await run(root);
  mocks.restoreAllMocks();
  mocks.useRealTimers();
}

const suites = ways(describe);
const tests = ways(test);
const none = ways(() => {});
const globals = {
  describe: suites, suite: suites, context: suites, fdescribe: suites, xdescribe: none, it: tests, test: tests, specify: tests, fit: tests, xit: none, xtest: none, bench: ways(test),
  beforeAll: hook('before'), before: hook('before'), afterAll: hook('after'), after: hook('after'), beforeEach: hook('beforeEach'), afterEach: hook('afterEach'), setup: hook('beforeEach'), teardown: hook('afterEach'),
  expect, vi: mocks, jest: mocks, mock: mocks.fn, spyOn: mocks.spyOn, expectTypeOf: anything, assertType: anything, inject: anything, onTestFinished: () => {}, onTestFailed: () => {}, assert: anything,
};

/** What a file gets that loads a framework by its name. */
function moduleOf(name) {
  dialect.done = !/vitest|ava|bun/.test(name);
  return Object.assign(name === 'ava' ? tests : {}, { ...globals, default: name === 'ava' ? tests : globals, __esModule: true });
}

module.exports = { dialect, globals, moduleOf, runAll };
