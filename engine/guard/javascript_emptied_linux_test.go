package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsPadded = `function padded(text, options = {}) {
  const width = options.width ?? 12;
  const mark = typeof options.mark === 'string' ? options.mark : '-';
  return text.padEnd(width, mark);
}`

const jsNumbered = `function numbered(lines, o = {}) {
  const first = typeof o.first === 'number' ? o.first : 1;
  return lines.map((line, i) => first + i + ': ' + line);
}`

const jsColumns = `function columns(cells, options = {}) {
  return Object.keys(cells).map((name) => {
    const of = { ...standard, ...(options.columns || {})[name] };
    const width = of.width ?? 5;
    return (of.mark || '') + cells[name].padEnd(width);
  }).join('|');
}
const standard = { mark: '' };`

// What stands for nothing is given to each option that the changed code reads: null, undefined, 0, an empty text, what is
// no number and false.
func TestOptionsOfJavaScriptThatStandForNothingAreGiven(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"null where no test gives the option", jsPadded, `padded('abc');`, `options.width ?? 12;`, `options.width === undefined ? 12 : options.width;`, "index.padded"},
		{"a default by destructuring", jsPadded, `padded('abc');`, `const width = options.width ?? 12;`, `const { width = 12 } = options;`, "index.padded"},
		{"an empty text", jsPadded, `padded('abc', { width: 5 });`, `typeof options.mark === 'string' ?`, `typeof options.mark === 'string' && options.mark ?`, "index.padded"},
		{"0 of an object with another name", jsNumbered, `numbered(['a', 'b']);`, `typeof o.first === 'number' ? o.first : 1;`, `(typeof o.first === 'number' && o.first) || 1;`, "index.numbered"},
		{"null within an option", jsColumns, `columns({ a: 'x', b: 'y' });
  columns({ a: 'x', b: 'y' }, { columns: { a: { mark: '+' } } });`, `of.width ?? 5;`, `of.width === undefined ? 5 : of.width;`, "index.columns"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a default is asked for in another way", jsPadded, `padded('abc');
  padded('abc', { width: 5 });`, `options.width ?? 12;`, `options.width === undefined || options.width === null ? 12 : options.width;`, ""},
		{"a default within an option, too", jsColumns, `columns({ a: 'x', b: 'y' }, { columns: { a: { mark: '+' } } });`, `(of.mark || '')`, `(of.mark ? of.mark : '')`, ""},
		{"an object with another name, too", jsNumbered, `numbered(['a', 'b'], { first: 3 });`, `typeof o.first === 'number' ? o.first : 1;`, `typeof o.first !== 'number' ? 1 : o.first;`, ""},
	})
}
