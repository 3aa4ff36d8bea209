package survey_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
)

func TestASuiteThatTakesLongIsMeasuredOnceAndWrittenDown(t *testing.T) {
	t.Parallel()
	const suite = "import sys\n\nimport kit\n\nprint(f'parse x {100 + kit.N} ops/sec')\nprint('print x 25 ops/sec')\n"
	for name, c := range map[string]struct {
		bench string
		long  time.Duration
		once  bool
		how   string
	}{
		"one that reads arguments":    {suite + "print(sys.argv[1:], file=sys.stderr)\n", time.Millisecond, true, "bench.py reads arguments: give it those that run fewer cases"},
		"one that takes none":         {suite, time.Millisecond, true, "write a program that runs fewer cases of it"},
		"JSON on the last line":       {"import json\nimport kit\nprint(json.dumps({'score': kit.N}))\n", time.Millisecond, true, "write a program that runs fewer cases of it"},
		"one that does not take long": {suite, time.Hour, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"kit.py": "N = 0\n", "bench.py": c.bench}))
			said, begun := "", ""
			r, err := survey.Run(t.Context(), survey.Options{
				Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Long: c.long,
				Say: func(s string) { said += s + "\n" }, Doing: func(s string) { begun += s + "\n" },
			})
			if err != nil || r.Measured == nil || r.Measured.Objective == "" || r.Measured.Timeout == 0 {
				t.Fatalf("%v\n%s", err, said)
			}
			notes := strings.Join(r.Measured.Notes, "\n")
			const check = "CHECK evaluator.command: one measurement takes "
			for text, want := range map[string]bool{"so the root is measured once": c.once, " in one run of ": c.once, check: c.once} {
				if strings.Contains(said, text) != want {
					t.Errorf("%q is said: %v\n%s", text, !want, said)
				}
			}
			if strings.Contains(notes, check) != c.once || !strings.Contains(notes, c.how) {
				t.Errorf("notes\n%s", notes)
			}
			if strings.Contains(begun, "measuring the root") == c.once {
				t.Errorf("began\n%s", begun)
			}
		})
	}
}

func TestScriptsOfBenchmarksThatCannotRunAreNamedWithWhy(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not on the PATH")
		}
	}
	_, said, _ := surveyed(t, map[string]string{
		"package.json":        `{"name": "kit", "scripts": {"bench:newer": "node --of-a-newer-node ./test/bench/index.ts", "bench:other": "no-such-program ./test/bench"}}`,
		"index.js":            "exports.one = () => 1;\n",
		"test/bench/index.ts": "", "test/bench/more.ts": "", "test/bench/more.test.ts": "",
	})
	for _, want := range []string{
		"npm run --silent bench:newer (node --of-a-newer-node ./test/bench/index.ts) does not measure: node: bad option: --of-a-newer-node; it needs another version of node than that of your PATH",
		"npm run --silent bench:other (no-such-program ./test/bench) does not measure: ",
		"may be benchmarks, but nothing says how they are run: test/bench/more.ts;",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s\n%s", want, said)
		}
	}
}

func TestTheCommandIsNamedThatReportsNoNumber(t *testing.T) {
	t.Parallel()
	_, said, _ := surveyed(t, map[string]string{"kit.py": "def work():\n    return sum(range(100000))\n", "bench.py": "import kit\n\nkit.work()\nprint('done')\n", "Makefile": "bench:\n\tpython3 bench.py\n"})
	if want := "python3 bench.py ends well but reports no number that can be read"; !strings.Contains(said, want) {
		t.Errorf("not said: %s\n%s", want, said)
	}
}
