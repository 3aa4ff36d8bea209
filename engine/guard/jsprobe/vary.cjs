// Scripts beside scripts: other values in the place of their own, calls left out, made again or many times, and calls of
// others put in.
'use strict';
const { akin, matched, refined } = require('./akin.cjs');
const { atOnce, otherwise } = require('./atonce.cjs');
const { among, copy, inTurn } = require('./joining.cjs');
const { emptied } = require('./emptied.cjs');
const { like, likeness, listsOfTexts, nameOf, shapesOf, weight, within } = require('./likeness.cjs');
const { U, kindOf, near } = require('./near.cjs');
const { rewrittenAnew } = require('./numerals.cjs');
const { offered, offeredRows, offersOf } = require('./offers.cjs');
const { optioned, otherName, together, turnedOn } = require('./options.cjs');
const { Openings } = require('./openings.cjs');
const { anew, fitted, worded } = require('./pieces.cjs');
const { aligned, turnedRound } = require('./aligned.cjs');
const { met, remarked, reworded } = require('./rewording.cjs');
const { focused, reread } = require('./focused.cjs');
const { at, insert, places, put, refs, some } = require('./scripts.cjs');
const { separated } = require('./separators.cjs');
const { others, settled, withSetting } = require('./settings.cjs');
const { Twins } = require('./twins.cjs');

const LONGEST = 80; // steps
const MOST_DRAWN = 40; // times that a call is drawn to be repeated
const MOST_SELDOM = 3; // rows of calls that few are like, among those that edges are made of
const MOST_OWN = 4; // rows that call what changed, and are asked what it left behind
const MOST_ASKED = 20; // methods
const MOST_ALIGNED = 24; // rows with texts of which one says how another is read
const MOST_READ = 12; // methods without arguments that an object is asked
const MOST_OF_LIKE = 16; // of another one like it
const LOTS = 5; // a row among those that edges are made of
const DRAWN = { string: 2, obj: 2 }; // of one in so many values of a kind another one is drawn, of others one in four
const SELDOM = 6; // of so many values one is of another type
const MOST_TYPED = 40; // values of one kind
const MOST_KEPT = 1000; // values of which those beside them are known
const OPENED = 10; // of so many scripts one is opened in another way
const OPENINGS = 3; // of one in so many of the edges
const EMPTIED = 8; // of one in so many of the edges an option stands for nothing, where what differs reads options
const SELDOM_EMPTIED = 24; // where other code around it does
const BESIDE_SETTINGS = 6; // of so many scripts one has a setting of its function
const BESIDE_OPTIONS = 8; // of so many scripts one has options more, beside what is varied
const AT_ONCE = [1, 1, 1, 2, 2, 3]; // things that are changed at once
const AMONG = 10; // one text in so many of those that are drawn has one of the changed code among its words, or a number in another way of writing
const MOST_TEXTS = 300; // whose pieces are put into others
const MOST_TIED = 40; // rows, and scripts of things that are equal
const MOST_CALLS = 60000; // times that a call is made for a constant

const MOST_EVENTS = 8; // that are listened to

const MORE = [1, U, { k: 'arr', v: [] }]; // arguments that nobody takes: a function may be given to map
const ALMOST = 8; // of so many numbers and texts one becomes one that is almost it
const A_FEW = 40; // what counts something is less
const MANY = 200; // simpler scripts that are tried at once
const FEW = 30; // of those that take long

