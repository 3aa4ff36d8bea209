// Settings that a function has as its own fields, such as `Big.strict`: callers set them before a call.
'use strict';
const { inTurn, spread } = require('./joining.cjs');
const { insert } = require('./scripts.cjs');

const MOST = 12; // of one function
const MOST_ROWS = 3;
const KINDS = /^(boolean|number|string)$/;

/** The settings of a function by name, with what they are. */
function settingsOf(f) {
  const out = [];
  for (const name of Object.keys(f)) {
    const d = Object.getOwnPropertyDescriptor(f, name);
    if (d && d.writable && !name.startsWith('_') && KINDS.test(typeof d.value) && Number.isFinite(typeof d.value === 'number' ? d.value : 0)) out.push([name, d.value]);
  }
  return out.slice(0, MOST);
}

/** Other values of a setting. */
function others(v) {
  if (typeof v === 'boolean') return [!v];
  if (typeof v === 'number') return [v + 1, 0, 1, 3, -v].filter((x) => x !== v);
  return [v + 'x', '', v.toUpperCase(), ' '].filter((x) => x !== v);
}

/** A script before which a setting of the function that it begins with is another; itself where it begins with none. */
function withSetting(script, name, value) {
  const first = script.find((s) => s.f.k === 'lib');
  return first ? insert(script, 0, { f: { k: 'set', g: first.f.g }, m: name, a: [value] }) : script;
}

/** Some rows with each setting, the first other value of each first. */
function settled(rows, settings) {
  const some = spread(rows, MOST_ROWS);
  return inTurn(settings.map(([name, v]) => others(v).map((x) => some.map((row) => withSetting(row, name, x))))).flat();
}

module.exports = { others, settingsOf, settled, withSetting };
