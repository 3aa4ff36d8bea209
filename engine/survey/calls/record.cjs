// Runs the tests of a project, and prints which of its functions they call, and with what.
//
//     node record.cjs npm test
//
// The sources in this tree, which is thrown away, are rewritten first, so that each function says when it
// begins and ends: that is seen whatever loads, transforms or bundles them. Tests see objects and functions as
// they are. Programs of node that the tests start end well in any case: one that looks at how sources are
// written would keep the others from running.
'use strict';
const fs = require('fs');
const path = require('path');

const MARK = 'ATOLL_CALLS ';
const MOST_CALLS = 30; // of one function
const MOST_STEPS = 30; // calls of methods of one object
const MOST_BYTES = 300000;
const MOST_LOOKS = 20 * MOST_CALLS; // at who calls one function
const MOST_TEXTS = 100 * MOST_CALLS; // of what one function is called with
const LONGEST_SOURCE = 1000000;
const SECONDS = 120;

function place(tree, file) {
  const relative = path.relative(tree, file);
  if (relative.startsWith('..') || path.isAbsolute(relative) || !/\.([cm]?[jt]s|[jt]sx)$/.test(file) || /\.d\.[cm]?ts$/.test(file)) return '';
  const parts = relative.split(path.sep);
  if (parts.includes('node_modules')) return '';
  const base = parts[parts.length - 1];
  const folders = parts.slice(0, -1);
  const test = folders.some((p) => /^(__tests__|tests?|spec|specs)$/.test(p)) || /^(test|tests|spec)[.-]|[._-](test|spec)\.\w+$/.test(base);
  return test ? 'test' : 'source';
}

// What a function does that throws: it ends at once.
const THREW = 'catch(atoll_e){atoll_r=atoll_r&&atoll_r(null,true);throw atoll_e}';

/** Has the functions of a text tell their calls. Each is one of ids: its file, how deep it lies, and whether it makes objects of a class. */
class Rewriter {
  constructor(acorn, file, text, ids) {
    Object.assign(this, { acorn, file, text, ids, parts: [] });
  }

  /** The text as it is to be, null where it cannot be rewritten. */
  rewritten() {
    const program = this.parse(this.text);
    if (!program) return null;
    this.walk(program, null, 0);
    let said = '';
    let at = 0;
    for (const [place, part] of this.parts.sort((a, b) => a[0] - b[0])) {
      said += this.text.slice(at, place) + part;
      at = place;
    }
    said += this.text.slice(at);
    return this.parse(said) ? said : null;
  }

  parse(text) {
    for (const sourceType of ['module', 'script']) {
      try {
        return this.acorn.parse(text, { ecmaVersion: 'latest', sourceType, allowReturnOutsideFunction: true, allowHashBang: true });
      } catch {}
    }
    return null;
  }

  walk(node, parent, nest) {
    const inner = /Function/.test(node.type) ? nest + 1 : nest;
    if (node.type === 'ClassBody') this.constructed(node, parent, nest);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child.type === 'string') this.walk(child, node, inner);
      }
    }
    if (inner > nest && !node.async && parent.kind !== 'get') this.told(node, parent, nest);
  }

  /** Gives a class a constructor. */
  constructed(body, parent, nest) {
    if (body.body.some((m) => m.kind === 'constructor')) return;
    const id = this.id(nest, true);
    const [params, first] = parent.superClass ? ['...a', 'super(...a);'] : ['', ''];
    this.parts.push([body.start + 1, `constructor(${params}){var atoll_r=${this.begins(id, 'null', 'arguments', 'new.target')};try{${first}}${THREW}finally{atoll_r&&atoll_r(()=>this)}}`]);
  }

  id(nest, makes) {
    return this.ids.push({ file: this.file, nest, makes }) - 1;
  }

  begins(id, ...values) {
    return `process.atollCalls&&process.atollCalls(${[id, ...values].join()})`;
  }

  told(node, parent, nest) {
    const arrow = node.type === 'ArrowFunctionExpression';
    const makes = parent.kind === 'constructor';
    const args = arrow ? given(node.params) : 'arguments';
    if (!args) return;
    const id = this.id(nest, makes);
    const call = this.begins(id, arrow || makes ? 'null' : 'this', args, arrow ? 'undefined' : 'new.target');
    const block = node.body.type === 'BlockStatement';
    let at = node.body.start;
    if (block) {
      const directives = node.body.body.filter((s) => s.directive);
      at = directives.length ? directives[directives.length - 1].end : at + 1;
    }
    if (node.generator) return void this.parts.push([at, `;${call}();`]); // what it gives runs later
    if (block) this.parts.push([at, `;var atoll_r=${call};try{`], [node.body.end - 1, `}${THREW}finally{atoll_r&&atoll_r(${makes ? '()=>this' : ''})}`]);
    else {
      while (this.text[at - 1] === '(' || /\s/.test(this.text[at - 1])) at--; // an expression in brackets
      this.parts.push([at, `{var atoll_r=${call};try{return (`], [node.end, `)}${THREW}finally{atoll_r&&atoll_r()}}`]);
    }
  }
}

