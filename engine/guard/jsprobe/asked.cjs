// What code reads of objects by names: of those that hold options, and of any.
'use strict';
const { OPTIONS } = require('./gates.cjs');
const { FUNCTIONS, nameOf, walk } = require('./source.cjs');

const OF_ALL = /^(length|size|prototype|constructor|__proto__)$/; // names that are no options
const SHORT = 80; // characters of code around a difference that is read with it

/** The parameters of a function that are an object of options by what they are where nothing is given: `(list, o = {})`. */
function objectsOf(f) {
  return f.params.filter((p) => p.type === 'AssignmentPattern' && p.left.type === 'Identifier' && p.right.type === 'ObjectExpression' && p.right.properties.length === 0).map((p) => p.left.name);
}

/** Whether a node is an object of options: `options`, `this.options`, and what has one of the names. */
function holds(node, names) {
  return Boolean(node) && (node.type === 'Identifier' || (node.type === 'MemberExpression' && !node.computed)) && (OPTIONS.test(nameOf(node)) || (node.type === 'Identifier' && names.has(node.name)));
}

/** Whether a node gives options, or some of them beside others: `options || {}`, `{ ...standard, ...options }`. */
function gives(node, names) {
  if (!node) return false;
  if (node.type === 'LogicalExpression') return holds(node.left, names);
  if (node.type === 'ObjectExpression') return node.properties.some((p) => p.type === 'SpreadElement' && holds(p.argument, names));
  return holds(node, names) || (node.type === 'CallExpression' && nameOf(node.callee) === 'assign' && node.arguments.some((n) => holds(n, names)));
}

/** The names of a pattern such as `{ loose = false } = {}`. */
function keysOf(pattern) {
  const of = pattern && pattern.type === 'AssignmentPattern' ? pattern.left : pattern;
  return of && of.type === 'ObjectPattern' ? of.properties.filter((p) => p.key && !p.computed).map((p) => nameOf(p.key)) : [];
}

/** The name of a member, also in quotes. */
function member(node) {
  if (!node.computed) return nameOf(node.property);
  return node.property.type === 'Literal' && typeof node.property.value === 'string' ? node.property.value : '';
}

/** The options that one node reads; names are those of objects that hold some beside what is called so. */
function optionsOf(node, names) {
  switch (node.type) {
    case 'MemberExpression':
      return holds(node.object, names) ? [member(node)].filter(Boolean) : [];
    case 'VariableDeclarator':
      return gives(node.init, names) ? keysOf(node.id) : [];
    case 'AssignmentExpression':
      return gives(node.right, names) ? keysOf(node.left) : [];
    case 'BinaryExpression':
      return node.operator === 'in' && holds(node.right, names) && typeof node.left.value === 'string' ? [node.left.value] : [];
  }
  return FUNCTIONS.includes(node.type) ? keysOf(node.params[node.params.length - 1]) : [];
}

/** The names that one node reads of any object. */
function readOf(node) {
  if (node.type === 'MemberExpression') return [member(node)];
  if (node.type === 'ObjectPattern') return keysOf(node);
  return node.type === 'BinaryExpression' && node.operator === 'in' && typeof node.left.value === 'string' ? [node.left.value] : [];
}

/** What code within two places of a function, and close to them, reads: options, and names of any object that are not called. */
function askedIn(root, [from, to], names) {
  const asked = [];
  const read = [];
  const called = new Set();
  walk().full(root, (n) => {
    if (n.type === 'CallExpression') called.add(n.callee);
    if (n.end < from || to < n.start || n.end - n.start > to - from + SHORT) return;
    asked.push(...optionsOf(n, names));
    read.push([n, readOf(n)]);
  });
  return { asked, read: read.filter(([n]) => !called.has(n)).flatMap(([, list]) => list).filter((name) => name && !OF_ALL.test(name)) };
}

module.exports = { askedIn, objectsOf, optionsOf };
