// Values beside a value: those at the constants of the changed code, and those that code tends to forget.
'use strict';
const { Draws, seedOf } = require('./draws.cjs');
const { held, mayCode } = require('./encoded.cjs');
const { matching } = require('./matching.cjs');
const { rewritten } = require('./numerals.cjs');
const { named } = require('./options.cjs');
const { amongWords } = require('./pieces.cjs');
const { separators } = require('./separators.cjs');

const U = { k: 'undef' };
const num = (v) => (Number.isFinite(v) && !Object.is(v, -0) ? v : { k: 'num', v: Object.is(v, -0) ? '-0' : String(v) });
const fn = (src) => ({ k: 'fn', src });
const MOST_ITEMS = 120000; // of a list that is made for a constant

const NUMBERS = [0, 1, -1, 2, 0.5, -1.5, -0, NaN, Infinity, -Infinity, 10, 255, 256, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 1e21, 1e-7].map(num);
const TEXTS = ['', ' ', 'a', 'A', '0', '-1', '1e3', ' 12 ', 'é', 'ß', 'İ', 'ﬁ', 'e\u0301', '😀', 'a😀b', '\ud83d', '日本', '\n', 'a\r\nb', '\0', '\u00a0', '\u2028', '__proto__', 'constructor', 'toString', 'undefined', 'null', 'NaN', '<&>"\'', 'a.b', 'a b', 'a-b_c', '%41', '\\', '/', '$&', '{}'];
const FUNCTIONS = ['x => x', '() => {}', '() => true', '() => false', '(a, b) => a < b ? -1 : a > b ? 1 : 0', '(a, b) => b - a', '() => { throw new Error("thrown") }', 'async x => x', 'x => [x]', '(...args) => args.length', 'function () { return this }'].map(fn);
const THROWING = fn('() => { throw "thrown" }'); // what is no error
const ADDING = fn('(...args) => { const list = args.find((x) => Array.isArray(x) && x.length > 0 && x.length < 9); if (list) list.push(list[0]); }'); // to a list that it is handed
const ORDERS = ['(a, b) => (a < b ? -1 : a > b ? 1 : 0)', '(a, b) => (a < b ? 1 : a > b ? -1 : 0)', '() => 0'].map(fn);
const CODES = [0x10000, 0x1f600, 0x10ffff, 0x110000, 0xffff, 0xd83d]; // of characters, at which what makes them differs
const MOST_REPEATED = 3; // parts of a text
const PARTS = [', ', ',', '; ', ';', ' ', '/', '&', '|', '\n', '.', ':']; // what parts them
const MOST_PATTERNS = 6;
const LONGEST_WORD = 40;
const LONG = 64; // a text of which is made to stand before something
const ODD = [
  U, null, true, false, 0, '', { k: 'arr', v: [] }, { k: 'obj', v: [] }, fn('x => x'), { k: 'big', v: '3' }, { k: 'sym', v: '', d: 's' }, { k: 'date', v: 86400000 }, { k: 're', s: 'a', f: 'g' },
  { k: 'map', v: [['a', 1]] }, { k: 'set', v: [1, 'a'] }, { k: 'typed', t: 'Uint8Array', v: [1, 2] }, { k: 'err', t: 'TypeError', m: 'x' }, { k: 'num', v: 'NaN' }, { k: 'obj', n: 1, v: [['a', 1]] },
  { k: 'obj', c: 'Point', v: [['x', 1]] }, { k: 'box', v: 'a' }, 1, 'a', { k: 'arr', v: [1, 'a'] }, { k: 'obj', v: [['a', 1]] },
];
const KEYS = [['__proto__', { k: 'obj', v: [['polluted', 1]] }], ['a', U], ['b', 7, 'get'], ['constructor', 1], [{ k: 'sym', v: '', d: 's' }, 1], ['1', 'one'], ['length', 2], ['', 0]];

const ZERO = num(-0);
const PLAIN = ['undef', 'null', 'boolean', 'number', 'string', 'arr', 'obj', 'fn']; // what may stand where nothing was given

