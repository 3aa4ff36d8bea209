package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const jsPrinting = `'use strict';
function left(text, width) {
  while (text.length < width) text = ' ' + text;
  return text;
}
function printed(row, printer) {
  return Object.keys(row).map((key) => (printer || left)(key + '=' + row[key], 9)).join('\n');
}
module.exports = { left, printed };
`

const jsPrintingTest = `const test = require('node:test');
const assert = require('node:assert');
const { left, printed } = require('..');
test('it prints', () => {
  assert.equal(printed({ a: 1, b: 'two' }), '      a=1\n    b=two');
  assert.equal(printed({ a: 1 }, left), '      a=1');
  assert.ok(printed({ printer: left }).includes('left'));
});
`

func TestHowAFunctionOfJavaScriptIsWrittenIsNoDifference(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	root := mustJavaScriptTable(t, guard.Options{Cases: 200}, map[string]string{"package.json": jsPackage, "index.js": jsPrinting, "test/kit.test.js": jsPrintingTest})
	wantOnly(t, root.mustCheck(t, "index.js", "while (text.length < width) text = ' ' + text;\n  return text;", "let out = text;\n  while (out.length < width) out = ' ' + out;\n  return out;"), "")
}
