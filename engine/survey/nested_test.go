package survey_test

import (
	"errors"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/survey"
)

func TestAProjectInAFolderIsNamedWithWhatSetsItUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		said  []string // "" for none
	}{
		"of Python": {
			map[string]string{"README.md": "two\n", "packages/word to num/setup.py": "", "packages/word to num/w2n.py": "n = 1\n", "packages/word to num/deep/er/pyproject.toml": ""},
			[]string{"no project lies at the top of the repository, but packages/word to num/setup.py", `command: [sh, -c, 'cd "packages/word to num" && exec TESTS']`, `gate: {scope: ["packages/word to num/**/*.py"]}`},
		},
		"whose names a shell would read": {
			map[string]string{"a $HOME/setup.py": "", "a $HOME/w.py": "n = 1\n", "a $HOME/test dir.txt": "", "a $HOME/bench it.py": "print(1)\n"},
			[]string{`command: [sh, -c, 'cd ''a $HOME'' && python3 ''bench it.py''']`},
		},
		"of Go": {
			map[string]string{"main.go": "package main\n", "libs/lev dist/go.mod": "module x\n", "libs/lev dist/x_test.go": "package x\n\nfunc BenchmarkX() {}\n"},
			[]string{"there is no go.mod at the top of the repository, but libs/lev dist/go.mod", `{adapter: gobench, command: [sh, -c, 'cd "libs/lev dist" && go test -run=^$ -bench=. `, `command: [sh, -c, 'cd "libs/lev dist" && go test ./...']`, `gate: {scope: ["libs/lev dist/**/*.go"]}`},
		},
		"beside one at the top": {map[string]string{"setup.py": "", "a.py": "n = 1\n", "docs/package.json": "{}"}, nil},
		"nowhere":               {map[string]string{"a.py": "n = 1\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, said, err := surveyed(t, c.files)
			if !errors.Is(err, survey.ErrNothing) {
				t.Fatalf("%v\n%s", err, said)
			}
			for _, want := range c.said {
				if !strings.Contains(said, want) {
					t.Errorf("not said: %s\n%s", want, said)
				}
			}
			_, lines, told := strings.Cut(said, "set up by hand, in atoll.yaml:\n")
			if told != (c.said != nil) {
				t.Errorf("it is told, or not:\n%s", said)
			}
			if lines, _, _ = strings.Cut(lines, "\nno "); told {
				lines = strings.Join(strings.SplitAfterN(lines, "\n", 3)[:2], "")
				if _, err := config.Load(config.LoadOptions{Data: []byte(lines)}); err != nil {
					t.Errorf("the lines do not load: %v\n%s", err, lines)
				}
			}
		})
	}
}

func TestCallsOfTestsBesideAPackageInAFolderAreMadeAgain(t *testing.T) {
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"sub dir/pkg/__init__.py": "", "sub dir/pkg/words.py": "def count(text):\n    seen = {}\n    for w in text.split():\n        seen[w] = seen.get(w, 0) + 1\n    return seen\n",
		"sub dir/tests.py": "import unittest\n\nfrom pkg import words\n\n\nclass Words(unittest.TestCase):\n    def test_count(self):\n        for _ in range(20):\n            self.assertEqual(words.count('a b a ' * 50), {'a': 100, 'b': 50})\n",
	})
	if err != nil || r.Measured.Objective != "time_us" || len(r.Measured.Stages) != 1 || !strings.Contains(r.Scaffold["calls.json"], `"pkg.words:count"`) || !strings.Contains(r.Scaffold["calls.json"], "\"paths\": [\n  \"sub dir\",\n  \".\"\n ]") {
		t.Errorf("%v\n%s\n%s", err, said, r.Scaffold["calls.json"])
	}
}

func TestCallsOfTestsWhoseFileHasAnotherNameAreRecorded(t *testing.T) {
	t.Parallel()
	needsPython(t)
	r, said, err := surveyed(t, map[string]string{
		"setup.py": "", "words.py": "def count(text):\n    seen = {}\n    for w in text.split():\n        seen[w] = seen.get(w, 0) + 1\n    return seen\n",
		"unit_testing.py": "import unittest\n\nimport words\n\n\nclass Words(unittest.TestCase):\n    def test_count(self):\n        for _ in range(20):\n            self.assertEqual(words.count('a b a ' * 50), {'a': 100, 'b': 50})\n\n\nif __name__ == '__main__':\n    unittest.main()\n",
	})
	if err != nil || r.Measured.Objective != "time_us" || len(r.Measured.Stages) != 1 || !strings.Contains(r.Scaffold["calls.json"], `"words:count"`) {
		t.Errorf("%v\n%s", err, said)
	}
	if !strings.Contains(strings.Join(r.Measured.Notes, "\n"), "CHECK evaluator.command: an objective was missing") {
		t.Errorf("what stands in is not marked: %q", r.Measured.Notes)
	}
}
