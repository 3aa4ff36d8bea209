// Of which modules the functions are that an entry of a package hands out: one that collects the functions of many modules
// loads what changed, and most of its functions cannot reach it. And which of them are what changed, whatever they are called.
'use strict';
const tree = require('./tree.cjs');

/** The functions that a module exports, and those of objects that it exports. */
function functionsOf(module) {
  const out = new Set();
  const look = (v, depth) => {
    if (typeof v === 'function') out.add(v);
    if (v === null || !/^(object|function)$/.test(typeof v) || depth > 1) return;
    for (const d of Object.values(Object.getOwnPropertyDescriptors(v))) if ('value' in d) look(d.value, depth + 1);
  };
  look(module, 0);
  return out;
}

async function loaded(file) {
  try {
    return await tree.load(file);
  } catch {
    return undefined; // what is handed out of it is asked
  }
}

/**
 * Which groups are functions of a file that changed and that another one hands out (own), and which of files alone that cannot reach one (apart). files are
 * those that the entries load, reached those of them that reach a change.
 */
async function owners(exports, files, reached, changed) {
  const [own, apart] = [new Set(), new Set()];
  for (const file of files) {
    const into = changed.includes(file) ? own : reached.includes(file) ? null : apart;
    if (into) functionsOf(await loaded(file)).forEach((f) => into.add(f));
  }
  const out = { own: [], apart: [] };
  for (const [group, e] of Object.entries(exports)) {
    const f = e.path.reduce((v, name) => (v === undefined || v === null ? undefined : v[name]), await loaded(e.file));
    if (own.has(f)) changed.includes(e.file) || out.own.push(group);
    else if (apart.has(f)) out.apart.push(group);
  }
  return out;
}

/** Whether one of some functions that changed is what a module exports as a whole, or a method of it: code calls it in another way than the group is called. */
function isOf(f, names) {
  const own = f.prototype ? Object.getOwnPropertyNames(f.prototype) : [];
  return names.some((name) => name === '' || name === 'exports' || name.split('.')[0] === f.name || own.includes(name));
}

/** The groups that are what a file exports as a whole, and that changed; changes has the names of changed functions by file. */
async function wholes(exports, changes) {
  const out = [];
  for (const [group, e] of Object.entries(exports)) {
    if (!changes.has(e.file) || !['', 'default'].includes(e.path.join('.'))) continue;
    const f = e.path.reduce((v, name) => (v === undefined || v === null ? undefined : v[name]), await loaded(e.file));
    if (typeof f === 'function' && isOf(f, changes.get(e.file))) out.push(group);
  }
  return out;
}

module.exports = { owners, wholes };