/** Varies the scripts of a group. rows are those that were recorded. */
class Vary {
  constructor(recorded, edges, shape = {}) {
    const rows = focused(recorded, edges.changed).concat(recorded);
    this.rows = rows;
    // What is no number is no input of an order but where a test gave it.
    this.edges = JSON.stringify(rows.slice(0, 300)).includes('"v":"NaN"') ? Object.assign(Object.create(Object.getPrototypeOf(edges)), edges, { equal: true }) : edges;
    this.beside = new Map(); // values beside others, which most are taken of more than once
    this.pool = new Map(); // values by the call and the place that they were given at
    this.methods = new Map(); // calls of results, by name
    this.shapes = [...shapesOf(rows).values()].sort((a, b) => a.length - b.length); // rows by what a call of them is like
    for (const row of rows.slice(0, 300)) {
      for (const s of row) {
        const name = nameOf(s);
        (s.a || []).forEach((a, i) => this.keep(this.pool, name + ' ' + i, a));
        if (s.f.k === 'ref' && refs(s.a || []).size === 0) this.keep(this.methods, name, s);
      }
    }
    this.offers = offersOf(rows, this.edges.options); // options of tests for other calls
    this.openings = new Openings(rows, this.edges);
    this.offer(shape.methods || []);
    if (shape.emits) this.listen();
    this.settings = shape.sets || [];
    this.getters = (shape.getters || []).filter((m) => edges.changed.has(m));
  }

  /** Takes calls of what emits events, with those that the changed code names. */
  listen() {
    const of = (m, a) => this.keep(this.methods, m, { f: { k: 'ref', i: 0 }, m, a });
    for (const name of this.edges.texts.filter((t) => /^[\w:.-]+$/.test(t)).slice(0, MOST_EVENTS)) {
      of('on', [name, { k: 'fn', src: '() => {}' }]);
      of('once', [name, { k: 'fn', src: '() => {}' }]);
      of('emit', [name, 1]);
      of('listenerCount', [name]);
    }
  }

  /** A life in which somebody listens to all that may be told. */
  listened(row) {
    const first = row.findIndex((s) => s.f.k === 'lib');
    const all = (this.methods.get('on') || []).filter((s) => s.a.length === 2 && s.a[1].src === '() => {}');
    return all.reduce((out, s) => insert(out, first + 1, { ...s, f: { k: 'ref', i: first } }), row);
  }

  /** Takes methods that no test calls, with values that others were given. */
  offer(methods) {
    const given = [...this.pool.values()].flat().slice(0, 20);
    for (const [m, n] of methods) {
      if (this.methods.has(m) || m.startsWith('_') || (n > 0 && given.length === 0)) continue;
      for (let i = 0; i < (n > 0 ? 4 : 1); i++) this.keep(this.methods, m, { f: { k: 'ref', i: 0 }, m, a: Array.from({ length: n }, (_, j) => given[(i + j) % given.length]) });
    }
  }

  /** Whether a test made the calls of a script. */
  has(script) {
    this.own = this.own || new Set(this.rows.flatMap((r) => [JSON.stringify(r), JSON.stringify(this.finished(r))]));
    return this.own.has(JSON.stringify(script));
  }

  keep(map, key, value) {
    if (!map.has(key)) map.set(key, []);
    const list = map.get(key);
    if (list.length < 40 && refs(value === null || value.f ? [] : value).size === 0) list.push(value);
  }

  /** What is asked of a result without arguments: what it does and has. */
  readers() {
    return [...this.methods].filter(([, list]) => list.some((s) => !(s.a || []).length)).map(([, list]) => list.find((s) => !(s.a || []).length));
  }

  /** A script with what its object has and gives asked at its end, and where the last call gave another one like it, such as a copy, of that, too. */
  finished(script) {
    const first = script.findIndex((s) => s.f.k === 'lib');
    if (first < 0 || !script.some((s) => s.f.k === 'ref' && s.f.i === first)) return script;
    const readers = this.readers();
    const last = script.length - 1;
    const of = script[last].f.k === 'ref' && script[last].m && !script[last].g ? readers.slice(0, MOST_OF_LIKE) : [];
    return script.concat(readers.slice(0, MOST_READ).map((s) => ({ ...s, f: { k: 'ref', i: first } })), of.map((s) => ({ ...s, f: { k: 'ref', i: last }, like: first })));
  }

