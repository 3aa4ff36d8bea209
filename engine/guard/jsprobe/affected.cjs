// What a change of sources can reach: the modules that load what changed, the functions that changed themselves, their
// constants, and what the new version does beyond its answers.
'use strict';
const { askedIn } = require('./asked.cjs');
const { beyond } = require('./beyond.cjs');
const { called, calling, collect, declared, joined, sizesOf } = require('./constants.cjs');
const { gatesOf } = require('./gates.cjs');
const { keeping } = require('./keeping.cjs');
const { differing, mark } = require('./marks.cjs');
const { functions, has, imports, outside, parse, walk, wordsOf } = require('./source.cjs');
const { owners, wholes } = require('./owners.cjs');
const { offered } = require('./recording.cjs');
const tree = require('./tree.cjs');
const { bare, common, isTyped, known, missing, tool } = require('./typed.cjs');

const MOST_CALLERS = 8; // files that load what changed and are read for its calls
const BESIDE = 80; // characters that what lies beside a difference is longer by
const last = (name) => name.split('.').pop(); // of a name of several parts
const KEEPING = /\bWeak(Map|Set|Ref)\b|cache|memo|scratch/i; // names of what is kept

/** Which files of the tree each of them loads. */
function loading() {
  return new Map(tree.files('source').map((f) => [f, imports(tree.read(tree.within(f))).flatMap((s) => tree.resolve(f, s))]));
}

/** The files that some load, those themselves among them. */
function loadedBy(files, loads) {
  const out = new Set(files);
  for (const file of out) (loads.get(file) || []).forEach((f) => out.add(f)); // what is added is walked, too
  return [...out];
}

/** The files of the tree from which some can be reached, those themselves among them. */
function reaching(changed, loads) {
  const out = new Set(changed);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [file, others] of loads) {
      if (out.has(file) || !others.some((o) => out.has(o))) continue;
      out.add(file);
      grown = true;
    }
  }
  return [...out];
}

/** The text of a file as node gets it; of an untyped one the types are taken away already. */
function required(name, text, untyped) {
  const out = common(untyped ? name.replace(/\.[cm]?tsx?$/, '.js') : name, text);
  return out === null ? text : out;
}

/** The names that a module declares in another way in one of two versions. */
function redeclared(a, b) {
  const of = (source) => new Map(source.ast.body.map((n) => n.declaration || n).filter((n) => n.type === 'VariableDeclaration').flatMap((n) => n.declarations).filter((n) => n.init && n.id.type === 'Identifier').map((n) => [n.id.name, wordsOf(source, n.start, n.end)]));
  const [was, is] = [of(a), of(b)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name));
}

/** The functions that mention some of the names, and where they first do. */
function mentioning(found, names) {
  const out = new Map();
  for (const f of found) walk().full(f.node, (n) => n.type === 'Identifier' && names.includes(n.name) && !out.has(f) && out.set(f, [n.start, n.end]));
  return out;
}

/** The names by which a source calls what a file of the tree exports as a whole. */
function importedAs(file, source, from) {
  const out = new Set();
  const own = (node) => node && typeof node.value === 'string' && tree.resolve(file, node.value).includes(from);
  walk().full(source.ast, (n) => {
    if (n.type === 'VariableDeclarator' && n.id.type === 'Identifier' && n.init && n.init.type === 'CallExpression' && n.init.callee.name === 'require' && own(n.init.arguments[0])) out.add(n.id.name);
    if (n.type === 'ImportDeclaration' && own(n.source)) n.specifiers.filter((s) => s.type === 'ImportDefaultSpecifier').forEach((s) => out.add(s.local.name));
  });
  return out;
}

/** The constants of functions that call what changed in a file: of that file, and of those that load it. */
function callers(name, text, changed, loads) {
  const out = [];
  const names = new Set(changed.map(last));
  const files = [name, ...[...loads].filter(([f, others]) => f !== name && others.includes(name)).map(([f]) => f).slice(0, MOST_CALLERS)];
  for (const file of files) {
    const source = parse(bare(file, file === name ? text : tree.read(tree.within(file))));
    if (!source) continue;
    out.push(calling(functions(source), file === name ? names : new Set([...names, ...importedAs(file, source, name)]), declared(source.ast)));
  }
  return out;
}