/** What an arrow function is called with, as a list; '' where its parameters do not tell. */
function given(params) {
  const names = params.map((p) => {
    if (p.type === 'AssignmentPattern') p = p.left;
    if (p.type === 'RestElement' && p.argument.type === 'Identifier') return '...' + p.argument.name;
    return p.type === 'Identifier' ? p.name : '';
  });
  return names.includes('') ? '' : `[${names.join()}]`;
}

/** A text without types, where what takes them away lies beside this file. No tool is to check what is left. */
function bare(name, text) {
  if (!fs.existsSync(path.join(__dirname, 'typed.cjs'))) return text;
  const typed = require('./typed.cjs');
  return typed.isTyped(name) ? '// @ts-nocheck\n' + typed.bare(name, text) : text;
}

/** Rewrites the sources of a tree, and says which functions they hold. */
function rewrite(tree) {
  const acorn = require('internal/deps/acorn/acorn/dist/acorn'); // with --expose-internals
  const ids = [];
  const look = (folder) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) look(file);
      if (!entry.isFile() || place(tree, file) !== 'source') continue;
      const text = bare(path.relative(tree, file), fs.readFileSync(file, 'utf8'));
      const known = ids.length;
      const said = text.length > LONGEST_SOURCE ? null : new Rewriter(acorn, path.relative(tree, file), text, ids).rewritten();
      try {
        if (said === null) ids.length = known;
        else fs.writeFileSync(file, said);
      } catch {
        ids.length = known; // it is always that of the root
      }
    }
  };
  look(tree);
  return ids;
}

const { writeSync } = fs; // tests may have others of these
const { setTimeout } = globalThis;
const { exit } = process;

/** Notes calls in a process of the tests: lines of a file, which stay where the process is killed. */
class Recorder {
  constructor(tree, into) {
    Object.assign(this, { tree, found: new Map(), seen: new Set(), lives: new WeakMap(), kinds: new WeakMap(), depth: 0, size: 0, keys: 0, busy: false, timer: null });
    this.file = fs.openSync(path.join(into, process.pid + '-' + Math.random().toString(36).slice(2)), 'w');
    this.text = require('./work.cjs').text;
    this.leave = () => void this.depth--;
    this.ends = null; // of the function that began last, where it is recorded
    process.on('exit', () => {
      this.say();
      process.exitCode = 0;
    });
    process.once('SIGTERM', () => exit.call(process)); // what runs tests in processes of its own ends them so
  }

  entry(id) {
    if (!this.found.has(id)) this.found.set(id, { id, count: 0, looks: 0, calls: [], seen: new Set(), raised: 0, returned: 0, step: 1 });
    return this.found.get(id);
  }

  /** A function begins; what it gives is called when it ends. */
  enter(id, self, args, target) {
    const outer = this.depth++ === 0;
    if (this.busy) return this.leave;
    this.busy = true;
    let made = null;
    this.ends = null;
    try {
      this.seen.add(id);
      if (target) made = this.born(id, args, target, outer && this.byTests(id));
      else if (outer && this.byTests(id)) this.called(id, self, args);
    } catch {
      // what cannot be written down is not recorded
    } finally {
      this.busy = false;
    }
    const { ends } = this;
    if (made && self) this.lives.set(self, made);
    if (!made && !ends) return this.leave;
    return (of, threw) => {
      this.depth--;
      if (ends) ends(threw);
      if (made && threw) this.unmade(made);
      else if (made && !self) this.lives.set(of(), made);
    };
  }

