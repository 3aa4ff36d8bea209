// The constants of what changed: inputs at and beside them tell two versions apart.
'use strict';
const { objectsOf, optionsOf } = require('./asked.cjs');
const { gates } = require('./gates.cjs');
const { reads } = require('./numerals.cjs');
const { separatorsOf } = require('./separators.cjs');
const { FUNCTIONS, nameOf, walk } = require('./source.cjs');

const MOST = { ints: 24, floats: 12, texts: 40, chars: 24, options: 24, asked: 8, read: 8, patterns: 12, lists: 12, sizes: 10, separators: 6 };
const BY_CALLERS = 12; // of texts, characters and options that the change has with those of functions that call it
const MOST_GATES = 6;
const INLINE = 200; // characters of a function that is read with what is around it
const MOST_SIZE = 300; // of a part of a text

const OF_OTHERS = ['texts', 'chars', 'options', 'separators']; // that functions beside the change give it

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

/** Whether a node asks an object for a name that is no place of a list. */
function isKeyed(node) {
  if (node.type === 'BinaryExpression') return node.operator === 'in';
  return node.type === 'MemberExpression' && node.computed && !/^(Literal|BinaryExpression|UpdateExpression|UnaryExpression)$/.test(node.property.type) && !PLACES.test(nameOf(node.property));
}

/** The numbers that a node has lengths, counts or differences of places meet. names are constants that the module knows. */
function sizesOf(node, names) {
  const value = (n) => {
    const own = n.type === 'Identifier' && names.has(n.name) ? names.get(n.name) : [];
    return own.length === 1 ? valueOf(own[0]) : valueOf(n);
  };
  const out = [];
  if (node.type === 'BinaryExpression' && /^([<>]=?|[!=]==?)$/.test(node.operator)) {
    for (const [n, other] of [[node.left, node.right], [node.right, node.left]]) {
      const counts = other.type === 'BinaryExpression' || /^(length|size)$/.test(nameOf(other));
      if (counts || (/^[<>]/.test(node.operator) && (value(n) < LEAST_CODE || !/^Call|^Member/.test(other.type)))) out.push(value(n));
    }
  }
  if (node.type === 'CallExpression' && OF_SIZE.test(nameOf(node.callee))) out.push(...node.arguments.map((n) => Math.abs(value(n))));
  if (node.type === 'Literal' && node.regex) for (const m of node.regex.pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) out.push(Number(m[1]), ...(m[2] ? [Number(m[2])] : []));
  return out.filter((n) => Number.isInteger(n) && n >= 0 && n <= MOST_SIZE);
}

/** Whether a node is a list of numbers. */
function isNumbers(node) {
  return node.type === 'ArrayExpression' && node.elements.length > 1 && node.elements.every((n) => valueOf(n) !== undefined);
}

/** Characters that a regular expression names. */
function charsOf(source) {
  const out = new Set();
  for (const m of source.matchAll(/\\([sdwnrt.*+?^${}()|[\]\\/-])|\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2}))|([^\\^$*+?()[\]{}|])/gu)) {
    const code = m[2] || m[3];
    if (code) out.add(String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)));
    else if (m[1]) out.add({ s: ' ', d: '7', w: 'w', n: '\n', r: '\r', t: '\t' }[m[1]] || m[1]);
    else out.add(m[4]);
  }
  return [...out];
}

/** A table of names alone: code may name toString. */
const named = (table) => Object.assign(Object.create(null), table);

