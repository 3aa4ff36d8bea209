package config_test

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"atoll/config"
)

// detect runs Detect over files given as name: content.
func detect(files map[string]string) config.Detected {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	return config.Detect(names, func(p string) ([]byte, error) {
		text, ok := files[p]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	})
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  config.Detected
	}{
		{
			"a Go module with benchmarks is measured by them",
			map[string]string{"go.mod": "module x", "a.go": "package x", "a_test.go": "package x\n\nfunc BenchmarkA(b *testing.B) {}\n"},
			config.Detected{
				Language: "go", Test: []string{"go", "test", "./..."}, Evaluator: []string{"go", "test", "-run=^$", "-bench=.", "-benchmem", "-count=5", "./..."},
				Found: "a_test.go", Adapter: "gobench", Output: "result-file", Protected: []string{"**/*_test.go", "go.mod"},
				Scope: []string{"**/*.go"}, Caches: []string{"go"},
			},
		},
		{
			"an evaluator of OpenEvolve is known by its signature",
			map[string]string{"initial_program.py": "", "evaluator.py": "import os\ndef evaluate(program_path):\n    return {}\n"},
			config.Detected{
				Language: "python", Evaluator: []string{"evaluator.py", "initial_program.py"}, Found: "evaluator.py", Adapter: "openevolve",
				Output: "result-file", Protected: []string{"evaluator.py"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"a script in a folder of its own protects the folder",
			map[string]string{"src/a.py": "", "bench/evaluate.py": "import json\nprint(json.dumps({}))", "tests/test_a.py": ""},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "pytest", "-q"}, Evaluator: []string{"python3", "bench/evaluate.py"},
				Found: "bench/evaluate.py", Output: "last-json-line", Protected: []string{"bench/**", "tests/**"}, Env: []string{"PYTHONPATH={tree}/src"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"a script among the sources protects only itself",
			map[string]string{"src/a.py": "", "src/bench.py": "print(3)", "test_a.py": ""},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "pytest", "-q"}, Evaluator: []string{"python3", "src/bench.py"},
				Found: "src/bench.py", Output: "last-number", Protected: []string{"src/bench.py", "**/test_*.py"}, Env: []string{"PYTHONPATH={tree}/src"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"tests in a module of a package",
			map[string]string{"kit/__init__.py": "", "kit/tests.py": "", "bench.py": "print(3)"},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "unittest", "kit.tests"}, Evaluator: []string{"python3", "bench.py"},
				Found: "bench.py", Output: "last-number", Protected: []string{"bench.py", "**/tests.py"}, Env: []string{"PYTHONPATH={tree}"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"tests of the standard library in a file of another name",
			map[string]string{"kit.py": "class TestCase:\n    pass\n", "unit_testing.py": "import unittest\n\n\nclass Kit(unittest.TestCase):\n    pass\n", "bench.py": "print(3)"},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "unittest", "unit_testing"}, Evaluator: []string{"python3", "bench.py"},
				Found: "bench.py", Output: "last-number", Protected: []string{"bench.py", "unit_testing.py"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"tests in a module beside others in a folder",
			map[string]string{"src/kit.py": "", "src/tests.py": "", "bench.py": "print(3)"},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "unittest", "discover", "-s", "src", "-p", "tests.py"}, Evaluator: []string{"python3", "bench.py"},
				Found: "bench.py", Output: "last-number", Protected: []string{"bench.py", "**/tests.py"}, Env: []string{"PYTHONPATH={tree}/src"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"tests named at the end are of pytest",
			map[string]string{"kit.py": "", "kit_test.py": "", "bench.py": "print(3)"},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "pytest", "-q"}, Evaluator: []string{"python3", "bench.py"},
				Found: "bench.py", Output: "last-number", Protected: []string{"bench.py", "**/*_test.py"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"names with blanks",
			map[string]string{"sub dir/kit.py": "", "sub dir/__init__.py": "", "sub dir/tests.py": "", "sub dir/bench more words.py": "print(3)"},
			config.Detected{
				Language: "python", Test: []string{"python3", "-m", "unittest", "discover", "-s", "sub dir", "-p", "tests.py"}, Evaluator: []string{"python3", "sub dir/bench more words.py"},
				Found: "sub dir/bench more words.py", Output: "last-number", Protected: []string{"sub dir/bench more words.py", "**/tests.py"}, Env: []string{"PYTHONPATH={tree}"}, Scope: []string{"**/*.py"},
			},
		},
		{
			"a Makefile with a bench target",
			map[string]string{"main.c": "", "Makefile": "CC := cc\ntest: all\n\t./t\nbench: all\n\t./b\n"},
			config.Detected{
				Language: "c", Test: []string{"make", "test"}, Evaluator: []string{"make", "-s", "bench"}, Found: "Makefile",
				Output: "last-number", Protected: []string{"Makefile"}, Scope: []string{"**/*.{c,cc,cpp,cxx,h,hpp}"},
			},
		},
		{
			"a Makefile whose tests have GNU's name",
			map[string]string{"main.c": "", "Makefile": "check: all\n\t./t\nbench: all\n\t./b\n"},
			config.Detected{
				Language: "c", Test: []string{"make", "check"}, Evaluator: []string{"make", "-s", "bench"}, Found: "Makefile",
				Output: "last-number", Protected: []string{"Makefile"}, Scope: []string{"**/*.{c,cc,cpp,cxx,h,hpp}"},
			},
		},
		{
			"a script of JavaScript that runs the tests alone",
			map[string]string{"index.js": "", "package.json": `{"scripts": {"pretest": "eslint .", "test": "npm run tests-only", "posttest": "aud", "tests-only": "tape test.js"}}`},
			javaScript("npm", "run", "--silent", "tests-only"),
		},
		{
			"a script of JavaScript that runs the tests",
			map[string]string{"index.js": "", "package.json": `{"scripts": {"test": "tape test.js"}, "devDependencies": {"tests-only": "1"}}`},
			javaScript("npm", "test", "--silent"),
		},
		{
			"scripts of JavaScript that run benchmarks one way of several, beside a benchmark by its name",
			map[string]string{"index.js": "", "index.bench.ts": "", "package.json": `{"scripts": {"bench:node": "node b.js", "bench:bun": "bun b.js", "benchmarked": "true"}}`},
			func() config.Detected {
				d := javaScript()
				d.Evaluator, d.Found, d.Output = []string{"npm", "run", "--silent", "bench:bun"}, "package.json", "last-number"
				d.Others = []config.Choice{{Command: []string{"npm", "run", "--silent", "bench:node"}, Found: "package.json", Output: "last-number"}}
				d.Protected = []string{"package.json", "**/*.bench.ts"}
				return d
			}(),
		},
		{
			"a script that says there are no tests",
			map[string]string{"index.js": "", "package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}, "devDependencies": {"test": "1"}}`},
			javaScript(),
		},
		{
			"a package.json of a library of C, without a source of JavaScript",
			map[string]string{"kit.c": "", "kit.h": "", "Makefile": "check:\n\t./t\n", "package.json": `{"name": "kit", "src": ["kit.c", "kit.h"]}`},
			cLibrary("check"),
		},
		{
			"a package.json whose scripts leave all to make, beside more sources of C",
			map[string]string{"kit.c": "", "more.c": "", "docs/page.js": "", "Makefile": "test:\n\t./t\n", "package.json": `{"scripts": {"install": "make -j2 && cc -o t kit.c", "test": "make test"}}`},
			cLibrary("test"),
		},
		{
			"a package.json whose scripts leave all to make, beside more sources of JavaScript",
			map[string]string{"index.js": "", "package.json": `{"scripts": {"test": "make test"}}`},
			javaScript("npm", "test", "--silent"),
		},
		{
			"vendored code decides nothing",
			map[string]string{"a.rs": "", "vendor/x/evaluate.py": "", "vendor/x/b.py": "", "node_modules/y/z.py": ""},
			config.Detected{Language: "rust", Test: []string{"cargo", "test", "--quiet"}, Output: "result-file", Scope: []string{"**/*.rs"}, Caches: []string{"cargo"}},
		},
		{"an empty repository", nil, config.Detected{Output: "result-file"}},
	} {
		if got := detect(c.files); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestTemplateLoadsAndSaysWhatWasDetected(t *testing.T) {
	odd := "we\"ird \x01\x7f\u0085\u2028 #name: [x]"
	all := []config.Detected{
		{},
		{Name: odd, Found: odd, Evaluator: []string{"sh", odd}, Test: []string{odd}, Scope: []string{"a, b"}, Protected: []string{"#x", "{y,z}"}, Caches: []string{"go"}},
		detect(map[string]string{"go.mod": "module x", "a_test.go": "package x\nfunc BenchmarkA(b *testing.B) {}\n"}),
		detect(map[string]string{"evaluate.py": "print(1)", "tests/test_x.py": ""}),
		{Test: []string{"make", "test"}},
		{Evaluator: []string{"go", "test"}, Adapter: "gobench", Dir: "atoll-evaluator", Measured: &config.Measured{
			Objective: "ns/op", Direction: "minimize", Unsure: true, Timeout: 30 * time.Second, Repeats: 3, Paired: true, Jobs: 80, Wall: time.Hour, Notes: []string{odd},
			Stages: []config.Stage{{Name: "tests", Command: []string{"go", "test", "-skip=^(TestA|TestB)$", "./..."}, Output: "none", Timeout: time.Minute}},
			Axes:   []config.Axis{{Metric: "B/op", Min: 0, Max: 2048, Bins: 10}},
		}},
	}
	for i, d := range all {
		text := config.Template(d)
		l, err := config.Load(config.LoadOptions{Data: text})
		if err != nil {
			t.Errorf("template %d does not load: %v\n%s", i, err, text)
			continue
		}
		if len(d.Evaluator) > 0 && (!reflect.DeepEqual(l.Evaluator.Command, d.Evaluator) || len(l.Complete()) > 0) {
			t.Errorf("template %d: command %q, want %q; complete: %v", i, l.Evaluator.Command, d.Evaluator, l.Complete())
		}
		if len(d.Evaluator) == 0 && len(l.Complete()) == 0 {
			t.Errorf("template %d has no evaluator and yet is complete", i)
		}
		if m := d.Measured; m != nil {
			e := l.Evaluator
			if e.Objective != m.Objective || e.Direction != m.Direction || e.Timeout != m.Timeout || e.Repeats != m.Repeats || e.Paired != m.Paired || e.Dir != d.Dir {
				t.Errorf("template %d lost what was measured:\n%s", i, text)
			}
			if !reflect.DeepEqual(l.Map.Axes, m.Axes) || len(e.Stages) != len(m.Stages)+1 || !reflect.DeepEqual(e.Stages[0], m.Stages[0]) || l.Budget.Jobs != m.Jobs || l.Budget.Wall != m.Wall {
				t.Errorf("template %d lost axes, stages or budget:\n%s", i, text)
			}
		}
		if !reflect.DeepEqual(l.Evaluator.Protected, d.Protected) || !reflect.DeepEqual(l.Gate.Scope, d.Scope) {
			t.Errorf("template %d: protected %q scope %q", i, l.Evaluator.Protected, l.Gate.Scope)
		}
	}
}

func TestTemplateCommentsAreTrue(t *testing.T) {
	text := string(config.Template(config.Detected{}))
	var un strings.Builder
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		if key := strings.TrimPrefix(trimmed, "# "); key != trimmed && looksLikeYAML(key) {
			line = line[:len(line)-len(trimmed)] + key
		}
		fmt.Fprintln(&un, line)
	}
	l, err := config.Load(config.LoadOptions{Data: []byte(un.String())})
	if err != nil {
		t.Fatalf("with every suggestion taken the file must load:\n%v\n%s", err, un.String())
	}
	if len(l.Map.Axes) != 2 || len(l.Agents) != 3 || l.Budget.CostUSD != 5 {
		t.Errorf("a suggestion was lost: %+v", l.Config)
	}
}

// looksLikeYAML tells a commented setting from a sentence.
func looksLikeYAML(s string) bool {
	word, _, ok := strings.Cut(strings.TrimSpace(s), ":")
	if strings.HasPrefix(strings.TrimSpace(s), "- ") {
		return true
	}
	return ok && !strings.ContainsAny(word, " .") && word == strings.ToLower(word)
}

func TestTheOtherFormsOfOutputAreListedBesideTheOneInUse(t *testing.T) {
	for output, others := range map[string]string{
		"":           "# or last-json-line, last-number, name=value, suite\n",
		"name=value": "# or result-file, last-json-line, last-number, suite\n",
	} {
		text := string(config.Template(config.Detected{Output: output}))
		if !strings.Contains(text, others) {
			t.Errorf("%q: no %q in\n%s", output, others, text)
		}
	}
}

func TestATargetThatMakeTakesForUpToDateMeasuresNothing(t *testing.T) {
	files := map[string]string{"bench/run.c": "", "main.c": "", "Makefile": "bench:\n\t./prog\n"}
	if d := detect(files); d.Evaluator != nil {
		t.Errorf("the folder bench makes the target up to date, and %q is offered", d.Evaluator)
	}
	files["Makefile"] = ".PHONY: test bench\n" + files["Makefile"]
	if d := detect(files); !slices.Equal(d.Evaluator, []string{"make", "-s", "bench"}) {
		t.Errorf("a phony target always runs, and %q is offered", d.Evaluator)
	}
}

// javaScript is what is found of a package without a benchmark whose tests a command runs.
func cLibrary(target string) config.Detected {
	return config.Detected{
		Language: "c", Test: []string{"make", target}, Output: "result-file", Protected: []string{"package.json", "Makefile"}, Scope: []string{"**/*.{c,cc,cpp,cxx,h,hpp}"},
	}
}

func javaScript(test ...string) config.Detected {
	return config.Detected{Language: "javascript", Test: test, Output: "result-file", Protected: []string{"package.json"}, Scope: []string{"**/*.{js,mjs,ts,tsx}"}, Caches: []string{"npm"}}
}