  /** Whether tests call the function that begins, by what lies elsewhere or at once. */
  byTests(id) {
    const entry = this.entry(id);
    if (entry.looks++ > MOST_LOOKS) return entry.count > 0;
    const { prepareStackTrace, stackTraceLimit } = Error;
    const at = {};
    Error.prepareStackTrace = (_, frames) => frames;
    Error.stackTraceLimit = 30;
    Error.captureStackTrace(at);
    const frames = at.stack.filter((f) => f.getFileName() !== __filename);
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    for (const frame of frames.slice(1)) {
      const name = (frame.getFileName() || '').replace(/\?.*$/, '');
      const where = place(this.tree, name.startsWith('file://') ? require('url').fileURLToPath(name) : name);
      if (where) return where === 'test';
    }
    return false;
  }

  full(entry, most) {
    return entry.calls.length >= most || entry.count > MOST_TEXTS || this.size > MOST_BYTES;
  }

  /** Has a call be one of its function: of those that return up to twice MOST_CALLS, spread over all of them. */
  keep(id, call, threw) {
    const entry = this.entry(id);
    if (entry.seen.has(call.args)) return;
    entry.seen.add(call.args);
    if (threw) {
      if (entry.raised++ < MOST_CALLS) this.write({ id, call, threw });
      return;
    }
    if (entry.returned++ % entry.step) return;
    this.add(entry.calls, call, { id, call });
    if (entry.calls.length < 2 * MOST_CALLS) return;
    this.size -= odd(entry.calls).reduce((n, c) => n + c.args.length, 0);
    entry.calls = even(entry.calls);
    entry.step *= 2;
    this.write({ id, thin: true });
  }

  /** The constructor of an object threw: that call is none to make again. */
  unmade(life) {
    const { calls } = this.entry(life.id);
    if (calls.includes(life.call)) calls.splice(calls.indexOf(life.call), 1);
    this.write({ key: life.key, unmade: true });
  }

  add(list, call, line) {
    list.push(call);
    this.size += call.args.length;
    this.write(line);
    if (!this.timer) this.timer = setTimeout(() => this.say(), 50).unref();
  }

  write(line) {
    writeSync(this.file, JSON.stringify(line) + '\n');
  }

  called(id, self, args) {
    const life = self && typeof self === 'object' && this.lives.get(self);
    if (life) return this.step(life, id, args);
    const entry = this.entry(id);
    entry.count++;
    if (entry.count > MOST_TEXTS || this.size > MOST_BYTES) return;
    const call = { args: this.text(Array.from(args)), kwargs: '' };
    this.ends = (threw) => this.keep(id, call, threw);
  }

  /** Notes how an object is made. What tests make counts at once, what the project itself makes when tests call it. */
  born(id, args, target, byTests) {
    const entry = this.entry(id);
    if (byTests) entry.count++;
    entry.born = (entry.born || 0) + 1;
    if (entry.born > MOST_TEXTS || this.size > MOST_BYTES || !this.known(target, id)) return null;
    const life = { id, key: ++this.keys, call: { args: this.text(Array.from(args)), kwargs: '', new: true, then: [] }, counted: byTests, over: false };
    if (byTests) this.have(life);
    return life;
  }

  /** Whether a class is the one with this constructor, and none that tests made of it. */
  known(target, id) {
    if (!this.kinds.has(target)) this.kinds.set(target, Function.prototype.toString.call(target));
    return this.kinds.get(target).includes(`atollCalls(${id},`);
  }

  /** Has a life be one of the calls of its class. */
  have(life) {
    const entry = this.entry(life.id);
    if (!life.counted) entry.count++;
    life.counted = true;
    if (!this.full(entry, 2 * MOST_CALLS)) this.add(entry.calls, life.call, { id: life.id, key: life.key, call: life.call }); // some come out alike
  }