const OF_ALL = ['constructor', '__proto__', 'toString'];
const SELDOM = new Set(['big', 'sym', 'date', 're', 'map', 'set', 'typed', 'err', 'box']); // types that tests seldom give
const KEY = ['string', 'number', 'boolean'];

/** What changed, as the constants in it. */
class Edges {
  constructor(of = {}) {
    this.ints = of.ints || [];
    this.floats = of.floats || [];
    this.texts = of.texts || [];
    this.chars = of.chars || [];
    this.words = this.texts.filter((t) => t !== '' && t.length <= LONGEST_WORD); // that stand among the words of others
    this.options = of.options || []; // names that the changed code reads of what it is given
    this.asked = of.asked || []; // those that it reads where versions differ
    this.read = of.read || []; // names that it reads of any object there
    this.separators = separators((of.separators || []).map((text) => JSON.parse(text)), this.options); // with what stands for them
    this.patterns = of.patterns || []; // regular expressions
    this.lists = (of.lists || []).map((text) => JSON.parse(text).map(num)); // of numbers
    this.kinds = new Set(of.kinds); // types that the changed code asks for
    this.orders = of.orders || false; // it puts values in an order that somebody gives
    this.signed = of.signed || false; // it may tell 0 from -0
    this.sorts = of.sorts || false; // it sorts lists, in which equal items keep their order
    this.equal = of.equal || false; // it may tell what is no number from itself
    this.nan = of.nan || false; // it asks for what is no number
    this.catches = of.catches || false; // it goes on where what it calls throws
    this.reads = of.reads || false; // it makes numbers of texts
    this.keyed = of.keyed || false; // it asks an object for names that it is given
    this.codes = of.codes ? CODES.concat(this.ints.filter((c) => c > 0)) : []; // numbers that may be those of characters
    this.turned = new Set(of.turned); // names of what the changed code makes numbers of, and #0 for the first parameter
    this.sizes = of.sizes || []; // that it asks of lengths and counts
    this.gates = of.gates || []; // options that are needed together, as [name, value]
    this.changed = new Set(of.changed); // names of functions and methods
    this.keeps = of.keeps || false; // it keeps something between calls
  }

  /** Whether a value may stand in the place of one of a kind: others than of that are no input but where the code asks for them. inner: it is an item of something. */
  allows(node, kind, inner) {
    const own = kindOf(node);
    if (inner && this.orders && own !== kind) return false; // what is put in an order is of one kind
    const isNaN = node && node.k === 'num' && node.v === 'NaN';
    if (isNaN && !this.equal && !this.nan) return false;
    if (!(isNaN && this.nan) && node && node.k === 'num' && (node.v === '-0' ? !this.signed : this.orders)) return false; // the difference of infinities is no number
    return own === kind || this.kinds.has(own) || (this.kinds.has('key') && KEY.includes(own) && KEY.includes(kind));
  }

  /** Whether a list may have a value that none of its own is like. */
  allowsIn(node, items) {
    return items.length === 0 ? this.allows(node, 'string') || this.allows(node, 'number') : items.some((x) => this.allows(node, kindOf(x), true));
  }

  numbers() {
    const out = [];
    for (const c of this.ints) for (const v of [c, c + 1, c - 1, -c, 2 * c]) out.push(num(v));
    for (const c of this.floats) for (const v of [c, c * (1 + 2 ** -50), c - 1e-9, -c]) out.push(num(v));
    return out;
  }

  /** Lists of numbers of the code, alone, before and behind one of numbers. */
  sequences(own) {
    return own.every((x) => kindOf(x) === 'number') ? this.lists.flatMap((list) => [list, list.concat(own), own.concat(list)]) : [];
  }

  /** Lengths that a list or a text may have. */
  lengths() {
    return [...new Set(this.ints.flatMap((c) => [c + 1, c, c - 1]))].filter((n) => n >= 0 && n <= MOST_ITEMS);
  }
}

function kindOf(node) {
  if (node === null) return 'null';
  if (typeof node !== 'object') return typeof node;
  return node.k === 'num' ? 'number' : node.k === 'text' ? 'string' : node.k === 'many' ? 'arr' : node.k;
}

