package guard_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/guard"
)

// jsKept is an edit of a function of JavaScript by which it keeps something: what differs, "" for nothing, and what is told.
type jsKept struct {
	name, code, test, was, is string
	where                     string
	told                      []string
}

func (e jsKept) found() bool { return e.where != "" }

const jsShares = `function shares(list, by) {
  const out = [];
  for (const x of list) out.push(x / by);
  return out;
}`

const jsSlug = `function slug(text, glue) {
  return text.toLowerCase().split(' ').join(glue);
}`

// What a module keeps between calls is told, and a difference where answers are.
func TestWhatJavaScriptKeepsIsADifferenceOnlyWhereAnAnswerIs(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	const kept = guard.Kept
	all := mustJavaScriptTable(t, guard.Options{Cases: 200}, nil)
	for _, c := range fewer([]jsKept{
		{"a memo by all that it hangs on", jsSlug, `slug('A b', '-');`, "  return text", "  const key = JSON.stringify([text, glue]);\n  if (!memo.has(key)) memo.set(key, slow(text, glue));\n  return memo.get(key);\n}\nconst memo = new Map();\nfunction slow(text, glue) {\n  return text", "", []string{kept}},
		{"a memo by one argument of two", jsSlug, `slug('A b', '-');`, "  return text", "  if (!memo.has(text)) memo.set(text, slow(text, glue));\n  return memo.get(text);\n}\nconst memo = new Map();\nfunction slow(text, glue) {\n  return text", "index.slug", []string{kept}},
		{"a memo by arguments without what parts them", jsSlug, `slug('A b', '-');`, "  return text", "  const key = text + glue;\n  if (!memo.has(key)) memo.set(key, slow(text, glue));\n  return memo.get(key);\n}\nconst memo = new Map();\nfunction slow(text, glue) {\n  return text", "index.slug", []string{kept}},
		{"a memo that ignores case", jsSlug, `slug('A b', '-');`, "  return text.toLowerCase()", "  const key = JSON.stringify([text.toLowerCase(), glue]);\n  if (!memo.has(key)) memo.set(key, slow(text, glue));\n  return memo.get(key);\n}\nconst memo = new Map();\nfunction slow(text, glue) {\n  return text.toLowerCase()", "", []string{kept}},
		{"a list that is handed out again", jsShares, `shares([1, 2], 4);`, "  const out = [];\n", "  const key = list.join() + '/' + by;\n  if (memo[key]) return memo[key];\n  const out = (memo[key] = []);\n", "index.shares", []string{kept}},
		{"a memo by the object that the caller writes to", jsShares, `shares([1, 2], 4);`, "  const out = [];\n  for (const x of list) out.push(x / by);\n  return out;\n}", "  let of = memo.get(list);\n  if (!of) memo.set(list, (of = new Map()));\n  if (!of.has(by)) of.set(by, list.map((x) => x / by));\n  return of.get(by).slice();\n}\nconst memo = new WeakMap();", "index.shares", nil},
		{"room that is used again and copied out", jsShares, `shares([1, 2], 4);`, "  const out = [];\n  for (const x of list) out.push(x / by);\n  return out;\n}", "  room.length = 0;\n  for (const x of list) room.push(x / by);\n  return room.slice();\n}\nconst room = [];", "", []string{kept}},
		{"room that is used again and handed out", jsShares, `shares([1, 2], 4);`, "  const out = [];\n  for (const x of list) out.push(x / by);\n  return out;\n}", "  room.length = 0;\n  for (const x of list) room.push(x / by);\n  return room;\n}\nconst room = [];", "index.shares", []string{kept}},
		{"a count of calls", jsSlug, `slug('A b', '-');`, "  return text", "  calls++;\n  return text", "", []string{kept}},
	}, jsKept.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(strings.TrimPrefix(c.code, "function "), "(")
			files := map[string]string{
				"package.json":     jsPackage,
				"index.js":         "'use strict';\n" + c.code + "\nlet calls = 0;\nmodule.exports = { " + name + " };\n",
				"test/kit.test.js": "const test = require('node:test');\nconst { " + name + " } = require('..');\ntest('it', () => {\n  " + c.test + "\n});\n",
			}
			if strings.Contains(c.is, "memo[key]") {
				files["index.js"] = strings.Replace(files["index.js"], "let calls", "const memo = {};\nlet calls", 1)
			}
			report := all.of(t, files).mustCheck(t, "index.js", c.was, c.is)
			wantOnly(t, report, c.where)
			wantTold(t, report, c.told)
		})
	}
}

func wantTold(t *testing.T, report guard.Report, want []string) {
	t.Helper()
	var told []string
	for _, d := range report.Told {
		told = append(told, d.Kind)
		t.Log("told", d)
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// A heap keeps its items in any order that is valid.
func TestAnotherOrderWithinAJavaScriptObjectIsTold(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	files := map[string]string{
		"package.json":       jsPackage,
		"index.js":           strings.ReplaceAll(queueOfItems, "_items", "items"),
		"test/queue.test.js": queueOfItemsTest + "\ntest('it holds what it was given', () => {\n  assert.strictEqual(new Queue([2, 1]).items.length, 2);\n});\n",
	}
	root := mustJavaScriptTable(t, guard.Options{Cases: 300}, files)
	for _, c := range []struct {
		name, was, is, where string
		told                 []string
	}{
		{"each item goes up at the beginning", "for (let i = (this.items.length >> 1) - 1; i >= 0; i--) this._down(i);", "for (let i = 1; i < this.items.length; i++) this._up(i);", "", []string{guard.Layout}},
		{"an item less", "this.items = items.slice();", "this.items = items.slice();\n    if (items.length > 3 && items[0] === items[1]) this.items.pop();", "index.kit", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := root.mustCheck(t, "index.js", c.was, c.is)
			wantOnly(t, report, c.where)
			wantTold(t, report, c.told)
		})
	}
}
