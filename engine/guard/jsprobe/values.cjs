// Values as trees that can be written down, varied and made again. What JSON has is itself, all else an object whose k
// names its kind.
'use strict';
const { Buffer } = require('buffer'); // a test may take the global one away

const DEEPEST = 10;
const MOST_NODES = 4000; // of the arguments of one call
const LONG_LIST = 400; // a list of more items is kept by its first ones and their number
const FIRST_ITEMS = 8;
const LONGEST_TEXT = 20000;
const TYPED = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'];

class Unkeepable extends Error {}

/** Writes values down. known(v) gives the node of what has one of its own: a result of an earlier call, or what the tree exports. */
class Writer {
  constructor(known) {
    this.known = known;
    this.seen = new Map();
    this.nodes = 0;
  }

  write(v, depth = 0) {
    if (++this.nodes > MOST_NODES || depth > DEEPEST) throw new Unkeepable();
    switch (typeof v) {
      case 'undefined':
        return { k: 'undef' };
      case 'number':
        return Number.isFinite(v) && !Object.is(v, -0) ? v : { k: 'num', v: Object.is(v, -0) ? '-0' : String(v) };
      case 'bigint':
        return { k: 'big', v: String(v) };
      case 'string':
        if (v.length > LONGEST_TEXT) throw new Unkeepable();
        return v;
      case 'boolean':
        return v;
      case 'symbol':
        return symbolNode(v);
    }
    if (v === null) return null;
    const own = this.known(v);
    if (own) return own;
    if (typeof v === 'function') return { k: 'fn', src: sourceOf(v) };
    if (this.seen.has(v)) return { k: 'same', i: this.seen.get(v) };
    this.seen.set(v, this.seen.size);
    return this.object(v, depth + 1);
  }

  object(v, depth) {
    const each = (list) => list.map((x) => this.write(x, depth));
    const kind = Object.prototype.toString.call(v).slice(8, -1);
    if (Array.isArray(v)) return this.list(v, depth);
    if (v instanceof Date) return { k: 'date', v: v.getTime() };
    if (v instanceof RegExp) return { k: 're', s: v.source, f: v.flags };
    if (v instanceof Set) return { k: 'set', v: each([...v].slice(0, LONG_LIST)) };
    if (v instanceof Map) return { k: 'map', v: [...v].slice(0, LONG_LIST).map(([a, b]) => [this.write(a, depth), this.write(b, depth)]) };
    if (v instanceof Error) return { k: 'err', t: v.name, m: String(v.message) };
    if (Buffer.isBuffer(v)) return { k: 'typed', t: 'Buffer', v: [...v.subarray(0, LONG_LIST)] };
    if (TYPED.includes(kind)) return { k: 'typed', t: kind, v: [...v.subarray(0, LONG_LIST)].map((x) => this.write(x, depth)) };
    if (v instanceof Number || v instanceof String || v instanceof Boolean) return { k: 'box', v: this.write(v.valueOf(), depth) };
    if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet || kind === 'Generator' || v instanceof ArrayBuffer) throw new Unkeepable();
    return this.record(v, depth);
  }

  list(v, depth) {
    if (v.length > LONG_LIST) return { k: 'many', n: v.length, v: v.slice(0, FIRST_ITEMS).map((x) => this.write(x, depth)) };
    return { k: 'arr', v: Array.from({ length: v.length }, (_, i) => (i in v ? this.write(v[i], depth) : { k: 'hole' })) };
  }

  record(v, depth) {
    const proto = Object.getPrototypeOf(v);
    const out = { k: 'obj', v: [] };
    if (proto === null) out.n = 1;
    else if (proto !== Object.prototype && proto.constructor) out.c = String(proto.constructor.name).replace(/[^\w$]/g, '') || 'Object';
    for (const key of Reflect.ownKeys(v)) {
      const d = Object.getOwnPropertyDescriptor(v, key);
      if (!d.enumerable) continue;
      const value = 'value' in d ? d.value : d.get ? v[key] : undefined;
      out.v.push([typeof key === 'symbol' ? symbolNode(key) : key, this.write(value, depth), ...('value' in d ? [] : ['get'])]);
    }
    return out;
  }
}

function symbolNode(s) {
  const known = Object.getOwnPropertyNames(Symbol).find((n) => Symbol[n] === s);
  return { k: 'sym', v: known || '', d: known ? undefined : s.description || '' };
}

