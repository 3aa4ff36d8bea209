// Texts of which one says how another is read, such as the format of a time and the time: what stands between their marks is
// moved in both at once, as an order that no test has is met by no change of one of them.
'use strict';
const { inAll } = require('./rewording.cjs');

const MARKS = /([^\p{L}\p{N}%]+)/u;
const MOST_FIELDS = 12;
const LONGEST = 500;

/** The texts of a script with others between whose fields the same marks stand: the places of each lot. */
function lots(script) {
  const all = new Map();
  let n = 0;
  inAll(script, (text, name) => {
    const place = n++;
    const parts = name || text.length > LONGEST ? [] : text.split(MARKS);
    if (parts.length < 3 || parts.length > 2 * MOST_FIELDS) return text;
    const marks = JSON.stringify(parts.filter((_, i) => i % 2 === 1));
    const lot = all.get(marks) || { places: new Set(), texts: new Set(), fields: (parts.length + 1) / 2 };
    lot.places.add(place);
    lot.texts.add(text);
    all.set(marks, lot);
    return text;
  });
  return [...all.values()].filter((lot) => lot.texts.size > 1);
}

/** A text whose fields are those of the places of an order, the marks between them as they were. */
function ordered(text, order) {
  const parts = text.split(MARKS);
  return order.map((field, i) => (i > 0 ? parts[2 * i - 1] : '') + parts[2 * field]).join('');
}

/** A script in which the fields of the texts of a lot stand in another order. */
function moved(script, { places }, order) {
  let n = 0;
  return inAll(script, (text) => (places.has(n++) ? ordered(text, order) : text));
}

const inOrder = ({ fields }) => Array.from({ length: fields }, (_, i) => i);

/** A script in which the fields of such texts stand in another order, or one of them is left out; undefined where it has none. */
function aligned(script, d) {
  const all = lots(script);
  if (all.length === 0) return undefined;
  const lot = d.pick(all);
  const order = inOrder(lot);
  const [field] = order.splice(d.n(lot.fields), 1);
  if (!d.chance(3)) order.splice(d.n(lot.fields), 0, field);
  return moved(script, lot, order);
}

/** Scripts in which the last of such fields stands first, the first last, and all the other way round. */
function turnedRound(script) {
  return lots(script).flatMap((lot) => {
    const order = inOrder(lot);
    return [[order[order.length - 1], ...order.slice(0, -1)], [...order.slice(1), order[0]], [...order].reverse()].map((o) => moved(script, lot, o));
  });
}

module.exports = { aligned, turnedRound };
