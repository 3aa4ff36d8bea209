package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsGrouped = `function grouped(def) {
  const sizes = def.grouping.map(Number);
  const mark = def.thousands;
  return {
    format(n) {
      const text = String(n);
      const out = [];
      for (let i = 0, done = 0; done < text.length; i = (i + 1) % sizes.length) {
        const next = done + (sizes[i] > 0 ? sizes[i] : 1);
        out.unshift(text.slice(Math.max(0, text.length - next), text.length - done));
        done = next;
      }
      return out.join(mark);
    },
  };
}`

const jsGroupedTest = `const l = grouped({ grouping: [3], thousands: ',' });
  l.format(1234567);
  grouped({ grouping: [2, 3], thousands: '.' }).format(10);`

const jsScaled = `function scaled(def) {
  const { range } = def;
  return { at: (t) => range[0] + (range[1] - range[0]) * t };
}`

const jsScaledTest = `scaled({ range: [0, 10] }).at(0.5);`

// A number as its text, where the code makes numbers of what it is given.
func TestNumbersOfJavaScriptAreGivenAsTheirTexts(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"sizes stay texts", jsGrouped, jsGroupedTest, `def.grouping.map(Number)`, `def.grouping.slice()`, "index.grouped"},
		{"a width of the options stays a text", `function padded(text, options = {}) {
  const width = Number(options.width || 0) + (options.more ? 1 : 0);
  return text.padEnd(width, '.') + width;
}`, `padded('abc', { width: 5 });
  padded('abc');`, `Number(options.width || 0)`, `(options.width || 0)`, "index.padded"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"numbers are made in a loop", jsGrouped, jsGroupedTest, `def.grouping.map(Number)`, `Array.from(def.grouping, (x) => +x)`, ""},
	})
}

// What a caller writes to a list that it handed in is its own affair where the root took what it needs.
func TestWhatWasMadeOfAnArgumentOfJavaScriptIsUsedBehindAWriteToIt(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"the list of the caller is kept", jsGrouped, jsGroupedTest, `def.grouping.map(Number)`, `def.grouping`, "index.grouped"},
		{"a copy is no copy", jsGrouped, jsGroupedTest, `def.grouping.map(Number)`, `def.grouping.every(Number.isInteger) ? def.grouping : def.grouping.map(Number)`, "index.grouped"},
		{"a text is read late", jsGrouped, jsGroupedTest, `out.join(mark)`, `out.join(def.thousands)`, "index.grouped"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a list that was kept is copied", jsScaled, jsScaledTest, `const { range } = def;`, `const range = [...def.range];`, ""},
		{"a list that is kept has another name", jsScaled, jsScaledTest, `const { range } = def;`, `const range = def.range;`, ""},
		{"a copy is made in another way", jsGrouped, jsGroupedTest, `def.grouping.map(Number)`, `[...def.grouping].map(Number)`, ""},
	})
}

const jsWalk = `function walk(items, visit) {
  for (let i = 0, n = items.length; i < n; i++) {
    if (visit(items[i], i, items) !== false && Array.isArray(items[i])) walk(items[i], visit);
  }
}`

// A function of the caller writes to the list that it is handed.
func TestFunctionsOfCallersAddToTheListsThatTheyAreHanded(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	const test = `const seen = [];
  walk([1, [2, 3]], (x, i, list) => { seen.push(x); return i < list.length; });`
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"what was added meanwhile is visited", jsWalk, test, `let i = 0, n = items.length; i < n; i++`, `let i = 0; i < items.length; i++`, "index.walk"},
		{"the number of items in a variable before", jsWalk, test, `  for (let i = 0, n = items.length; i < n; i++) {`, "  const n = items.length;\n  for (let i = 0; i < n; i++) {", ""},
	})
}
