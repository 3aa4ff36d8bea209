package guard_test

import "testing"

const jsAmounts = `'use strict';
function Amount(v) {
  if (!(this instanceof Amount)) return new Amount(v);
  if (Amount.strict && typeof v === 'number') throw new TypeError('a number is no amount');
  this.v = BigInt(v);
}
Amount.strict = false;
Amount.prototype.rest = function (of) {
  return Amount((this.v % BigInt(of)).toString());
};
Amount.prototype.toString = function () {
  return this.v.toString();
};
module.exports = Amount;
`

const jsAmountsTest = `const test = require('node:test');
const assert = require('node:assert');
const Amount = require('..');
test('it has a rest', () => {
  assert.equal(Amount('17').rest('5').toString(), '2');
  assert.equal(new Amount('9').rest('3').toString(), '0');
});
`

func TestSettingsOfAJavaScriptFunctionAreSet(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": jsAmounts, "test/amount.test.js": jsAmountsTest}, "index.js", []jsEdited{
		{"a number that is refused where the function is strict", "return Amount((this.v", "if (this.v < 1000n && BigInt(of) === 5n) return Amount(Number(this.v) % 5);\n  return Amount((this.v", "index.kit"},
		{"the same in other words", "return Amount((this.v % BigInt(of)).toString());", "const rest = this.v % BigInt(of);\n  return new Amount(String(rest));", ""},
	})
}