const OF_TYPEOF = named({ string: ['string'], number: ['number'], boolean: ['boolean'], function: ['fn'], object: ['obj', 'null', 'arr'], undefined: ['undef'], symbol: ['sym'], bigint: ['big'] });
const OF_CLASS = named({ Array: ['arr'], Date: ['date'], RegExp: ['re'], Map: ['map'], Set: ['set'], Error: ['err'], Function: ['fn'], Object: ['obj'], String: ['box', 'string'], Number: ['box', 'number'] });
const OF_CALL = named({
  'Array.isArray': ['arr', 'obj'], String: ['key'], Number: ['key'], parseInt: ['key'], parseFloat: ['key'], Boolean: ['undef', 'key'],
  'Number.isInteger': ['key'], 'Number.isFinite': ['key'], isNaN: ['key', 'undef'], 'Buffer.isBuffer': ['typed'], 'Object.getOwnPropertySymbols': ['sym'], 'Reflect.ownKeys': ['sym'], 'ArrayBuffer.isView': ['typed'],
});
const TURNS = ['Number', 'parseInt', 'parseFloat', 'String'];
const OF_EQUALITY = /^(includes|indexOf|lastIndexOf|isNaN|isFinite|is|has|isInteger)$/;
const OF_SIGN = /^(sign|min|max|is|atan2)$/;
const OF_CODES = /^(charCodeAt|codePointAt|fromCharCode|fromCodePoint)$/;
const PLACES = /^([a-z]|at|idx|index|pos|position|offset|start|end|from|to|low|high|mid|left|right|last|first|cursor)$/i; // names of what counts
const OF_SIZE = /^(slice|substr|substring|padStart|padEnd|repeat)$/;
const LEAST_CODE = 32; // of characters that are seen
const MOST_CODES = 32; // characters by numbers
const CODES = [0x7f, 0x80, 0xff, 0x100, 0x7ff, 0x800, 0xffff, 0x10000, 0x100000, 0x10ffff]; // at which their forms change
const OF_ORDER = /^(sort|toSorted|sorted|sortBy|orderBy|ascending|descending)$/i;
const TABLES = /cache|memo|known|seen|table|map|dict|lookup/i; // names of what is asked by keys
const ORDERS = /^_*(cmp|compar|less|before$|after$|order|sort|precedes)/i;

function spelled(node) {
  return node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' && node.object.type === 'Identifier' ? node.object.name + '.' + nameOf(node) : '';
}

/** The names in what a node makes numbers or texts of: of `Number(of.size)` and of `of.sizes.map(Number)`. */
function turns(node) {
  const is = (n) => n.type === 'Identifier' && TURNS.includes(n.name);
  const from = [];
  if (node.type === 'UnaryExpression' && node.operator === '+') from.push(node.argument);
  if (node.type === 'CallExpression' && is(node.callee)) from.push(...node.arguments.slice(0, 1));
  if (node.type === 'CallExpression' && node.arguments.some(is)) from.push(node.callee, ...node.arguments.filter((n) => !is(n)));
  const names = [];
  from.forEach((n) => walk().full(n, (x) => x.type === 'Identifier' ? names.push(x.name) : x.type === 'MemberExpression' && names.push(nameOf(x))));
  return names;
}

/** The types that a node asks a value for, as kinds of nodes of values; 'key' stands for what texts and numbers become alike. */
function asked(node) {
  switch (node.type) {
    case 'BinaryExpression': {
      if (node.operator === 'instanceof') return OF_CLASS[nameOf(node.right)] || (/Array$/.test(nameOf(node.right)) ? ['typed'] : []);
      if (!/^[!=]==?$/.test(node.operator)) return [];
      const [type, other] = node.left.type === 'UnaryExpression' ? [node.left, node.right] : [node.right, node.left];
      if (type.type === 'UnaryExpression' && type.operator === 'typeof') return OF_TYPEOF[other.value] || [];
      const nothing = [node.left, node.right].some((n) => (n.type === 'Literal' && n.raw === 'null') || (n.type === 'Identifier' && n.name === 'undefined') || (n.type === 'UnaryExpression' && n.operator === 'void'));
      return nothing ? ['undef', 'null'] : [];
    }
    case 'CallExpression':
    case 'NewExpression':
      return OF_CALL[spelled(node.callee)] || (/toString\.call$/.test(spelled(node.callee)) || (nameOf(node.callee) === 'call' && nameOf(node.callee.object) === 'toString') ? ['date', 're', 'arr', 'obj', 'null', 'undef', 'fn', 'err'] : []);
    case 'AssignmentPattern':
    case 'ChainExpression':
      return ['undef', 'null'];
    case 'LogicalExpression':
      return node.operator === '??' ? ['undef', 'null'] : node.operator === '||' && node.left.type !== 'BinaryExpression' && node.left.type !== 'LogicalExpression' ? ['undef'] : [];
    case 'AssignmentExpression':
      return node.operator === '??=' || node.operator === '||=' ? ['undef', 'null'] : node.left.type === 'MemberExpression' && node.left.computed && TABLES.test(nameOf(node.left.object)) ? ['key'] : [];
    case 'UnaryExpression':
      return node.operator === '!' && node.argument.type === 'Identifier' ? ['undef'] : node.operator === '+' ? ['key'] : [];
    case 'Identifier':
      return node.name === 'arguments' ? ['undef'] : [];
  }
  return [];
}

