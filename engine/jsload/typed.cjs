// Takes away types and the syntax of modules with what the project itself has installed: nothing is fetched. Lines of the
// result lead back to those of the source by the map at its end, or are the same.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const { options } = require('./tsconfig.cjs');
const tree = require('./tree.cjs');

const TYPES = /\.([cm]?ts|tsx|jsx)$/;
const MODULE = /^[ \t]*(?:import\b[ \t]*[^(.=\s]|export\b[ \t]*[^.=\s])/m;
const AROUND = ['vite', 'vitest', 'tsx', 'tsup', 'unbuild', 'ts-jest', 'ts-node', '@swc/jest', 'esbuild-jest', 'esbuild-register', 'babel-jest', 'jest', '@jest/core', '@jest/transform'];

/** Where a package of the project lies, '' for nowhere: hoisted, in the folder of pnpm, or beside one that needs it. */
function find(name) {
  const from = [tree.TREE];
  for (const dir of from) {
    try {
      return require.resolve(name, { paths: [dir] });
    } catch {}
    if (from.length < 40) AROUND.forEach((other) => inside(dir, other).forEach((d) => from.includes(d) || from.push(d)));
  }
  return stored(name);
}

/** The folder of a package as it is seen from another folder. */
function inside(dir, name) {
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at)) {
    try {
      return [fs.realpathSync(path.join(at, 'node_modules', name))];
    } catch {}
  }
  return [];
}

function stored(name) {
  const store = tree.within('node_modules/.pnpm');
  try {
    const dir = fs.readdirSync(store).filter((d) => d.startsWith(name.replace('/', '+') + '@')).sort().pop();
    return dir ? require.resolve(path.join(store, dir, 'node_modules', name)) : '';
  } catch {
    return '';
  }
}

const jsx = (name) => /x$|\.js$/.test(name);

const TOOLS = {
  esbuild: (tool) => (name, text, common) => tool.transformSync(text, {
    loader: /\.jsx?$|\.[cm]js$/.test(name) ? 'jsx' : /\.tsx$/.test(name) ? 'tsx' : 'ts', format: common ? 'cjs' : undefined, platform: 'node', target: 'node' + process.versions.node.split('.')[0],
    sourcemap: common ? 'inline' : false, sourcesContent: false, sourcefile: path.basename(name), supported: common ? { 'dynamic-import': false } : {}, tsconfigRaw: { compilerOptions: options(name) }, logLevel: 'silent',
  }).code,
  typescript: (ts) => ts.transpileModule && ts.ScriptTarget.ES2022 && ((name, text, common) => ts.transpileModule(text, {
    fileName: name.replace(/\.[cm]?js$/, '.jsx').replace(/\.[cm]ts$/, '.ts'),
    compilerOptions: { ...ts.convertCompilerOptionsFromJson(options(name), tree.TREE).options, module: common ? ts.ModuleKind.CommonJS : ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, inlineSourceMap: common, sourceMap: false, esModuleInterop: true, allowJs: true, isolatedModules: true, verbatimModuleSyntax: false, jsx: jsx(name) ? ts.JsxEmit.React : undefined },
  }).outputText),
  '@swc/core': (swc) => (name, text, common) => swc.transformSync(text, {
    filename: name, swcrc: false, configFile: false, isModule: true, sourceMaps: common ? 'inline' : false, module: { type: common ? 'commonjs' : 'es6' },
    jsc: { target: 'es2022', parser: /\.[cm]?tsx?$/.test(name) ? { syntax: 'typescript', tsx: jsx(name), decorators: true } : { syntax: 'ecmascript', jsx: true, decorators: true }, transform: { legacyDecorator: Boolean(options(name).experimentalDecorators), decoratorMetadata: Boolean(options(name).emitDecoratorMetadata), useDefineForClassFields: options(name).useDefineForClassFields } },
  }).code,
  sucrase: (tool) => (name, text, common) => tool.transform(text, { transforms: ['typescript', ...(jsx(name) ? ['jsx'] : []), ...(common ? ['imports'] : [])], filePath: name, disableESTransforms: true }).code,
  '@babel/core': (babel) => (name, text, common) => babel.transformSync(text, { filename: tree.within(name), cwd: tree.TREE, envName: 'test', sourceMaps: common ? 'inline' : false, caller: { name: 'atoll', supportsStaticESM: !common, supportsDynamicImport: !common } }).code,
};

let chosen;

/** What takes types away here: {name, turn}, null where the project has nothing for it. Metadata of decorators are no matter of esbuild and sucrase. */
function tool() {
  if (chosen !== undefined) return chosen;
  chosen = null;
  const metadata = options('index.ts').emitDecoratorMetadata;
  for (const name of Object.keys(TOOLS).filter((n) => !metadata || !/^(esbuild|sucrase)$/.test(n))) {
    const file = find(name);
    if (!file) continue;
    try {
      const turn = TOOLS[name](require(file));
      if (turn && turn('a.js', 'export const a = 1', true).includes('exports')) return (chosen = { name, turn });
    } catch {} // it is broken, or made for another system
  }
  return chosen;
}

const isTyped = (name) => TYPES.test(name);

/** The text of a file as JavaScript that can be read: without types, its lines are others. As it is where they cannot be taken away. */
function bare(name, text) {
  if (!isTyped(name) || text === '' || !tool()) return text;
  try {
    return tool().turn(name, text, false);
  } catch {
    return text;
  }
}

const known = new Map(); // what was turned, by names and texts

const keyOf = (name, text) => crypto.createHash('sha256').update(name + '\0' + text).digest('hex');

/** Takes what another process turned, so that it is not done again in each of them. */
function know(texts) {
  for (const [key, text] of Object.entries(texts || {})) known.set(key, text);
}

/** The text of a file as it is required, null where it stays as it is. */
function common(name, text) {
  if (!isTyped(name) && !MODULE.test(text)) return null;
  const key = keyOf(name, text);
  if (known.has(key)) return known.get(key);
  const file = process.env.ATOLL_GUARD_CACHE && path.join(process.env.ATOLL_GUARD_CACHE, key);
  if (file && fs.existsSync(file)) return fs.readFileSync(file, 'utf8');
  if (!tool()) {
    if (isTyped(name)) throw new Error(missing());
    return null;
  }
  const out = turned(name, text);
  known.set(key, out);
  if (file) fs.writeFileSync(file, out);
  return out;
}

const META = 'const __atoll_meta = {url: require("url").pathToFileURL(__filename).href, filename: __filename, dirname: __dirname, env: process.env};';

function turned(name, text) {
  const asks = /\bimport\.meta\b/.test(text);
  return tool().turn(name, asks ? META + text.replace(/^#!.*/, '').replace(/\bimport\.meta\b/g, '__atoll_meta') : text, true);
}

/** What is to be installed before TypeScript can be compared. */
function missing() {
  const has = (f) => fs.existsSync(tree.within(f));
  const manager = has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : has('bun.lock') || has('bun.lockb') ? 'bun' : 'npm';
  const all = { ...tree.pkg().dependencies, ...tree.pkg().devDependencies };
  const named = Object.keys(TOOLS).concat(AROUND).some((n) => all[n]);
  return `types are taken away with what the project has installed, and node_modules has none of ${Object.keys(TOOLS).join(', ')}: ${named ? manager + ' install' : manager === 'npm' ? 'npm install --save-dev typescript@5' : manager + ' add -D typescript@5'}`;
}

module.exports = { bare, common, isTyped, know, known: () => Object.fromEntries(known), missing, tool };
