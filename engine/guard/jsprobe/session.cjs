// Answers one request: makes the cases that it asks for, and tells what came of each.
'use strict';
const fs = require('fs');
const { Brinks } = require('./brinks.cjs');
const { Draws, isHot, pack, seedOf, short, unpack } = require('./draws.cjs');
const { Edges } = require('./near.cjs');
const { Losses, Lost } = require('./limits.cjs');
const { Meets } = require('./meets.cjs');
const { Play } = require('./play.cjs');
const { Show, failure, held, names, speak } = require('./show.cjs');
const { tamed } = require('./tame.cjs');
const tree = require('./tree.cjs');
const { unread } = require('./texts.cjs');
const { Vary, simpler } = require('./vary.cjs');
const { Watchdog } = require('./watchdog.cjs');
const { scriptWords } = require('./words.cjs');
const { World } = require('./world.cjs');
const { invented } = require('./inventing.cjs');

const EDGE_SHARE = 2; // one edge at most for so many cases that are drawn
const MOST_SURVEYED = 7 << 20; // bytes of an answer about all cases
const OF_CASE = 120; // bytes about one case, besides the name of its group
const MOST_TOLD = 1 << 20; // bytes of an answer in full
const AS_THEY_WERE = 60; // recorded rows that a group is asked first
const MOST_HOT = 12; // cases that run what differs and are kept for that alone
const MOST_KEPT = 120; // cases of one group that are worth doing again
const CLOSE_FACTOR = 3; // times that what is close to the change may use the time of what is not
const LOOKS = 16; // cases between two looks at the time

class Session {
  constructor(q, kept, watch, out) {
    Object.assign(this, { q, kept, out });
    this.watch = watch || {};
    this.dog = new Watchdog((q.case_ms || 5000) / 1000, out);
    this.world = new World(kept.now);
    this.world.install();
    speak(kept.spoken, (this.watch.edges || {}).orders);
    this.exports = { ...(this.watch.exports || {}), ...kept.exports };
    this.groups = Object.keys(kept.scripts).concat((q.extra || []).filter((g) => !kept.scripts[g] && this.exports[g]));
    this.edges = new Edges(this.watch.edges);
    this.tame = new Set(q.tame);
    this.vary = new Map();
    this.found = new Map();
    this.corpora = new Map(); // what is worth doing again, by group
    this.hot = new Map(); // those of it that run what differs
    this.marks = globalThis[Symbol.for('atoll.marks')];
  }

  write(a) {
    fs.writeSync(this.out, JSON.stringify(a) + '\n');
  }

  /** Loads what the groups are of, the files in one order in every tree. */
  async load() {
    this.modules = new Map();
    this.gone = new Map();
    for (const file of [...new Set(Object.values(this.exports).map((e) => e.file))].sort()) {
      try {
        this.modules.set(file, await tree.load(file));
      } catch (e) {
        this.gone.set(file, failure(e));
      }
    }
    for (const [group, e] of Object.entries(this.exports)) {
      const [f] = this.find(e);
      if (typeof f === 'function') this.found.set(group, this.find(e));
      if (typeof f === 'function') unread(f);
      if (typeof f === 'function' && f.prototype && !names.has(f)) names.set(f, group.slice(group.indexOf(':') + 1));
    }
    const all = Object.values(this.exports).length;
    if (all > 0 && this.modules.size === 0) throw new Error('no module could be loaded: ' + [...this.gone].map(([f, e]) => f + ': ' + e).join('; '));
  }

  find(e) {
    let owner, value = this.modules.get(e.file);
    for (const name of e.path) {
      if (value === undefined || value === null) return [];
      [owner, value] = [value, value[name]];
    }
    return [value, owner];
  }

  lib(group, owner) {
    const found = this.found.get(group);
    if (!found) throw new Error(group + ' is gone');
    return owner ? found[1] : found[0];
  }

  varyOf(group) {
    if (!this.vary.has(group)) {
      const rows = this.kept.scripts[group] || invented(group, this.exports[group], this.kept.pool);
      this.vary.set(group, new Vary(rows, this.edges, this.exports[group]));
    }
    return this.vary.get(group);
  }

  cases() {
    const count = this.q.count || 0;
    const groups = this.q.groups || ['all'];
    return Math.min(count + (this.q.drawn ? 0 : Math.floor(count / EDGE_SHARE)), Math.floor(MOST_SURVEYED / groups.reduce((n, g) => n + g.length + OF_CASE, 0)));
  }

