package gate_test

import (
	"testing"

	"atoll/engine/gate"
)

func TestWhatWritesToTheClockIsFound(t *testing.T) {
	for _, c := range []struct{ name, file, code, want string }{
		{"the printer", "a.js", "console.timeEnd = l => 1", "console.timeEnd"},
		{"by a name in brackets", "a.mjs", "console['log'] = f;", "console['log']"},
		{"the clock", "src/a.ts", "  performance.now = () => 0", "performance.now"},
		{"a part of it", "a.js", "process.hrtime.bigint = () => 0n", "process.hrtime.bigint"},
		{"of all dates", "a.js", "Date.prototype.getTime = f", "Date.prototype.getTime"},
		{"as a property", "a.js", "Object.defineProperty(performance, 'now', x)", "Object.defineProperty(performance"},
		{"by the global object", "a.js", "globalThis.console = mine", "globalThis.console"},
		{"a comparison is none", "a.js", "if (process.exitCode === 1 || Date.now() == x) console.log('a=b')", ""},
		{"a function of no name is none", "a.js", "console.log(x => 1)", ""},
		{"an own field is none", "a.js", "this.process.count = 1; my.console.log = 2; update = Date.now()", ""},
		{"an array of dates is none", "a.ts", "const d: Date[] = []; let e: Map<string, Date> = m", ""},
		{"a name of its own is none", "a.js", "const performance = require('perf_hooks').performance; var console = {}", ""},
		{"how a program ends is none", "a.js", "process.exitCode = 1; process.env.A = 'b'", ""},
		{"another language", "a.py", "console.log = 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := gate.WritesToClock(c.file, []byte(c.code)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
