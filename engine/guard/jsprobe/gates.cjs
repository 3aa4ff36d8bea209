// What options have to be for the way to a place of the code: the conditions around it ask for several together.
'use strict';
const { nameOf, walk } = require('./source.cjs');

const OPTIONS = /^(opts?|options|config|settings|params|props)$/; // names of what holds options

/** Notes what a condition asks of options where it holds, or where it does not. names are those of options that stand alone. */
function asks(test, holds, names, out) {
  if (test.type === 'UnaryExpression' && test.operator === '!') return asks(test.argument, !holds, names, out);
  if (test.type === 'LogicalExpression' && test.operator === (holds ? '&&' : '||')) return [test.left, test.right].forEach((n) => asks(n, holds, names, out));
  if (test.type === 'BinaryExpression' && /^[!=]==?$/.test(test.operator)) {
    const [of, value] = test.right.type === 'Literal' ? [test.left, test.right] : [test.right, test.left];
    const name = optionOf(of, names);
    if (name && value.type === 'Literal' && ['string', 'number', 'boolean'].includes(typeof value.value) && holds === (test.operator[0] === '=')) out.set(name, value.value);
    return;
  }
  const name = optionOf(test, names);
  if (name) out.set(name, holds);
}

/** The name of the option that a node reads, '' for none. */
function optionOf(node, names) {
  if (node.type === 'MemberExpression' && !node.computed && node.object.type === 'Identifier' && OPTIONS.test(node.object.name)) return nameOf(node.property);
  return node.type === 'Identifier' && names.has(node.name) ? node.name : '';
}

/** What the conditions ask that stand around a node; path are the nodes from the outermost to it. */
function around(path, names) {
  const out = new Map();
  path.slice(0, -1).forEach((n, i) => {
    const inner = path[i + 1];
    if ((n.type === 'IfStatement' || n.type === 'ConditionalExpression') && inner !== n.test) asks(n.test, inner === n.consequent, names, out);
    if (n.type === 'LogicalExpression' && inner === n.right && n.operator !== '??') asks(n.left, n.operator === '&&', names, out);
  });
  return [...out];
}

/** The options that the ways to some nodes of a function ask for, each of them as [name, value]. is(node) tells which they are. */
function gates(root, names, is) {
  const out = [];
  walk().fullAncestor(root, (node, path) => {
    if (!is(node)) return;
    const list = around(path, names);
    if (list.length > 0) out.push(list);
  });
  return out;
}

/** The same of what stands between two places. */
function gatesOf(root, names, [from, to]) {
  let least;
  walk().full(root, (n) => n.start <= from && to <= n.end && !(least && least.end - least.start < n.end - n.start) && (least = n));
  return least ? gates(root, names, (n) => n === least) : [];
}

module.exports = { OPTIONS, gates, gatesOf };
