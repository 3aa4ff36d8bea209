package survey_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/engine/survey"
)

func TestWhatTheProjectBuildsIsBuiltBeforeItIsMeasured(t *testing.T) {
	t.Parallel()
	makefile := ".PHONY: all bench\nall: prog\n\nprog: prog.in\n\tcp prog.in prog && chmod +x prog\n\nbench:\n\t%s\n"
	for name, c := range map[string]struct {
		files map[string]string
		said  string
	}{
		"a script that starts a program that make builds": {
			map[string]string{"Makefile": strings.Replace(makefile, "%s", "true", 1), "prog.in": "#!/bin/sh\necho 7\n", "bench.sh": "set -e\nn=$(./prog)\necho time_ms=$n\n"},
			"prog is not committed: `make -s prog` makes it before each measurement",
		},
		"a script that goes on without the program and would measure nothing": {
			map[string]string{"Makefile": strings.Replace(makefile, "%s", "true", 1), "prog.in": "#!/bin/sh\necho 7\n", "bench.sh": "./prog > out\necho time_ms=1$(cat out)\n"},
			"prog is not committed: `make -s prog` makes it before each measurement",
		},
		"a target that does not name what it needs": {
			map[string]string{"Makefile": strings.Replace(makefile, "%s", "./prog > out; echo time_ms=$$(cat out); test -s out", 1), "prog.in": "#!/bin/sh\necho 7\n"},
			"prog is not committed: `make -s prog` makes it before each measurement",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, c.files)
			if err != nil || !strings.Contains(said, c.said) || strings.Contains(said, "does not measure") {
				t.Fatalf("%v\n%s", err, said)
			}
			if r.Measured.Objective != "time_ms" || !strings.HasPrefix(strings.Join(r.Evaluator, " "), `sh -c make -s prog >&2 && exec "$0" "$@" `) {
				t.Errorf("%q measures %s", r.Evaluator, r.Measured.Objective)
			}
		})
	}
}

func TestNodeFindsWhatNpmBuilds(t *testing.T) {
	suitetest.Full(t, "node and npm are started a dozen times; TestWhatTheProjectBuildsIsBuiltBeforeItIsMeasured stands for it")
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no " + program + " here")
		}
	}
	r, said, err := surveyed(t, map[string]string{
		"package.json":     `{"name": "x", "scripts": {"build": "node scripts/build.js"}}`,
		"scripts/build.js": "const fs = require('fs'); fs.mkdirSync('dist', {recursive: true}); fs.copyFileSync('lib/index.js', 'dist/x.js');\n",
		"lib/index.js":     "module.exports = () => 7;\n",
		"bench/bench.js":   "console.log('time_ms=' + require('../dist/x.js')());\n",
	})
	if err != nil || !strings.Contains(said, "dist/x.js is not committed: `npm run --silent build` makes it before each measurement") {
		t.Fatalf("%v\n%s", err, said)
	}
	if !slices.Equal(r.Scope, []string{"lib/*.js"}) || !slices.Contains(r.Protected, "scripts/build.js") {
		t.Errorf("scope %q, protected %q", r.Scope, r.Protected)
	}
}

func TestPackagesThatAreNotInstalledNeedOneAdvice(t *testing.T) {
	suitetest.Full(t, "surveys projects; TestWithoutItsPackagesNothingIsSaidOfWhatTestsCall stands for them")
	t.Parallel()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no " + program + " here")
		}
	}
	for script, why := range map[string]string{"node test.js": "Cannot find module 'tape'", "tape-of-npm test.js": "tape-of-npm: not found"} {
		_, said, err := surveyed(t, map[string]string{
			"package.json": `{"name": "x", "scripts": {"test": "` + script + `"}, "devDependencies": {"tape": "1"}}`,
			"index.js":     "module.exports = () => 7;\n", "test.js": "require('tape');\n", "bench.sh": "cat index.js\necho time_ms = 1\n",
		})
		if err != nil || !strings.Contains(said, "`npm install`") || !strings.Contains(said, why) || strings.Contains(said, "NODE_PATH") || strings.Contains(said, "evaluator.caches") {
			t.Errorf("%s: %v\n%s", script, err, said)
		}
	}
}

