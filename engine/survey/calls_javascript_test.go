package survey

import (
	"slices"
	"strings"
	"testing"
)

func TestCallsOfJavaScriptAreSeenWhateverLoadsTheSources(t *testing.T) {
	t.Parallel()
	const kit = "class Stack {\n  constructor(items = []) {\n    this.items = [...items];\n  }\n  push(item) {\n    this.items.push(item);\n    return this;\n  }\n  pop() {\n    return this.items.pop();\n  }\n  *each() {\n    yield* this.items;\n  }\n  get size() {\n    return this.items.length;\n  }\n}\n" +
		"class Twice extends Stack {\n  push(item) {\n    return super.push(item).items.push(item);\n  }\n}\nfunction Old(n) {\n  this.n = n;\n}\nOld.prototype.add = function (m) {\n  return (this.n += m);\n};\n" +
		"const low = s => (s.toLowerCase());\nconst made = (n) => () => n;\nfunction set(o, key, value) {\n  'use strict';\n  o[key] = low(value);\n}\nlow('while it is loaded');\n"
	const give = "module.exports = { Stack, Twice, Old, low, set, one: made(1), two: made(2), filled: (n) => new Stack(Array(n).fill(0)), sleep: async () => low('A') };\n"
	const loader = "const fs = require('fs');\nconst vm = require('vm');\nconst own = vm.createContext({ process });\n" +
		"exports.load = (file) => vm.runInContext('(function () { const module = {};' + fs.readFileSync(file, 'utf8') + '; return module.exports; })', own, file)();\n"
	const begin = "const kit = require('../kit.js');\n"
	for name, c := range map[string]struct {
		test  string
		files map[string]string
		want  []string
	}{
		"a function": {begin + "kit.low('A');\nkit.low('A');\nkit.low('B');\n", nil, []string{`kit.js.low["A"] = "a"`, `kit.js.low["B"] = "b"`, "3 x kit.js.low"}},
		"one that changes its arguments": {
			begin + "kit.set({ a: 1 }, 'b', 'C');\n", nil,
			[]string{`kit.js.set[{"a": 1}, "b", "C"] = ["undefined", [{"a": 1, "b": "c"}, "b", "C"]]`, "1 x kit.js.set"},
		},
		"functions of one text are none that a name leads to": {begin + "kit.one();\nkit.two();\n", nil, nil},
		"one that is asynchronous":                            {begin + "kit.sleep();\n", nil, nil},
		"methods of an object in the order of the tests": {
			begin + "const s = new kit.Stack([1]);\ns.push(2).push(3);\ns.size;\n[...s.each()];\ns.pop();\n", nil,
			[]string{"kit.js.Stack[[1]].push[2].push[3].each[]*.pop[] = ?, ?, [1, 2, 3], 3", "1 x kit.js.Stack"},
		},
		"methods of a class without a constructor, with those that it has of another": {
			begin + "const s = new kit.Twice([1]);\ns.push(2);\ns.pop();\n", nil,
			[]string{"kit.js.Twice[[1]].push[2].pop[] = 3, 2", "1 x kit.js.Twice"},
		},
		"methods of a prototype": {
			begin + "const o = new kit.Old(1);\no.add(2);\no.add(2);\n", nil,
			[]string{"kit.js.Old[1].add[2].add[2] = 3, 5", "1 x kit.js.Old"},
		},
		"objects that the project itself makes for the tests": {
			begin + "kit.filled(2).pop();\n", nil,
			[]string{"kit.js.filled[2]", "1 x kit.js.filled", "kit.js.Stack[[0, 0]].pop[] = 0", "1 x kit.js.Stack"},
		},
		"nothing behind a call that cannot be written down": {
			begin + "const s = new kit.Stack();\ns.push(1);\ns.push(() => 1);\ns.pop();\n", nil,
			[]string{"kit.js.Stack[].push[1]", "1 x kit.js.Stack"},
		},
		"a loader of its own, in a context of its own": {
			"const kit = require('./loader.cjs').load(require.resolve('../kit.js'));\nkit.low('A');\n",
			map[string]string{"test/loader.cjs": loader},
			[]string{`kit.js.low["A"] = "a"`, "1 x kit.js.low"},
		},
		"a process that is killed": {
			"if (process.argv[2]) {\n  require('../kit.js').low('A');\n  process.kill(process.pid, 'SIGKILL');\n}\nrequire('child_process').spawnSync(process.execPath, [__filename, 'killed']);\n", nil,
			[]string{`kit.js.low["A"] = "a"`, "1 x kit.js.low"},
		},
		"behind a program that looks at how sources are written": {
			"const { spawnSync } = require('child_process');\nif (spawnSync(process.execPath, [__dirname + '/../tools/lint.js']).status === 0) require('../kit.js').low('A');\n",
			map[string]string{"tools/lint.js": "if (require('fs').readFileSync(__dirname + '/../kit.js', 'utf8').includes('process')) process.exit(1);\n"},
			[]string{`kit.js.low["A"] = "a"`, "1 x kit.js.low"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"package.json": "{}", "kit.js": kit + give, "test/all.js": c.test}
			for f, text := range c.files {
				files[f] = text
			}
			if got := livesOf(t, javaScriptCalls, "node", files, "node", "test/all.js"); !slices.Equal(got, c.want) {
				t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
