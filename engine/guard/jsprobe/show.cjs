// What a value is, in words in which two trees can be compared.
'use strict';
const util = require('util');
const { Exit, made } = require('./world.cjs');
const { TYPED, strangers } = require('./values.cjs');
const { readersOf } = require('./readers.cjs');
const { literal } = require('./words.cjs');

const FLOAT = '\x01'; // before a number that may differ by rounding
const SHARE = '\x03'; // around what is told of shared memory
const LAYOUT = '\x05'; // around a list whose order is an affair of the code that keeps it
const ASIDE = '\x06'; // around what it holds, in whatever order
const DEEPEST = 9;
const MOST_VALUES = 3000;
const LONGEST = 60000;
const MOST_ITEMS = 400; // of an iterator

const names = new WeakMap(); // of classes that the tree exports
const builtin = new Map(Object.getOwnPropertyNames(globalThis).filter((n) => /^[A-Z]/.test(n)).map((n) => [globalThis[n], n]));
let spoken = new Set(); // names of fields that others than the sources use
let loose = false; // the order of lists in such fields is told and holds nothing back

/** Takes the names of fields that are told of objects whose class is of the tree, and whether what changed puts things in an order. */
function speak(list, orders) {
  [spoken, loose] = [new Set(list), orders];
}

/** A text without what is told and holds nothing back. */
function held(text) {
  return text.includes(LAYOUT) ? text.split(LAYOUT).filter((_, i) => i % 2 === 0).join('') : text;
}

function number(v) {
  if (Object.is(v, -0)) return '-0';
  return Number.isInteger(v) || !Number.isFinite(v) ? String(v) : FLOAT + String(v);
}

/** A showing of values; known(v) is a word for an object that is known, '' for any other. reads: objects of the tree are asked what they tell of themselves. */
class Show {
  constructor(known = () => '', reads = false) {
    this.known = known;
    this.reads = reads;
    this.values = 0;
    this.size = 0;
    this.open = [];
  }

  text(v, depth = 0) {
    const said = this.said(v, depth);
    this.size += said.length;
    return said;
  }

  said(v, depth) {
    switch (typeof v) {
      case 'number':
        return number(v);
      case 'string':
        return literal(v.length > LONGEST ? v.slice(0, LONGEST) : v) + (v.length > LONGEST ? ' and more, ' + v.length + ' in all' : '');
      case 'bigint':
        return v + 'n';
      case 'symbol':
        return String(v);
      case 'undefined':
      case 'boolean':
        return String(v);
    }
    if (v === null) return 'null';
    const word = this.known(v, depth);
    if (word && !word.startsWith(SHARE)) return word;
    if (this.open.includes(v)) return '<itself, ' + (this.open.length - this.open.indexOf(v)) + ' above>';
    if (++this.values > MOST_VALUES || this.size > LONGEST || depth > DEEPEST) return '…';
    if (typeof v === 'function') return 'function' + word;
    this.open.push(v);
    try {
      return this.object(v, depth + 1) + word;
    } catch (e) {
      return 'what fails when it is read: ' + failure(e);
    } finally {
      this.open.pop();
    }
  }

  list(items, depth) {
    const out = [];
    for (const x of items) {
      if (this.values > MOST_VALUES || this.size > LONGEST) break;
      out.push(this.text(x, depth));
    }
    return out.join(', ') + (out.length < items.length ? ', … ' + items.length + ' in all' : '');
  }

  object(v, depth) {
    if (util.types.isProxy(v)) return this.fields(v, depth, '', true);
    if (Array.isArray(v)) return this.array(v, depth);
    if (util.types.isDate(v)) return 'Date ' + v.getTime();
    if (util.types.isRegExp(v)) return String(v) + (v.lastIndex ? ' at ' + v.lastIndex : '');
    if (util.types.isSet(v)) return this.nameOf(v) + '{' + this.list([...Set.prototype.values.call(v)], depth) + '}' + this.beside(v, Set.prototype, depth);
    if (util.types.isMap(v)) return this.nameOf(v) + '{' + [...Map.prototype.entries.call(v)].map(([a, b]) => this.text(a, depth) + ' => ' + this.text(b, depth)).join(', ') + '}' + this.beside(v, Map.prototype, depth);
    if (v instanceof Error || util.types.isNativeError(v)) return failure(v);
    if (Buffer.isBuffer(v)) return 'Buffer <' + v.toString('hex', 0, 2000) + '>';
    if (util.types.isTypedArray(v) && TYPED.includes(v[Symbol.toStringTag])) return v[Symbol.toStringTag] + '[' + this.list(Array.from(v.subarray(0, 2000)), depth) + (v.length > 2000 ? ', … ' + v.length : '') + ']';
    if (util.types.isArrayBuffer(v)) return 'ArrayBuffer <' + Buffer.from(v).toString('hex', 0, 2000) + '>';
    if (util.types.isBoxedPrimitive(v)) return 'Object(' + this.text(v.valueOf(), depth) + ')';
    if (util.types.isPromise(v)) return 'a promise';
    if (v instanceof URL || v instanceof URLSearchParams) return this.nameOf(v) + ' ' + v;
    const proto = Object.getPrototypeOf(v);
    const plain = proto === Object.prototype || proto === null || strangers.has(proto.constructor);
    return this.fields(v, depth, proto === null ? 'null-prototype ' : plain && proto === Object.prototype ? '' : this.nameOf(v), plain);
  }

