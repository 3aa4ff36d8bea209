// Parts of a text, which are words between what is no letter or digit, as long and as many as the changed code has bounds: a code
// that goes from part to part counts the characters of each and not those of the text.
'use strict';
const { inTurn, spread } = require('./joining.cjs');
const { givenAll, turnedOn } = require('./options.cjs');
const { at, places, put } = require('./scripts.cjs');

const WORDS = /[\p{L}\p{N}]+/gu;
const DIGITS = '1234567890';
const BESIDE = [2, 1, 0, -1]; // of a bound: what counts from 0 is one ahead
const NEAREST = 4; // texts of a row, at the first bound
const LONGEST = 2000;
const MOST_COUNTED = 300; // parts, and characters of one
const MOST_PARTS = 3; // of one text
const MOST_OPTIONS = 4;
const MOST_PLACES = 2;
const ROWS = 12;
const MOST_EDGES = 192;
const FIRST = 3; // bounds, those nearest to the change
const MOST_MET = 2; // parts of one text that are as long as a side of a comparison

/** The words of a text, with what stands before each. */
function partsOf(s) {
  if (s.length > LONGEST) return [];
  let end = 0;
  return [...s.matchAll(WORDS)].map((m) => {
    const part = { text: m[0], from: m.index, to: m.index + m[0].length, before: s.slice(end, m.index) };
    end = part.to;
    return part;
  });
}

const instead = (s, { from, to }, text) => s.slice(0, from) + text + s.slice(to);
const long = (text, n) => text.repeat(Math.ceil(n / text.length)).slice(0, n);

/** A text with one of its parts so long. */
const stretched = (s, part, n) => instead(s, part, long(part.text, n));

/** A text with one of its parts once more behind itself, so long. */
const lengthened = (s, part, n, parts) => instead(s, part, part.text + markOf(part, parts) + long(part.text, n));

/** What stands between parts, before one of them where something does. */
const markOf = (part, parts) => part.before || parts.map((p) => p.before).find((t) => t !== '') || ' ';

/** A text with one of its parts so often, behind itself. */
const counted = (s, part, n, parts) => instead(s, part, Array(n).fill(part.text).join(markOf(part, parts)));

/** The last part of a text, the first, and one between them. */
const few = (parts) => [...new Set([parts[parts.length - 1], parts[0], parts[parts.length >> 1]])].slice(0, MOST_PARTS);

/** Texts with parts at the bounds, the first bounds first. */
function atBounds(s, sizes) {
  const parts = partsOf(s);
  if (parts.length < 2) return [];
  const numbers = [...new Set(sizes.flatMap((c) => BESIDE.map((more) => c + more)))].filter((n) => n > 0 && n <= MOST_COUNTED);
  const of = (part, make) => numbers.map((n) => make(part, n));
  const [end, ...others] = few(parts);
  const lengths = (part) => of(part, (part, n) => stretched(s, part, n));
  const more = of(end, (part, n) => lengthened(s, part, n, parts));
  const digits = of(end, (part, n) => instead(s, part, long(/^\d/.test(part.text) ? 'abc' : DIGITS, n)));
  const counts = of(end, (part, n) => counted(s, part, n, parts));
  return [...new Set([...inTurn([more, lengths(end)]).slice(0, NEAREST), ...inTurn([lengths(end), more, inTurn(others.map(lengths)), inTurn([digits, counts])])])].filter((t) => t !== s);
}

const isText = (row) => (p) => typeof at(row, p) === 'string' && partsOf(at(row, p)).length > 1;

/** What options are given beside a part at a bound: none, those that lead to the change, and each that the changed code reads. */
const opened = ({ options, gates }) => [[], ...gates, ...options.slice(0, MOST_OPTIONS).map((name) => [[name, true]])];

/** Some rows that have texts of several parts: those of the most parts, and some of all. */
function telling(rows) {
  const of = rows.filter((row) => row.length < 20).map((row) => [row, Math.max(0, ...places(row).filter(isText(row)).map((p) => partsOf(at(row, p)).length))]).filter(([, n]) => n > 0);
  const long = [...of].sort((a, b) => b[1] - a[1]).slice(0, ROWS);
  return [...new Set(inTurn([long, spread(of, ROWS)]).map(([row]) => row))].slice(0, ROWS);
}

/** Scripts of rows with parts of texts at the bounds, alone and beside options that the changed code reads: at the first bound beside each. */
function bounded(rows, edges) {
  if (edges.sizes.length === 0) return [];
  const open = opened(edges);
  return inTurn(telling(rows).map((row, r) => {
    const made = inTurn(places(row).filter(isText(row)).slice(0, MOST_PLACES).map((p) => atBounds(at(row, p), edges.sizes).map((t) => put(row, p, t))));
    const beside = (script, list) => givenAll(script, list) || script;
    return [...made.slice(0, NEAREST).flatMap((script) => open.map((list) => beside(script, list))), ...made.slice(NEAREST).map((script, n) => beside(script, open[(n + r) % open.length]))];
  })).slice(0, MOST_EDGES);
}

/** A script with a part of a text at a bound, half of the time beside options; undefined where it has none. */
function boundedAnew(script, edges, d) {
  const list = places(script).filter(isText(script));
  if (list.length === 0) return undefined;
  const place = d.pick(list);
  const s = at(script, place);
  const parts = partsOf(s);
  const part = d.pick(parts);
  const n = Math.max(1, d.pick(d.chance(2) ? edges.sizes.slice(0, FIRST) : edges.sizes) + d.pick(BESIDE));
  const text = [() => stretched(s, part, n), () => lengthened(s, part, n, parts), () => instead(s, part, long(DIGITS, n)), () => counted(s, part, n, parts)][d.n(4)]();
  const out = put(script, place, text);
  return edges.options.length > 0 && d.chance(2) ? turnedOn(out, edges, d) : out;
}

/** Texts with parts that are as long, or as many, as the other side of a comparison asks for. */
function ofOther(s, a, b) {
  const parts = partsOf(s);
  if (parts.length < 2) return [];
  const more = b - a;
  const alike = parts.filter((p) => p.text.length === a || p.text.length === a + 1);
  const some = alike.length > MOST_MET ? [alike[0], alike[alike.length - 1]] : alike;
  const lengths = some.flatMap((p) => [more + 1, more].map((n) => p.text.length + n).filter((n) => n > 0).flatMap((n) => [stretched(s, p, n), lengthened(s, p, n, parts)]));
  const many = more > 0 && (parts.length === a || parts.length === a + 1) ? [more + 1, more + 2].map((n) => counted(s, parts[parts.length - 1], n, parts)) : [];
  return lengths.concat(many);
}

module.exports = { bounded, boundedAnew, ofOther, opened };
