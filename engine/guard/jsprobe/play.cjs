// Makes the calls of a script, one after the other, and tells what came of each.
'use strict';
const { Exit } = require('./world.cjs');
const { Maker, nth } = require('./values.cjs');
const { SHARE, MOST_ITEMS, Show, failure, isIterator, items } = require('./show.cjs');
const { short } = require('./draws.cjs');
const { isForeign } = require('./bases.cjs');
const { Lost, within } = require('./limits.cjs');

const STEP = '\x04'; // between the things that are told
const MOST_REPEATED = 40000; // characters of what a repeated call gives
const LONGEST = 100000;
const TRIED = [[], [1], ['a', 2]]; // arguments for functions that are results

const compiled = new Map();

/** The function of a text, null for one that cannot be made. */
function functionOf(src) {
  if (!compiled.has(src)) {
    let f = null;
    try {
      f = new Function('return (' + src + ')')();
    } catch {}
    compiled.set(src, typeof f === 'function' ? f : null);
  }
  return compiled.get(src);
}

function isObject(v) {
  return v !== null && (typeof v === 'object' || typeof v === 'function');
}

/** All objects that can be reached from a value: in lists, plain objects, maps and sets, and where hidden is set in fields of others. */
function rooms(v, take, hidden, depth = 0, seen = new Set()) {
  if (!isObject(v) || typeof v === 'function' || depth > 4 || seen.size > 500 || seen.has(v)) return;
  seen.add(v);
  take(v, depth);
  if (v instanceof Map || v instanceof Set) for (const x of v instanceof Map ? v.values() : v) rooms(x, take, hidden, depth + 1, seen);
  const proto = Object.getPrototypeOf(v);
  if (!hidden && depth > 0 && proto && proto !== Object.prototype && !Array.isArray(v)) return;
  if (ArrayBuffer.isView(v)) return;
  if (Array.isArray(v)) return v.slice(0, 200).forEach((x) => rooms(x, take, hidden, depth + 1, seen));
  for (const key of Object.keys(v)) {
    const d = Object.getOwnPropertyDescriptor(v, key);
    if (d && 'value' in d) rooms(d.value, take, hidden, depth + 1, seen);
  }
}

class Play {
  /** lib(group) gives what the tree exports, or throws. A call may take so many milliseconds; 0 for any. */
  constructor(world, lib, limit = 0) {
    this.world = world;
    this.lib = lib;
    this.limit = limit;
  }

  /** Makes the calls, and throws Lost where one of them takes too long; where the caller writes to what it handed in, also without that: an answer that is then another one shows that both have it. */
  async run(script) {
    if (!script.some(lends)) return this.played(script);
    this.writes = false;
    const alone = await this.played(script);
    const misused = this.misused;
    this.world.begin();
    this.writes = true;
    const said = await this.played(script);
    this.misused = this.misused || misused;
    return said === alone ? alone : alone + SHARE + ' (what the caller writes to its argument shows)' + SHARE;
  }

  async played(script) {
    this.were = []; // what was set, and is to be put back
    try {
      return await this.all(script);
    } finally {
      for (const [f, name, had, value] of this.were.reverse()) had ? Reflect.set(f, name, value) : Reflect.deleteProperty(f, name);
    }
  }

  async all(script) {
    this.values = [];
    this.calls = [];
    this.under = []; // promises that nobody waited for yet, by step
    this.timed = script.some((s) => s.p);
    this.misused = false; // the engine did not take what the code was given
    this.given = new Map(); // what results held, and of which step
    this.targets = new Set(script.filter((s) => s.f.k === 'ref' && s.like === undefined).map((s) => s.f.i));
    const told = [];
    for (let i = 0; i < script.length; i++) {
      if (script[i].like !== undefined && !this.isLike(script[i])) continue;
      if (this.under.length > 0 && !script[i].p) await this.world.calm();
      told.push(await this.step(script[i], i));
      if (script[i].f.k === 'lib' && this.targets.has(i) && !isObject(this.values[i])) break; // there is nothing to ask
    }
    for (const [i, promise] of this.under) told.push('call ' + (i + 1) + ' ' + (await this.landed(promise)));
    await this.world.drain(this.timed);
    const after = this.callbacks();
    if (after) told.push(after);
    for (const e of this.world.loose) told.push('fails later with ' + failure(e));
    return told.join(STEP).slice(0, LONGEST);
  }

  /** Whether what a step is about is another object of the type of one that the script made, and has what the step asks for. */
  isLike(s) {
    const [v, of] = [this.values[s.f.i], this.values[s.like]];
    if (!isObject(v) || !isObject(of) || v === of || typeof v === 'function') return false;
    const proto = Object.getPrototypeOf(v);
    return proto !== null && proto === Object.getPrototypeOf(of) && !isForeign(proto) && s.m in v;
  }

  maker() {
    return new Maker({ ref: (i) => this.values[i], lib: this.lib, fn: (node) => this.callback(node) });
  }

