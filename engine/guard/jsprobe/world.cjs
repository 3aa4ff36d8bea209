// The world around code under test: its clock stands still, its timers run at once and in order, chance is seeded, what it
// prints is kept, and it does not end the process. Each case begins with the same one.
'use strict';
const { seeded } = require('./chance.cjs');

const MOST_TIMERS = 2000; // that run in one case
const MOST_ROUNDS = 400; // of waiting for one promise
const ERRORS = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError', 'AggregateError'];

const real = { Date, setImmediate, setTimeout, hrtime: process.hrtime };
const made = new WeakSet(); // errors that code made, not the engine

/** What ends a case that ends the process. */
class Exit {
  constructor(code) {
    this.code = code;
  }
}

class World {
  constructor(now) {
    this.start = now;
    this.begin();
  }

  begin() {
    this.now = this.start;
    this.chance = 20240229;
    this.timers = [];
    this.next = 1;
    this.printed = '';
    this.loose = []; // what failed and nobody waited for
  }

  install() {
    this.installClock();
    this.installTimers();
    this.installErrors();
    seeded(() => {
      this.chance = (Math.imul(this.chance, 1103515245) + 12345) >>> 0;
      return (this.chance >>> 1) / 2 ** 31;
    });
    const print = (kind) => (...args) => void (this.printed += kind + require('util').format(...args) + '\n');
    for (const name of ['log', 'info', 'debug']) console[name] = print('');
    for (const name of ['warn', 'error', 'trace']) console[name] = print('to stderr: ');
    const write = (data) => (this.printed += data, true);
    process.stdout.write = process.stderr.write = write;
    process.exit = process.reallyExit = process.abort = (code) => {
      throw new Exit(code);
    };
    process.on('uncaughtException', (e) => this.loose.push(e));
    process.on('unhandledRejection', (e) => this.loose.push(e));
    process.removeAllListeners('warning');
  }

  installClock() {
    const world = this;
    globalThis.Date = new Proxy(real.Date, {
      construct: (target, args, as) => Reflect.construct(target, args.length > 0 ? args : [world.now], as === globalThis.Date ? target : as),
      apply: (target) => new target(world.now).toString(),
      get: (target, key) => (key === 'now' ? () => world.now : target[key]),
    });
    real.Date.prototype.constructor = globalThis.Date;
    performance.now = () => world.now - world.start;
  }

  installTimers() {
    const set = (again) => (f, ms, ...args) => {
      if (typeof f !== 'function') throw new TypeError('The "callback" argument must be of type function');
      const t = { f, args, due: this.now + Math.max(0, Number(ms) || 0), order: this.next++, every: again ? Math.max(1, Number(ms) || 1) : 0 };
      this.timers.push(t);
      const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, refresh: () => ((t.due = this.now + Math.max(0, Number(ms) || 0)), handle), close: () => this.clear(handle), [Symbol.toPrimitive]: () => t.order };
      t.handle = handle;
      return handle;
    };
    globalThis.setTimeout = set(false);
    globalThis.setInterval = set(true);
    globalThis.setImmediate = (f, ...args) => globalThis.setTimeout(f, 0, ...args);
    globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = (t) => this.clear(t);
  }

  clear(handle) {
    this.timers = this.timers.filter((t) => t.handle !== handle && t.order !== handle);
  }

  /** What code makes of errors is known from what the engine raises, whose words are nothing that a caller sees. */
  installErrors() {
    for (const name of ERRORS) {
      const target = globalThis[name];
      const own = new Proxy(target, {
        construct: (f, args, as) => {
          const e = Reflect.construct(f, args, as === own ? f : as);
          made.add(e);
          return e;
        },
        apply: (f, self, args) => {
          const e = Reflect.apply(f, self, args);
          made.add(e);
          return e;
        },
      });
      globalThis[name] = own;
      target.prototype.constructor = own;
    }
  }

  /** Runs the timer that is due first; false for none. */
  tick() {
    if (this.timers.length === 0) return false;
    const t = this.timers.reduce((a, b) => (b.due < a.due || (b.due === a.due && b.order < a.order) ? b : a));
    this.now = Math.max(this.now, t.due);
    if (t.every) Object.assign(t, { due: t.due + t.every, order: this.next++ });
    else this.timers.splice(this.timers.indexOf(t), 1);
    try {
      t.f(...t.args);
    } catch (e) {
      this.loose.push(e);
    }
    return true;
  }

  /** Waits until all is done that waits for no timer. */
  calm() {
    return new Promise((done) => real.setImmediate(done));
  }

  /** What a promise came to: {value}, {error} or {} for one that is not decided. calm: no timer runs before all is done that waits for none, however many steps that takes. */
  async settle(promise, calm) {
    let out;
    promise.then((value) => (out = { value }), (error) => (out = { error }));
    for (let round = 0; round < MOST_ROUNDS && !out; round++) {
      for (let i = 0; i < 8 && !out; i++) await null;
      if (calm && !out) await this.calm();
      if (out || this.tick()) continue;
      await new Promise((done) => (round < 30 ? real.setImmediate(done) : real.setTimeout(done, 1)));
      if (round > 60 && this.timers.length === 0) break;
    }
    return out || {};
  }

  /** Runs what is left to be done later. */
  async drain(calm) {
    for (let i = 0; i < MOST_TIMERS && this.timers.some((t) => !t.every); i++) {
      this.tick();
      await (calm ? this.calm() : null);
    }
    for (let i = 0; i < 3 && this.timers.length > 0; i++) this.tick();
    this.timers = [];
    await null;
  }
}

module.exports = { Exit, World, made };
