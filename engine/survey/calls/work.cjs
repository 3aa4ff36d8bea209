// Makes calls in the tree that it stands in, when measure.cjs tells it to.
//
// It runs with fewer rights than measure.cjs, which takes the time and compares the answers.
'use strict';
const fs = require('fs');
const path = require('path');
const { types } = require('util');
const { pathToFileURL } = require('url');

const MOST_ITEMS = 10000; // of an iterator
const LONGEST = 20000; // text of a value

class Unkeepable extends Error {}

/** An expression for a value. */
function text(value, depth = 0) {
  const said = expression(value, depth);
  if (said.length > LONGEST) throw new Unkeepable();
  return said;
}

function expression(value, depth) {
  switch (typeof value) {
    case 'undefined':
    case 'boolean':
      return String(value);
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return value + 'n';
    case 'string':
      return JSON.stringify(value).replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029');
    case 'object':
      if (value === null) return 'null';
      if (depth <= 5) return object(value, depth + 1);
  }
  throw new Unkeepable();
}

function object(value, depth) {
  const list = (values) => Array.from(values, (v) => text(v, depth)).join(', '); // a hole becomes undefined
  const kind = kindOf(value);
  const own = Reflect.ownKeys(value);
  if (kind === 'Array' && own.length === value.length + 1) return '[' + list(value) + ']';
  if (kind === 'Date') return 'new Date(' + value.getTime() + ')';
  if (kind === 'RegExp' && value.lastIndex === 0) return 'new RegExp(' + JSON.stringify(value.source) + ', ' + JSON.stringify(value.flags) + ')';
  if (kind === 'Set') return 'new Set([' + list(value) + '])';
  if (kind === 'Map') return 'new Map([' + list(value) + '])';
  if (kind === 'Uint8Array') return 'new Uint8Array([' + list(value) + '])';
  if (kind !== 'Object' && kind !== null) throw new Unkeepable();
  const parts = own.map((key) => {
    const d = Object.getOwnPropertyDescriptor(value, key);
    if (typeof key === 'symbol' || key === '__proto__' || !d.enumerable || !('value' in d)) throw new Unkeepable();
    return JSON.stringify(key) + ': ' + text(d.value, depth);
  });
  return (kind === null ? 'Object.assign(Object.create(null), {' : '{') + parts.join(', ') + (kind === null ? '})' : '}');
}

const IS = { Array: Array.isArray, Date: types.isDate, RegExp: types.isRegExp, Set: types.isSet, Map: types.isMap, Uint8Array: types.isUint8Array };

/** Of which class of the language itself an object is, null without one; '' of any other. The classes are other ones where
 * tests run in a context of their own. */
function kindOf(value) {
  const kind = Object.getPrototypeOf(value);
  if (kind === null) return null;
  const made = Object.getOwnPropertyDescriptor(kind, 'constructor');
  const name = made && typeof made.value === 'function' && /\[native code\]/.test(Function.prototype.toString.call(made.value)) ? made.value.name : '';
  return name === 'Object' || (name in IS && IS[name](value)) ? name : '';
}

/** Makes values of their text, anew each time. */
function maker(said) {
  return new Function('return (' + said + ')');
}

/** Has sources with types be loaded, where what does that lies beside this file or stands before it. */
function prepare() {
  let loader;
  try {
    loader = require('./loader.cjs');
  } catch (e) {
    if (e.code !== 'MODULE_NOT_FOUND') throw e;
    return;
  }
  loader.install();
}

/** What a file gives to those who load it. */
async function load(file) {
  prepare();
  try {
    const given = require(file);
    return given && given.__esModule ? { ...given } : given; // what is behind getters, too
  } catch (e) {
    if (e.code !== 'ERR_REQUIRE_ESM' && !(e instanceof SyntaxError)) throw e;
    return import(pathToFileURL(file));
  }
}

/** The function with a name such as "lib/case.js:snake" and what it is a method of. */
async function find(name) {
  const at = name.indexOf(':');
  let value = await load(path.resolve(name.slice(0, at)));
  let owner;
  for (const part of name.slice(at + 1).split('.')) {
    if (part !== '') [owner, value] = [value, value[part]];
  }
  if (typeof value !== 'function') throw new Error(name + ' is gone');
  return { call: value, owner };
}

/** A call that can be made again and again: of a function, or of a class and then of methods of what it makes. */
class Call {
  constructor(found, given) {
    const { call: f, owner } = found;
    this.make = maker(given.args);
    this.args = this.make();
    this.iterates = given.iterates;
    this.anew = given.anew; // it changes its arguments
    this.then = (given.then || []).map((s) => ({ method: s.method, args: maker(s.args)(), iterates: s.iterates }));
    this.call = given.new ? (args) => new f(...args) : (args) => f.apply(owner, args);
  }

  run() {
    kept = this.call(this.anew ? this.make() : this.args);
    if (this.iterates) kept = items(kept);
    for (const { method, args, iterates } of this.then) {
      let step = kept[method](...args);
      if (iterates) step = items(step);
      last = step;
    }
  }

  /** What it gives, when it gives the same the second time. */
  twice() {
    const [first, again] = [this.answer(this.make()), this.answer(this.make())];
    const same = ['answer', 'iterates', 'anew', 'failed'].every((k) => first[k] === again[k]) && String(first.steps) === String(again.steps);
    if (!first.failed && !same) first.failed = again.failed || 'it answers otherwise the second time';
    return first;
  }