  /** A script with a call of each method behind it, as tests make them: what a changed method leaves behind shows in others. */
  asked(script) {
    const first = script.findIndex((s) => s.f.k === 'lib');
    return script.concat([...this.fitting(script).values()].slice(0, MOST_ASKED).map((list) => ({ ...copy(list[0]), f: { k: 'ref', i: first } })));
  }

  /** Calls of methods that may be put into a script: where things are ordered, with values that are like those of its own. */
  fitting(script) {
    if (!this.edges.orders || this.methods.size === 0) return this.methods;
    const own = new Map();
    for (const s of script) own.set(nameOf(s), [...(own.get(nameOf(s)) || []), likeness(s)]);
    const list = [...this.methods].map(([m, steps]) => [m, steps.filter((s) => !(s.a || []).length || (own.get(m) || []).includes(likeness(s)))]);
    const items = ((script[0].a || [])[0] || {}).v;
    const one = (steps, m) => (steps.length > 0 || !Array.isArray(items) || own.has(m) ? steps : items.slice(0, 4).map((x) => ({ f: { k: 'ref', i: 0 }, m, a: [x] })));
    return new Map(list.map(([m, steps]) => [m, one(steps, m)]).filter(([, steps]) => steps.length > 0));
  }

  /** Lists of things that are equal in what orders them, and differ in a part that nobody asks for. */
  ties(row) {
    if (!this.edges.orders && !this.rows.some((r) => r.some((s) => (s.a || []).some((a) => a && a.k === 'fn')))) return [];
    return places(row).filter((p) => at(row, p) && at(row, p).k === 'arr' && at(row, p).v.length > 0 && at(row, p).v.every((x) => x && x.k === 'obj')).flatMap((p) => {
      const items = at(row, p).v;
      const made = put(row, p, { k: 'arr', v: Array.from({ length: 7 }, (_, i) => ({ ...items[0], v: [...items[i === 3 ? items.length - 1 : 0].v, ['tag', i]] })) });
      const readers = this.readers().filter((s) => !s.g).slice(0, 4);
      return [made, ...readers.map((s) => made.concat([{ ...s, f: { k: 'ref', i: 0 }, r: 7 }]))];
    });
  }

  /** A row, one with a call that few are like as often as one of those that most are like: an option that one test gives; a third of them call a method that changed, where some do. */
  drawnRow(d) {
    this.touching = this.touching || this.rows.filter((row) => row.some((s) => s.f.k === 'ref' && this.edges.changed.has(s.m)));
    if (this.touching.length > 0 && d.chance(3)) return d.pick(this.touching);
    return d.pick(d.chance(2) ? this.rows : d.pick(this.shapes));
  }

  /** Another script beside one. */
  other(script, d) {
    const opened = this.openings.makers.length > 0 && d.chance(OPENED) ? this.openings.drawn(script, this.numbers(), d) : undefined;
    let out = opened || script;
    for (let n = d.pick(AT_ONCE) - (opened ? 1 : 0); n > 0; n--) {
      const k = d.n(12);
      if (k < 4) out = this.value(out, d);
      else if (k === 4) out = this.likened(out, d);
      else if (k === 5) out = this.fromPool(out, d);
      else if (k === 6) out = this.arguments(out, d);
      else out = this.steps(out, d, k);
    }
    if (this.edges.options.length > 0 && d.chance(BESIDE_OPTIONS)) out = this.withOptions(out, d);
    if (this.settings.length > 0 && d.chance(BESIDE_SETTINGS)) {
      const [name, v] = d.pick(this.settings);
      out = withSetting(out, name, d.pick(others(v)));
    }
    return this.misuses(out) && !this.misuses(script) ? script : out;
  }

  /** Whether a call has a text where no test gives one, and the changed code does not ask for texts: no caller has to do so. */
  misuses(script) {
    const text = (node) => typeof node === 'string' || kindOf(node) === 'string';
    const given = (s, i) => this.pool.get(nameOf(s) + ' ' + i) || [];
    return !this.edges.kinds.has('string') && script.some((s) => (s.a || []).some((a, i) => text(a) && given(s, i).length > 0 && !given(s, i).some(text)));
  }

