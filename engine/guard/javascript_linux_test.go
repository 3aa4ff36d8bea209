package guard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/guard"
	"atoll/store/record"
)

const jsPackage = `{"name": "kit", "version": "1.0.0", "main": "index.js", "scripts": {"test": "node --test"}}`

// mustCheckJavaScript compares a module with its edit: of each two texts the first becomes the second. The test of it is kept by the edit.
func mustCheckJavaScript(t *testing.T, o guard.Options, files map[string]string, file string, edits ...string) guard.Report {
	t.Helper()
	return mustJavaScriptTable(t, o, files).mustCheck(t, file, edits...)
}

// queueOfItems is a priority queue in JavaScript, as a class, with what its tests do.
const queueOfItems = `'use strict';
const byOrder = (a, b) => a - b;

class Queue {
  #seen = 0;

  constructor(items = [], compare = byOrder) {
    this._items = items.slice();
    this._compare = compare;
    this.label = 'queue';
    for (let i = (this._items.length >> 1) - 1; i >= 0; i--) this._down(i);
  }

  get size() {
    return this._items.length;
  }

  push(item) {
    this.#seen++;
    this._items.push(item);
    this._up(this._items.length - 1);
    return this;
  }

  pop() {
    if (this._items.length === 0) return undefined;
    const top = this._items[0];
    const last = this._items.pop();
    if (this._items.length > 0) {
      this._items[0] = last;
      this._down(0);
    }
    return top;
  }

  peek() {
    return this._items[0];
  }

  seen() {
    return this.#seen;
  }

  toArray() {
    return this._items.slice().sort(this._compare);
  }

  _up(i) {
    const item = this._items[i];
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this._compare(item, this._items[parent]) >= 0) break;
      this._items[i] = this._items[parent];
      i = parent;
    }
    this._items[i] = item;
  }

  _down(i) {
    const n = this._items.length;
    for (;;) {
      let small = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < n && this._compare(this._items[child], this._items[small]) < 0) small = child;
      }
      if (small === i) return;
      [this._items[i], this._items[small]] = [this._items[small], this._items[i]];
      i = small;
    }
  }
}

module.exports = Queue;
`

const queueOfItemsTest = `const test = require('node:test');
const assert = require('node:assert');
const Queue = require('..');

test('it gives what is smallest first', () => {
  const q = new Queue([5, 3, 8]);
  q.push(1).push(9);
  assert.strictEqual(q.size, 5);
  assert.strictEqual(q.peek(), 1);
  assert.deepStrictEqual([q.pop(), q.pop(), q.pop(), q.pop(), q.pop(), q.pop()], [1, 3, 5, 8, 9, undefined]);
  assert.strictEqual(q.seen(), 2);
});

test('it takes an order', () => {
  const q = new Queue(['b', 'a'], (a, b) => (a < b ? 1 : -1));
  q.push('c');
  assert.deepStrictEqual(q.toArray(), ['c', 'b', 'a']);
});
`

// jsEdited is an edit of a file of JavaScript that the tests pass, and what then behaves in another way; "" for nothing.
type jsEdited struct{ name, was, is, where string }

func (e jsEdited) found() bool { return e.where != "" }

func eachIsFoundInJavaScript(t *testing.T, files map[string]string, file string, list []jsEdited) {
	t.Helper()
	suitetest.Full(t, "compares a JavaScript module for each edit; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	root := mustJavaScriptTable(t, guard.Options{Cases: 300}, files)
	for _, c := range fewer(list, jsEdited.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantOnly(t, root.mustCheck(t, file, c.was, c.is), c.where)
		})
	}
}

// wantOnly wants one difference, or none where it has no name.
func wantOnly(t *testing.T, report guard.Report, where string) {
	t.Helper()
	if where == "" {
		wantWhere(t, report)
		return
	}
	wantWhere(t, report, where)
}

// jsFunction is a function of JavaScript, a call of it as a test makes it, and an edit.
type jsFunction struct{ name, code, test, was, is, where string }

func (f jsFunction) found() bool { return f.where != "" }

func eachFunctionOfJavaScript(t *testing.T, cases int, list []jsFunction) {
	t.Helper()
	all := mustJavaScriptTable(t, guard.Options{Cases: cases}, nil)
	for _, c := range fewer(list, jsFunction.found) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(c.code, "async "), "function"), "* "), "(")
			files := map[string]string{
				"package.json":     jsPackage,
				"index.js":         "'use strict';\n" + c.code + "\nmodule.exports = { " + name + " };\n",
				"test/kit.test.js": "const test = require('node:test');\nconst { " + name + " } = require('..');\ntest('it', async () => {\n  " + c.test + "\n});\n",
			}
			report := all.of(t, files).mustCheck(t, "index.js", c.was, c.is)
			wantOnly(t, report, c.where)
		})
	}
}

