package survey_test

import (
	"context"
	"errors"
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

func TestASurveyThatIsCutShortKeepsWhatItMeasured(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at    string // that begins when the survey is interrupted; "": its time is over at once
		whole time.Duration
		notes []string // "": nothing was measured
	}{
		"before a second sample": {"measuring the root by sh bench.sh, 2 of 3", 0, []string{
			"CHECK the whole file: init was cut short, interrupted while measuring the root by sh bench.sh, 2 of 3; the last took ", "not tried: how much it varies (1 of 3 measurements were made), whether it runs with its files protected",
		}},
		"before one was taken behind the first run": {"measuring the root by sh bench.sh, 1 of 3", 0, []string{"(1 of 3 measurements were made)"}},
		"once all were taken":                       {"looking whether sh bench.sh runs with its files protected", 0, []string{"not tried: whether it runs with its files protected, where its time goes"}},
		"before anything was measured":              {"running sh bench.sh once", 0, nil},
		"with no time at all":                       {"", time.Nanosecond, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, map[string]string{"bench.sh": "cat cases.txt kit.c; echo score = 3\n", "cases.txt": "", "kit.c": ""}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r, err := survey.Run(ctx, survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Env: os.Environ(), Whole: c.whole, Doing: func(s string) {
				if c.at != "" && strings.HasPrefix(s, c.at) {
					interrupt()
				}
			}})
			if c.notes == nil {
				if err == nil || r.Cut != "" || errors.Is(err, survey.ErrNothing) != (c.at == "") {
					t.Fatalf("%v, cut %q", err, r.Cut)
				}
				return
			}
			if err != nil || r.Cut == "" || r.Measured.Objective != "score" || r.Measured.Jobs == 0 {
				t.Fatalf("%v, cut %q, measured %+v", err, r.Cut, r.Measured)
			}
			for _, want := range c.notes {
				if notes := strings.Join(r.Measured.Notes, "\n"); !strings.Contains(notes, want) {
					t.Errorf("%q is not among the notes\n%s", want, notes)
				}
			}
		})
	}
}