  near(script, place) {
    const inner = place.path.length > 1 || script[place.step].f.k === 'ref';
    const key = inner + JSON.stringify(at(script, place));
    if (this.beside.size >= MOST_KEPT) this.beside.clear();
    if (!this.beside.has(key)) this.beside.set(key, near(at(script, place), this.edges, inner));
    return this.beside.get(key);
  }

  value(script, d) {
    const list = places(script);
    if (list.length === 0) return this.arguments(script, d);
    const place = d.pick(list.flatMap((p) => Array(weight(at(script, p))).fill(p)));
    const node = at(script, place);
    const others = this.near(script, place);
    const typed = this.edges.kinds.size > 0 && d.chance(SELDOM) ? this.otherType(node, place.path.length > 1, d) : undefined;
    if (typed !== undefined) return put(script, place, typed);
    if (/^(number|string)$/.test(typeof node) && d.chance(ALMOST)) return put(script, place, akin(node, d));
    return put(script, place, d.chance(DRAWN[kindOf(node)] || 4) || others.length === 0 ? this.drawn(node, d) : d.pick(others));
  }

  /** A value that a test gave somewhere, of another type that the changed code asks for; undefined where there is none. */
  otherType(node, inner, d) {
    const own = kindOf(node);
    const others = this.types().filter(([kind, values]) => kind !== own && this.edges.allows(values[0], own, inner));
    return others.length > 0 ? d.pick(d.pick(others)[1]) : undefined;
  }

  /** The values that tests gave, also within others, by their kinds. */
  types() {
    if (this.ofKinds) return this.ofKinds;
    const out = new Map();
    for (const v of [...this.pool.values()].flat().flatMap((node) => within(node, () => true))) {
      const list = out.get(kindOf(v)) || [];
      if (list.length < MOST_TYPED) out.set(kindOf(v), [...list, v]);
    }
    return (this.ofKinds = [...out]);
  }

  /** A value, or a word in it, is another one of the script. */
  likened(script, d) {
    const both = aligned(script, d);
    if (both && d.chance(2)) return both;
    const other = reworded(script, this.edges.chars, d);
    if (other) return other;
    const list = places(script).filter((p) => /^(number|string)$/.test(typeof at(script, p)));
    if (list.length < 2) return this.value(script, d);
    const place = d.pick(list);
    const others = list.filter((p) => typeof at(script, p) === typeof at(script, place));
    return put(script, place, akin(at(script, d.pick(others)), d));
  }

  /** A value of the kind of another one, drawn. */
  drawn(node, d) {
    switch (kindOf(node)) {
      case 'number':
        return d.chance(2) ? d.n(20) - 5 : d.chance(2) ? d.n(2000) - 1000 : (d.n(2000000) - 1000000) / 1000;
      case 'string': {
        const from = 'aabbAZ019 _-./:,;=@#"\'\\\n<>[](){}éß😀日'.split('');
        const s = typeof node === 'string' ? node : 'x';
        if (this.edges.reads && d.chance(AMONG)) return rewrittenAnew(s, d);
        if (this.edges.words.length > 0 && d.chance(AMONG)) return worded(s, this.edges.words, d);
        if (this.edges.patterns.length > 0 && d.n(4) === 0) return fitted(s, d.pick(this.edges.patterns), this.edges.codes, d);
        if (s.length > 1 && d.n(3)) return anew(s, this.texts(), this.numbers(), d);
        const i = d.n(s.length + 1);
        return d.chance(3) ? Array.from({ length: d.n(10) }, () => d.pick(from)).join('') : s.slice(0, i) + d.pick(from.concat(this.edges.chars)) + s.slice(i + d.n(2));
      }
      case 'arr': {
        if (node.k === 'many' || node.v.length === 0) return { k: 'arr', v: Array.from({ length: d.n(9) }, () => d.n(12) - 3) };
        const words = typeof node.v[0] === 'string' ? this.words(d) : [];
        const v = Array.from({ length: d.n(node.v.length * 2 + 3) }, () => d.pick(words.length > 0 && d.chance(3) ? words : node.v));
        return { k: 'arr', v: d.chance(2) ? v : v.map((x) => (typeof x === 'number' || typeof x === 'string' ? this.drawn(x, d) : x)) };
      }
      case 'typed':
        return { ...node, n: undefined, v: Array.from({ length: d.n(40) }, () => (node.t.startsWith('Big') ? { k: 'big', v: String(d.n(300)) } : d.n(300))) };
      case 'obj':
        if (d.n(4) === 0) return otherName(node, this.edges.chars, d);
        if (d.n(2) === 0) return together(node, this.objects(), this.edges, d);
        return { ...node, v: node.v.filter(() => d.n(4)).map((e) => [e[0], typeof e[1] === 'object' ? e[1] : this.drawn(e[1], d), ...e.slice(2)]) };
    }
    const others = near(node, this.edges);
    return others.length > 0 ? d.pick(others) : node;
  }

