// Of which modules the functions are that an entry of a package hands out: one that collects the functions of many modules
// loads what changed, and most of its functions cannot reach it.
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

module.exports = { owners };