/** The constants of a function with what options have to be for the way to what differs in it, what it reads there, and its sizes there before others. */
function gated(constants, node, ranges, names) {
  if (!ranges.has(node)) return constants;
  const [from, to] = ranges.get(node);
  gatesOf(node, constants.options, ranges.get(node)).forEach((g) => constants.gates.add(JSON.stringify(g)));
  const { asked, read } = askedIn(node, ranges.get(node), constants.objects);
  constants.asked = new Set(asked);
  constants.read = new Set(read.filter((name) => !asked.includes(name)));
  const own = [];
  walk().full(node, (n) => from <= n.end && n.start <= to && n.end - n.start <= to - from + BESIDE && own.push(...sizesOf(n, names)));
  constants.sizes = new Set([...own, ...constants.sizes]);
  return constants;
}

/** What one file was and is. */
function compared(name, was, is) {
  const a = parse(bare(name, was));
  const b = parse(bare(name, is));
  if (!a || !b) return { whole: was !== is, names: [], constants: [[], []], marked: [], unread: has() ? 'it cannot be read as JavaScript' : 'this node gives no parser' };
  if (a.tokens.map((t) => t.text).join(' ') === b.tokens.map((t) => t.text).join(' ')) return { layout: true };
  const [fa, fb] = [functions(a), functions(b)];
  const known = (list) => new Set(list.map((f) => f.name + '\n' + f.words));
  const [ka, kb] = [known(fa), known(fb)];
  const new_ = (list, other) => list.filter((f) => !other.has(f.name + '\n' + f.words));
  const [ca, cb] = [new_(fa, kb), new_(fb, ka)];
  const whole = outside(a, fa) !== outside(b, fb);
  const other = whole ? redeclared(a, b) : [];
  const [ma, mb] = [mentioning(fa, other), mentioning(fb, other)]; // they did not change, and what they name did
  const ranges = new Map([...[...ma, ...mb].map(([f, range]) => [f.node, range]), ...differing(a, ca, b, cb)]);
  const constants = [[a, [...ca, ...ma.keys()], fa], [b, [...cb, ...mb.keys()], fb]].map(([source, changed, found]) => {
    const names = declared(source.ast);
    const nodes = new Set(changed.map((f) => f.node));
    const list = changed.map((f) => gated(collect(f.node, names, (n) => !nodes.has(n)), f.node, ranges, names)).concat([called(found, nodes, names)]);
    return whole ? list.concat([collect(source.ast, new Map(), () => true)]) : list;
  });
  const keeps = keeping(a, fa, [...ca, ...ma.keys()]) || keeping(b, fb, [...cb, ...mb.keys()]);
  return { whole, keeps, names: [...ca, ...cb].map((f) => f.name), constants, marked: [[was, a, [...ca, ...ma.keys()]], [is, b, [...cb, ...mb.keys()]]].map(([text, source, list]) => ({ was: required(name, text), is: required(name, mark(source, list, ranges), source.text !== text) })) };
}

async function affected(q) {
  const out = { modules: [], direct: [], changed: [], extra: [], beyond: [], notes: [] };
  if (Object.keys(q.sources).some(isTyped) && !tool()) return { ...out, missing: missing() };
  const real = [];
  const constants = [[], []];
  const changes = []; // what callers are looked for of
  const files = {};
  let keeps = false;
  for (const [name, is] of Object.entries(q.sources).sort()) {
    const was = tree.read(tree.within(name));
    const c = compared(name, was, is);
    if (c.layout) continue;
    real.push(name);
    if (c.unread) out.notes.push(`${name}: ${c.unread}; its constants are not known`);
    out.changed.push(...c.names);
    out.direct.push(tree.moduleOf(name));
    if (c.marked.length > 0) files[name] = c.marked;
    [0, 1].forEach((n) => constants[n].push(...c.constants[n]));
    if (!c.unread) changes.push([name, is, c.names]);
    keeps = keeps || c.keeps || (KEEPING.test(is) && !KEEPING.test(was));
    if (!c.unread) out.beyond.push(...beyond(bare(name, was), bare(name, is)).map((b) => ({ file: name, ...b })));
  }
  out.layout = real.length === 0;
  if (out.layout) return out;
  const loads = loading();
  const by = changes.flatMap((c) => callers(...c, loads));
  const reached = reaching(real, loads);
  out.modules = reached.map(tree.moduleOf);
  const entries = tree.entries().filter((f) => reached.includes(f));
  const exports = await offered(entries.length > 0 ? entries : real, {});
  out.extra = Object.keys(exports).filter((g) => 'n' in exports[g]);
  Object.assign(out, await owners(exports, loadedBy(entries, loads), reached, real));
  out.own.push(...(await wholes(exports, new Map(changes.map(([name, , names]) => [name, names])))));
  out.watch = { exports, files, texts: known(), edges: { ...joined(...constants, by), changed: [...new Set(out.changed.map(last))], keeps: keeps || out.beyond.some((b) => b.kept) } };
  return out;
}

module.exports = { affected };
