// Notes what the tests of a project call, and with what. It is loaded into every process of node that they start. What a
// file outside the sources requires or imports of them is handed out with functions and classes that note their calls, and
// so do methods of what these give.
'use strict';
const fs = require('fs');
const path = require('path');
const { chain, gettersOf, isForeign, methodsOf, shapeOf } = require('./bases.cjs');
const { groupOf, place } = require('./tree.cjs');
const { Writer } = require('./values.cjs');

const MOST_CALLS = 40000; // of one process
const MOST_OF_GROUP = 1200;
const MOST_OF_METHOD = 200; // calls of one method, of the objects behind the first MOST_OF_GROUP
const MOST_OF_LIFE = 50; // calls of one object
const MOST_BYTES = 12 << 20;

function isObject(v) {
  return v !== null && (typeof v === 'object' || typeof v === 'function');
}

class Recorder {
  constructor(tree, into) {
    Object.assign(this, { tree, into, events: [], depth: 0, size: 0 });
    this.exports = {}; // by group
    this.groups = new Map(); // of functions that are handed out, as they are and wrapped
    this.wrapped = new Map(); // what stands for them
    this.within = new WeakMap(); // what they stand for
    this.results = new WeakMap(); // the call that gave an object
    this.counts = new Map(); // calls of a group, of a life, and of a method of late objects
    this.makers = new Set(); // groups that give objects with methods
    this.pending = new WeakMap(); // objects behind the first MOST_OF_GROUP, with the calls that made them, which are noted with the first call of theirs
    this.patched = new WeakSet();
    process.on('exit', () => this.say());
  }

  /** What a test gets in the place of what a file of the sources gives. */
  handOut(file, value) {
    const relative = path.relative(this.tree, file).split(path.sep).join('/');
    const loaded = require.cache[file];
    if (loaded && value && value.default === loaded.exports && typeof value === 'object') {
      const whole = this.wrap(relative, [], loaded.exports, 0);
      return { ...this.wrap(relative, [], { ...value }, 0), default: whole };
    }
    return this.wrap(relative, [], value, 0);
  }

  wrap(file, names, value, depth) {
    if (!isObject(value) || (typeof value === 'object' && depth > 2) || this.groups.has(value)) return this.wrapped.get(value) || value;
    if (this.wrapped.has(value)) return this.wrapped.get(value);
    const recorder = this;
    let group;
    if (typeof value === 'function') {
      group = groupOf(file, names);
      if (this.exports[group]) group = groupOf(file, names) + '.default';
      this.exports[group] = { file, path: names, ...shapeOf(value) };
      this.groups.set(value, group);
    }
    const out = new Proxy(value, {
      apply: (f, self, args) => recorder.call({ k: 'lib', g: group }, null, f, self, args),
      construct: (f, args, as) => (as === out ? recorder.call({ k: 'lib', g: group }, null, f, null, args, f) : Reflect.construct(f, args, as)),
      get: (target, key) => {
        const v = Reflect.get(target, key, target);
        const d = Object.getOwnPropertyDescriptor(target, key);
        if (typeof key === 'symbol' || !d || key === 'prototype' || (!d.configurable && 'value' in d && !d.writable) || !/^[\w$]+$/.test(key)) return v;
        return recorder.wrap(file, [...names, key], v, depth + 1);
      },
    });
    this.wrapped.set(value, out);
    this.within.set(out, value);
    if (group) this.groups.set(out, group);
    return out;
  }

  known(v) {
    if (this.groups.has(v)) return { k: 'lib', g: this.groups.get(v) };
    const id = this.idOf(v);
    return id >= 0 ? { k: 'ref', i: id } : null;
  }

  /** The call that gave an object, -1 for none that is noted. m is the method that it is asked for. */
  idOf(v, m) {
    if (this.results.has(v)) return this.results.get(v);
    const s = isObject(v) ? this.pending.get(v) : undefined;
    if (!s || this.depth > 0 || this.events.length >= MOST_CALLS || this.used(s.f.g + ' ' + m) >= MOST_OF_METHOD) return -1;
    this.results.set(v, this.events.push({ s, first: this.events.length, late: true }) - 1);
    return this.results.get(v);
  }

