// Scripts and the values in them as a reader of JavaScript would write them.
'use strict';

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

const escaped = (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0');

/** Text in which pairs of surrogates stay as they are and single ones are told. */
function literal(text) {
  return JSON.stringify(text).replace(/[\u2028\u2029\x7f-\x9f\ufeff]/g, escaped); // which tells single surrogates
}

function key(name) {
  return typeof name === 'object' ? '[' + words(name) + ']' : IDENTIFIER.test(name) ? name : literal(name);
}

/** The text of what stands at each place of a long list, or in each of many calls, as nth of values.cjs makes it. */
function each(node, n) {
  if (typeof node === 'number') return `i < 8 ? ${node} : (i * 7919 + ${node}) % ${2 * n + 1}`;
  if (typeof node === 'string') return `i < 8 ? ${literal(node)} : ${literal(node.slice(0, 40))} + (i * 7919) % ${n}`;
  return '';
}

/** The text of a node. names[i] is the name of the result of step i. */
function words(node, names = []) {
  if (node === null || node === undefined) return 'null';
  if (typeof node === 'string') return literal(node);
  if (typeof node !== 'object') return String(node);
  const list = (nodes) => nodes.map((x) => (x && x.k === 'hole' ? '' : words(x, names))).join(', ');
  const { k, v } = node;
  const end = node.e ? ' + ' + literal(node.e) : '';
  switch (k) {
    case 'undef':
      return 'undefined';
    case 'num':
      return v;
    case 'big':
      return v + 'n';
    case 'sym':
      return v ? 'Symbol.' + v : 'Symbol(' + literal(node.d) + ')';
    case 'ref':
      return names[node.i] || 'v' + node.i;
    case 'lib':
      return nameOf(node.g);
    case 'fn':
      return node.src || node.as || 'x => x';
    case 'same':
      return '<the same again>';
    case 'arr':
      return '[' + list(v) + (v.length > 0 && v[v.length - 1] && v[v.length - 1].k === 'hole' ? ',' : '') + ']';
    case 'many':
      return v.length < 2 && each(v.length ? v[0] : 1, node.n) ? `Array.from({length: ${node.n}}, (_, i) => ${each(v.length ? v[0] : 1, node.n)})` : '[' + list(v) + ', … ' + node.n + ' items]';
    case 'text':
      return (v || 'x').length === 1 ? `${literal(v || 'x')}.repeat(${node.n})` + end : `${literal(v)}.repeat(${Math.ceil(node.n / v.length)}).slice(0, ${node.n})` + end;
    case 'date':
      return 'new Date(' + v + ')';
    case 're':
      return '/' + node.s + '/' + node.f;
    case 'set':
      return 'new Set([' + list(v) + '])';
    case 'map':
      return 'new Map([' + v.map(([a, b]) => '[' + list([a, b]) + ']').join(', ') + '])';
    case 'err':
      return 'new ' + node.t + '(' + literal(node.m) + ')';
    case 'typed':
      return node.t + '.of(' + list(v) + (node.n ? ', … ' + node.n + ' items' : '') + ')';
    case 'box':
      return 'Object(' + words(v, names) + ')';
  }
  const body = '{' + v.map(([name, x, how]) => (how ? 'get ' : '') + key(name) + ': ' + words(x, names)).join(', ') + '}';
  return node.z ? 'Object.freeze(' + body + ')' : node.n ? 'Object.assign(Object.create(null), ' + body + ')' : node.i ? 'Object.assign(Object.create(' + words(node.i, names) + '), ' + body + ')' : node.c ? 'a ' + node.c + ' ' + body : body;
}

/** The name of what a group is without its module. */
function nameOf(group) {
  return group.slice(group.indexOf(':') + 1);
}

function member(of, name) {
  if (name.startsWith('@@')) return of + '[Symbol.' + name.slice(2) + ']';
  return IDENTIFIER.test(name) ? of + '.' + name : of + '[' + literal(name) + ']';
}

/** What stands in something under a name or at a place. */
function within(of, name) {
  return /^\d+$/.test(name) ? of + '[' + name + ']' : member(of, name);
}

/** The text of a script: its calls one after the other, their results named where others use them. */
function scriptWords(script) {
  const used = new Set();
  const look = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.k === 'ref') used.add(node.i);
    Object.values(node).forEach(look);
  };
  script.forEach(look);
  const names = [];
  let next = 0;
  const said = script.map((s, i) => {
    let of = s.f.k === 'ref' ? names[s.f.i] : nameOf(s.f.g || '');
    if (s.m) of = member(of, s.m);
    const args = (s.a || []).map((a) => (s.r && each(a, s.r)) || words(a, names));
    const call = s.f.k === 'set' ? of + ' = ' + args[0] : s.w ? '/* writes to ' + (Array.isArray(s.w) ? s.w.reduce(within, of) : of) + ' */' : s.f.k === 'own' ? args[0] : s.g ? of : (s.p ? '/* not awaited */ ' : '') + (s.r ? 'for (i = 0; i < ' + s.r + '; i++) ' : '') + (s.n ? 'new ' : '') + of + '(' + args.join(', ') + ')';
    if (!used.has(i)) return call;
    names[i] = String.fromCharCode(97 + (next % 26)) + (next > 25 ? Math.floor(next / 26) : '');
    next++;
    return names[i] + ' = ' + call;
  });
  return said.join('; ');
}

module.exports = { literal, nameOf, scriptWords, words };
