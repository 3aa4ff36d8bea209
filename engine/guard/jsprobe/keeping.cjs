// Whether functions keep what they came to for their next calls, as it is written: what they look up they also put there.
'use strict';
const { FUNCTIONS, nameOf, walk } = require('./source.cjs');

const NAMED = /cache|memo/i; // names of what is kept
const LOOKS = /^(get|has)$/; // methods of what holds it

/** The names that a function binds for itself: what is made anew in each call. */
function bound(node) {
  const out = new Set();
  const bind = (p) => p && walk().full(p, (n) => n.type === 'Identifier' && out.add(n.name));
  node.params.forEach(bind);
  walk().full(node.body, (n) => {
    if (n.type === 'VariableDeclarator') bind(n.id);
    if (FUNCTIONS.includes(n.type)) n.params.forEach(bind);
  });
  return out;
}

/** The name that an expression begins with, 'this' among them. */
function rootOf(node) {
  while (node.type === 'MemberExpression') node = node.object;
  return node.type === 'ThisExpression' ? 'this' : node.type === 'Identifier' ? node.name : '';
}

/** Whether one function does. */
function keeps(source, node) {
  const own = bound(node);
  const text = (n) => source.text.slice(n.start, n.end);
  const outer = (n) => rootOf(n) !== '' && !own.has(rootOf(n));
  const [put, looked, left] = [new Set(), new Set(), new Set()];
  let named = false;
  const inTable = (object, key) => outer(object) && rootOf(object) !== 'this' && text(object) + '[' + text(key) + ']';
  walk().full(node, (n) => {
    if (n.type === 'Identifier' || n.type === 'MemberExpression') named = named || NAMED.test(nameOf(n));
    if (n.type === 'CallExpression' && n.callee.type === 'MemberExpression' && outer(n.callee.object)) {
      if (nameOf(n.callee.property) === 'set') put.add(text(n.callee.object));
      if (LOOKS.test(nameOf(n.callee.property))) looked.add(text(n.callee.object));
    }
    if (n.type === 'AssignmentExpression' && n.left.type === 'MemberExpression' && n.left.computed) {
      left.add(n.left);
      put.add(inTable(n.left.object, n.left.property));
    }
  });
  walk().full(node, (n) => {
    if (n.type === 'MemberExpression' && n.computed && !left.has(n)) looked.add(inTable(n.object, n.property));
    if (n.type === 'BinaryExpression' && n.operator === 'in') looked.add(inTable(n.right, n.left));
  });
  return named || [...put].some((what) => what && looked.has(what));
}

/** Whether some functions of a source do, or those that name them. found are all of its functions. */
function keeping(source, found, some) {
  const names = new Set(some.map((f) => f.name.split('.').pop()).filter(Boolean));
  const asks = (f) => {
    let out = false;
    walk().full(f.node, (n) => (out = out || ((n.type === 'Identifier' || n.type === 'MemberExpression') && names.has(nameOf(n)))));
    return out;
  };
  return some.concat(found.filter((f) => !some.includes(f) && asks(f))).some((f) => keeps(source, f.node));
}

module.exports = { keeping };