func TestChangesThatPassTheTestsOfAJavaScriptQueueAreFound(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": queueOfItems, "test/queue.test.js": queueOfItemsTest}, "index.js", []jsEdited{
		{"work is skipped above 5,000 items", "    this._up(this._items.length - 1);\n", "    if (this._items.length <= 5000) this._up(this._items.length - 1);\n", "index.kit"},
		{"the items of the caller are taken and not copied", "items.slice();", "items;", "index.kit"},
		{"a method no longer gives its object", "    return this;\n", "", "index.kit"},
		{"a list that is given is the one inside", "this._items.slice().sort(this._compare)", "this._items.sort(this._compare)", "index.kit"},
	})
}

func TestRefactoringsOfAJavaScriptQueueRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	eachIsFoundInJavaScript(t, map[string]string{"package.json": jsPackage, "index.js": queueOfItems, "test/queue.test.js": queueOfItemsTest}, "index.js", []jsEdited{
		{"the way down is a loop of its own", `      let small = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < n && this._compare(this._items[child], this._items[small]) < 0) small = child;
      }
      if (small === i) return;
`, `      let small = 2 * i + 1;
      if (small >= n) return;
      if (small + 1 < n && this._compare(this._items[small + 1], this._items[small]) < 0) small++;
      if (this._compare(this._items[small], this._items[i]) >= 0) return;
`, ""},
		{"a private field has another name", "#seen", "#pushed", ""},
		{"a method has a helper", "  peek() {\n    return this._items[0];\n", "  _top() {\n    return this._items[0];\n  }\n\n  peek() {\n    return this._top();\n", ""},
	})
}

// jsFunctions are functions of JavaScript of many kinds, by name.
var jsFunctions = map[string]string{
	"checked": `function checked(n) {
  if (typeof n !== 'number') throw new TypeError('a number is wanted');
  if (n < 0) throw new RangeError('too small: ' + n);
  return Math.sqrt(n);
}`,
	"counter": `function counter(start) {
  let n = start;
  return { next: () => n++, reset: () => (n = start) };
}`,
	"each": `function each(list, visit) {
  for (let i = 0; i < list.length; i++) visit(list[i], i);
}`,
	"escape": `function escape(text) {
  return String(text).replace(/[&<>"]/g, (c) => ESCAPED[c]);
}
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };`,
	"grade": `function grade(points) {
  if (points >= 90) return 'A';
  if (points >= 50) return 'B';
  return 'C';
}`,
	"greet": `function greet(name = 'you', mark = '!') {
  return 'hello ' + name + mark;
}`,
	"initials": `function initials(name) {
  return name.split(/\s+/).map((word) => [...word][0] || '').join('');
}`,
	"later": `async function later(value, ms) {
  await new Promise((done) => setTimeout(done, ms));
  if (value === undefined) throw new Error('nothing came');
  return [value];
}`,
	"letters": `function letters(text) {
  return text.match(/\p{L}/gu) || [];
}`,
	"merge": `function merge(target, source) {
  const out = { ...target };
  for (const key of Object.keys(source)) out[key] = source[key];
  return out;
}`,
	"pairs": `function* pairs(list) {
  for (let i = 0; i + 1 < list.length; i += 2) yield [list[i], list[i + 1]];
}`,
	"parse": `function parse(value) {
  return typeof value === 'string' ? Number(value) : value;
}`,
	"pick": `function pick(record, names) {
  const out = {};
  for (const name of names) if (Object.prototype.hasOwnProperty.call(record, name)) out[name] = record[name];
  return out;
}`,
	"rank": `function rank(list) {
  return list.slice().sort((a, b) => a.points - b.points);
}`,
	"sign": `function sign(n) {
  return n === 0 ? n : n < 0 ? -1 : 1;
}`,
	"sorted": `function sorted(list) {
  return list.slice().sort((a, b) => a - b);
}`,
	"total": `function total(list) {
  let sum = 0;
  for (const x of list) sum += x;
  return sum;
}`,
	"unique": `function unique(list) {
  const out = [];
  for (const x of list) if (!out.includes(x)) out.push(x);
  return out;
}`,
}

func TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound(t *testing.T) {
	t.Parallel()
	fn := jsFunctions
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a bound is off by one", fn["grade"], `grade(95), grade(60), grade(10);`, `points >= 50`, `points > 50`, "index.grade"},
		{"work is left out above 5,000 items", fn["total"], `total([0.5, 0.25, 1]);`, `  let sum = 0;`, `  let sum = 0;
  if (list.length > 5000) return sum;`, "index.total"},
		{"a character of two units is cut", fn["initials"], `initials('ada lovelace');`, `[...word][0] || ''`, `word.charAt(0)`, "index.initials"},
		{"a pattern knows letters of English alone", fn["letters"], `letters('a1b');`, `/\p{L}/gu`, `/[a-z]/gi`, "index.letters"},
		{"a pattern without its flag for Unicode", fn["letters"], `letters('a1b');`, `/\p{L}/gu) || []`, `/[A-Za-z\u00aa-\uffff]/g) || []`, "index.letters"},
		{"an argument is written to", fn["merge"], `merge({ a: 1 }, { b: [2] });`, `const out = { ...target };`, `const out = target;`, "index.merge"},
		{"a result is an argument", fn["merge"], `merge({ a: 1 }, { b: [2] });`, `  const out = { ...target };`, `  if (Object.keys(source).length === 0) return target;
  const out = { ...target };`, "index.merge"},
		{"a cache has a key of text", fn["parse"], `parse('12');`, `function parse(value) {
  return typeof value === 'string' ? Number(value) : value;`, `const known = Object.create(null);
function parse(value) {
  return (known[String(value)] ??= typeof value === 'string' ? Number(value) : value);`, "index.parse"},
		{"equal ones change places", fn["rank"], `rank([{ name: 'x', points: 3 }, { name: 'y', points: 1 }]);`, `a.points - b.points`, `(a.points > b.points ? 1 : -1)`, "index.rank"},
		{"the two zeros change places", fn["sorted"], `sorted([3, 1, 2]);`, `  return list`, `  if (list.every((x) => typeof x === 'number')) return Array.from(Float64Array.from(list).sort());
  return list`, "index.sorted"},
		{"an error has other words", fn["checked"], `checked(9);`, `'too small: ' + n`, `'too small'`, "index.checked"},
		{"null is what undefined was", fn["greet"], `greet('bo');`, `function greet(name = 'you', mark = '!') {
  return`, `function greet(name, mark) {
  name ??= 'you';
  mark ??= '!';
  return`, "index.greet"},
		{"zero has no sign", fn["sign"], `sign(-4);`, `n === 0 ? n : n`, `n === 0 ? 0 : n`, "index.sign"},
		{"the last one of a generator", fn["pairs"], `[...pairs([1, 2, 3, 4])];`, `i + 1 < list.length`, `i < list.length`, "index.pairs"},
		{"a promise is kept that was broken", fn["later"], `await later('x', 1);`, `  if (value === undefined) throw new Error('nothing came');
`, ``, "index.later"},
		{"a callback gets less", fn["each"], `const seen = [];
  each(['a', 'b'], (x) => seen.push(x));`, `visit(list[i], i)`, `visit(list[i])`, "index.each"},
		{"what is no number is not found", fn["unique"], `unique([1, 2, 1]);`, `out.includes(x)`, `out.indexOf(x) >= 0`, "index.unique"},
		{"what is inherited counts", fn["pick"], `pick({ a: 1, b: 2 }, ['a']);`, `Object.prototype.hasOwnProperty.call(record, name)`, `name in record`, "index.pick"},
		{"an object of functions forgets", fn["counter"], `const c = counter(3);
  c.next();
  c.next();`, `(n = start)`, `(n = 0)`, "index.counter"},
		{"a character is left as it is", fn["escape"], `escape('<a>');`, `[&<>"]`, `[&<>]`, "index.escape"},
	})
}

