// Runs the tests of the tree, and lays down the calls that they make as scripts.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const tree = require('./tree.cjs');
const { spread } = require('./joining.cjs');
const { form, nameOf } = require('./likeness.cjs');
const { kindOf } = require('./near.cjs');
const { refs, some } = require('./scripts.cjs');
const { shapeOf } = require('./bases.cjs');
const { isTyped } = require('./typed.cjs');

const MOST_ROWS = 160; // of one group
const MOST_RARE = 40; // of them that are kept for options, and for first arguments, that few rows have
const COMMON = 12; // rows that have it at most
const MOST_BYTES = 24 << 20;
const LONGEST_ROW = 60; // steps
const MOST_POOL = 60; // values of the tests for what no test calls
const SECONDS = 240;
const FILES_AT_ONCE = 12; // in one process, where something stands in for the framework
const SECONDS_OF_FILES = 60; // that they may take
const SAYS = /\b(it|test|describe|suite|specify|bench)\b[\w.]*\s*[(`]/; // a file with tests

/** The commands that run the tests. */
function commands(given) {
  if (given && given.length > 0) return [given];
  const script = (tree.pkg().scripts || {}).test || '';
  const parts = script.split(/&&|;|\|\|/).map((s) => s.trim()).filter((s) => s && !/^(echo|exit|eslint|standard|xo|prettier|tsc|tsd|lint|npm run (lint|build|format|types?)\b)/.test(s) && !/no test specified/.test(s));
  return parts.length > 0 ? parts.map((p) => ['sh', '-c', p]) : [[process.execPath, '--test']];
}

/** The files that have tests. */
function withTests() {
  return tree.files('test').filter((f) => SAYS.test(tree.read(tree.within(f))));
}

/** Whether tests are run here, in the place of their framework: one with a module system of its own, or tests that are TypeScript. */
function stoodIn(given) {
  const command = (given || []).join(' ');
  if (/\.[cm]?jsx?$/.test(command) && !/jest|vitest/.test(command)) return [];
  const files = withTests();
  return tree.framework() !== '' ? files : files.filter(isTyped);
}

/** Runs the tests with something loaded into each process of node. */
function run(given, options, env) {
  const PATH = [tree.within('node_modules/.bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  const all = { ...process.env, ...env, PATH, NODE_OPTIONS: options, CI: 'true' };
  delete all.NODE_TEST_CONTEXT;
  let last = '';
  const start = (command, args, seconds, more) => {
    const got = spawnSync(command, args, { env: { ...all, ...more }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 1000 * seconds, maxBuffer: 64 << 20 });
    last = String(got.stderr || '').trim() || String(got.stdout || '').trim() || String(got.error || '');
    return got.status === 0;
  };
  const begun = Date.now();
  const standIn = (some) => Date.now() - begun > 1000 * SECONDS || start(process.execPath, [path.join(__dirname, 'runtests.cjs'), ...some], SECONDS_OF_FILES, { NODE_ENV: 'test' });
  const stand = (files) => {
    for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
      const some = files.slice(i, i + FILES_AT_ONCE);
      if (standIn(some) === false) some.forEach((f) => standIn([f])); // one of them ended the process, or took too long
    }
  };
  const noted = () => !env.ATOLL_GUARD_INTO || fs.readdirSync(env.ATOLL_GUARD_INTO).length > 0;
  const files = stoodIn(given);
  stand(files);
  if (files.length > 0 && noted()) return last;
  for (const [command, ...args] of commands(given)) start(command, args, SECONDS);
  if (files.length === 0 && !noted()) stand(withTests()); // a script that needs what is not there, such as make with a browser
  return last;
}

/** Scripts of events: each object with what was called on it, and what its arguments come from. */
function scripts(data, into) {
  const { events } = data;
  const lives = new Map();
  events.forEach((e, i) => (lives.has(e.first) ? lives.get(e.first).push(i) : lives.set(e.first, [i])));
  for (const [first, life] of lives) {
    const group = events[first].s.f.g;
    const needed = new Set();
    const add = (i, until) => {
      for (const j of lives.get(events[i].first)) {
        if (j > until || needed.has(j) || needed.size > 2 * LONGEST_ROW) continue;
        needed.add(j);
        for (const r of refs(events[j].s)) add(r, j);
      }
    };
    add(first, life[Math.min(life.length, LONGEST_ROW) - 1]);
    const list = [...needed].sort((a, b) => a - b).slice(0, LONGEST_ROW);
    const row = some(renumbered(list.map((i) => events[i].s), list), () => true);
    if (row.length === 0 || !row.some((s) => s.f.g === group)) continue;
    const text = JSON.stringify(row);
    if (!into.has(group)) into.set(group, new Map());
    into.get(group).set(text, row);
  }
}

function renumbered(steps, ids) {
  const to = new Map(ids.map((id, i) => [id, i]));
  const turn = (node) => {
    if (node === null || typeof node !== 'object') return node;
    if (node.k === 'ref') return { ...node, i: to.has(node.i) ? to.get(node.i) : -1 };
    if (Array.isArray(node)) return node.map(turn);
    return Object.fromEntries(Object.entries(node).map(([k, v]) => [k, turn(v)]));
  };
  return steps.map(turn);
}

/** What the calls of a row are given besides their first arguments: kinds, and names of options with theirs. */
function options(row) {
  const of = (s, i, a) => [kindOf(a), ...(kindOf(a) === 'obj' ? a.v.map(([name, x]) => JSON.stringify(name) + ' ' + kindOf(x)) : [])].map((what) => `${nameOf(s)} ${i} ${what}`);
  return row.flatMap((s) => (s.a || []).flatMap((a, i) => (i > 0 ? of(s, i, a) : [])));
}

/** What their first arguments are like. */
function forms(row) {
  return row.flatMap((s) => (s.a && s.a.length > 0 ? [nameOf(s) + ' ' + form(s.a[0])] : []));
}

/** The shortest row with each of the traits that few have, such as an option that one test gives. all are rows by their length. */
function rare(all, traits) {
  const by = new Map();
  for (const entry of all) for (const t of new Set(traits(entry[1]))) by.set(t, [...(by.get(t) || []).slice(0, COMMON), entry]);
  const few = [...by].filter(([, list]) => list.length <= COMMON).sort((a, b) => a[1].length - b[1].length || (a[0] < b[0] ? -1 : 1));
  return few.map(([, list]) => list[0]).slice(0, MOST_RARE);
}

/** So many of some rows, as many of those with one set of methods as of those with another, where there are so many. */
function acrossMethods(rows, most) {
  const by = new Map();
  for (const entry of rows) {
    const key = [...new Set(entry[1].filter((s) => s.f.k === 'ref').map((s) => s.m))].sort().join(' ');
    by.set(key, [...(by.get(key) || []), entry]);
  }
  const lists = [...by.values()].sort((a, b) => a.length - b.length);
  let left = most;
  return spread(lists, most).flatMap((list, i, all) => {
    const some = spread(list, Math.ceil(left / (all.length - i)));
    left -= some.length;
    return some;
  });
}

/** Some of many rows: those with what few have, and others across all of them, the short ones first. */
function chosen(rows) {
  const all = [...rows].sort((a, b) => a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1));
  if (all.length <= MOST_ROWS) return all.map((e) => e[1]);
  const kept = new Set([...rare(all, options), ...rare(all, forms)]);
  const others = all.filter((e) => !kept.has(e));
  const some = new Set([...kept, ...acrossMethods(others, MOST_ROWS - kept.size)]);
  return all.filter((e) => some.has(e)).map((e) => e[1]);
}

/** Names of fields that the sources have and somebody outside of them uses. */
function spoken() {
  const own = new Set(tree.files('source').flatMap((f) => tree.read(tree.within(f)).match(/[A-Za-z$][\w$]*/g) || []));
  const out = new Set();
  const readme = fs.readdirSync(tree.TREE).filter((f) => /^readme/i.test(f));
  const text = [...tree.files('test'), ...readme].map((f) => tree.read(tree.within(f))).join('\n');
  for (const [, a, b] of text.matchAll(/\.\s*([A-Za-z$][\w$]*)|([A-Za-z$][\w$]*)\??\s*:/g)) if (own.has(a || b)) out.add(a || b);
  return [...out].sort();
}

/** What modules export that no test was handed, with its shape. */
async function offered(files, known) {
  const out = {};
  const seen = new Set();
  const look = (file, names, v, depth) => {
    if (typeof v === 'function') {
      const group = tree.groupOf(file, names);
      if (!out[group] && !known[group] && !seen.has(v)) out[group] = { file, path: names, ...shapeOf(v) };
      seen.add(v);
    } else if (names.length > 0 && (v === null || typeof v !== 'object' || depth > 1)) {
      const group = tree.groupOf(file, names);
      out[group] = { file, path: names };
      return;
    }
    if (v === null || (typeof v !== 'object' && typeof v !== 'function') || depth > 1) return;
    for (const key of Object.keys(v).slice(0, 300)) if (/^[A-Za-z$][\w$]*$/.test(key)) look(file, [...names, key], v[key], depth + 1);
  };
  for (const file of files) {
    try {
      look(file, [], await tree.load(file), 0);
    } catch {} // what cannot be loaded offers nothing
  }
  return out;
}

/** Values that calls of the tests were given. */
function pool(all) {
  const out = new Map();
  for (const rows of Object.values(all)) {
    for (const row of rows) {
      for (const s of row) {
        for (const a of s.a || []) {
          const text = JSON.stringify(a);
          if (out.size < MOST_POOL && text.length < 300 && refs(a).size === 0) out.set(text, a);
        }
      }
    }
  }
  return [...out.values()];
}

async function record(q) {
  const into = fs.mkdtempSync(path.join(process.env.TMPDIR || os.tmpdir(), 'atoll-calls-'));
  const cache = fs.mkdtempSync(path.join(process.env.TMPDIR || os.tmpdir(), 'atoll-texts-'));
  const options = `${process.env.NODE_OPTIONS || ''} --require ${JSON.stringify(path.join(__dirname, 'recorder.cjs'))}`;
  const said = run(q.tests, options, { ATOLL_GUARD_TREE: tree.TREE, ATOLL_GUARD_INTO: into, ATOLL_GUARD_CACHE: cache });
  const found = new Map();
  const exports = {};
  let size = 0;
  for (const name of fs.readdirSync(into).sort()) {
    const text = fs.readFileSync(path.join(into, name), 'utf8');
    if ((size += text.length) > 4 * MOST_BYTES) break;
    const data = JSON.parse(text);
    for (const [g, e] of Object.entries(data.exports)) exports[g] = { ...exports[g], ...e };
    scripts(data, found);
  }
  await require('./literals.cjs').calls(found, exports);
  const rows = Object.fromEntries([...found].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([g, r]) => [g, chosen(r)]));
  const kept = { now: Date.now(), exports, scripts: rows, spoken: spoken(), pool: pool(rows), said: said.slice(-400) };
  fs.writeFileSync(process.env.ATOLL_GUARD_RECORDING, JSON.stringify(kept));
}

/** Runs the tests for the lines that they reach. */
function count(q) {
  const into = fs.mkdtempSync(path.join(process.env.TMPDIR || os.tmpdir(), 'atoll-lines-'));
  run(q.tests, process.env.NODE_OPTIONS || '', { NODE_V8_COVERAGE: into });
  const { Lines } = require('./lines.cjs');
  const lines = new Lines(q.changed);
  for (const name of fs.readdirSync(into)) {
    try {
      lines.add(JSON.parse(fs.readFileSync(path.join(into, name), 'utf8')).result);
    } catch {} // cut off in the middle
  }
  lines.say();
}

module.exports = { count, offered, record };