  used(key) {
    return this.counts.get(key) || 0;
  }

  /** Makes a call, and notes it where a file outside the sources makes it. */
  call(f, m, run, self, args, as) {
    const id = this.depth === 0 ? this.note({ f, ...(m ? { m } : {}), ...(as ? { n: 1 } : {}) }, args) : -1;
    const made = this.made;
    this.made = null;
    this.depth++;
    let out;
    try {
      out = as ? Reflect.construct(run, args) : Reflect.apply(run, isObject(self) && this.within.has(self) ? this.within.get(self) : self, args);
    } finally {
      this.depth--;
    }
    if (made && isObject(out) && !this.results.has(out)) this.pending.set(out, made);
    return id >= 0 ? this.trace(out, id) : out;
  }

  read(v, id, name) {
    if (this.depth === 0) this.note({ f: { k: 'ref', i: id }, m: name, g: 1 }, []);
    return v;
  }

  note(step, args) {
    if (this.events.length >= MOST_CALLS || this.size > MOST_BYTES) return -1;
    const of = step.f.k === 'lib' ? null : this.events[step.f.i].first;
    const bounds = of === null ? [[step.f.g, MOST_OF_GROUP]] : [[of, MOST_OF_LIFE]];
    if (of !== null && this.events[of].late) bounds.push([this.events[of].s.f.g + ' ' + step.m, MOST_OF_METHOD]);
    const over = bounds.some(([key, most]) => this.used(key) >= most);
    if (over && !this.makers.has(step.f.g)) return -1;
    try {
      const a = new Writer((v) => this.known(v));
      const s = { ...step, a: Array.from(args, (x) => a.write(x)) };
      if (over) {
        this.made = s;
        return -1;
      }
      this.size += JSON.stringify(s).length;
      bounds.forEach(([key]) => this.counts.set(key, this.used(key) + 1));
      return this.events.push({ s, first: of === null ? this.events.length : of }) - 1;
    } catch {
      return -1; // what cannot be written down is not recorded, nor what a getter of a test does not give
    }
  }

  /** Follows what a call gave: calls of its methods are noted, too. */
  trace(v, id) {
    if (!isObject(v) || this.results.has(v) || this.groups.has(v)) return v;
    if (typeof v === 'function') {
      const out = new Proxy(v, { apply: (f, self, args) => this.call({ k: 'ref', i: id }, null, f, self, args) });
      this.results.set(out, id);
      return out;
    }
    if (v instanceof Promise) {
      this.results.set(v, id);
      this.events[id].s.y = 1;
      v.then((x) => this.trace(x, id), () => {});
      return v;
    }
    const proto = Object.getPrototypeOf(v);
    const methods = Object.keys(v).filter((k) => typeof v[k] === 'function');
    if (!proto || (isForeign(proto) && (methods.length === 0 || proto !== Object.prototype || Array.isArray(v)))) return v;
    this.results.set(v, id);
    if (this.events[id].s.f.g) this.makers.add(this.events[id].s.f.g);
    const of = this.exports[this.events[id].s.f.g];
    if (of && !of.methods) of.methods = methods.map((k) => [k, v[k].length]);
    const { own, foreign } = chain(v);
    if (of && !of.getters) of.getters = gettersOf(own);
    const inherited = own.length > 0 ? this.inherit(own[own.length - 1], foreign) : new Set();
    own.forEach((p) => this.patch(p, inherited));
    if (methods.length > 0 && methods.length < 100 && !Object.isFrozen(v)) this.patch(v);
    return v;
  }