func TestRefactoringsOfJavaScriptFunctionsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	fn := jsFunctions
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a set knows what was seen", fn["unique"], `unique([1, 2, 1]);`, `  const out = [];
  for (const x of list) if (!out.includes(x)) out.push(x);
  return out;`, `  return [...new Set(list)];`, ""},
		{"a loop of numbers", fn["total"], `total([0.5, 0.25, 1]);`, `  for (const x of list) sum += x;`, `  for (let i = 0; i < list.length; i++) sum += list[i];`, ""},
		{"a text is looked at once before", fn["escape"], `escape('<a>');`, `  return String(text).replace`, `  text = String(text);
  return !/[&<>"]/.test(text) ? text : text.replace`, ""},
		{"a choice is written in another way", fn["grade"], `grade(95), grade(60), grade(10);`, `  if (points >= 90) return 'A';
  if (points >= 50) return 'B';
  return 'C';`, `  const high = points >= 90;
  return high ? 'A' : points >= 50 ? 'B' : 'C';`, ""},
		{"entries in the place of keys", fn["merge"], `merge({ a: 1 }, { b: [2] });`, `for (const key of Object.keys(source)) out[key] = source[key];`, `for (const [key, value] of Object.entries(source)) out[key] = value;`, ""},
		{"a loop in the place of a chain", fn["initials"], `initials('ada lovelace');`, `  return name.split(/\s+/).map((word) => [...word][0] || '').join('');`, `  let out = '';
  for (const word of name.split(/\s+/)) {
    for (const c of word) {
      out += c;
      break;
    }
  }
  return out;`, ""},
		{"an error is made by a function", fn["checked"], `checked(9);`, `  if (n < 0) throw new RangeError('too small: ' + n);`, "  const fail = (text) => {\n    throw new RangeError(text);\n  };\n  if (n < 0) fail(`too small: ${n}`);", ""},
		{"a generator without places", fn["pairs"], `[...pairs([1, 2, 3, 4])];`, `  for (let i = 0; i + 1 < list.length; i += 2) yield [list[i], list[i + 1]];`, `  const end = list.length - (list.length % 2);
  for (let i = 0; i < end; ) yield [list[i++], list[i++]];`, ""},
		{"a promise in the place of a wait", fn["later"], `await later('x', 1);`, `  await new Promise((done) => setTimeout(done, ms));
`, `  await 0;
  await new Promise((done) => void setTimeout(() => done(), ms));
`, ""},
	})
}

const jsModule = `import { half } from './half.js';

export const LIMIT = 10;

export function shares(list, by = LIMIT) {
  return list.map((x) => half(x) / by);
}

export default class Box {
  constructor(width) {
    this.width = width;
  }

  grow(by) {
    this.width += by;
    return this.width > LIMIT ? 'large' : 'small';
  }

  get half() {
    return half(this.width);
  }
}
`

func TestChangesOfJavaScriptModulesAreFound(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	files := map[string]string{
		"package.json": `{"name": "boxes", "type": "module", "exports": "./index.js", "scripts": {"test": "node --test"}}`,
		"index.js":     jsModule,
		"half.js":      "export function half(n) {\n  return n / 2;\n}\n",
		"test/boxes.test.js": `import test from 'node:test';
import assert from 'node:assert';
import Box, { shares } from '../index.js';

test('boxes', () => {
  assert.deepStrictEqual(shares([20]), [1]);
  const box = new Box(4);
  assert.strictEqual(box.grow(1), 'small');
  assert.strictEqual(box.half, 2.5);
});
`,
	}
	root := mustJavaScriptTable(t, guard.Options{Cases: 300}, files)
	for _, c := range suitetest.Some(2, []struct{ name, file, was, is, where string }{
		{"a bound of a class that is the default", "index.js", "this.width > LIMIT", "this.width >= LIMIT", "index.boxes"},
		{"a module that another one loads", "half.js", "n / 2", "n >> 1", "index.shares"},
		{"a constant that is exported", "index.js", "LIMIT = 10", "LIMIT = 10.5", "index.LIMIT"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantWhere(t, root.mustCheck(t, c.file, c.was, c.is), c.where)
		})
	}
}

func TestWhatAModuleHandsOutOfOthersIsAskedOnlyWhereItReachesTheChange(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{
		"package.json":   `{"name": "kit", "type": "module", "exports": "./src/index.js", "scripts": {"test": "node --test"}}`,
		"src/index.js":   "export {default as mode} from './mode.js';\nexport {default as least, most} from './ends.js';\n",
		"src/ends.js":    "export default (list) => Math.min(...list);\nexport const most = (list) => Math.max(...list);\n",
		"src/mode.js":    "export default function mode(list) {\n  return list.length ? list[0] : 0;\n}\n",
		"test/t.test.js": "import test from 'node:test';\nimport * as kit from '../src/index.js';\ntest('it', () => [kit.mode([1]), kit.least([1]), kit.most([1])]);\n",
	}
	report := mustCheckJavaScript(t, guard.Options{Cases: 200}, files, "src/mode.js", ": 0", ": 1")
	wantWhere(t, report, "src/index.mode")
	if report.Functions != 1 {
		t.Errorf("%d functions were asked: %s", report.Functions, report.Summary())
	}
}

func TestALoopOfJavaScriptThatDoesNotEndIsADifference(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	files := map[string]string{
		"package.json":   jsPackage,
		"index.js":       "exports.steps = (n) => {\n  let i = 0;\n  while (i < n) i++;\n  return i;\n};\n",
		"test/t.test.js": "require('node:test')('it', () => require('node:assert').strictEqual(require('..').steps(5), 5));\n",
	}
	report := mustCheckJavaScript(t, guard.Options{Cases: 60, Patience: time.Second}, files, "index.js", "i < n", "i !== n")
	if len(report.Differences) != 1 || report.Differences[0].Kind != guard.Ends || report.Differences[0].Where != "index.steps" {
		t.Errorf("got %+v, want that it does not come back", report.Differences)
	}
}

