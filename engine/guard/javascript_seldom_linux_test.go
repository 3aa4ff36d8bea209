package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsBytes = `function bytes(text) {
  const [n, unit] = text.split(' ');
  return Number(n) * (Object.hasOwn(SIZES, unit) ? SIZES[unit] : 1);
}
const SIZES = { kb: 1024, mb: 1048576 };`

const jsMedian = `function median(numbers) {
  const list = [...numbers].filter((n) => !Number.isNaN(n)).sort((a, b) => a - b);
  const half = list.length >> 1;
  return list.length % 2 ? list[half] : (list[half - 1] + list[half]) / 2;
}`

const jsCopied = `function copied(value) {
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(copied);
  return Object.fromEntries(Object.entries(value).map(([name, x]) => [name, copied(x)]));
}`

const jsCells = `function cells(line, { mark = ',' } = {}) {
  const out = [];
  for (let at = line.indexOf(mark); mark !== '' && at >= 0; at = line.indexOf(mark)) {
    out.push(line.slice(0, at));
    line = line.slice(at + mark.length);
  }
  return [...out, line];
}`

const jsSettled = `function settled(tasks) {
  return tasks.map((task) => {
    try {
      return [task()];
    } catch (e) {
      return e.message;
    }
  });
}`

// What callers give now and then and no test does: names that all objects have, what is no number, values of types that the code asks
// for, what parts a text in more than one character, and a function that throws what is no error.
func TestJavaScriptIsGivenWhatTestsSeldomGive(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a name that all objects have", jsBytes, `bytes('2 kb');
  bytes('7 b');`, `(Object.hasOwn(SIZES, unit) ? SIZES[unit] : 1)`, `(SIZES[unit] || 1)`, "index.bytes"},
		{"what is no number counts", jsMedian, `median([3, 1, 2]);
  median([4, 1, 2, 3]);`, `return list.length % 2`, `return numbers.length % 2`, "index.median"},
		{"a pattern is not copied", jsCopied, `copied({ a: [1, { b: 2 }] });`, `return new RegExp(value.source, value.flags)`, `return value`, "index.copied"},
		{"a mark of one character", jsCells, `cells('a,b');
  cells('a;b;c', { mark: ';' });`, `at + mark.length`, `at + 1`, "index.cells"},
		{"what is thrown need be no error", jsSettled, `settled([() => 1, () => { throw new Error('x'); }]);`, `return e.message;`, `return e.message || String(e);`, "index.settled"},
		{"a table is asked by another name", jsBytes, `bytes('2 kb');
  bytes('7 b');`, `Object.hasOwn(SIZES, unit)`, `Object.keys(SIZES).includes(unit)`, ""},
		{"what is no number is not itself", jsMedian, `median([3, 1, 2]);
  median([4, 1, 2, 3]);`, `!Number.isNaN(n)`, `n === n`, ""},
		{"a pattern is copied as a whole", jsCopied, `copied({ a: [1, { b: 2 }] });`, `new RegExp(value.source, value.flags)`, `new RegExp(value)`, ""},
		{"the parts are cut by the language", jsCells, `cells('a,b');
  cells('a;b;c', { mark: ';' });`, `  const out = [];
`, `  if (mark !== '') return line.split(mark);
  const out = [];
`, ""},
	})
}
