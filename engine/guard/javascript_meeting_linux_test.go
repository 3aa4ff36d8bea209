package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsQuery = `function query(record, options = {}) {
  const out = [];
  const mark = options.mark || '&';
  const walk = (value, path) => {
    if (value === null || typeof value !== 'object') return void out.push(path + (value === null && options.bare ? '' : '=' + value));
    const names = Object.keys(value);
    if (options.sort) names.sort(options.sort);
    for (const name of names) walk(value[name], path ? (options.dots ? path + '.' + name : path + '[' + name + ']') : name);
  };
  walk(record, '');
  return (options.prefix ? '?' : '') + out.join(mark);
}`

const jsQueryTest = `query({ b: 1, a: 'z' }, { sort: (a, b) => a.localeCompare(b) });
  query({ a: ['x', 'y'] });
  query({ a: 1 }, { prefix: true });
  query({ a: { b: 'c' } }, { dots: true });
  query({ a: { b: { c: 'd' } } });
  query({ a: null }, { bare: true });
  query({ a: 1, b: 2 }, { mark: ';' });
  query({ a: [1, 2], b: 'c' }, { prefix: true });
  for (const text of ['x', 'y z', '%', 'a=b', '', 'é', '~', '0']) query({ a: text }), query({ a: text, b: { c: text } }, { dots: true });`

const jsPlaced = `function placed(list, options = {}) {
  const out = [];
  for (const x of list) {
    let at = out.length;
    if (options.compare) while (at > 0 && options.compare(x, out[at - 1]) < 0) at--;
    out.splice(at, 0, options.label ? options.label + x : x);
  }
  return out;
}`

const jsPlacedTest = `placed([1, 2, 3], { compare: (a, b) => a - b });
  placed([3, 1, 2, 5]);
  placed(['a'], { label: '#' });`

// A function of one call and a value of another, in which it matters.
func TestFunctionsAmongOptionsOfJavaScriptMeetOtherArguments(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"places of a list are no longer put in an order", jsQuery, jsQueryTest, `if (options.sort)`, `if (options.sort && !Array.isArray(value))`, "index.query"},
		{"and where many tests give none", jsQuery, jsQueryTest + `
  for (let i = 0; i < 800; i++) query({ a: 'x'.repeat(i % 90), ['b' + i]: i });`, `if (options.sort)`, `if (options.sort && !Array.isArray(value))`, "index.query"},
		{"an item goes over one other at most", jsPlaced, jsPlacedTest, `while (at > 0 && options.compare`, `if (at > 0 && options.compare`, "index.placed"},
		{"equal ones change places", jsPlaced, jsPlacedTest, `options.compare(x, out[at - 1]) < 0`, `options.compare(x, out[at - 1]) <= 0`, "index.placed"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a list is made in its order", jsQuery, jsQueryTest, `    const names = Object.keys(value);
    if (options.sort) names.sort(options.sort);`, `    const names = options.sort ? Object.keys(value).sort(options.sort) : Object.keys(value);`, ""},
		{"a place is looked for from the beginning", jsPlaced, jsPlacedTest, `    let at = out.length;
    if (options.compare) while (at > 0 && options.compare(x, out[at - 1]) < 0) at--;`, `    const found = options.compare ? out.findIndex((y) => options.compare(x, y) < 0) : -1;
    const at = found < 0 ? out.length : found;`, ""},
	})
}

// A test that takes something of node away does not end the recording, nor does one with a getter that fails.
func TestRecordingOfJavaScriptGoesOnBehindWhatCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a class of node is gone for a while", jsQuery, `const { Buffer } = globalThis;
  delete globalThis.Buffer;
  query({ a: {} });
  globalThis.Buffer = Buffer;
  ` + jsQueryTest, `if (options.sort)`, `if (options.sort && !Array.isArray(value))`, "index.query"},
		{"a getter fails", jsQuery, `try {
    query({ get a() { throw new Error('no'); } });
  } catch {}
  ` + jsQueryTest, `if (options.sort)`, `if (options.sort && !Array.isArray(value))`, "index.query"},
	})
}