// A runner with a module system of its own shows no call to the recorder.
func TestCallsThatStandInTestsOfJavaScriptAreKnown(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	files := map[string]string{
		"package.json": `{"name": "kit", "main": "index.js", "scripts": {"test": "node -e 0"}}`,
		"index.js":     "class Bag {\n  constructor(name) {\n    this.name = name;\n    this.all = new Map();\n  }\n\n  add(key, n) {\n    this.all.set(key, (this.all.get(key) || 0) + n);\n    return this;\n  }\n\n  of(key) {\n    return this.all.get(key);\n  }\n}\n\nmodule.exports = { Bag, cut: (text, n) => text.slice(0, n) };\n",
		"test/kit.test.js": "import { Bag, cut } from '..';\nconst most = 3;\ntest('cut', () => {\n  expect(cut('abcdef', most)).toBe('abc');\n  const bag = new Bag('x');\n" +
			"  bag.add('plum', 2);\n  expect(bag.of('plum')).toBe(2);\n});\n",
	}
	root := mustJavaScriptTable(t, guard.Options{Cases: 200}, files)
	for _, c := range []struct{ name, was, is, where string }{
		{"a function", "slice(0, n)", "slice(0, n || 1)", "index.cut"},
		{"an object", "|| 0) + n", "?? 1) + n - 1 + (n > 2)", "index.Bag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantWhere(t, root.mustCheck(t, "index.js", c.was, c.is), c.where)
		})
	}
}

func TestCommentsOfJavaScriptAreNoChange(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": jsPackage, "index.js": "exports.one = () => 1;\n"}
	report := mustCheckJavaScript(t, guard.Options{}, files, "index.js", "exports", "// one\nexports")
	if report.Cases > 0 || !report.Same() || !strings.Contains(report.Summary(), "comments and layout") {
		t.Errorf("got %q", report.Summary())
	}
}

func TestWhatJavaScriptDoesBeyondItsAnswersIsNamed(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	files := map[string]string{"package.json": jsPackage, "index.js": "exports.twice = (n) => {\n  return n * 2;\n};\n", "test/t.test.js": "require('node:test')('twice', () => require('node:assert').strictEqual(require('..').twice(2), 4));\n"}
	root := mustJavaScriptTable(t, guard.Options{Cases: 20}, files)
	for _, c := range []struct{ name, is, want string }{
		{"a method of all lists", "  Array.prototype.last = function () {};\n", "index.js sets Array.prototype.last for the whole process"},
		{"the end of the process", "  if (n === 1e9) process.exit(1);\n", "index.js ends the process (process.exit)"},
		{"words to the console", "  if (n === 1e9) console.log(n);\n", "index.js prints"},
		{"what is kept while a function waits", "  later(n);\n  return n * 2;\n};\nlet last;\nconst later = async (n) => {\n  last = n;\n  await 0;\n", "index.js keeps something between calls in last (written by later)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := root.mustCheck(t, "index.js", "=> {\n", "=> {\n"+c.is)
			if report.Same() || !strings.Contains(report.Summary(), c.want) {
				t.Errorf("got %q, want %q", report.Summary(), c.want)
			}
		})
	}
}

func TestLinesOfJavaScriptThatNothingReachesAreNamed(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	mustHave(t, "node")
	root := mustFiles(t, map[string]string{"package.json": jsPackage, "index.js": "exports.twice = (n) => {\n  return n * 2;\n};\n", "test/t.test.js": "require('node:test')('twice', () => require('node:assert').strictEqual(require('..').twice(2), 4));\n"})
	now := "exports.twice = (n) => {\n  if (Math.random() > 2) {\n    return -n;\n  }\n  return n + n;\n};\n"
	report := mustCheck(t, guard.Options{Cases: 60}, guard.Tree{Base: root}, guard.Tree{Base: root, Delta: []record.Change{{Path: "index.js", Mode: record.Regular, Data: []byte(now)}}}, "index.js")
	if len(report.Unreached) != 1 || report.Unreached[0].From != 3 || !report.Measured {
		t.Errorf("unreached are %v, measured %t", report.Unreached, report.Measured)
	}
	if _, err := os.Stat(filepath.Join(root, "atoll_guard_cover.out")); err == nil {
		t.Error("the check left a file in the tree")
	}
}
