// Runs the tests of a project, and prints which of its functions they call, and with what.
//
//     node record.cjs npm test
//
// It is loaded into every process of node that the tests start. What a file of the tests requires or
// imports from the sources is handed out with functions that note their calls.
'use strict';
const fs = require('fs');
const path = require('path');

const MARK = 'ATOLL_CALLS ';
const MOST_CALLS = 30; // of one function
const MOST_BYTES = 300000;
const SECONDS = 120;

function place(tree, file) {
  const relative = path.relative(tree, file);
  if (relative.startsWith('..') || path.isAbsolute(relative) || !/\.(c|m)?jsx?$/.test(file)) return '';
  const parts = relative.split(path.sep);
  if (parts.includes('node_modules')) return '';
  const base = parts[parts.length - 1];
  const folders = parts.slice(0, -1);
  const test = folders.some((p) => /^(__tests__|tests?|spec|specs)$/.test(p)) || /^(test|tests|spec)[.-]|[._-](test|spec)\.\w+$/.test(base);
  return test ? 'test' : 'source';
}

class Recorder {
  constructor(tree, into) {
    this.tree = tree;
    this.into = into;
    this.found = new Map();
    this.files = new Set();
    this.size = 0;
    this.text = require('./work.cjs').text;
    process.on('exit', () => this.say());
  }

  note(name, args) {
    let entry = this.found.get(name);
    if (!entry) this.found.set(name, (entry = { name, count: 0, calls: [] }));
    entry.count++;
    if (entry.calls.length === MOST_CALLS || entry.count > 20 * MOST_CALLS || this.size > MOST_BYTES) return;
    try {
      const call = { args: this.text(Array.from(args)), kwargs: '' };
      if (entry.calls.some((c) => c.args === call.args)) return;
      entry.calls.push(call);
      this.size += call.args.length;
    } catch {} // what cannot be written down is not recorded
  }

  /** What a test gets in the place of what a file of the sources gives. */
  handOut(file, value) {
    const relative = path.relative(this.tree, file);
    this.files.add(relative);
    return this.wrap(relative + ':', value, 0);
  }

  wrap(name, value, depth) {
    const recorder = this;
    const within = (key) => name + (name.endsWith(':') ? '' : '.') + key;
    if (typeof value !== 'function' && (depth > 1 || value === null || typeof value !== 'object')) return value;
    const known = new Map();
    return new Proxy(value, {
      apply(f, self, args) {
        recorder.note(name, args);
        return Reflect.apply(f, self, args);
      },
      get(target, key, receiver) {
        const d = Object.getOwnPropertyDescriptor(target, key);
        const v = Reflect.get(target, key, target);
        if (typeof key === 'symbol' || !d || (!d.configurable && !d.writable) || /^(class|prototype|constructor)$/.test(key) || !/^[\w$]+$/.test(key)) return v;
        if (typeof v === 'function' && /^class\b/.test(Function.prototype.toString.call(v))) return v;
        if (!known.has(v)) known.set(v, recorder.wrap(within(key), v, depth + 1));
        return known.get(v);
      },
    });
  }

  say() {
    const data = { files: [...this.files], functions: [...this.found.values()].filter((f) => f.calls.length > 0) };
    if (data.functions.length > 0) fs.writeFileSync(path.join(this.into, process.pid + '-' + Math.random().toString(36).slice(2)), JSON.stringify(data));
  }
}

/** Begins to record in a process of the tests. */
function begin(tree, into) {
  const Module = require('module');
  const r = new Recorder(tree, into);
  const load = Module._load;
  Module._load = function (request, parent, isMain) {
    const value = load.apply(this, arguments);
    if (isMain || !parent || !parent.filename || place(tree, parent.filename) !== 'test') return value;
    let file;
    try {
      file = Module._resolveFilename(request, parent);
    } catch {
      return value;
    }
    return place(tree, file) === 'source' ? r.handOut(file, value) : value;
  };
  globalThis[Symbol.for('atoll.calls')] = r;
  if (Module.register) {
    const hooks = `const place = ${place}; const path = (await import('node:path')).default; const { fileURLToPath } = await import('node:url');
const tree = ${JSON.stringify(tree)};
const at = (url) => url && url.startsWith('file:') ? place(tree, fileURLToPath(url.split('?')[0])) : '';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (at(found.url) === 'source' && at(context.parentURL) === 'test') return { ...found, url: found.url + '?atoll-calls', format: 'module' };
  return found;
}
export async function load(url, context, next) {
  if (!url.endsWith('?atoll-calls')) return next(url, context);
  const real = url.slice(0, -'?atoll-calls'.length);
  const names = Object.keys(await import(real)).filter((n) => /^[\\w$]+$/.test(n));
  const file = JSON.stringify(fileURLToPath(real));
  return { format: 'module', shortCircuit: true, source: 'import * as real from ' + JSON.stringify(real) + ';\\nconst out = globalThis[Symbol.for("atoll.calls")].handOut(' + file + ', { ...real });\\n' +
    names.map((n, i) => 'const v' + i + ' = out[' + JSON.stringify(n) + '];\\n').join('') + 'export { ' + names.map((n, i) => 'v' + i + ' as ' + n).join(', ') + ' };\\n' };
}`;
    Module.register('data:text/javascript,' + encodeURIComponent(hooks));
  }
}

/** Joins what several processes recorded. */
function join(into) {
  const files = new Set();
  const functions = new Map();
  for (const name of fs.readdirSync(into).sort()) {
    const data = JSON.parse(fs.readFileSync(path.join(into, name), 'utf8'));
    data.files.forEach((f) => files.add(f));
    for (const f of data.functions) {
      const known = functions.get(f.name);
      if (!known) functions.set(f.name, f);
      else {
        known.count += f.count;
        known.calls.push(...f.calls.filter((c) => !known.calls.some((k) => k.args === c.args)));
        known.calls.length = Math.min(known.calls.length, MOST_CALLS);
      }
    }
  }
  return { files: [...files], functions: [...functions.values()] };
}

function main() {
  const into = fs.mkdtempSync(path.join(process.env.TMPDIR || '/tmp', 'atoll-calls-'));
  const tree = fs.realpathSync(process.cwd());
  const env = { ...process.env, ATOLL_CALLS_TREE: tree, ATOLL_CALLS_INTO: into, NODE_OPTIONS: `${process.env.NODE_OPTIONS || ''} --require ${JSON.stringify(__filename)}` };
  const [command, ...args] = process.argv.slice(2);
  require('child_process').spawnSync(command, args, { env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 1000 * SECONDS });
  fs.writeSync(1, '\n' + MARK + JSON.stringify(join(into)) + '\n');
}

if (require.main === module) main();
else if (process.env.ATOLL_CALLS_INTO) begin(process.env.ATOLL_CALLS_TREE, process.env.ATOLL_CALLS_INTO);
