// The constants of what changed: inputs at and beside them tell two versions apart.
'use strict';
const { FUNCTIONS, nameOf, walk } = require('./source.cjs');

const MOST = { ints: 24, floats: 12, texts: 40, chars: 24 };

/** The number of an expression of numbers, undefined for any other. */
function valueOf(node) {
  if (!node) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const v = valueOf(node.argument);
    return v === undefined ? v : -v;
  }
  if (node.type !== 'BinaryExpression') return undefined;
  const a = valueOf(node.left);
  const b = valueOf(node.right);
  if (a === undefined || b === undefined) return undefined;
  const does = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '**': a ** b, '<<': a << b, '|': a | b, '%': a % b };
  return does[node.operator];
}

/** Characters that a regular expression names. */
function charsOf(source) {
  const out = new Set();
  for (const m of source.matchAll(/\\([sdwnrt.*+?^${}()|[\]\\/-])|\\u\{?([0-9a-fA-F]{4,6})\}?|([^\\^$*+?()[\]{}|])/gu)) {
    if (m[2]) out.add(String.fromCodePoint(Math.min(parseInt(m[2], 16), 0x10ffff)));
    else if (m[1]) out.add({ s: ' ', d: '7', w: 'w', n: '\n', r: '\r', t: '\t' }[m[1]] || m[1]);
    else out.add(m[3]);
  }
  return [...out];
}

class Constants {
  constructor() {
    this.ints = new Set();
    this.floats = new Set();
    this.texts = new Set();
    this.chars = new Set();
  }

  number(v) {
    if (Number.isSafeInteger(v)) this.ints.add(v);
    else if (Number.isFinite(v)) this.floats.add(v);
  }

  text(v) {
    if (v.length > 400 || v === 'use strict') return;
    this.texts.add(v);
    if ([...v].length === 1) this.chars.add(v);
  }

  /** Takes what one node holds; names are constants that the module knows. */
  take(node, names) {
    const v = valueOf(node);
    if (v !== undefined) this.number(v);
    else if (node.type === 'Literal' && typeof node.value === 'string') this.text(node.value);
    else if (node.type === 'Literal' && node.regex) charsOf(node.regex.pattern).forEach((c) => this.chars.add(c));
    else if (node.type === 'Literal' && node.bigint) this.number(Number(node.bigint));
    else if (node.type === 'TemplateElement' && node.value.cooked) this.text(node.value.cooked);
    else if (node.type === 'Identifier' && names.has(node.name)) names.get(node.name).forEach((n) => this.take(n, new Map()));
    else if (node.type === 'MemberExpression' && !node.computed && node.object.type === 'Identifier' && /^(opts?|options|config|settings|params|props)$/.test(node.object.name)) this.text(nameOf(node.property));
  }
}

/** Takes all nodes of a function, or of a module, but for those of functions in it that pass over. */
function collect(root, names, over) {
  const out = new Constants();
  const visit = (node, state, type) => {
    if (node !== root && FUNCTIONS.includes(node.type) && over(node)) return;
    out.take(node, names);
    walk().base[type || node.type](node, state, visit);
  };
  visit(root, null, root.type);
  return out;
}

/** The nodes of constants that a module declares, by name. */
function declared(ast) {
  const out = new Map();
  for (let s of ast.body) {
    if (s.type === 'ExportNamedDeclaration' && s.declaration) s = s.declaration;
    if (s.type !== 'VariableDeclaration') continue;
    for (const d of s.declarations) {
      if (!d.init || d.id.type !== 'Identifier' || FUNCTIONS.includes(d.init.type)) continue;
      const nodes = [];
      walk().full(d.init, (n) => (n.type === 'Literal' || n.type === 'TemplateElement' || valueOf(n) !== undefined) && nodes.length < 60 && nodes.push(n));
      out.set(d.id.name, nodes);
    }
  }
  return out;
}

/** Joins constants of two versions: what only one has comes first. */
function joined(was, is) {
  const out = {};
  for (const kind of Object.keys(MOST)) {
    const of = (list) => new Set(list.flatMap((c) => [...c[kind]]));
    const a = of(was);
    const b = of(is);
    const own = [...b].filter((v) => !a.has(v)).concat([...a].filter((v) => !b.has(v)));
    out[kind] = own.concat([...a].filter((v) => b.has(v))).slice(0, MOST[kind]);
  }
  return out;
}

module.exports = { collect, declared, joined };
