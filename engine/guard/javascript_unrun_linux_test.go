package guard_test

import (
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// The script of the tests needs what is not there; the tests themselves do not.
func TestTestsOfJavaScriptWhoseScriptCannotRunAreRecordedAllTheSame(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{
		"package.json": `{"name": "kit", "main": "index.js", "scripts": {"test": "no-such-runner --all"}}`,
		"index.js": `'use strict';
exports.Net = class Net {
  constructor() { this.edges = []; }
  join(a, b) { this.edges.push([a, b]); return this; }
};
exports.walk = { reach(net, from) {
  const out = [from];
  for (const at of out) for (const [a, b] of net.edges) if (a === at && !out.includes(b)) out.push(b);
  return out;
} };
`,
		"test/kit.test.js": `const { Net, walk } = require('..');
const expect = require('assert').deepStrictEqual;
describe('walk', () => {
  it('reaches', () => {
    const net = new Net().join('a', 'b');
    net.join('b', 'c');
    expect(walk.reach(net, 'a').sort(), ['a', 'b', 'c']);
  });
});
`,
	}
	wantOnly(t, mustCheckJavaScript(t, guard.Options{Cases: 200}, files, "index.js", "out.push(b)", "out.splice(1, 0, b)"), "index.walk.reach")
}