class Constants {
  constructor() {
    this.kinds = new Set();
    this.codes = false; // its numbers may be those of characters
    this.signed = false; // it may tell 0 from -0
    this.equal = false; // it may tell what is no number from itself
    this.nan = false; // it asks for what is no number
    this.reads = false; // it makes numbers of texts
    this.catches = false; // it goes on where what it calls throws
    this.keyed = false; // it asks an object for names that it is given
    this.orders = false; // it puts values in an order that somebody gives
    this.sorts = false; // it puts values in any order
    this.ints = new Set();
    this.floats = new Set();
    this.texts = new Set();
    this.chars = new Set();
    this.options = new Set();
    this.asked = new Set(); // options that it reads where versions differ
    this.read = new Set(); // names that it reads of any object there
    this.objects = new Set(); // names of objects that hold options, beside what is called so
    this.patterns = new Set(); // regular expressions
    this.lists = new Set(); // of numbers, as JSON
    this.turned = new Set(); // names of what numbers are made of, and #0 for the first parameter
    this.sizes = new Set(); // that it asks of lengths and counts
    this.separators = new Set(); // options that are one character, with the one that stands for them, as JSON
    this.gates = new Set(); // what options have to be together for the way to the change, as JSON
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

  types(node) {
    asked(node).forEach((k) => this.kinds.add(k));
    turns(node).forEach((name) => this.turned.add(name));
    if (node.type === 'CallExpression' && OF_EQUALITY.test(nameOf(node.callee))) this.equal = true;
    if (node.type === 'CallExpression' && OF_CODES.test(nameOf(node.callee))) this.codes = true;
    if (node.type === 'CallExpression' && OF_SIGN.test(nameOf(node.callee))) this.signed = true;
    if (node.type === 'CallExpression' && OF_ORDER.test(nameOf(node.callee))) this.sorts = true;
    if (node.type === 'CallExpression' && nameOf(node.callee) === 'isNaN') this.nan = true;
    if (isKeyed(node)) this.keyed = true;
    if (reads(node)) this.reads = true;
    if ((node.type === 'CatchClause' && node.param) || (node.type === 'CallExpression' && nameOf(node.callee) === 'catch')) this.catches = true;
    if (node.type === 'NewExpression' && /^(Set|Map)$/.test(nameOf(node.callee))) this.equal = true;
    if (node.type === 'SwitchStatement') this.equal = true;
    if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(node.operator)) {
      const size = [node.left, node.right].some((n) => /^(length|size)$/.test(nameOf(n)));
      if (!size && [node.left, node.right].some((n) => valueOf(n) === 0)) this.signed = true;
      if (!size && node.left.type === 'Identifier' && spelled(node.left) === spelled(node.right)) this.equal = this.nan = true;
    }
    if ((node.type === 'CallExpression' && ORDERS.test(nameOf(node.callee))) || (node.type === 'Identifier' && ORDERS.test(node.name))) this.orders = true;
  }

  pattern(source) {
    this.patterns.add(source);
    charsOf(source).forEach((c) => this.chars.add(c));
  }

  option(name) {
    this.text(name);
    this.options.add(name);
  }

  /** Takes that a function may be given nothing where it asks a parameter whether it is there. */
  absent(f) {
    const names = new Set(f.params.filter((p) => p.type === 'Identifier').map((p) => p.name));
    if (names.size === 0) return;
    walk().full(f.body, (n) => {
      const asked = n.type === 'IfStatement' || n.type === 'ConditionalExpression' ? n.test : n.type === 'LogicalExpression' && n.operator === '&&' ? n.left : null;
      if (asked && asked.type === 'Identifier' && names.has(asked.name)) this.kinds.add('undef');
    });
  }

  /** Takes what one node holds; names are constants that the module knows. */
  take(node, names) {
    this.types(node);
    separatorsOf(node).forEach((s) => this.separators.add(JSON.stringify(s)));
    sizesOf(node, names).forEach((n) => this.sizes.add(n));
    if (FUNCTIONS.includes(node.type)) this.absent(node);
    if (FUNCTIONS.includes(node.type)) objectsOf(node).forEach((name) => this.objects.add(name));
    optionsOf(node, this.objects).forEach((name) => this.option(name));
    const v = valueOf(node);
    if (v !== undefined) this.number(v);
    else if (isNumbers(node)) this.lists.add(JSON.stringify(node.elements.map(valueOf)));
    else if (node.type === 'Literal' && typeof node.value === 'string') this.text(node.value);
    else if (node.type === 'Literal' && node.regex) this.pattern(node.regex.pattern);
    else if (node.type === 'Literal' && node.bigint) this.number(Number(node.bigint));
    else if (node.type === 'TemplateElement' && node.value.cooked) this.text(node.value.cooked);
    else if (node.type === 'Identifier' && names.has(node.name)) names.get(node.name).forEach((n) => this.take(n, new Map()));
  }
}

