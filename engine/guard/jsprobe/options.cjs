// Options that the changed code reads and that no test need give, and names of fields beside those that an object has.
'use strict';
const { copy, joined, spread } = require('./joining.cjs');

const MOST_OPTIONS = 12;
const MOST_TOGETHER = 6; // of which each two are given together
const ROWS = 5;
const VALUES = [true, false, 1, 'x'];
const ABSENT = [null, false, { k: 'undef' }]; // what an option of any kind may be that is not there
const MOST_NAMES = 6; // characters of which names are made, at the edges

const isPlain = (node) => node !== null && typeof node === 'object' && node.k === 'obj' && !node.c;

/** Whether the last argument of a call is an object of options: beside others, alone where an object is made, or by a name that it has. */
function hasOptions(step, known) {
  const last = step.a && step.a[step.a.length - 1];
  return isPlain(last) && (step.a.length > 1 || Boolean(step.n) || last.v.some((e) => known.includes(e[0])));
}

/** The call of a script that is given options: the last one, or where that takes nothing the one that made its object of some. */
function taker(script, known) {
  const step = script[script.length - 1];
  const made = script.find((s) => s.f.k === 'lib');
  return made && made !== step && (!step.a || step.a.length === 0) && hasOptions(made, known) ? made : step;
}

/** A script with one option more, as one of the object that its call is given last or in an object of its own. known are names of options. */
function given(row, name, x, known = []) {
  const out = copy(row);
  const step = taker(out, known);
  if (!step.a || step.r) return undefined;
  const last = step.a[step.a.length - 1];
  if (hasOptions(step, known)) last.v = last.v.filter((e) => e[0] !== name).concat([[name, x]]);
  else step.a.push({ k: 'obj', v: [[name, x]] });
  return out;
}

/** A script whose last call has some options more, as [name, value]. */
function givenAll(row, list, known) {
  return list.reduce((out, [name, x]) => out && given(out, name, x, known), row);
}

/** Calls as they were, and behind each the same with an option: a list for each of the options, and lists of some together. */
function optioned(rows, { options, gates }) {
  const some = spread(rows, ROWS).filter((row) => row.length < 20);
  const beside = (row, list) => {
    const other = givenAll(row, list, options);
    return other ? [joined(row, other)] : [];
  };
  const behind = (row, names, x) => beside(row, names.map((name) => [name, x]));
  const all = options.slice(0, MOST_OPTIONS);
  const few = all.slice(0, MOST_TOGETHER);
  const sets = few.flatMap((a, i) => few.slice(i + 1).map((b) => [a, b])).map((names, i) => some.slice(i % Math.max(1, some.length)).slice(0, 1).flatMap((row) => behind(row, names, true)));
  const together = all.length > 1 ? [some.flatMap((row) => behind(row, all, true)), ...sets] : [];
  const ways = gates.map((list) => some.flatMap((row) => beside(row, list)));
  return ways.concat(all.map((name) => VALUES.flatMap((x) => some.flatMap((row) => behind(row, [name], x)))), together);
}

/** A script whose last call has some options more. */
function turnedOn(script, edges, d) {
  const { asked, options, texts, gates } = edges;
  if (asked.length > 0 && d.chance(4)) return given(script, d.pick(asked), d.pick(ABSENT), options) || script;
  if (gates.length > 0 && d.chance(2)) return givenAll(script, d.pick(gates), options) || script;
  let out = script;
  for (let n = 1 + d.n(3); n > 0; n--) out = given(out, d.pick(options), d.pick(texts.length > 0 && d.chance(4) ? texts : VALUES), options) || out;
  return out;
}

/** An object with another name in the place of one of its own. */
function renamed(node, from, to) {
  return { ...node, v: node.v.filter((e) => e[0] !== to).map((e) => (e[0] === from ? [to, ...e.slice(1)] : e)) };
}

/** Objects in which a name is as long as its neighbour and made of other characters: which is the longest, or comes first, hangs on what becomes of them. */
function named(node, chars) {
  const names = node.v.map((e) => e[0]).filter((n) => typeof n === 'string' && n !== '');
  if (names.length < 2) return [];
  return chars.slice(0, MOST_NAMES).flatMap((c) => [names[0], names[names.length - 1]].map((from) => {
    const beside = from === names[0] ? names[1] : names[names.length - 2];
    return renamed(node, from, beside.slice(0, -1) + c);
  }));
}

/** An object with one name drawn anew: one of its own with a few other characters in it, and a little shorter or longer. */
function otherName(node, chars, d) {
  const names = node.v.map((e) => e[0]).filter((n) => typeof n === 'string' && n !== '');
  if (names.length === 0) return node;
  const marks = chars.length > 0 && d.n(4) ? chars : [...'aZ0_-. :=é'];
  const to = [...d.pick(names)];
  for (let n = 1 + d.n(3); n > 0; n--) to.splice(d.n(to.length + 1), d.n(3), d.pick(marks));
  return renamed(node, d.pick(names), to.join(''));
}

/** An object with some of what another one has beside its own, and now and then with an option that the changed code reads, also of a text that it names. */
function together(node, others, { options, texts }, d) {
  const more = others.length > 0 ? d.pick(others).v.filter(() => d.n(2)) : [];
  if (options.length > 0 && d.n(2)) more.push([d.pick(options), d.pick(texts.length > 0 && d.chance(3) ? texts : VALUES)]);
  return more.reduce((out, e) => ({ ...out, v: out.v.filter((x) => x[0] !== e[0]).concat([copy(e)]) }), node);
}

module.exports = { ABSENT, given, givenAll, hasOptions, isPlain, named, optioned, otherName, together, taker, turnedOn };
