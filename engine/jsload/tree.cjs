// What of the tree is what: its sources, its tests, its modules and the names of what they export.
'use strict';
const fs = require('fs');
const path = require('path');
const { isBuiltin } = require('module');
const { pathToFileURL } = require('url');

const ENDINGS = ['.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.tsx'];
const BUILT = /^(dist|lib|build|out|esm|cjs|es)\//; // where package.json has what is made of the sources
const TREE = fs.realpathSync(process.cwd());

/** 'test' for files that look at the sources from outside, 'source' for those, '' for all else. */
function place(tree, file) {
  const relative = path.relative(tree, file);
  const compiled = /\.(lit)?coffee$/.test(file); // as it is loaded: of tests alone
  if (relative.startsWith('..') || path.isAbsolute(relative) || !(compiled || /\.[cm]?[jt]sx?$/.test(file)) || /\.d\.([cm]?ts|\w+\.ts)$/.test(file)) return '';
  const parts = relative.split(path.sep);
  if (parts.includes('node_modules')) return '';
  const base = parts[parts.length - 1];
  const outside = parts.slice(0, -1).some((p) => /^(__tests__|tests?|spec|specs|bench|benchmarks?|examples?)$/.test(p));
  return outside || /^(test|tests|spec|bench|benchmark)[.-]|[._-](test|spec|bench)\.\w+$/.test(base) ? 'test' : compiled ? '' : 'source';
}

