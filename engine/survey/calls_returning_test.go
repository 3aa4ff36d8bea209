package survey

import (
	"strings"
	"testing"
)

func TestCallsThatReturnAreKeptWhateverTheOrderOfTheTests(t *testing.T) {
	t.Parallel()
	const python = "def digit(s):\n    if not s.isdigit():\n        raise ValueError(s)\n    return int(s)\n\n\nclass Digit:\n    def __init__(self, s):\n        self.n = digit(s)\n\n    def twice(self):\n        return 2 * self.n\n"
	const javaScript = "function digit(s) {\n  if (!/^[0-9]+$/.test(s)) throw new Error(s);\n  return Number(s);\n}\nconst arrow = (s) => digit(s);\nclass Digit {\n  constructor(s) {\n    this.n = digit(s);\n  }\n  twice() {\n    return 2 * this.n;\n  }\n}\nmodule.exports = { digit, arrow, Digit };\n"
	for name, c := range map[string]struct {
		python, javaScript string
		calls, returning   int    // that are kept
		last               string // of the arguments of those that return, in part; "" where it does not matter
	}{
		"many that raise, then a few that return": {
			"for s in ['x%d' % i for i in range(700)] + ['7', '8']:\n            try:\n                kit.digit(s)\n            except ValueError:\n                pass",
			"for (const s of [...Array.from({ length: 700 }, (_, i) => 'x' + i), '7', '8']) try { kit.digit(s); } catch {}\n",
			2, 2, "8",
		},
		"many that return are taken from all over them": {
			"for i in range(1000):\n            kit.digit(str(i))",
			"for (let i = 0; i < 1000; i++) kit.digit(String(i));\n",
			30, 30, "9",
		},
		"objects that cannot be made": {
			"for s in ['x%d' % i for i in range(700)] + ['7']:\n            try:\n                kit.Digit(s).twice()\n            except ValueError:\n                pass",
			"for (const s of [...Array.from({ length: 700 }, (_, i) => 'x' + i), '7']) try { new kit.Digit(s).twice(); } catch {}\n",
			1, 1, "7",
		},
		"only those that raise": {
			"for s in 'xy':\n            try:\n                kit.digit(s)\n            except ValueError:\n                pass",
			"for (const s of 'xy') try { kit.arrow(s); } catch {}\n",
			2, 0, "",
		},
	} {
		told := func(t *testing.T, lines []string) {
			t.Helper()
			calls, returning, last := 0, 0, ""
			for _, l := range lines {
				switch {
				case strings.Contains(l, " fails: "):
					calls++
				case !strings.Contains(l, " x kit."):
					calls, returning, last = calls+1, returning+1, l
				}
			}
			if calls != c.calls || returning != c.returning || !strings.Contains(last, c.last) {
				t.Errorf("%d calls are kept, of which %d return, want %d and %d:\n%s", calls, returning, c.calls, c.returning, strings.Join(lines, "\n"))
			}
		}
		t.Run(name+" in Python", func(t *testing.T) {
			t.Parallel()
			told(t, lives(t, python, []string{c.python}))
		})
		t.Run(name+" in JavaScript", func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"package.json": "{}", "kit.js": javaScript, "test/all.js": "const kit = require('../kit.js');\n" + c.javaScript}
			told(t, livesOf(t, javaScriptCalls, "node", files, "node", "test/all.js"))
		})
	}
}