/** Other values in the place of one, the most telling first. inner: it is an item of something, or is put into it. */
function near(node, edges, inner) {
  const kind = kindOf(node);
  const asked = SELDOM.has(kind) || inner && edges.orders ? [] : ODD.filter((v) => SELDOM.has(kindOf(v)) && edges.kinds.has(kindOf(v)));
  return mixed(all(node, edges), asked).filter((v) => edges.allows(v, kind, inner) || ((kind === 'undef' || kind === 'null') && PLAIN.includes(kindOf(v))));
}

function all(node, edges) {
  switch (kindOf(node)) {
    case 'number':
      return edges.numbers().concat(NUMBERS, typeof node === 'number' ? [num(node + 1), num(node - 1), num(-node), String(node), num(node + 0.5), ...(node % 1 ? [num(node + 0.004)] : []), { k: 'big', v: String(Math.trunc(node)) }] : [], [U, null, '', 'x']);
    case 'string':
      return texts(node, edges);
    case 'arr':
      return lists(node, edges);
    case 'obj':
      return records(node, edges);
    case 'typed':
      return edges.sequences(node.v).map((v) => ({ ...node, n: undefined, v })).concat(edges.lengths().filter((n) => n > 0).map((n) => ({ ...node, n, v: node.v.slice(0, 8) })), [{ ...node, v: [] }, { ...node, v: node.v.concat(node.v) }, U, null]);
    case 'fn':
      return edges.orders ? ORDERS : FUNCTIONS.slice(0, 2).concat(edges.catches ? [THROWING] : [], FUNCTIONS.slice(2), [ADDING, U, null, 1]);
    case 'boolean':
      return [!node, U, null, 0, 1, '', 'false'];
    case 'big':
      return ['0', '-1', '9007199254740993', '-' + node.v].map((v) => ({ k: 'big', v })).concat([1, U]);
    case 'map':
      return [{ ...node, v: [] }, { ...node, v: [...node.v].reverse() }, { k: 'obj', v: [] }, U];
    case 'set':
      return [{ ...node, v: [] }, { ...node, v: [...node.v].reverse() }, { k: 'arr', v: node.v }, U];
    case 'date':
      return [0, -1, 8.64e15, node.v + 1, NaN].map((v) => ({ ...node, v })).concat([U, null, node.v]);
    case 're':
      return ['', 'g', 'i', 'y', 'u', 'm'].map((f) => ({ ...node, f })).concat([node.s, U]);
    case 'undef':
    case 'null':
      return [U, null].concat(ODD.slice(2), edges.numbers(), edges.texts);
  }
  return ODD;
}

/** The names that all objects have, alone and in the place of the last word of a text. */
function inherited(s, edges) {
  if (!edges.keyed || s.length > 200) return [];
  const [word] = s.match(/\w+(?=\W*$)/) || [s];
  const at = s.lastIndexOf(word);
  return OF_ALL.flatMap((name) => [name, s.slice(0, at) + name + s.slice(at + word.length)]);
}

/** Texts with a number, and the one after it, in the place of as many digits of a longer run: the day of 20240229. */
function inRuns(s, number) {
  const run = /\d{4,}/.exec(s);
  const width = String(number).length;
  if (!run || number < 10 || width >= run[0].length) return [];
  const places = [run.index + width, run.index + run[0].length - width];
  return [number, number + 1].flatMap((n) => places.map((at) => s.slice(0, at) + n + s.slice(at + width)));
}

/** A text in which all numbers behind one are 0, and that one is as it was or the next: where a version, or a time, begins anew. */
function rolled(s) {
  const runs = [...s.matchAll(/\d{1,15}/g)].slice(0, 4);
  const zero = (t) => t.replace(/\d/g, '0');
  return runs.slice(0, -1).flatMap((run) => {
    const end = run.index + run[0].length;
    return [run[0], String(Number(run[0]) + 1).padStart(run[0].length, '0')].map((n) => s.slice(0, run.index) + n + zero(s.slice(end)));
  });
}