  /** What it gives, and what keeps it from being made again and again. Methods that worked are steps, and the first that did not has broken it. */
  answer(args) {
    const out = { answer: null, iterates: false, anew: false, failed: '', us: 0, steps: [], broken: '' };
    const before = text(args);
    const steps = text(this.then.map((s) => s.args));
    let result;
    try {
      [result, out.iterates] = this.taken(out, () => this.call(args), this.then.length > 0);
    } catch (e) {
      out.failed = String(e).slice(0, 200);
      return out;
    }
    const answers = [];
    for (const { method, args } of this.then) {
      try {
        const [step, iterates] = this.taken(out, () => result[method](...args), false);
        answers.push(textOf(step));
        out.steps.push(iterates);
      } catch (e) {
        out.broken = method + ': ' + String(e).slice(0, 200);
        break;
      }
    }
    const after = textOf(args);
    out.anew = after !== before;
    if (after === null || textOf(this.then.map((s) => s.args)) !== steps) out.failed = 'it changes its arguments';
    else if (this.then.length > 0) out.answer = answers.every((a) => a === null) ? null : answers.map((a) => a || '?').join('\n');
    else out.answer = out.anew ? textOf([textOf(result), args]) : textOf(result);
    return out;
  }

  /** What a call gives, an iterator exhausted unless it is a whole object to be used, and whether it is one. The time is
   * added to that of out. */
  taken(out, call, whole) {
    const began = process.cpuUsage();
    let result = call();
    const iterates = !whole && Boolean(result) && typeof result.next === 'function' && typeof result[Symbol.iterator] === 'function';
    if (iterates) result = items(result);
    const took = process.cpuUsage(began);
    out.us += took.user + took.system;
    if (result && typeof result.then === 'function') {
      result.then(null, () => {});
      throw new Error('it is asynchronous');
    }
    return [result, iterates];
  }
}

class Called {
  constructor(found, calls, share) {
    this.share = share; // of the time of the tests in all of them
    this.calls = calls.map((c) => new Call(found, c));
  }

  run(times) {
    for (let n = 0; n < times; n++) {
      for (const c of this.calls) c.run();
    }
  }

  answers() {
    return this.calls.map((c) => c.twice());
  }
}

/** A value as text, null where it has none. */
function textOf(value) {
  try {
    return text(value);
  } catch (e) {
    if (!(e instanceof Unkeepable)) throw e;
    return null;
  }
}

let last; // what the last method gave
let kept; // the last result: an engine leaves out calls whose results nobody has

function items(iterator) {
  const list = [];
  for (const v of iterator) {
    if (list.push(v) === MOST_ITEMS) break;
  }
  return list;
}

/** The part that each function of the tree takes of what they all take. */
function profile(functions, seconds) {
  const session = new (require('inspector').Session)();
  session.connect();
  let found = [];
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 500 });
  session.post('Profiler.start');
  for (const f of functions) {
    const until = Date.now() + 1000 * seconds * (f.share || 1 / functions.length);
    while (Date.now() < until) f.run(1);
  }
  session.post('Profiler.stop', (_, { profile }) => {
    found = shares(profile);
  });
  return found;
}

/** How many functions of each file of the tree the calls run; how many there are is not known: 0. */
function reach(functions) {
  const session = new (require('inspector').Session)();
  session.connect();
  const found = {};
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  for (const f of functions) f.run(1);
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result) {
      const file = inTree(url);
      const ran = functions.filter((f) => f.ranges[0].count > 0).length;
      if (file && ran) found[file] = [ran, 0];
    }
  });
  session.post('Profiler.stopPreciseCoverage');
  return found;
}

/** The name in the tree of what was loaded from there, '' for all else. */
function inTree(url) {
  const top = process.cwd() + path.sep;
  const file = url.startsWith('file://') ? require('url').fileURLToPath(url) : url;
  return file.startsWith(top) && !file.includes('node_modules') ? file.slice(top.length) : '';
}

function shares(profile) {
  const times = new Map();
  let all = 0;
  for (const node of profile.nodes) {
    const { url, functionName } = node.callFrame;
    const file = inTree(url);
    if (!file || !/^[A-Za-z_$][\w$.]*$/.test(functionName)) continue;
    const key = file + ':' + functionName.slice(functionName.lastIndexOf('.') + 1);
    all += node.hitCount;
    times.set(key, (times.get(key) || 0) + node.hitCount);
  }
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, 30).map(([key, n]) => {
    const at = key.lastIndexOf(':');
    return { file: key.slice(0, at), symbol: key.slice(at + 1), share: n / all };
  });
}

async function main() {
  const lines = require('readline').createInterface({ input: process.stdin });
  const say = (line) => fs.writeSync(out, line + '\n');
  const out = 1;
  process.stdout.write = process.stderr.write = () => true; // what the code prints is no answer
  say(process.pid);
  let functions;
  for await (const line of lines) {
    if (!functions) {
      functions = [];
      for (const f of JSON.parse(line).functions) functions.push(new Called(await find(f.name), f.calls, f.share));
      say('ready');
      continue;
    }
    const words = line.split(' ');
    if (words[0] === 'answers') say(JSON.stringify(functions.map((f) => f.answers())));
    else if (words[0] === 'reach') say(JSON.stringify(reach(functions)));
    else if (words[0] === 'profile') say(JSON.stringify(profile(functions, Number(words[1]))));
    else {
      functions[Number(words[1])].run(Number(words[2]));
      say('done');
    }
  }
}

if (process.argv[1] === '--work') main();
else module.exports = { text, load };