  /** The items of some list of texts that a test gave. */
  words(d) {
    this.lists = this.lists || [...this.pool.values()].flat().flatMap(listsOfTexts).slice(0, MOST_TIED);
    return this.lists.length > 0 ? d.pick(this.lists) : [];
  }

  /** The texts that tests gave, also within others. */
  texts() {
    this.given = this.given || [...new Set([...this.pool.values()].flat().flatMap((node) => within(node, (x) => typeof x === 'string')))].slice(0, MOST_TEXTS);
    return this.given;
  }

  /** Numbers of the changed code, and such beside them, as texts have them. */
  numbers() {
    const { codes, floats, ints } = this.edges;
    this.counts = this.counts || floats.flatMap((c) => [c, c / 2, 2 * c]).concat(ints.flatMap((c) => [c, c + 1, c - 1]), codes).map(String).filter((t) => /^[\d.]+$/.test(t));
    return this.counts;
  }

  /** The plain objects that tests gave. */
  objects() {
    this.plain = this.plain || [...this.pool.values()].flat().flatMap((node) => within(node, (x) => x && x.k === 'obj' && !x.c && x.v.length > 0)).slice(0, MOST_TEXTS);
    return this.plain;
  }

  fromPool(script, d) {
    const i = d.n(script.length);
    const s = script[i];
    if (!s.a || s.a.length === 0) return this.value(script, d);
    const n = d.n(s.a.length);
    const all = this.pool.get(nameOf(s) + ' ' + n) || [];
    const pool = this.edges.orders ? all.filter((a) => like(a) === like(s.a[n])) : all;
    return pool.length > 0 ? put(script, { step: i, path: [n] }, d.pick(pool)) : this.value(script, d);
  }

  /** One argument less, one more, or two exchanged, or some options more. */
  arguments(script, d) {
    if (this.edges.options.length > 0 && d.chance(3)) return this.withOptions(script, d);
    const out = copy(script);
    const s = d.pick(out);
    if (!s.a) return out;
    const k = d.n(3);
    if (k === 0 && this.edges.kinds.has('undef') && this.without(s, s.a.length - 1)) s.a.pop();
    else if (k === 1) for (let n = 1 + d.n(2); n > 0; n--) s.a.push(d.pick(this.pool.get(nameOf(s) + ' ' + s.a.length) || (d.chance(2) ? [d.n(A_FEW)] : MORE)));
    else if (s.a.length > 1 && s.a.every((a) => kindOf(a) === kindOf(s.a[0]))) s.a.unshift(s.a.pop());
    return out;
  }

  /** A script with options of another test, or with some that the changed code reads. */
  withOptions(script, d) {
    const other = this.offers.length > 0 && d.chance(2) ? offered(script, d.pick(this.offers)) : undefined;
    return other || turnedOn(script, this.edges, d);
  }

