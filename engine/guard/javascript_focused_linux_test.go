package guard_test

import (
	"fmt"
	"strings"
	"testing"
)

const jsRing = `class Ring {
  constructor(...items) {
    this.items = items;
  }

  add(...more) {
    this.items.push(...more);
    return this;
  }

  tail(from, ...rest) {
    return this.items.slice(from).concat(rest);
  }

  get(n) {
    for (let i = 0; i < this.items.length; i++) if (i === n) return this.items[i];
    return undefined;
  }
}
module.exports = { Ring };
`

// jsRingTest calls one object again and again, with get once among dozens of calls.
func jsRingTest() string {
	var calls strings.Builder
	for i := range 20 {
		fmt.Fprintf(&calls, "  ring.add(%d, %d, %d);\n  ring.tail(%d, %d, %d);\n", i, 2*i, 3*i, i, -i, i+7)
	}
	return "const test = require('node:test');\nconst assert = require('node:assert');\nconst { Ring } = require('..');\n\ntest('ring', () => {\n  const ring = new Ring(1, 2, 3);\n" +
		calls.String() + "  assert.strictEqual(ring.get(9999), undefined);\n" + "});\n"
}

func TestAChangedMethodOfALongLifeIsAlsoCalledAlone(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": jsRing, "test/ring.test.js": jsRingTest()}, "index.js", []jsEdited{
		{"from behind where a number is below zero", "    for (let i = 0;", "    if (n < 0) return this.items.at(n);\n    for (let i = 0;", "index.Ring"},
		{"the same in other words", "    return undefined;\n", "", ""},
	})
}

const jsBag = `'use strict';
function Bag(items) {
  this.items = items;
}

Object.defineProperty(Bag.prototype, 'sorted', {
  get: function () {
    return this.items.slice().sort((a, b) => a - b);
  },
});

Bag.prototype.add = function (item) {
  return new Bag(this.items.concat([item]));
};

module.exports = () => new Bag([]);
`

const jsBagTest = `const test = require('node:test');
const assert = require('node:assert');
const bag = require('..');

test('bag', () => {
  assert.deepStrictEqual(bag().sorted, []);
  assert.deepStrictEqual(bag().add(3).add(1).sorted, [1, 3]);
  assert.strictEqual(bag().add(2).items.length, 1);
});
`

func TestAGetterThatIsDefinedByACallIsReadTwice(t *testing.T) {
	t.Parallel()
	const was = "    return this.items.slice().sort((a, b) => a - b);"
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": jsBag, "test/bag.test.js": jsBagTest}, "index.js", []jsEdited{
		{"a list that is made once", was, "    if (!this._sorted) Object.defineProperty(this, '_sorted', { value: this.items.slice().sort((a, b) => a - b) });\n    return this._sorted;", "index.kit"},
		{"the same in other words", was, "    return [...this.items].sort((a, b) => a - b);", ""},
	})
}
