package survey_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atoll/engine/survey"
)

func TestWhatOpensNoSourceIsPassedOver(t *testing.T) {
	t.Parallel()
	needsPython(t)
	const (
		kit   = "def count(text):\n    seen = {}\n    for w in text.split():\n        seen[w] = seen.get(w, 0) + 1\n    return seen\n"
		tests = "import unittest\n\nfrom kit import count\n\n\nclass Tests(unittest.TestCase):\n    def test_count(self):\n        self.assertEqual(count('a b a ' * 50), {'a': 100, 'b': 50})\n"
		bench = "def timed(work):\n    return work()\n"
		why   = "python3 tests/benchmark.py does not measure: it opens no source of this repository that a candidate may change"
	)
	for name, c := range map[string]struct {
		files     map[string]string
		objective string // "": nothing can be measured
		command   string // part of what measures
		said      []string
	}{
		"another benchmark measures": {
			map[string]string{"kit.py": kit, "tests/benchmark.py": bench, "bench_words.py": "import kit\nprint('words_ms =', len(kit.count('a b')))\n"},
			"words_ms", "bench_words.py",
			[]string{why},
		},
		"calls of the tests measure": {
			map[string]string{"kit.py": kit, "tests/benchmark.py": bench, "tests/__init__.py": "", "tests/test_kit.py": tests},
			"time_us", "{dir}/measure.py",
			[]string{why, "an objective was missing"},
		},
		"tests that open none do not stand in": {
			map[string]string{"main.c": "int main(void) { return 0; }\n", "Makefile": "test:\n\ttest -f main.c\n"},
			"", "",
			[]string{"stands in for"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, said, err := surveyed(t, c.files)
			if c.objective == "" {
				if !errors.Is(err, survey.ErrNothing) || !strings.Contains(err.Error(), "the tests open no source of this repository") {
					t.Errorf("%v\n%s", err, said)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if command := strings.Join(r.Evaluator, " "); r.Measured.Objective != c.objective || !strings.Contains(command, c.command) {
				t.Errorf("%s by %s\n%s", r.Measured.Objective, command, said)
			}
			for _, want := range c.said {
				if !strings.Contains(said, want) {
					t.Errorf("not said: %s\n%s", want, said)
				}
			}
			if slices.Contains(r.Protected, "kit.py") || !slices.Contains(r.Scope, "kit.py") && !slices.Contains(r.Scope, "*.py") {
				t.Errorf("scope %q, protected %q", r.Scope, r.Protected)
			}
		})
	}
}

func TestCodeOfAnotherLanguageThatIsMeasuredMayChange(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no compiler of C here")
	}
	const rules = ".PHONY: check\ncheck: kit_test\n\t./kit_test tests/digits.txt\nkit_test: kit.c kit.h tests/check.c\n\tcc -O1 -I. -o kit_test kit.c tests/check.c\n"
	source := map[string]string{
		"Makefile": rules, "kit.h": "long sum(long n);\n", "tests/digits.txt": "123\n",
		"kit.c":         "#include \"kit.h\"\nlong sum(long n) {\n\tvolatile long s = 0;\n\tfor (long i = 0; i < n; i++)\n\t\ts += i;\n\treturn s;\n}\n",
		"tests/check.c": "#include <stdio.h>\n#include \"kit.h\"\nint main(int n, char **args) {\n\treturn fopen(args[n - 1], \"r\") == NULL || sum(20000000) == 0;\n}\n",
	}
	for name, c := range map[string]struct {
		beside map[string]string
		scope  []string
	}{
		"a package.json of a library of C": {map[string]string{"package.json": `{"name": "kit", "src": ["kit.c", "kit.h"]}`}, []string{"*.c", "*.h"}},
		"a project of Python around C":     {map[string]string{"setup.py": "print(1)\n"}, []string{"*.c", "*.h"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for _, of := range []map[string]string{source, c.beside} {
				for f, text := range of {
					files[f] = text
				}
			}
			r, said, err := surveyed(t, files)
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if r.Measured.Objective != "time_ms" || !slices.Equal(r.Scope, c.scope) || slices.Contains(r.Protected, "kit.c") || slices.Contains(r.Protected, "kit.h") || !slices.Contains(r.Protected, "tests/**") {
				t.Errorf("scope %q, protected %q, objective %s\n%s", r.Scope, r.Protected, r.Measured.Objective, said)
			}
		})
	}
}