  /** A function of the caller's, which notes what it is given. */
  callback(node) {
    const f = node.src ? functionOf(node.src) : null;
    if (f && /^class\b/.test(node.src)) return f;
    const entry = { told: [], gives: false };
    this.calls.push(entry);
    const silent = /^(async\s+)?(\([^)]*\)|[\w$]+)\s*=>\s*\{|^(async\s+)?function/.test(node.src || '') && !/\breturn\b/.test(node.src);
    const answer = (self, args) => {
      if (entry.told.length < 60) entry.told.push('(' + args.map((a) => new Show((v) => this.word(v)).text(a)).join(', ') + ')' + (this.timed ? ' at ' + (this.world.now - this.world.start) + ' ms' : ''));
      let out;
      try {
        out = f ? Reflect.apply(f, self, args) : args[0];
      } catch (e) {
        if (!(e instanceof ReferenceError)) throw e;
        out = silent ? undefined : args[0]; // it names what the caller had around it
      }
      if (out !== undefined) entry.gives = true;
      if (args.length === 2 && typeof out === 'number') entry.sorts = true;
      return out;
    };
    return new Proxy(f || ((x) => x), { apply: (_, self, args) => answer(self, args) });
  }

  /** The call that gave an object; a function is told by what it does. */
  word(v) {
    if (typeof v === 'function') return '';
    const i = this.values.indexOf(v);
    return i >= 0 && this.targets.has(i) ? '<what call ' + (i + 1) + ' gave>' : '';
  }

  /** What functions of the caller were given: all of it where they are called for what they do, the first where for what they give. */
  callbacks() {
    const out = this.calls.filter((c) => c.told.length > 0 && !c.sorts);
    return out.map((c) => 'calls what it was given with ' + (c.gives ? c.told[0] : c.told.join(', '))).join('; ');
  }

  async step(s, i) {
    this.world.printed = '';
    const said = s.r ? await this.many(s, i) : await this.once(s, i, s.a || []);
    return said + (this.world.printed ? '; prints ' + JSON.stringify(this.world.printed.slice(0, 4000)) : '');
  }

  async many(s, i) {
    const all = [];
    for (let n = 0; n < s.r; n++) all.push(await this.once(s, i, s.a.map((a) => nth(a, n, s.r)), true));
    const text = all.join(', ');
    return text.length <= MOST_REPEATED ? text : text.slice(0, MOST_REPEATED) + ' … (' + short(text) + ')';
  }

  async once(s, i, nodes, brief) {
    if (lends(s)) return this.spoil(this.values[s.f.i], s.w);
    if (s.w) return this.write(this.values[s.f.i]);
    let f, self, args;
    try {
      const maker = this.maker();
      args = nodes.map((a) => maker.make(a));
    } catch (e) {
      this.misused = true;
      return 'no input: ' + failure(e);
    }
    if (s.f.k === 'own') {
      this.values[i] = args[0];
      return 'is made';
    }
    if (s.f.k === 'set') return this.set(this.lib(s.f.g), s.m, args[0]);
    const before = brief ? [] : args.map((a) => this.seen(a));
    const me = !brief && s.m && !s.g && s.f.k === 'ref' ? this.values[s.f.i] : undefined;
    const was = isObject(me) ? new Show().text(me) : '';
    let said;
    try {
      [f, self] = this.target(s);
      const out = s.g ? f : within(this.limit, () => (s.n ? Reflect.construct(f, args) : Reflect.apply(f, self, args)));
      said = await this.result(out, s, i, args, self);
    } catch (e) {
      if (e instanceof Lost) throw e;
      if (e instanceof Exit) return 'ends the process';
      said = 'throws ' + this.failed(e);
    }
    if (brief) return said;
    const after = args.map((a) => this.seen(a));
    after.forEach((text, n) => text !== before[n] && (said += '; argument ' + (n + 1) + ' is then ' + text));
    const is = isObject(me) ? new Show().text(me) : '';
    if (is !== was) said += '; the object is then ' + is;
    return said;
  }

  /** The caller sets a field of a function. */
  set(f, name, value) {
    this.were.push([f, name, Object.hasOwn(f, name), f[name]]);
    Reflect.set(f, name, value);
    return 'is set';
  }

  /** The caller writes to what it has. */
  write(v) {
    if (Array.isArray(v)) v.push(v.length > 0 ? v[0] : 1);
    else if (v instanceof Map) v.delete([...v.keys()].pop());
    else if (v instanceof Set) v.size > 0 ? v.delete([...v].pop()) : v.add(1);
    else if (ArrayBuffer.isView(v)) v.reverse();
    else {
      const key = Object.keys(v).pop() || 'a';
      const is = v[key];
      Reflect.set(v, key, typeof is === 'number' ? is + 1 : typeof is === 'string' ? is + 'x' : typeof is === 'boolean' ? !is : undefined);
    }
    return 'is then ' + new Show().text(v);
  }