  steps(script, d, kind) {
    if (kind === 11 && script.some((s) => s.y)) return otherwise(script, d);
    const i = d.n(script.length);
    const s = script[i];
    if (kind === 7 && script.length > 1) {
      const out = some(script, (n) => n !== i);
      return out.length > 0 ? out : script;
    }
    if (kind === 8 || script.length >= LONGEST) return insert(script, i + 1, s.f.k === 'lib' && script.length > 1 && i === 0 ? script[script.length - 1].f.k === 'ref' ? script[script.length - 1] : s : s);
    if (kind === 9 && s.f.k === 'ref' && s.a && !s.g) {
      const out = copy(script);
      out[i].r = 2 + d.n(MOST_DRAWN);
      return out;
    }
    const methods = this.fitting(script);
    const names = [...methods.keys()];
    const first = script.findIndex((x) => x.f.k === 'lib');
    if (names.length === 0) return kind === 10 ? script.concat(copy(script.slice(-1))) : this.value(script, d);
    const added = d.pick(methods.get(d.pick(names)));
    return insert(script, first + 1 + d.n(script.length - first), { ...added, f: { k: 'ref', i: s.f.k === 'ref' && d.n(3) === 0 && s.f.i <= first ? s.f.i : first } });
  }

  /** Scripts at the edges of what changed, the most telling first. */
  edgesOf(most) {
    const asks = this.edges.asked.length > 0;
    const few = emptied(this.rows, this.edges).slice(0, Math.ceil(most / (asks ? EMPTIED : SELDOM_EMPTIED)));
    return among(this.edgesBeside(most - few.length), few, asks ? 3 : 8).map((s) => this.finished(s));
  }

  edgesBeside(most) {
    const rows = this.rows;
    const twins = new Twins(this.edges).of(rows);
    const out = this.edges.keeps ? twins.splice(0, most >> 1) : [];
    out.push(...inTurn(this.openings.lists()).slice(0, Math.ceil(most / OPENINGS)));
    const lists = [this.often(), atOnce(rows), ...offeredRows(rows, this.offers), ...optioned(rows, this.edges), ...separated(rows, this.edges), settled(rows, this.settings), twins, rows.slice(0, MOST_TIED).flatMap((row) => this.ties(row)).slice(0, MOST_TIED)];
    lists.push(...rows.map(turnedRound).filter((list) => list.length > 0).slice(0, MOST_ALIGNED), inTurn(rows.slice(0, MOST_TIED).map(remarked)).slice(0, MOST_TIED), refined(rows, MOST_TIED));
    lists.push(inTurn(this.shapes.map((like) => like[0]).concat(rows).slice(0, MOST_TIED).map((row) => reread(row, this.getters))).slice(0, MOST_TIED));
    if (this.methods.has('on')) lists.push(rows.slice(0, MOST_TIED).map((row) => this.listened(row)));
    const some = [0, rows.length >> 1, rows.length - 1, rows.length >> 2, LOTS].filter((n) => n < rows.length).map((n) => rows[n]);
    const own = rows.filter((row) => row.some((s) => s.f.k === 'ref' && this.edges.changed.has(s.m))).slice(0, MOST_OWN);
    lists.push(own.flatMap((row) => [row, ...row.flatMap((s, i) => (this.edges.changed.has(s.m) ? this.fewer(row, i) : []))].map((like) => this.asked(like))));
    for (const row of new Set(some.concat(this.shapes.slice(0, MOST_SELDOM).map((like) => like[0])))) {
      for (const place of places(row).slice(0, 30)) lists.push(this.near(row, place).map((v) => put(row, place, v)));
      lists.push(row.flatMap((s, i) => this.fewer(row, i)));
      lists.push([row.concat(copy(row.slice(-1)))], met(row), matched(row));
    }
    for (let n = 0; out.length < most && lists.some((l) => n < l.length); n++) for (const l of lists) if (n < l.length && out.length < most) out.push(l[n]);
    return out;
  }