/** A text whose numbers with a fraction have more digits: what rounds them differs there. */
function finer(s, edges) {
  const runs = [...s.matchAll(/\d*\.\d+/g)].slice(0, 3);
  const small = edges.ints.filter((c) => c >= 10 && c <= 1e9).slice(0, 3).map((c) => String(0.4 / c)).filter((t) => /^[\d.]+$/.test(t));
  const beside = edges.floats.slice(0, 3).flatMap((c) => [c / 2, c]).map(String).filter((t) => /^[\d.]+$/.test(t));
  return runs.flatMap((run) => ['4', '0004'].map((more) => run[0] + more).concat(small, beside).map((t) => s.slice(0, run.index) + t + s.slice(run.index + run[0].length)));
}

/** Texts that the patterns of the changed code match, alone, before and behind one. */
function fitting(s, edges) {
  return edges.patterns.slice(0, MOST_PATTERNS).flatMap((pattern) => {
    const d = new Draws(seedOf(pattern, s));
    const list = [0, 1].map(() => matching(pattern, d, edges.codes)).flatMap((t) => [t, t + s, s + t]);
    return mayCode(s) ? list.concat([0, 1].map(() => held(s, matching(pattern, d, edges.codes)))) : list;
  });
}

/** A text with its first word in other letters. */
function otherwise(s) {
  return s.replace(/[a-z]+/i, (word) => (word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase()));
}

/** A text in other letters, its first word alone and all of it. */
function inOtherLetters(s) {
  return [...new Set([otherwise(s), s.toUpperCase(), s.toLowerCase()])].filter((t) => t !== s && s.length <= 2000);
}

/** A text of several parts with one of them once more, also in other letters and with another number, and all of them in another order. */
function repeated(s) {
  const between = PARTS.find((t) => s.includes(t));
  if (between === undefined || s.length > 2000) return [];
  const parts = s.split(between);
  const more = parts.filter((t) => t !== '').slice(0, MOST_REPEATED).flatMap((t) => [t, otherwise(t).replace(/\d(?=\D*$)/, '9')]);
  return [...more.map((t) => s + between + t), [...parts].reverse().join(between)];
}

/** A text of several parts with the beginning of one of them once more and the end of another: `en;q=0.8, fr` with `fr;q=0.8` before or behind. */
function crossed(s) {
  const between = PARTS.find((t) => s.includes(t));
  if (between === undefined || s.length > 2000) return [];
  const cut = (t) => [t, t.search(/[;=:]/)];
  const parts = s.split(between).filter((t) => t !== '').map(cut);
  const heads = [...new Set(parts.map(([t, n]) => (n < 0 ? t : t.slice(0, n))))].slice(0, MOST_REPEATED);
  const tails = [...new Set(parts.map(([t, n]) => (n < 0 ? '' : t.slice(n))))].slice(0, MOST_REPEATED);
  const own = new Set(parts.map(([t]) => t));
  return heads.flatMap((head) => tails.map((tail) => head + tail).filter((t) => !own.has(t)).flatMap((t) => [t + between + s, s + between + t]));
}

function texts(node, edges) {
  const s = typeof node === 'string' ? node : node.v;
  const out = [];
  for (const t of edges.texts) out.push(t, s + t, t + s, t.slice(0, -1), t + t, t.toUpperCase(), t.toLowerCase(), s.slice(0, s.length >> 1) + t + s.slice(s.length >> 1));
  for (const c of edges.chars) out.push(c, s + c, c + s, s + c + c + s, c + 'a' + c, c + '😀', c + '\n' + c);
  for (const n of edges.lengths()) if (n > 0) out.push({ k: 'text', v: s.slice(0, 20) || 'x', n });
  for (const n of edges.lengths()) if (n >= LONG) for (const e of edges.chars.concat(edges.texts).slice(0, 6)) out.push({ k: 'text', v: 'x', n, e });
  for (const v of edges.ints) out.push(String(v), s + v, ...inRuns(s, v));
  return mixed(out, [...inherited(s, edges), ...inOtherLetters(s), ...(edges.reads ? rewritten(s) : []), ...repeated(s), ...crossed(s), ...finer(s, edges), ...rolled(s), ...fitting(s, edges), ...amongWords(s, edges.words)]).concat(plainTexts(s));
}