func TestWithoutItsPackagesNothingIsSaidOfWhatTestsCall(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm here")
	}
	r, said, err := surveyed(t, map[string]string{
		"package.json": `{"name": "x", "scripts": {"test": "xo-of-npm && node test.js"}, "devDependencies": {"xo-of-npm": "1"}}`, "package-lock.json": "{}",
		"index.js": "module.exports = () => 7;\n", "test.js": "require('tape');\nrequire('./index.js')();\n",
	})
	if !errors.Is(err, survey.ErrNothing) || r.Next != "`npm ci`, then `atoll init --force`" || !strings.Contains(err.Error(), "something that it needs is missing") {
		t.Fatalf("%v, next %q", err, r.Next)
	}
	if !strings.Contains(said, "packages that package.json names are not installed, so its tests do not run") && !strings.Contains(err.Error(), "packages") || strings.Contains(said, "call no function") {
		t.Errorf("said\n%s", said)
	}
}

func TestWhatIsMissingIsNamedWithWhereItIs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	files := map[string]string{"evaluate.py": "print('time_ms=%d' % len(open('data/words.txt').read()))\n"}
	_, said, _ := surveyed(t, files)
	if want := "it needs data/words.txt, which is not committed; nothing here says what makes it"; !strings.Contains(said, want) {
		t.Errorf("not said: %s\n%s", want, said)
	}
	files["Makefile"] = "all:\n\ttrue\n"
	_, said, _ = surveyed(t, files)
	if want := "it needs data/words.txt, which is not committed; `make -s all` does not make it"; !strings.Contains(said, want) {
		t.Errorf("not said: %s\n%s", want, said)
	}
	delete(files, "Makefile")
	l, _ := open(t, box(t, sandbox.ModeAuto), repository(t, files))
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "data/words.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	said = ""
	_, _ = survey.Run(t.Context(), survey.Options{Lab: l, Look: config.Detect(l.Files, l.Read), Tree: tree, Say: func(s string) { said += s + "\n" }})
	if want := "your work tree has it: `git add -f data/words.txt`, commit it"; !strings.Contains(said, want) {
		t.Errorf("not said: %s\n%s", want, said)
	}
}

func TestAFailureThatSaysMoreThanWhatIsMissingIsToldWithIt(t *testing.T) {
	t.Parallel()
	_, said, _ := surveyed(t, map[string]string{"bench.sh": "cat cache.txt\necho the answer is wrong >&2\nexit 3\n"})
	if want := "the answer is wrong; it needs cache.txt, which is not committed"; !strings.Contains(said, want) {
		t.Errorf("not said: %s\n%s", want, said)
	}
}

func TestAMissingProgramOfTheMachineIsNoFileOfTheProject(t *testing.T) {
	t.Parallel()
	_, said, _ := surveyed(t, map[string]string{"Makefile": "all:\n\ttrue\n", "bench.sh": "set -e\nno-such-program-here\necho time_ms=1\n"})
	if !strings.Contains(said, "no-such-program-here: not found") || strings.Contains(said, "not committed") {
		t.Error(said)
	}
}