  /** Has the methods of an object note their calls, and those that it has from node where a test makes them. */
  patch(object, inherited = new Set()) {
    if (this.patched.has(object)) return;
    this.patched.add(object);
    const recorder = this;
    for (const key of Reflect.ownKeys(object)) {
      const name = typeof key === 'string' ? key : key === Symbol.iterator ? '@@iterator' : key === Symbol.asyncIterator ? '@@asyncIterator' : '';
      const d = Object.getOwnPropertyDescriptor(object, key);
      if (!name || name === 'constructor' || !d.configurable) continue;
      const id = (self) => (isObject(self) ? recorder.idOf(self, name) : -1);
      if (typeof d.value === 'function' && !this.groups.has(d.value)) {
        d.value = new Proxy(d.value, { apply: (f, self, args) => (id(self) >= 0 && (!inherited.has(key) || recorder.depth > 0 || recorder.byTest()) ? recorder.call({ k: 'ref', i: id(self) }, name, f, self, args) : Reflect.apply(f, self, args)) });
      } else if (d.get) {
        const get = d.get;
        d.get = function () {
          const v = Reflect.apply(get, this, []);
          return id(this) >= 0 ? recorder.read(v, id(this), name) : v;
        };
      } else continue;
      try {
        Object.defineProperty(object, key, d);
      } catch {} // it is sealed
    }
  }

  /** Gives a prototype of the tree the methods that it has from the language or from node, so that they can be patched; their names. */
  inherit(proto, foreign) {
    const out = new Set();
    if (this.patched.has(proto) || Object.isFrozen(proto)) return out;
    for (const [key, value] of methodsOf(foreign, (k) => Object.hasOwn(proto, k))) {
      Object.defineProperty(proto, key, { value, writable: true, configurable: true });
      out.add(key);
    }
    return out;
  }

  /** Whether a file of the tests makes the call: what node and the sources call later is no call of a test. */
  byTest() {
    const line = String(new Error().stack).split('\n').slice(1).find((l) => !l.includes(__filename) && !/\(?node:/.test(l)) || '';
    const at = /((?:file:\/\/)?\/[^():]+):\d+:\d+\)?$/.exec(line);
    return at !== null && place(this.tree, at[1].replace('file://', '')) === 'test';
  }

  say() {
    if (this.events.length > 0) fs.writeFileSync(path.join(this.into, process.pid + '-' + Math.random().toString(36).slice(2)), JSON.stringify({ exports: this.exports, events: this.events }));
  }
}

/** Begins to record in a process of the tests. */
function begin(tree, into) {
  const Module = require('module');
  const r = new Recorder(tree, into);
  const load = Module._load;
  Module._load = function (request, parent, isMain) {
    const value = load.apply(this, arguments);
    if (isMain || !parent || !parent.filename || place(tree, parent.filename) !== 'test') return value;
    let file;
    try {
      file = Module._resolveFilename(request, parent);
    } catch {
      return value;
    }
    return place(tree, file) === 'source' ? r.handOut(file, value) : value;
  };
  globalThis[Symbol.for('atoll.calls')] = r;
  if (Module.register) Module.register('data:text/javascript,' + encodeURIComponent(hooks(tree)));
}

/** What has modules that are imported note their calls: a module between the test and its source. */
function hooks(tree) {
  return `const place = ${place}; const path = (await import('node:path')).default; const { fileURLToPath } = await import('node:url');
const at = (url) => url && url.startsWith('file:') ? place(${JSON.stringify(tree)}, fileURLToPath(url.split('?')[0])) : '';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (at(found.url) === 'source' && at(context.parentURL) === 'test') return { ...found, url: found.url + '?atoll-calls', format: 'module' };
  return found;
}
export async function load(url, context, next) {
  if (!url.endsWith('?atoll-calls')) return next(url, context);
  const real = url.slice(0, -'?atoll-calls'.length);
  const names = Object.keys(await import(real)).filter((n) => /^[\\w$]+$/.test(n));
  const file = JSON.stringify(fileURLToPath(real));
  return { format: 'module', shortCircuit: true, source: 'import * as real from ' + JSON.stringify(real) + ';\\nconst out = globalThis[Symbol.for("atoll.calls")].handOut(' + file + ', { ...real });\\n' +
    names.map((n, i) => 'const v' + i + ' = out[' + JSON.stringify(n) + '];\\n').join('') + 'export { ' + names.map((n, i) => 'v' + i + ' as ' + n).join(', ') + ' };\\n' };
}`;
}

if (process.env.ATOLL_GUARD_INTO) begin(process.env.ATOLL_GUARD_TREE, process.env.ATOLL_GUARD_INTO);