  /** Whether a call may have so many arguments alone: what orders values goes with those that it orders. */
  without(s, n) {
    return n === 0 || !this.edges.orders || !s.a.slice(n).some((a) => kindOf(a) === 'fn');
  }

  fewer(row, i) {
    const s = row[i];
    if (!s.a) return [];
    const gone = this.edges.kinds.has('undef') ? [0, 1] : [];
    return gone.filter((n) => n < s.a.length && this.without(s, n)).map((n) => Object.assign(copy(row), { [i]: { ...s, a: s.a.slice(0, n) } })).concat([Object.assign(copy(row), { [i]: { ...s, a: s.a.concat([U]) } })]);
  }

  /** Calls of an object as often as the changed code has numbers, and then what it gives as often. */
  often() {
    const out = [];
    const row = this.rows.find((r) => r.some((s) => s.f.k === 'ref'));
    if (!row) return out;
    const first = row.find((s) => s.f.k === 'lib');
    if (!first || refs(first).size > 0) return out;
    const takes = [...this.fitting(row)].filter(([, list]) => list.some((s) => (s.a || []).length > 0));
    for (const r of this.edges.ints.flatMap((c) => [c + (c >> 2) + 2, 2 * c, c + 1, c]).filter((n) => n > 1 && n <= MOST_CALLS)) {
      for (const [, list] of takes.slice(0, 3)) {
        const base = [copy(first), { ...copy(list.find((s) => (s.a || []).length > 0)), f: { k: 'ref', i: 0 }, r }];
        for (const reader of this.readers().slice(0, 6)) out.push(base.concat([{ ...reader, f: { k: 'ref', i: 0 }, ...(reader.g ? {} : { r }) }]));
      }
    }
    return out;
  }
}

/** Simpler scripts beside one, of inputs that callers make. */
function simpler(script, edges) {
  const out = [];
  for (const size of [8, 4, 2, 1]) if (size < script.length) for (let i = 0; i < script.length; i += size) out.push(some(script, (n) => n < i || n >= i + size));
  script.forEach((s, i) => {
    const or = (change) => out.push(Object.assign(copy(script), { [i]: { ...s, ...change } }));
    if (s.p) or({ p: undefined });
    if (s.r) [undefined, s.r >> 1, s.r - 1].forEach((r) => or({ r: r > 1 ? r : undefined }));
    if (s.a && s.a.length > 0 && !s.r && edges.kinds.has('undef') && !(edges.orders && kindOf(s.a[s.a.length - 1]) === 'fn')) or({ a: s.a.slice(0, -1) });
  });
  for (const place of places(script).slice(0, 60)) {
    const node = at(script, place);
    const kind = kindOf(node);
    const or = (v) => out.push(put(script, place, v));
    if (kind === 'number' && node !== 0) [0, 1, Math.trunc(node / 2)].filter((v) => v !== node && typeof node === 'number').forEach(or);
    else if (typeof node === 'string' && node !== '') ['', 'a', node.slice(0, node.length >> 1), node.slice(node.length >> 1), node.slice(1), node.slice(0, -1)].filter((v) => v.length < node.length || (v === 'a' && node !== 'a')).forEach(or);
    else if (node && node.n > 1) [node.n >> 1, node.n - 1].forEach((n) => or({ ...node, n }));
    else if (node && ['arr', 'obj', 'set', 'map', 'typed'].includes(node.k) && node.v.length > 0) {
      [node.v.slice(0, node.v.length >> 1), node.v.slice(node.v.length >> 1)].concat(node.v.slice(0, 12).map((_, n) => node.v.filter((_, m) => m !== n))).filter((v) => v.length < node.v.length).forEach((v) => or({ ...node, v }));
    }
  }
  return out.filter((s) => s.length > 0 && JSON.stringify(s) !== JSON.stringify(script)).slice(0, script.some((s) => s.r > MOST_DRAWN) ? FEW : MANY);
}

module.exports = { Vary, simpler };