/** The text of a function that stands alone as an expression, or a sort of function where it does not. */
function sourceOf(f) {
  const stands = f[Symbol.for('atoll.text')]; // of a mock: for what it does
  if (stands) return stands() ? sourceOf(stands()) : '() => {}';
  let text = Function.prototype.toString.call(f);
  if (text.length > 2000 || text.includes('[native code]')) return '';
  for (const src of [text, 'function ' + text, 'async function ' + text.replace(/^async\s+/, '')]) {
    try {
      new Function('return (' + src + ')');
      return src;
    } catch {}
  }
  return '';
}

/** Makes values of nodes. env has what is known under a name: ref(i), lib(group), and fn(node) that makes a function. */
class Maker {
  constructor(env) {
    this.env = env;
    this.made = [];
  }

  make(node) {
    if (node === null || typeof node !== 'object') return node;
    const { k, v } = node;
    switch (k) {
      case 'undef':
      case 'hole':
        return undefined;
      case 'num':
        return Number(v);
      case 'big':
        return BigInt(v);
      case 'sym':
        return v ? Symbol[v] : Symbol(node.d);
      case 'ref':
        return this.env.ref(node.i);
      case 'lib':
        return this.env.lib(node.g);
      case 'fn':
        return this.env.fn(node);
      case 'same':
        return this.made[node.i];
      case 'text':
        return textOf(node);
    }
    return this.object(node);
  }

  object(node) {
    const { k, v } = node;
    const at = this.made.length;
    const keep = (x) => (this.made[at] = x);
    keep(undefined);
    const each = () => v.map((x) => this.make(x));
    switch (k) {
      case 'arr': {
        const list = keep([]);
        list.length = v.length;
        v.forEach((x, i) => x && x.k === 'hole' || (list[i] = this.make(x)));
        return list;
      }
      case 'many':
        return keep(many(node, (x) => this.make(x)));
      case 'date':
        return keep(new Date(v));
      case 're':
        return keep(new RegExp(node.s, node.f));
      case 'set':
        return v.reduce((s, x) => s.add(this.make(x)), keep(new Set()));
      case 'map':
        return v.reduce((m, [a, b]) => m.set(this.make(a), this.make(b)), keep(new Map()));
      case 'err':
        return keep(Object.assign(new (typeof globalThis[node.t] === 'function' ? globalThis[node.t] : Error)(node.m), {}));
      case 'typed':
        return keep(node.t === 'Buffer' ? Buffer.from(v) : new globalThis[node.t](node.n ? many(node, (x) => this.make(x)) : each()));
      case 'box':
        return keep(Object(this.make(v)));
    }
    return this.record(node, keep);
  }

  record(node, keep) {
    const made = node.n ? Object.create(null) : node.c ? new (classOf(node.c))() : node.i ? Object.create(this.make(node.i)) : {};
    keep(made);
    for (const [key, x, how] of node.v) {
      const name = key !== null && typeof key === 'object' ? this.make(key) : key;
      const value = this.make(x);
      const d = how === 'get' ? { get: () => value, enumerable: true, configurable: true } : { value, enumerable: true, configurable: true, writable: true };
      Object.defineProperty(made, name, d);
    }
    if (node.z) Object.freeze(made);
    return made;
  }
}

const classes = new Map();
const strangers = new Set(); // classes that the probe made, of callers

function classOf(name) {
  if (!classes.has(name)) classes.set(name, { [name]: class {} }[name]);
  strangers.add(classes.get(name));
  return classes.get(name);
}

/** The item at a place of what is long: one of the first ones, numbers and texts of its own at each place. */
function nth(node, i, n) {
  if (typeof node === 'number') return i < 8 ? node : (i * 7919 + node) % (2 * n + 1);
  if (typeof node === 'string') return i < 8 ? node : node.slice(0, 40) + ((i * 7919) % n);
  if (node && (node.k === 'arr' || node.k === 'many') && node.v.length < 20) return { ...node, v: node.v.map((x) => nth(x, i, n)) };
  if (node && node.k === 'obj') return { ...node, v: node.v.map(([key, x, ...rest]) => [key, nth(x, i, n), ...rest]) };
  return node;
}

function many(node, make) {
  const of = node.v.length > 0 ? node.v : [1];
  return Array.from({ length: node.n }, (_, i) => make(nth(of[i % of.length], i, node.n)));
}

/** A long text: some text again and again up to a length, and what stands at its end. */
function textOf(node) {
  return (node.v || 'x').repeat(Math.ceil(node.n / (node.v || 'x').length)).slice(0, node.n) + (node.e || '');
}

module.exports = { Maker, TYPED, Writer, nth, strangers };
