// The text of a function of the tree, as code that prints a value shows it: how it is written is nothing that it does.
'use strict';

const real = Function.prototype.toString;
const own = new WeakSet();

Function.prototype.toString = function toString() {
  const text = Reflect.apply(real, this, []);
  if (!own.has(this)) return text;
  const body = /=>|\{/.exec(text);
  return body ? text.slice(0, body.index) + body[0] + ' [code]' : text;
};

/** Has a function tell what it takes, and not how it is written, where it is made a text. */
function unread(f) {
  own.add(f);
}

module.exports = { unread };
