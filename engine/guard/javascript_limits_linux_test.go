package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

const jsFolding = `'use strict';
exports.folded = function (text, width) {
  const out = [];
  for (let rest = text; rest !== ''; rest = rest.slice(width)) out.push(rest.slice(0, width));
  return out.join('\n');
};
`

const jsFoldingTest = `const test = require('node:test');
const assert = require('node:assert');
const { folded } = require('..');
test('it folds', () => {
  assert.equal(folded('a long line', 4), 'a lo\nng l\nine');
  assert.equal(folded('short', 8), 'short');
});
`

// A width of 0, and what is no width, never ends.
func TestJavaScriptThatOftenDoesNotComeBackIsComparedWithManyInputs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code with calls that do not come back; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{"package.json": jsPackage, "index.js": jsFolding, "test/kit.test.js": jsFoldingTest}
	report := mustCheckJavaScript(t, guard.Options{Cases: 600}, files, "index.js", "return out.join('\\n')", "const all = out.join('\\n');\n  return all")
	wantOnly(t, report, "")
	if report.Cases < 800 {
		t.Errorf("%d inputs were compared", report.Cases)
	}
}

const jsSpans = `'use strict';
function spans(of, list) {
  const [count, parts] = [list[0] || 6, list[1] || 30];
  const start = of - ((360 / parts * count) >> 1);
  return Array.from({ length: count }, (_, i) => Math.round((start + i * 360 / parts + 720) % 360));
}
exports.Hue = class Hue {
  constructor(at) { this.at = at; }
  around() { return spans(this.at, arguments); }
};
`

const jsSpansTest = `const test = require('node:test');
const assert = require('node:assert');
const { Hue } = require('..');
test('it has others around it', () => {
  assert.deepEqual(new Hue(100).around(), [64, 76, 88, 100, 112, 124]);
  assert.equal(new Hue(10).around().length, 6);
});
`

func TestFunctionsThatTakeMoreThanTestsGiveGetMoreInJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{"package.json": jsPackage, "index.js": jsSpans, "test/kit.test.js": jsSpansTest}
	report := mustCheckJavaScript(t, guard.Options{}, files, "index.js", "((360 / parts * count) >> 1)", "360 / parts * count / 2")
	wantOnly(t, report, "index.Hue")
}

const jsSums = `'use strict';
exports.Sum = class Sum {
  constructor(v) { this.v = v; }
  plus(n) { return this.v + n; }
  rest(of, way) {
    const rest = this.v % of;
    return way === this.constructor.name + '-up' && rest > 0 ? rest - of : rest;
  }
};
`

const jsSumsTest = `const test = require('node:test');
const assert = require('node:assert');
const { Sum } = require('..');
test('it adds', () => {
  for (let i = 0; i < 1500; i++) assert.equal(new Sum(i).plus(1), i + 1);
});
test('it has a rest', () => {
  assert.equal(new Sum(7).rest(4, 'Sum-up'), -1);
});
`

func TestCallsOfLateObjectsOfJavaScriptAreRecordedWhereFewAreLikeThem(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{"package.json": jsPackage, "index.js": jsSums, "test/kit.test.js": jsSumsTest}
	report := mustCheckJavaScript(t, guard.Options{Cases: 600}, files, "index.js", "rest > 0 ? rest - of", "rest > 1 ? rest - of")
	wantOnly(t, report, "index.Sum")
}
