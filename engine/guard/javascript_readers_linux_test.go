package guard_test

import "testing"

const jsSteps = `'use strict';
class Step {
  constructor(at) {
    this._at = at;
  }
  getPlace() {
    return this._at;
  }
  get next() {
    return this._at + 1;
  }
}
function steps(from, to, by) {
  const out = [];
  for (let at = from; at <= to; at += Math.floor((to - from) / by) || 1) out.push(new Step(at));
  return out;
}
module.exports = { steps, Step };
`

const jsStepsTest = `const test = require('node:test');
const assert = require('node:assert');
const { steps } = require('..');
test('it steps', () => {
  assert.equal(steps(0, 10, 5).length, 6);
  assert.equal(steps(0, 4, 2)[1].getPlace(), 2);
});
`

func TestObjectsInAResultOfJavaScriptTellOfThemselves(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": jsSteps, "test/steps.test.js": jsStepsTest}, "index.js", []jsEdited{
		{"parts that are not whole", "out.push(new Step(at))", "out.push(new Step(from + out.length * (to - from) / by))", "index.steps"},
		{"the same in other words", "Math.floor((to - from) / by) || 1", "Math.max(Math.floor((to - from) / by), 0) || 1", ""},
	})
}