function within(relative) {
  return path.join(TREE, relative);
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const manifests = new Map();

/** package.json of a folder of the tree, {} where there is none that can be read. */
function pkg(dir = '') {
  if (!manifests.has(dir)) {
    let out = {};
    try {
      out = JSON.parse(read(within(path.posix.join(dir, 'package.json')))) || {};
    } catch {}
    manifests.set(dir, out);
  }
  return manifests.get(dir);
}

let folders;

/** The folders of the packages of the tree, by name: one, or those of a workspace. */
function packages() {
  if (folders) return folders;
  folders = new Map();
  const look = (dir, depth) => {
    if (pkg(dir).name) folders.set(pkg(dir).name, dir);
    if (depth > 2) return;
    for (const e of fs.readdirSync(within(dir), { withFileTypes: true })) if (e.isDirectory() && e.name !== 'node_modules' && !e.name.startsWith('.')) look(path.posix.join(dir, e.name), depth + 1);
  };
  look('', 0);
  return folders;
}

/** The name of a module: its file without the ending, where no other file has that. */
function moduleOf(relative) {
  const ending = path.extname(relative);
  const stem = relative.slice(0, relative.length - ending.length);
  const before = ENDINGS.slice(0, Math.max(0, ENDINGS.indexOf(ending)));
  return before.some((e) => fs.existsSync(within(stem + e))) ? relative : stem;
}

/** The group of what a module exports under a path of names; the module itself, and what it exports by default, has none and is called as its file is, or the package. */
function groupOf(relative, names) {
  const module = moduleOf(relative);
  if (names.length > 0 && names.join() !== 'default') return module + ':' + names.join('.');
  let name = path.basename(relative).replace(/\.\w+$/, '');
  if (name === 'index') name = path.dirname(relative) === '.' || /^(src|lib|dist)$/.test(path.dirname(relative)) ? (pkg().name || name).split('/').pop() : path.basename(path.dirname(relative));
  name = name.replace(/[^\w$]+(.)?/g, (_, c) => (c || '').toUpperCase());
  return module + ':' + (name || 'module');
}

/** What a file of the tree exports, as those that load it by its name get it. */
async function load(relative) {
  require('./loader.cjs').install();
  const file = within(relative);
  try {
    return require(file);
  } catch (e) {
    if (e.code !== 'ERR_REQUIRE_ESM' && !(e instanceof SyntaxError && /import|export|await/.test(e.message))) throw e;
  }
  return { ...(await import(pathToFileURL(file))) };
}

/** The file of the tree under a path without its ending, with another one or of a folder; '' for none. */
function fileAt(base) {
  const stem = base.replace(/\.([cm]?)jsx?$/, '');
  const typed = stem === base ? [] : ENDINGS.slice(3).map((e) => stem + e);
  const tries = [base, ...typed, ...ENDINGS.map((e) => base + e), ...ENDINGS.map((e) => path.posix.join(base, 'index' + e))];
  const file = tries.find((f) => fs.existsSync(within(f)) && fs.statSync(within(f)).isFile());
  return file ? path.posix.normalize(file) : '';
}

/** The files of the tree that a text names as modules: ./heap is heap.js, or heap/index.js, and ./heap.js may be heap.ts. */
function resolve(from, specifier) {
  if (!/^\.\.?(\/|$)/.test(specifier)) return named(from, specifier);
  const base = path.posix.join(path.posix.dirname(from), specifier);
  const file = sourceOf(base) || fileAt(base);
  if (file) return [file];
  return path.posix.normalize(base) === '.' || base === '..' ? entries() : [];
}

/** Those of what is no path: a package of the tree, a name of tsconfig.json, or one that stands for its sources (@/heap). */
function named(from, specifier) {
  if (/^(node:|\/)/.test(specifier) || isBuiltin(specifier)) return [];
  const dir = packages().get(specifier);
  if (dir !== undefined) return entries(dir);
  const mapped = require('./tsconfig.cjs').mapped(from, specifier).map(fileAt).filter(Boolean);
  const [, rest] = /^(?:[@~#]\/|src\/)(.+)/.exec(specifier) || [];
  return mapped.concat(rest ? [fileAt('src/' + rest), fileAt(rest)].filter(Boolean) : []).slice(0, 1);
}

/** The source of which something that package.json names is made: dist/index.mjs is made of src/index.ts. '' for none. */
function sourceOf(name, dir = '') {
  const own = dir ? path.posix.relative(dir, name) : name;
  if (!BUILT.test(own) || /ts$/.test(fileAt(name))) return '';
  const inner = own.replace(/(\.d)?\.[cm]?[jt]s$/, '').replace(BUILT, '').replace(/^(esm|cjs|src|lib|es)\//, '');
  return ['src/' + inner, inner].flatMap((s) => ENDINGS.slice(3).map((e) => path.posix.join(dir, s + e))).find((f) => fs.existsSync(within(f))) || '';
}

/** The files that package.json of a folder names for those who load the package. */
function entries(dir = '') {
  const out = new Set();
  const add = (v) => {
    if (typeof v === 'object' && v) return Object.values(v).forEach(add);
    if (typeof v !== 'string' || v.includes('*')) return;
    const name = path.posix.join(dir, v);
    const file = sourceOf(name, dir) || [name, ...ENDINGS.map((e) => name + e), name + '/index.js'].find((f) => place(TREE, within(f)) === 'source' && fs.existsSync(within(f)) && fs.statSync(within(f)).isFile());
    if (file) out.add(file);
  };
  const p = pkg(dir);
  [p.exports, p.module, p.main].forEach(add);
  for (const name of ['index.js', 'src/index', 'index', 'src/main', 'src/' + String(p.name || '').split('/').pop()].map((n) => path.posix.join(dir, n))) {
    if (out.size === 0 && fileAt(name)) out.add(fileAt(name));
  }
  return [...out];
}

/** The framework of the tests that has a module system of its own, '' where they have none. */
function framework() {
  const all = [...new Set(['', ...packages().values()])].map(pkg);
  const test = all.map((p) => (p.scripts || {}).test || '').join('\n');
  const needs = Object.assign({}, ...all.map((p) => ({ ...p.dependencies, ...p.devDependencies })));
  return ['vitest', 'jest'].find((n) => new RegExp('\\b' + n + '\\b').test(test)) || ['vitest', 'jest'].find((n) => needs[n]) || '';
}

/** All files of the tree with one of the endings, of a kind of place. */
function files(kind, dir = '', out = []) {
  for (const e of fs.readdirSync(within(dir), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = dir ? dir + '/' + e.name : e.name;
    if (e.isDirectory()) {
      if (e.name !== 'node_modules' && !e.name.startsWith('.')) files(kind, name, out);
    } else if (out.length < 2000 && ENDINGS.includes(path.extname(name)) && place(TREE, within(name)) === kind) out.push(name);
  }
  return out;
}

module.exports = { ENDINGS, TREE, entries, files, framework, groupOf, load, moduleOf, pkg, place, read, resolve, within };