  /** The caller writes to all items of what it has, or of what stands in it under some names, where this play has it do so. */
  spoil(v, path) {
    const of = path.reduce((x, name) => (isObject(x) ? x[name] : undefined), v);
    if (this.writes && isObject(of)) {
      if (of instanceof Map) for (const [key, x] of of) of.set(key, another(x));
      else if (of instanceof Set) [...of].forEach((x) => of.delete(x) && of.add(another(x)));
      else for (const key of Object.keys(of)) Reflect.set(of, key, another(of[key]));
    }
    return 'is written to';
  }

  failed(e) {
    const text = failure(e);
    this.misused = this.misused || text === 'TypeError of the engine' || text === 'ReferenceError of the engine';
    return text;
  }

  seen(v) {
    return isObject(v) && typeof v !== 'function' ? new Show((x, depth) => (depth > 0 ? this.word(x) : '')).text(v) : '';
  }

  /** What is called, and on what. */
  target(s) {
    if (s.f.k === 'lib') {
      const f = this.lib(s.f.g);
      return s.m ? [f[keyOf(s.m)], f] : [f, this.lib(s.f.g, true)];
    }
    const self = this.values[s.f.i];
    if (!s.m) return [self, undefined];
    return [self[keyOf(s.m)], self];
  }

  async result(out, s, i, args, self) {
    let how = '';
    if (out && typeof out.then === 'function' && typeof out !== 'function') {
      if (s.p) {
        out.then(() => {}, () => {});
        this.under.push([i, out]);
        return 'is under way';
      }
      const got = await this.world.settle(out, this.timed);
      if ('error' in got) return 'rejects with ' + this.failed(got.error);
      if (!('value' in got)) return 'a promise that is not decided';
      out = got.value;
      how = 'resolves to ';
    }
    this.values[i] = out;
    const show = new Show(isObject(out) ? this.words(args, self, i) : undefined, out !== self);
    if (this.targets.has(i)) return how + (isObject(out) && out === self ? 'itself' : show.text(out));
    if (isIterator(out)) return how + (typeof out[Symbol.asyncIterator] === 'function' ? await this.later(out, show) : items(out, show));
    if (typeof out === 'function' && !s.g && !args.includes(out)) return how + (await this.tried(out, show));
    const said = how + (isObject(out) && out === self ? 'itself' : show.text(out));
    rooms(out, (x) => this.given.has(x) || this.given.set(x, i), false);
    return said;
  }

  /** What a promise came to that others were made beside. */
  async landed(promise) {
    const got = await this.world.settle(promise, true);
    if ('error' in got) return 'rejects with ' + this.failed(got.error);
    return 'value' in got ? 'resolves to ' + new Show().text(got.value) : 'is not decided';
  }

  /** What is told of an object within a result that others have, too. */
  words(args, self, i) {
    const of = new Map();
    if (isObject(self) && typeof self !== 'function') rooms(self, (x, depth) => depth > 0 && of.set(x, 'what the object has'), true);
    args.forEach((a, n) => rooms(a, (x) => of.set(x, 'argument ' + (n + 1)), false));
    return (v, depth) => {
      if (depth > 0 && v === self) return '<the object>';
      const word = this.word(v);
      if (word) return word;
      if (of.has(v)) return SHARE + ' (shared with ' + of.get(v) + ')' + SHARE;
      if (this.given.has(v) && this.given.get(v) !== i) return SHARE + ' (which it gave before)' + SHARE;
      return '';
    };
  }

  /** A function that is a result is called with a few values. */
  async tried(f, show) {
    const out = [];
    for (const args of TRIED) {
      try {
        let got = f(...args);
        if (got && typeof got.then === 'function') got = (await this.world.settle(got)).value;
        out.push('(' + args.map((a) => show.text(a)).join(', ') + ') gives ' + show.text(got));
      } catch (e) {
        out.push('(' + args.join(', ') + ') throws ' + failure(e));
      }
    }
    return 'a function: ' + out.join(', ');
  }

  async later(iterator, show) {
    const out = [];
    for (let n = 0; n < MOST_ITEMS; n++) {
      const got = await this.world.settle(Promise.resolve(iterator.next()));
      if ('error' in got) return 'iterator of ' + out.join(', ') + ' and rejects with ' + failure(got.error);
      if (!got.value || got.value.done) break;
      out.push(show.text(got.value.value));
    }
    return 'iterator of ' + out.join(', ');
  }
}

/** Whether the caller writes to what it handed in, in a step. */
function lends(s) {
  return Array.isArray(s.w);
}

/** Another value of the kind of one; objects stay. */
function another(x) {
  return typeof x === 'number' ? x + 1 : typeof x === 'bigint' ? x + 1n : typeof x === 'string' ? x + 'x' : typeof x === 'boolean' ? !x : x;
}

function keyOf(name) {
  return name.startsWith('@@') ? Symbol[name.slice(2)] : name;
}

module.exports = { Play };