  /** Notes that tests call a method of an object. What cannot be made again may change it, so nothing behind that is recorded. */
  step(life, id, args) {
    const then = life.call.then;
    if (life.over || then.length === MOST_STEPS || this.size > MOST_BYTES) return;
    life.over = true;
    const step = { method: id, args: this.text(Array.from(args)), kwargs: '' };
    if (!life.counted) this.have(life);
    this.add(then, step, { key: life.key, step });
    life.over = false;
  }

  say() {
    this.timer = null;
    this.write({ seen: [...this.seen], counts: [...this.found.values()].map((f) => [f.id, f.count]) });
  }
}

/** Begins to record in a process of the tests. */
function begin(tree, into) {
  const r = new Recorder(tree, into);
  process.atollCalls = (id, self, args, target) => r.enter(id, self, args, target);
}

const even = (list) => list.filter((_, i) => i % 2 === 0);
const odd = (list) => list.filter((_, i) => i % 2 === 1);

/** Up to n of a list, from all over it. */
function spread(list, n) {
  if (list.length <= n) return list;
  return Array.from({ length: n }, (_, i) => list[Math.floor((i * list.length) / n)]);
}

/** What one process wrote: the calls of each function, those that returned apart from those that threw. */
function readCalls(lines) {
  const lives = new Map();
  const functions = new Map();
  const seen = new Set();
  const counts = new Map();
  const of = (id) => {
    if (!functions.has(id)) functions.set(id, { returned: [], threw: [] });
    return functions.get(id);
  };
  for (const said of lines) {
    if (said.step) lives.get(said.key)?.then.push(said.step);
    else if (said.thin) of(said.id).returned = even(of(said.id).returned);
    else if (said.unmade) functions.forEach((f) => (f.returned = f.returned.filter((c) => c !== lives.get(said.key))));
    else if (said.call) {
      counts.set(said.id, (counts.get(said.id) || 0) + 1);
      of(said.id)[said.threw ? 'threw' : 'returned'].push(said.call);
      if (said.key) lives.set(said.key, said.call);
    } else {
      said.seen.forEach((id) => seen.add(id));
      said.counts.forEach(([id, n]) => counts.set(id, n));
    }
  }
  functions.forEach((_, id) => seen.add(id));
  return { functions, counts, seen };
}

/** Joins what several processes recorded. */
function join(into) {
  const seen = new Set();
  const functions = new Map();
  for (const name of fs.readdirSync(into).sort()) {
    const lines = fs.readFileSync(path.join(into, name), 'utf8').split('\n').slice(0, -1);
    const one = readCalls(lines.map((l) => JSON.parse(l)));
    one.seen.forEach((id) => seen.add(id));
    for (const [id, { returned, threw }] of one.functions) {
      if (!functions.has(id)) functions.set(id, { id, count: 0, returned: [], threw: [] });
      functions.get(id).count += one.counts.get(id) || 0;
      functions.get(id).returned.push(...returned);
      functions.get(id).threw.push(...threw);
    }
  }
  const all = [...functions.values()].map(({ id, count, returned, threw }) => ({ id, count, calls: returned.length ? returned : threw }));
  return { seen, functions: all };
}

/** Finds by which names callers find functions, in the files that they load. */
class Names {
  constructor(ids) {
    Object.assign(this, { ids, names: {}, methods: {}, values: new Map() });
  }

  /** The function with this value, by what its text tells; undefined for what is not of the tree. */
  id(value) {
    const text = Function.prototype.toString.call(value);
    const makes = /^class\b/.test(text);
    const all = Array.from(text.matchAll(/atollCalls\((\d+),/g), (m) => Number(m[1])).filter((id) => this.ids[id].makes === makes);
    return all.sort((a, b) => this.ids[a].nest - this.ids[b].nest || a - b)[0];
  }

  walk(file, name, value, depth) {
    if (value === null || !/^(object|function)$/.test(typeof value) || depth > 2) return;
    if (typeof value === 'function') this.named(file, name, value);
    for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      if ('value' in d && /^[\w$]+$/.test(key) && !/^(prototype|constructor|arguments|caller)$/.test(key)) this.walk(file, name + (name.endsWith(':') ? '' : '.') + key, d.value, depth + 1);
    }
  }