/** Takes all nodes of a function, or of a module, but for those of functions in it that pass over; short ones that a call is given are part of it. */
function collect(root, names, over) {
  const out = new Constants();
  const inline = new Set();
  const visit = (node, state, type) => {
    if (node !== root && FUNCTIONS.includes(node.type) && !inline.has(node) && over(node)) return;
    if (node.type === 'CallExpression') node.arguments.forEach((n) => n.end - n.start <= INLINE && inline.add(n));
    out.take(node, names);
    walk().base[type || node.type](node, state, visit);
  };
  visit(root, null, root.type);
  (root.params || []).forEach((p, i) => out.turned.has(nameOf(p.left || p)) && out.turned.add('#' + i));
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

/** The characters that have some numbers, and those beside them. */
function coded(ints) {
  const codes = ints.flatMap((c) => [c, c - 1, c + 1]).filter((c) => c >= 0 && c <= 0x10ffff).slice(0, MOST_CODES);
  return [...new Set(codes.concat(CODES))].map((c) => String.fromCodePoint(c));
}

/** Joins constants of two versions: what only one has comes first, and what those name that call the change last. */
function joined(was, is, by = []) {
  const out = {};
  for (const kind of Object.keys(MOST)) {
    const of = (list) => new Set(list.flatMap((c) => [...c[kind]]));
    const a = of(was);
    const b = of(is);
    const own = [...b].filter((v) => !a.has(v)).concat([...a].filter((v) => !b.has(v)));
    out[kind] = own.concat([...a].filter((v) => b.has(v))).slice(0, MOST[kind]);
    if (OF_OTHERS.includes(kind)) by.forEach((c) => c[kind].forEach((v) => out[kind].length < BY_CALLERS && !out[kind].includes(v) && out[kind].push(v)));
  }
  const all = [...was, ...is];
  const ordered = all.some((c) => c.orders);
  if (all.some((c) => c.codes)) out.chars = [...new Set(coded(out.ints).concat(out.chars))];
  out.gates = [...new Set([...all, ...by].flatMap((c) => [...c.gates]))].slice(0, MOST_GATES).map((text) => JSON.parse(text));
  return { ...out, codes: all.some((c) => c.codes), turned: [...new Set(all.flatMap((c) => [...c.turned]))], kinds: [...new Set(all.flatMap((c) => [...c.kinds]))], orders: ordered, sorts: all.some((c) => c.sorts), nan: all.some((c) => c.nan), keyed: all.some((c) => c.keyed), catches: all.some((c) => c.catches), reads: all.some((c) => c.reads), signed: all.some((c) => c.signed) && !ordered, equal: all.some((c) => c.equal || c.signed) && !ordered };
}

/** The texts, characters and options of functions of a source that some call: what they do with those shows in what calls them. */
function called(found, nodes, names) {
  const of = new Set();
  nodes.forEach((node) => walk().full(node, (n) => n.type === 'CallExpression' && of.add(nameOf(n.callee))));
  return worded(found.filter((f) => of.has(f.name) && !nodes.has(f.node)), names);
}

/** The texts, characters and options of functions of a source that call some by their names: what is given to those comes through them. */
function calling(found, callees, names) {
  const isCall = (n) => (n.type === 'CallExpression' || n.type === 'NewExpression') && callees.has(nameOf(n.callee));
  const calls = (f) => {
    let out = false;
    walk().full(f.node, (n) => (out = out || isCall(n)));
    return out;
  };
  const list = found.filter(calls);
  const out = worded(list, names);
  list.forEach((f) => gates(f.node, out.options, isCall).forEach((g) => out.gates.add(JSON.stringify(g))));
  return out;
}

/** The texts, characters and options of some functions. */
function worded(found, names) {
  const out = new Constants();
  for (const f of found) {
    const own = collect(f.node, names, () => true);
    OF_OTHERS.forEach((kind) => own[kind].forEach((t) => out[kind].add(t)));
  }
  return out;
}

module.exports = { called, calling, collect, declared, joined, sizesOf };
