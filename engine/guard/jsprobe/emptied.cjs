// Options that the changed code reads, given what stands for nothing: whether it means the default hangs on how the code asks.
'use strict';
const { copy, inTurn, spread } = require('./joining.cjs');
const { within } = require('./likeness.cjs');
const { kindOf } = require('./near.cjs');
const { ABSENT, given, hasOptions, isPlain, taker } = require('./options.cjs');
const { at, put } = require('./scripts.cjs');

const EMPTY = [null, 0, '', { k: 'num', v: 'NaN' }, false, { k: 'undef' }];
const MOST_ASKED = 8; // options
const MOST_INNER = 4; // names that objects within options are given
const MOST_PLACES = 4; // of one name
const MOST_LOOKED = 60; // rows
const MOST_READ = 300; // whose kinds are known
const ROWS = 6;
const DEEP_ROWS = 3;
const DEEPEST = 4;

/** The paths of plain objects within a node, its own first. */
function objects(node, path, depth = 0) {
  if (node === null || typeof node !== 'object' || depth > DEEPEST) return [];
  if (isPlain(node)) return [path, ...node.v.flatMap((e, i) => objects(e[1], [...path, 'v', i, 1], depth + 1))];
  return node.k === 'arr' ? node.v.flatMap((x, i) => objects(x, [...path, 'v', i], depth + 1)) : [];
}

/** The places of objects within the options of a call, and of options that are no last argument. */
function inside(row, known) {
  const step = taker(row, known);
  if (!step.a || step.r) return [];
  const last = step.a.length - 1;
  const of = (a, i) => {
    if (hasOptions(step, known) && i === last) return objects(a, [i]).slice(1);
    return isPlain(a) && a.v.some((e) => known.includes(e[0])) ? objects(a, [i]) : [];
  };
  return step.a.flatMap(of).map((path) => ({ step: row.indexOf(step), path }));
}

/** A row with a name of such objects given a value: in those that have it, and then in others. */
function deeper(row, name, x, known) {
  const of = inside(row, known);
  const has = (p) => at(row, p).v.some((e) => e[0] === name);
  const with_ = (p) => put(row, p, { ...at(row, p), v: at(row, p).v.filter((e) => e[0] !== name).concat([[name, x]]) });
  return [...of.filter(has), ...of.filter((p) => !has(p))].slice(0, MOST_PLACES).map(with_);
}

/** A script whose last call has one option alone. */
function alone(row, name, x, known) {
  const out = copy(row);
  const step = taker(out, known);
  if (!step.a || step.r || !hasOptions(step, known)) return given(row, name, x, known);
  step.a[step.a.length - 1] = { ...step.a[step.a.length - 1], v: [[name, x]] };
  return out;
}

/** The kinds of what tests give under each name. */
function kindsOf(rows) {
  const out = new Map();
  const take = ([name, x]) => out.set(name, (out.get(name) || new Set()).add(kindOf(x)));
  for (const row of rows.slice(0, MOST_READ)) for (const s of row) (s.a || []).forEach((a) => within(a, isPlain).forEach((node) => node.v.forEach(take)));
  return out;
}

/** What an option is given: where tests give it, an empty one of their kinds, and what is not there; what is no number is no input of an order. */
function empty(kinds, edges) {
  const fits = (x) => ABSENT.some((y) => kindOf(y) === kindOf(x)) || !kinds || kinds.has(kindOf(x));
  return EMPTY.filter((x) => fits(x) && !(edges.orders && x && x.v === 'NaN'));
}

/** Calls of the tests with one option that stands for nothing, beside those that they have and alone, for each of the options in turn. */
function emptied(rows, edges) {
  const known = edges.options;
  const short = rows.filter((row) => row.length < 20);
  const some = spread(short, ROWS);
  if (some.length === 0) return [];
  const names = (edges.asked.length > 0 ? edges.asked : known).slice(0, MOST_ASKED);
  const kinds = kindsOf(rows);
  const lists = names.map((name, i) => empty(kinds.get(name), edges).flatMap((x, j) => {
    const row = some[(i + j) % some.length];
    return [given(row, name, x, known), alone(row, name, x, known)];
  }));
  const inner = edges.read.concat(edges.asked).slice(0, MOST_INNER);
  const deep = inner.length > 0 ? spread(spread(short, MOST_LOOKED).filter((row) => inside(row, known).length > 0), DEEP_ROWS) : [];
  lists.push(inTurn(deep.flatMap((row) => inTurn(inner.map((name) => empty(kinds.get(name), edges).map((x) => deeper(row, name, x, known)))))));
  return inTurn(lists).filter(Boolean);
}

module.exports = { emptied };
