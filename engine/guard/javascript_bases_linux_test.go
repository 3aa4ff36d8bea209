package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const jsOnBases = `'use strict';
const { EventEmitter } = require('events');

class Pool extends EventEmitter {
  constructor(size) {
    super();
    this.size = size;
    this.busy = 0;
  }

  take() {
    if (this.busy >= this.size) return this.emit('full', this.busy);
    this.busy++;
    return true;
  }

  give() {
    if (this.busy > 0) this.busy--;
    this.emit('free', this.size - this.busy);
    return this;
  }
}

class Bag extends Map {
  put(key, n = 1) {
    return this.set(key, (this.get(key) || 0) + n);
  }

  set(key, n) {
    if (n > 0) super.set(key, n);
    else this.delete(key);
    return this;
  }
}

class Row extends Array {
  sum() {
    let sum = 0;
    for (const x of this) sum += x;
    return sum;
  }
}

class Failure extends Error {
  constructor(text, code) {
    super(text);
    this.code = code;
  }

  line() {
    return this.code + ': ' + this.message;
  }
}

module.exports = { Pool, Bag, Row, Failure };
`

// What an object has by a base class of node or of the language is called as its own is.
func TestObjectsOfJavaScriptAreAskedForWhatTheyHaveFromTheirBases(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	files := map[string]string{"package.json": jsPackage, "index.js": jsOnBases, "test/kit.test.js": `const test = require('node:test');
const assert = require('node:assert');
const { Pool, Bag, Row, Failure } = require('..');

test('it', () => {
  const pool = new Pool(1);
  const seen = [];
  pool.on('full', (n) => seen.push(n));
  pool.take();
  pool.take();
  pool.give();
  assert.deepStrictEqual(seen, [1]);
  const bag = new Bag();
  bag.put('a');
  bag.put('a', 2);
  assert.strictEqual(bag.get('a'), 3);
  const row = new Row();
  row.push(1, 2);
  assert.strictEqual(row.sum(), 3);
  assert.strictEqual(new Failure('x', 7).line(), '7: x');
});
`}
	root := mustJavaScriptTable(t, guard.Options{Cases: 200}, files)
	for _, c := range fewer([]jsEdited{
		{"an event that is not told", "    this.emit('free', this.size - this.busy);\n", "    if (this.listenerCount('full') === 0 || this.busy > 0) this.emit('free', this.size - this.busy);\n", "index.Pool"},
		{"an event that is told in another way", "this.emit('free', this.size - this.busy)", "this.emit('free', this.size - this.busy, this)", "index.Pool"},
		{"an order of keys", "super.set(key, n)", "super.delete(key) && false || super.set(key, n)", "index.Bag"},
		{"a list of which nothing is left", "    let sum = 0;\n    for (const x of this) sum += x;\n    return sum;\n", "    return this.length ? this.reduce((a, b) => a + b) : undefined;\n", "index.Row"},
		{"an error with a code of nothing", "this.code + ': '", "(this.code ? this.code + ': ' : '')", "index.Failure"},
		{"nothing: a loop in the place of a list's own", "    let sum = 0;\n    for (const x of this) sum += x;\n    return sum;\n", "    let sum = 0;\n    for (let i = 0; i < this.length; i++) sum += this[i];\n    return sum;\n", ""},
	}, jsEdited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOnly(t, root.mustCheck(t, "index.js", c.was, c.is), c.where)
		})
	}
}
