package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsEscaped = `function escaped(list) {
  return list.map((s) => s.replace(/[\x00-\x1f]/g, code)).join();
}
function code(c) {
  const n = c.charCodeAt(0);
  return '\\x' + (n < 0x10 ? '0' : '') + n.toString(16);
}`

const jsTold = `function told(pairs, options = {}) {
  const word = (x, own) => {
    if (typeof x === 'string') return own.quote === 'double' ? JSON.stringify(x) : "'" + x + "'";
    if (x instanceof Map) return '{' + [...x].map(([k, v]) => word(k, { quote: own.quote }) + ': ' + word(v, own)).join() + '}';
    return Array.isArray(x) ? '[' + x.map((y) => word(y, own)).join() + ']' : String(x);
  };
  return word(pairs, options);
}`

const jsKind = `function kind(x) {
  return toString(x) === '[object Array]' ? (x.length > 3 ? 'list' : 'few') : 'one';
}
function toString(x) {
  return Object.prototype.toString.call(x);
}`

// What a function does with values of a type, with an option or with the code of a character that no test gives shows where
// what runs the change is given them.
func TestWhatRunsTheChangeOfJavaScriptIsGivenValuesThatTheCodeAsksFor(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a bound of the codes of characters", jsEscaped, `escaped(['ab', 'c d']);`, `n < 0x10 ?`, `n < 0xf ?`, "index.escaped"},
		{"an option is not handed to the keys of a map", jsTold, `told(new Map([[1, ['b']], [2, 3]]));
  told(['b', 1], { quote: 'double' });`, `word(k, { quote: own.quote })`, `word(k, {})`, "index.told"},
		{"code that calls a function named as one that all objects have", jsKind, `kind([1, 2]);`, `x.length > 3`, `x.length > 4`, "index.kind"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"the bound of the codes is written as another one", jsEscaped, `escaped(['ab', 'c d']);`, `n < 0x10 ?`, `n <= 0xf ?`, ""},
	})
}