/** A list with two of its own before each of another one. */
function mixed(list, others) {
  return others.flatMap((x, i) => [...list.slice(2 * i, 2 * i + 2), x]).concat(list.slice(2 * others.length));
}

/** Texts beside one, whatever the code is. */
function plainTexts(s) {
  const out = [...TEXTS, s.toUpperCase(), s.toLowerCase(), s + s, s.slice(1), s.slice(0, -1), [...s].reverse().join(''), ' ' + s + ' ', s + 'é', s + '😀', '😀' + s, s + '\n' + s, s.replace(/\w/, 'ß'), s + '\u0301'];
  if (s !== '' && Number.isFinite(Number(s))) out.push(Number(s));
  return out.concat([U, null, 1, { k: 'arr', v: [s] }, { k: 'box', v: s }, { k: 'sym', v: '', d: 's' }]);
}

function lists(node, edges) {
  const v = node.v;
  const of = (list) => ({ k: 'arr', v: list });
  const lengths = edges.lengths().filter((n) => n > 0);
  const out = edges.sorts && v.some((x) => kindOf(x) === 'number') ? [of([0, ZERO, ...v, ZERO, 0]), of([0, ZERO]), of([...v, ...v, 0, ZERO])] : [];
  out.push(...lengths.map((n) => ({ k: 'many', n, v: v.slice(0, 8).filter((x) => !x || x.k !== 'hole') })));
  out.push(...edges.sequences(v).map(of));
  out.push(of([]), of([...v].reverse()), of(v.concat(v)), of(v.slice(1)), of(v.slice(0, -1)));
  if (edges.kinds.has('undef') && !edges.orders) out.push(of(v.concat([{ k: 'hole' }, ...v.slice(0, 1)])), of([U, ...v]), of(v.concat([null])));
  for (const x of [num(NaN), num(-0), 0, '', '0', 1, '1', 'é', { k: 'arr', v: [1, [2]].map((n) => (Array.isArray(n) ? of(n) : n)) }, { k: 'obj', v: [['a', 1]] }]) if (edges.allowsIn(x, v)) out.push(of(v.concat([x])), of([x, ...v]));
  for (const x of edges.ints.slice(0, 6).map(num).concat(edges.texts.slice(0, 6))) if (edges.allowsIn(x, v)) out.push(of(v.concat([x])), of([x, ...v]));
  return out.concat([U, null, 'abc', { k: 'obj', v: [['length', 1], ['0', 'a']] }, { k: 'set', v }, { k: 'many', n: 600, v: v.slice(0, 8) }]);
}

function records(node, edges) {
  const v = node.v;
  const without = (name) => v.filter((e) => e[0] !== name);
  const out = KEYS.map((e) => ({ ...node, v: without(e[0]).concat([e]) }));
  for (const t of edges.texts.slice(0, 20)) for (const x of [true, 0, U, null, 'x']) out.push({ ...node, v: without(t).concat([[t, x]]) });
  out.push(...named(node, edges.chars));
  out.push({ k: 'obj', v: [] }, { ...node, n: 1, c: undefined }, { ...node, z: 1 }, { k: 'obj', i: node, v: [['own', 1]] }, { ...node, v: [...v].reverse() });
  for (const e of v.slice(0, 12)) {
    if (edges.kinds.has('undef')) out.push({ ...node, v: without(e[0]) }, ...[U, null].map((y) => ({ ...node, v: v.map((x) => (x === e ? [e[0], y] : x)) })));
  }
  return out.concat([U, null, 1, 'x', { k: 'arr', v: v.map((e) => e[1]) }, { k: 'map', v: v.filter((e) => typeof e[0] === 'string').map((e) => [e[0], e[1]]) }]);
}

module.exports = { Edges, FUNCTIONS, U, kindOf, near, num };