  corpus(group) {
    if (!this.corpora.has(group)) {
      const of = (this.q.corpus || {})[group] || [];
      this.corpora.set(group, of.map(unpack).filter(Boolean));
      this.hot.set(group, of.filter(isHot).map(unpack));
    }
    return this.corpora.get(group);
  }

  /** One of what is worth doing again, half of the time one that runs what differs. */
  again(group, d) {
    return either(this.corpus(group), this.hot.get(group), d);
  }

  /** Whether the processor time is over that the cases of a group may take: what is dear is asked less. */
  purse(group) {
    const used = () => process.cpuUsage().user + process.cpuUsage().system;
    if (!this.q.group_ms || !this.q.drawn) return () => false;
    const until = used() + 1000 * this.q.group_ms * ((this.q.close || []).includes(group) ? CLOSE_FACTOR : 1);
    return (i) => i % LOOKS === 0 && used() > until;
  }

  /** A script as its group gets it: with small numbers where others do not come back, but for what tests do. */
  fit(group, script) {
    return this.tame.has(group) && !this.varyOf(group).has(script) ? tamed(script) : script;
  }

  /** The script of a case of a survey: recorded ones as they were, edges whatever the seed, and then what is drawn; where those were asked, what is drawn alone. */
  script(group, index) {
    const vary = this.varyOf(group);
    const d = new Draws(seedOf(String(this.q.seed || 0), group, String(index)));
    if (this.q.around) {
      const corpus = this.corpus(group);
      return index < corpus.length ? corpus[index] : vary.other(this.again(group, d), d);
    }
    if (this.q.drawn) {
      const corpus = this.corpus(group);
      return vary.finished(vary.other(corpus.length > 0 && d.chance(2) ? this.again(group, d) : vary.drawnRow(d), d));
    }
    const rows = Math.min(vary.rows.length, AS_THEY_WERE, Math.ceil(this.cases() / 3));
    if (index < rows) return vary.finished(vary.rows[Math.floor((index * vary.rows.length) / rows)]);
    if (!vary.edged) vary.edged = vary.edgesOf(Math.floor((this.kept.most || 1500) / EDGE_SHARE));
    const most = Math.floor((this.q.count || 0) / EDGE_SHARE);
    if (index - rows < Math.min(most, vary.edged.length)) return vary.edged[index - rows];
    return vary.finished(vary.other(vary.drawnRow(d), d));
  }

  /** What came of a case; null where a call took too long, in a group of which some ended the process. */
  async one(position, group, script) {
    this.dog.begin(position);
    this.world.begin();
    if (this.marks) this.marks.begin();
    const play = new Play(this.world, (g, owner) => this.lib(g, owner), this.tame.has(group) ? this.q.case_ms : 0);
    let out;
    try {
      out = await play.run(script);
    } catch (e) {
      if (e instanceof Lost) return null;
      throw e;
    } finally {
      this.dog.end();
    }
    return { out, ...(play.misused && !this.varyOf(group).has(script) ? { void: true } : {}) };
  }

  /** Notes a case that took too long, and tells whether its group is given up. */
  loses(g, i, p, losses) {
    this.write({ k: 'lost', g, i, p });
    if (!losses.more()) return false;
    this.write({ k: 'given', g });
    return true;
  }

  listed() {
    for (const g of this.groups) if (this.found.has(g)) this.write({ k: 'group', g, sig: 'def' });
    for (const [g, e] of Object.entries(this.exports)) {
      const [v] = this.find(e);
      if (v !== undefined && typeof v !== 'function') this.write({ k: 'value', g, out: new Show().text(v) });
    }
  }

  async survey() {
    const { q } = this;
    if (!q.from) this.listed();
    const groups = this.groups.filter((g) => this.found.has(g) && (!q.groups || q.groups.includes(g)));
    if (q.backwards) groups.reverse();
    const omit = new Set(q.omit);
    const skip = new Set(q.skip);
    let position = 0;
    for (const g of groups) {
      let started = false;
      let over = false;
      const purse = this.purse(g);
      const until = (q.until || {})[g] ?? Infinity;
      const losses = new Losses(q.case_ms);
      for (let i = 0, n = this.cases(); i < n; i++) {
        position++;
        over = over || purse(i) || i >= until;
        if (over || position <= (q.from || 0) || skip.has(g)) continue;
        if (!started) this.write({ k: 'start', g, i, p: position });
        started = true;
        if (omit.has(position)) continue;
        const script = this.fit(g, this.script(g, i));
        const told = await this.one(position, g, script);
        if (!told) {
          over = this.loses(g, i, position, losses);
          continue;
        }
        this.write({ k: 'case', g, i, p: position, in: short(JSON.stringify(script)), ...told, ...hashed(told.out) });
      }
    }
  }

