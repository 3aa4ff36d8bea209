// The settings of TypeScript that change what a source does, or where it looks for another.
'use strict';
const path = require('path');
const tree = require('./tree.cjs');

const TELLING = ['experimentalDecorators', 'emitDecoratorMetadata', 'useDefineForClassFields', 'target', 'jsx', 'jsxFactory', 'jsxFragmentFactory', 'jsxImportSource', 'preserveConstEnums'];
const MOST_BASES = 8; // that extend each other

/** Reads JSON with comments and commas at ends; {} for what is none. */
function json(text) {
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, s) => s || '').replace(/("(?:[^"\\]|\\.)*")|,(\s*[}\]])/g, (_, s, end) => s || end);
  try {
    return JSON.parse(bare) || {};
  } catch {
    return {};
  }
}

/** The options of a file and of what it extends, the folder of paths among them. */
function read(file, depth = 0) {
  const config = json(tree.read(file));
  const own = config.compilerOptions || {};
  const dir = path.dirname(file);
  const out = {};
  for (const base of [].concat(config.extends || [])) {
    const at = depth < MOST_BASES && located(dir, base);
    if (at) Object.assign(out, read(at, depth + 1));
  }
  if (own.baseUrl) out.base = path.resolve(dir, own.baseUrl);
  if (own.paths) out.from = dir;
  return Object.assign(out, own);
}

function located(dir, name) {
  if (/^\.|^\//.test(name)) return path.resolve(dir, /\.json$/.test(name) ? name : name + '.json');
  for (const n of [name, name + '.json', name + '/tsconfig.json']) {
    try {
      return require.resolve(n, { paths: [dir] });
    } catch {}
  }
  return '';
}

const known = new Map(); // by folder

/** All options for the files of a folder of the tree: those of the next file above it. */
function all(dir) {
  if (known.has(dir)) return known.get(dir);
  const file = path.join(dir, 'tsconfig.json');
  const own = tree.read(file) ? read(file) : dir === tree.TREE || !dir.startsWith(tree.TREE) ? {} : all(path.dirname(dir));
  known.set(dir, own);
  return own;
}

/** What of them changes what a file does. */
function options(relative) {
  const of = all(path.dirname(tree.within(relative)));
  return Object.fromEntries(TELLING.filter((k) => of[k] !== undefined).map((k) => [k, of[k]]));
}

/** The places, without endings, that paths give a name which a file of the tree imports. */
function mapped(relative, name) {
  const of = all(path.dirname(tree.within(relative)));
  const out = [];
  for (const [pattern, places] of Object.entries(of.paths || {})) {
    const [head, tail] = pattern.split('*');
    if (tail === undefined ? name !== pattern : !(name.startsWith(head) && name.endsWith(tail) && name.length >= head.length + tail.length)) continue;
    const part = tail === undefined ? '' : name.slice(head.length, name.length - tail.length);
    out.push(...[].concat(places).map((p) => path.resolve(of.base || of.from, p.replace('*', () => part))));
  }
  if (of.baseUrl) out.push(path.resolve(of.base, name));
  return out.map((p) => path.relative(tree.TREE, p).split(path.sep).join('/')).filter((p) => !p.startsWith('..'));
}

module.exports = { mapped, options };