func TestScriptsThatTheEvaluatorDoesNotLoadAreOutOfScope(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node here")
	}
	r, said, err := surveyed(t, map[string]string{
		"package.json": `{"name": "x", "main": "index.js"}`, "index.js": "module.exports = require('./words.js');\n", "words.js": "module.exports = () => 7;\n",
		"Gruntfile.js": "module.exports = () => {};\n", "words.test.js": "require('./index.js');\n", "rollup.config.js": "module.exports = {};\n", "cli.js": "console.log(require('./index.js')());\n",
		"lib/a.js": "module.exports = 1;\n", "lib/b.js": "module.exports = 2;\n",
		"bench.js": "require('./lib/a.js'); require('./lib/b.js');\nconsole.log('time_ms=' + require('./index.js')());\n",
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if want := []string{"index.js", "lib/*.js", "words.js"}; !slices.Equal(r.Scope, want) {
		t.Errorf("scope %q, want %q\n%s", r.Scope, want, said)
	}
	if !slices.Contains(r.Protected, "**/*.test.js") {
		t.Errorf("protected %q", r.Protected)
	}
}

// A program in C whose benchmark lies beside it, timed by a file of some name.
func timed(at string) map[string]string {
	return map[string]string{
		"Makefile": "times: " + at + " sum.c\n\tcc -O1 -o times " + at + " sum.c\n",
		"bench.sh": "make -s times && ./times\n",
		"sum.c":    "long sum(long n) {\n\tlong s = 0;\n\tfor (long i = 0; i < n; i++)\n\t\ts += i * i % 1000003;\n\treturn s;\n}\n",
		at:         "#include <stdio.h>\n#include <time.h>\nlong sum(long n);\nint main(void) {\n\tclock_t start = clock();\n\tlong s = sum(3000000);\n\tprintf(\"time_ms = %.3f\\n\", 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);\n\treturn s == 0;\n}\n",
	}
}

func TestWhatTimesTheProgramIsProtected(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no compiler of C here")
	}
	for _, at := range suitetest.Every(3, []string{"bench/loop.c", "perf/many/run.c", "driver.c"}) {
		r, said, err := surveyed(t, timed(at))
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if !slices.Contains(r.Detected.Protected, at) || slices.Contains(r.Detected.Protected, "sum.c") {
			t.Errorf("%s: %q are protected\n%s", at, r.Detected.Protected, said)
		}
	}
}

func TestAProgramThatTimesItselfIsNamed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no compiler of C here")
	}
	files := timed("driver.c")
	files["driver.c"] += files["sum.c"]
	delete(files, "sum.c")
	files["Makefile"] = "times: driver.c\n\tcc -O1 -o times driver.c\n"
	r, said, err := surveyed(t, files)
	if err != nil || slices.Contains(r.Detected.Protected, "driver.c") || !strings.Contains(said, "CHECK driver.c: it reads the clock") {
		t.Errorf("%v: %q are protected\n%s", err, r.Detected.Protected, said)
	}
}

func TestCodeThatReadsTheClockMayChangeWhereTheEvaluatorHasItsOwn(t *testing.T) {
	t.Parallel()
	r, said, err := surveyed(t, map[string]string{
		"watch.py": "import time\n\n\ndef log(text):\n    print(time.perf_counter(), text)\n\n\ndef f(n):\n    return sum(i * i for i in range(n))\n",
		"other.py": "K = 3\n",
		"bench.py": "import time\n\nimport other\nimport watch\n\nbegan = time.perf_counter()\nwatch.f(20000 * other.K)\nprint('time_ms = %.3f' % (1e3 * (time.perf_counter() - began)))\n",
	})
	if err != nil || slices.Contains(r.Protected, "watch.py") || strings.Contains(said, "CHECK watch.py") {
		t.Errorf("%v: %q are protected\n%s", err, r.Protected, said)
	}
}

func TestASourceThatReadsTheClockMayChangeWhereCallsAreTimedFromOutside(t *testing.T) {
	suitetest.Full(t, "surveys a project; TestCallsOfPythonTestsBecomeABenchmark stands for it")
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"setup.py": "", "kit/__init__.py": "", "kit/watch.py": "import time\n\n\ndef log(text):\n    print(time.perf_counter(), text)\n\n\ndef f(n):\n    return sum(i * i for i in range(n))\n", "kit/other.py": "K = 3\n",
		"tests/__init__.py": "", "tests/test_kit.py": "import unittest\n\nfrom kit import other, watch\n\n\nclass Tests(unittest.TestCase):\n    def test_f(self):\n        for _ in range(20):\n            self.assertEqual(watch.f(other.K), 5)\n",
	})
	if err != nil || r.Measured.Objective != "time_us" || slices.Contains(r.Protected, "kit/watch.py") || strings.Contains(said, "reads the clock") {
		t.Errorf("%v: protected %q\n%s", err, r.Protected, said)
	}
}
