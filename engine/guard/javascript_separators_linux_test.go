package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsRowsOf = `function parsed(text, options = {}) {
  const sep = options.sep || ',';
  return text.split('\n').map((line) => line.split(sep));
}`

const jsTrimmed = `function cells(text, sep = ',') {
  return text.split(sep).map((cell) => cell.trim());
}`

const jsGlued = `function line(items, options) {
  const { glue = ';' } = options || {};
  return items.map((x) => (x.includes(glue) ? '"' + x.split(glue).join(glue + glue) + '"' : x)).join(glue);
}`

const jsGrid = `function grid(options) {
  return new Grid(options);
}
class Grid {
  constructor(options) {
    this.options = options;
  }
  text() {
    const { cells, sep = ',' } = this.options;
    return cells.map((c) => c.split(sep).join('/'));
  }
}`

func TestSeparatorsThatNoJavaScriptTestGivesAreGiven(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"an option that becomes an expression", jsRowsOf, "parsed('a,b\\nc,d');", "line.split(sep)", "line.split(new RegExp(sep))", "index.parsed"},
		{"a parameter that becomes an expression", jsTrimmed, "cells('a, b');", "text.split(sep)", "text.split(new RegExp(sep))", "index.cells"},
		{"what has one in it", jsGlued, "line(['a', 'b;c']);", "x.includes(glue) ? '\"' + x.split(glue).join(glue + glue) + '\"' : x", "x.includes(glue) ? '\"' + x.replace(/;/g, ';;') + '\"' : x", "index.line"},
		{"an option of an object that a method reads", jsGrid, "grid({ cells: ['a,b', 'c'] }).text();", "c.split(sep)", "c.split(new RegExp(sep))", "index.grid"},
	})
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"an expression of one that is escaped", jsRowsOf, "parsed('a,b\\nc,d');", "line.split(sep)", "(sep.length === 1 ? line.split(new RegExp('\\\\u' + sep.charCodeAt(0).toString(16).padStart(4, '0'))) : line.split(sep))", ""},
		{"a loop", jsTrimmed, "cells('a, b');", "return text.split(sep).map((cell) => cell.trim());", "const out = [];\n  for (const cell of text.split(sep)) out.push(cell.trim());\n  return out;", ""},
	})
}