  named(file, name, value) {
    const id = this.id(value);
    if (id === undefined) return;
    const known = this.values.get(id) || { value, own: false };
    if (known.value !== value) known.many = true; // of one text
    const own = this.ids[id].file === file;
    if (!this.names[id] || (own && !known.own)) this.names[id] = name;
    known.own = known.own || own;
    this.values.set(id, known);
    if (known.many) delete this.names[id];
    this.methods[id] = {};
    for (let kind = value.prototype; kind && kind !== Object.prototype; kind = Object.getPrototypeOf(kind)) {
      for (const [key, d] of Object.entries(Object.getOwnPropertyDescriptors(kind))) {
        if (typeof d.value === 'function' && key !== 'constructor' && value.prototype[key] === d.value) this.methods[id][this.id(d.value)] = key;
      }
    }
  }
}

/** Loads files and writes down what names lead to. It runs in a process of its own, which any file may end. */
async function findNames(asked, answer) {
  const { ids, files } = JSON.parse(fs.readFileSync(asked, 'utf8'));
  const found = new Names(ids);
  for (const file of files) {
    try {
      found.walk(file, file + ':', await require('./work.cjs').load(path.resolve(file)), 0);
    } catch {} // it cannot be called either
    fs.writeFileSync(answer, JSON.stringify({ names: found.names, methods: found.methods }));
  }
  process.exit();
}

/** What was recorded, by names. */
function told(ids, recorded, { names, methods }) {
  const functions = [];
  for (const { id, count, calls } of recorded.functions) {
    if (!names[id]) continue;
    const all = calls.map((c) => {
      if (!c.then) return c;
      const then = c.then.map((s) => ({ ...s, method: methods[id][s.method] }));
      const until = then.findIndex((s) => !s.method);
      return { ...c, then: until < 0 ? then : then.slice(0, until) };
    });
    const texts = spread([...new Set(all.map((c) => JSON.stringify(c)))], MOST_CALLS);
    functions.push({ name: names[id], count, calls: texts.map((t) => JSON.parse(t)) });
  }
  return { files: filesOf(ids, recorded.seen), functions };
}

function filesOf(ids, seen) {
  return [...new Set([...seen].map((id) => ids[id].file))];
}

function main() {
  const { spawnSync } = require('child_process');
  if (!process.execArgv.includes('--expose-internals')) {
    spawnSync(process.execPath, ['--expose-internals', __filename, ...process.argv.slice(2)], { stdio: 'inherit' });
    return;
  }
  const into = fs.mkdtempSync(path.join(process.env.TMPDIR || '/tmp', 'atoll-calls-'));
  const tree = fs.realpathSync(process.cwd());
  const ids = rewrite(tree);
  const env = { ...process.env, ATOLL_CALLS_TREE: tree, ATOLL_CALLS_INTO: into, NODE_OPTIONS: `${process.env.NODE_OPTIONS || ''} --require ${JSON.stringify(__filename)}` };
  const [command, ...args] = process.argv.slice(2);
  spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 1000 * SECONDS });
  const recorded = join(into);
  const [asked, answer] = [path.join(into, 'asked'), path.join(into, 'answer')];
  fs.writeFileSync(asked, JSON.stringify({ ids, files: filesOf(ids, recorded.seen) }));
  fs.writeFileSync(answer, '{"names":{},"methods":{}}');
  spawnSync(process.execPath, [__filename, '--names', asked, answer], { stdio: ['ignore', 'ignore', 'inherit'], timeout: 1000 * SECONDS });
  fs.writeSync(1, '\n' + MARK + JSON.stringify(told(ids, recorded, JSON.parse(fs.readFileSync(answer, 'utf8')))) + '\n');
}

if (require.main !== module) {
  if (process.env.ATOLL_CALLS_INTO) begin(process.env.ATOLL_CALLS_TREE, process.env.ATOLL_CALLS_INTO);
} else if (process.argv[2] === '--names') findNames(process.argv[3], process.argv[4]);
else main();
