// Classes of the language and of node on which those of a tree are built: what an object has from them, callers call as well.
'use strict';
const { settingsOf } = require('./settings.cjs');

const OF_NODE = [require('events'), ...['Readable', 'Writable', 'Duplex', 'Transform', 'PassThrough'].map((n) => require('stream')[n]), require('stream'), Buffer, URL, URLSearchParams];
const PROTOTYPES = new Set(OF_NODE.map((c) => c.prototype));

// What is called of them where no test does; others of theirs say nothing that these do not.
const OFFERED = { Map: ['get', 'has', 'set', 'delete', 'clear', 'keys', 'values'], Set: ['has', 'add', 'delete', 'clear', 'values'], Array: ['push', 'pop', 'shift', 'unshift', 'slice', 'concat', 'includes', 'indexOf', 'join'], Error: ['toString'] };

/** Whether a prototype is of the language or of node, whose methods are nobody's in the tree. */
function isForeign(proto) {
  if (PROTOTYPES.has(proto)) return true;
  const c = Object.getOwnPropertyDescriptor(proto, 'constructor');
  if (!c || typeof c.value !== 'function') return proto === Object.prototype;
  return /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(c.value));
}

/** The prototypes of an object that are of a tree, and those behind them that are of the language or of node, without that of all objects. */
function chain(object) {
  const [own, foreign] = [[], []];
  for (let p = Object.getPrototypeOf(object); p && p !== Object.prototype; p = Object.getPrototypeOf(p)) (foreign.length > 0 || isForeign(p) ? foreign : own).push(p);
  return { own, foreign };
}

/** The methods that prototypes have, by name, without those of names that are taken. */
function methodsOf(prototypes, taken) {
  const out = new Map();
  for (const p of prototypes) {
    for (const key of Object.getOwnPropertyNames(p)) {
      const d = Object.getOwnPropertyDescriptor(p, key);
      if (typeof d.value === 'function' && key !== 'constructor' && !key.startsWith('_') && !taken(key) && !out.has(key)) out.set(key, d.value);
    }
  }
  return out;
}

/** What prototypes give without a call, by name. */
function gettersOf(prototypes) {
  const names = prototypes.flatMap((p) => Object.getOwnPropertyNames(p).filter((k) => Object.getOwnPropertyDescriptor(p, k).get));
  return [...new Set(names)].filter((k) => !k.startsWith('_'));
}

/** The number of parameters of a function, and what objects of a class offer: what is their own, and what they have from others. */
function shapeOf(f) {
  const out = { n: f.length };
  const sets = settingsOf(f);
  if (sets.length > 0) out.sets = sets;
  const proto = f.prototype;
  if (proto === null || typeof proto !== 'object') return out;
  const { own, foreign } = chain(Object.create(proto));
  const names = [...new Set(own.flatMap((p) => Object.getOwnPropertyNames(p)))].filter((k) => k !== 'constructor' && !k.startsWith('_'));
  if (!/^class\b/.test(Function.prototype.toString.call(f)) && names.length === 0) return out;
  const at = (k) => Object.getOwnPropertyDescriptor(own.find((p) => Object.hasOwn(p, k)), k);
  out.cls = 1;
  out.methods = names.filter((k) => typeof at(k).value === 'function').map((k) => [k, at(k).value.length]);
  out.getters = gettersOf(own);
  const base = foreign.map((p) => p.constructor.name).find((n) => OFFERED[n]);
  if (base) out.methods.push(...[...methodsOf(foreign, (k) => names.includes(k) || !OFFERED[base].includes(k))].map(([k, m]) => [k, m.length]));
  if (foreign.includes(require('events').prototype)) out.emits = 1;
  return out;
}

module.exports = { chain, gettersOf, isForeign, methodsOf, shapeOf };