  /** Answers with the cases that do something in the marked code that none before did, and those at which the answer changes. */
  async explore() {
    const { q } = this;
    let position = 0;
    for (const g of q.groups.filter((g) => this.groups.includes(g) && this.found.has(g))) {
      const seen = new Set();
      const brinks = new Brinks();
      const meets = new Meets(this.edges);
      const kept = [...this.corpus(g)];
      const given = kept.length;
      const hot = [...this.hot.get(g)];
      const most = hot.length + MOST_HOT;
      let started = false;
      let reached = false;
      let over = false;
      const losses = new Losses(q.case_ms);
      const purse = this.purse(g);
      for (let i = 0, n = given + this.cases(); i < n; i++) {
        position++;
        over = over || purse(i);
        if (over || position <= (q.from || 0) || (q.skip || []).includes(g) || kept.length - given >= MOST_KEPT) continue;
        if (!started) this.write({ k: 'start', g, i, p: position });
        started = true;
        const d = new Draws(seedOf('explore', String(q.seed || 0), g, String(i)));
        const other = () => (kept.length > 0 && i % 3 ? this.varyOf(g).other(either(kept, hot, d), d) : this.script(g, i - given));
        const script = i < given ? kept[i] : this.fit(g, (i % 3 === 1 && brinks.next()) || (i % 3 === 2 && meets.next()) || other());
        const told = await this.one(position, g, script);
        if (!told) {
          over = this.loses(g, i, position, losses);
          continue;
        }
        const { out } = told;
        const brink = brinks.saw(out);
        brinks.take(script, out);
        const ran = this.marks.ran();
        if (ran.length > 0 && !reached) this.write({ k: 'reach', g });
        reached = reached || ran.length > 0;
        const differs = this.marks.hot();
        if (!brink && !(differs && i >= given && hot.length < most) && ran.every((x) => seen.has(x))) continue;
        ran.forEach((x) => seen.add(x));
        kept.push(script);
        meets.take(script, this.marks.sides());
        if (differs) hot.push(script);
        this.write({ k: 'keep', g, i, p: position, c: pack(script, differs) });
      }
    }
  }

  async full(cases) {
    let told = 0;
    for (let n = 0; n < cases.length && told <= MOST_TOLD; n++) {
      if (n < (this.q.from || 0)) continue;
      const [g, script, mute] = cases[n];
      this.write({ k: 'start', g, i: n, p: n + 1 });
      if (mute) {
        await this.one(n + 1, g, script);
        continue;
      }
      const said = await this.one(n + 1, g, script);
      if (!said) {
        this.write({ k: 'lost', g, i: n, p: n + 1 });
        continue;
      }
      const a = { k: 'case', g, i: n, p: n + 1, in: scriptWords(script), ...said, c: pack(script) };
      this.write(a);
      told += a.in.length + a.out.length + 8 * a.c.length;
    }
  }

  chosen(c) {
    if (!c.choices) return this.fit(c.group, this.script(c.group, c.index));
    const { rows } = this.varyOf(c.group);
    return unpack(c.choices) || rows[c.choices[0] % rows.length];
  }

  async answer() {
    await this.load();
    const cases = this.q.cases || [];
    if (this.q.mode === 'survey') await this.survey();
    else if (this.q.mode === 'explore') await this.explore();
    else if (this.q.mode === 'detail') await this.full(cases.filter((c) => this.found.has(c.group)).map((c) => [c.group, this.chosen(c), c.mute]));
    else if (this.q.mode === 'shrink') {
      const script = this.chosen(cases[0]);
      await this.full([script, ...simpler(script, this.edges)].map((s) => [cases[0].group, s]));
    }
    this.write({ k: 'end' });
  }
}

/** One of some scripts, half of the time one of those that run what differs, where there are any. */
function either(all, hot, d) {
  return d.pick(hot.length > 0 && d.chance(2) ? hot : all);
}

/** What stands for an outcome in a survey. */
function hashed(out) {
  const text = held(out);
  return { out: short(text), ...(text === out ? {} : { marked: short(out) }) };
}

module.exports = { Session };