  array(v, depth) {
    const out = [];
    for (let i = 0; i < v.length; i++) {
      if (this.values > MOST_VALUES || this.size > LONGEST) {
        out.push('… ' + v.length + ' in all');
        break;
      }
      if (!(i in v)) {
        let n = i;
        while (n < v.length && !(n in v)) n++;
        out.push(n - i + ' empty');
        i = n - 1;
        continue;
      }
      out.push(this.text(v[i], depth));
    }
    if (Object.getPrototypeOf(v) !== Array.prototype) return this.nameOf(v) + '[' + out.join(', ') + ']' + this.beside(v, Array.prototype, depth);
    const more = Object.keys(v).filter((k) => !/^\d+$/.test(k));
    return '[' + out.concat(more.map((k) => literal(k) + ': ' + this.text(v[k], depth))).join(', ') + ']';
  }

  /** What an object of the tree has beside what one of the language has that it is built on. */
  beside(v, base, depth) {
    const own = Object.getPrototypeOf(v) === base ? '{}' : this.fields(v, depth, '', false);
    return own === '{}' ? '' : ' ' + own;
  }

  fields(v, depth, kind, all) {
    const out = [];
    for (const key of Reflect.ownKeys(v)) {
      const d = Object.getOwnPropertyDescriptor(v, key);
      if (!d || !d.enumerable || (!all && (typeof key === 'symbol' || key.startsWith('_') || !spoken.has(key)))) continue;
      if (!all && typeof d.value === 'function') continue;
      const name = typeof key === 'symbol' ? '[' + String(key) + ']' : /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key);
      out.push((d.get ? 'get ' : '') + name + ': ' + (!all && loose && Array.isArray(d.value) ? this.laidOut(d.value, depth) : this.text(v[key], depth)));
    }
    if (!all && this.reads) out.push(...this.read(v, depth));
    if (all && Object.isFrozen(v) && out.length > 0) kind += 'frozen ';
    return kind + '{' + (all ? out : out.sort()).join(', ') + '}';
  }

  /** What an object of the tree tells of itself; what comes of that is not asked in turn. */
  read(v, depth) {
    this.reads = false;
    try {
      return readersOf(v).map(([name, got]) => name + (got ? ': ' : '(): ') + this.told(() => (got ? v[name] : v[name]()), depth));
    } finally {
      this.reads = true;
    }
  }

  told(read, depth) {
    try {
      return this.text(read(), depth);
    } catch (e) {
      return 'throws ' + failure(e);
    }
  }

  /** A list in a field of an object of the tree, of code that puts values in an order: a heap may keep them in any that is valid. */
  laidOut(list, depth) {
    return LAYOUT + this.text(list, depth) + LAYOUT + ASIDE + Array.from(list, (x) => this.text(x, depth + 1)).sort().join() + ASIDE;
  }

  /** The name of the class of an object: one that callers can know. */
  nameOf(v) {
    for (let p = Object.getPrototypeOf(v); p; p = Object.getPrototypeOf(p)) {
      const d = Object.getOwnPropertyDescriptor(p, 'constructor');
      if (!d || typeof d.value !== 'function') continue;
      const name = names.get(d.value) || builtin.get(d.value) || (strangers.has(d.value) ? d.value.name : '');
      if (name) return name + ' ';
    }
    return 'an object ';
  }
}

/** How a call failed: which error the code made and its words, and of those of the engine the kind. */
function failure(e) {
  if (e instanceof Exit) return 'the end of the process';
  if (!(e instanceof Error) && !util.types.isNativeError(e)) return new Show().text(e);
  const name = typeof e.name === 'string' ? e.name : 'Error';
  if (!made.has(e) && !(e.code && typeof e.code === 'string' && !e.code.startsWith('ERR_'))) return name + (e.code ? ' ' + e.code : '') + ' of the engine';
  const own = Object.keys(e).filter((k) => k !== 'name' && k !== 'stack' && k !== 'message' && !k.startsWith('_')).slice(0, 20);
  const show = new Show();
  const told = own.map((k) => k + ': ' + (e[k] instanceof Error ? String(e[k]) : show.text(e[k])));
  return name + ' ' + literal(String(e.message)) + (told.length > 0 ? ' {' + told.join(', ') + '}' : '');
}

function isIterator(v) {
  return v !== null && typeof v === 'object' && !Array.isArray(v) && typeof v.next === 'function' && (typeof v[Symbol.iterator] === 'function' || typeof v[Symbol.asyncIterator] === 'function');
}

/** What an iterator gives, to its end or to a bound. */
function items(v, show) {
  const out = [];
  let end = '';
  try {
    for (;;) {
      const next = v.next();
      if (next.done) {
        if (next.value !== undefined) end = ' and returns ' + show.text(next.value);
        break;
      }
      out.push(show.text(next.value));
      if (out.length >= MOST_ITEMS) break;
    }
  } catch (e) {
    end = ' and throws ' + failure(e);
  }
  return 'iterator of ' + out.join(', ') + end;
}

module.exports = { MOST_ITEMS, SHARE, Show, failure, held, isIterator, items, names, speak };
