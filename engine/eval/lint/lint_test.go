package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/eval/lint"
)

// tree has sort.c, solution.py and Makefile of the candidate, and protected scripts.
var tree = lint.Tree{
	Has: func(p string) bool { return p == "sort.c" || p == "solution.py" || p == "helper.py" || p == "Makefile" },
	Protected: func(p string) bool {
		return p == "helper.py" || p == "check.c" || p == "check.sh" || strings.HasPrefix(p, "evaluator/")
	},
}

func TestEvaluatorsThatLendTheirRightsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, script, text string
		line               int    // 0: nothing is found
		says               string // of the finding
	}{
		{"a compiler reads what the source names", "measure.sh", "set -e\ncc -O2 -o sort sort.c\n", 2, "compiles sort.c"},
		{"under a wrapper, too", "measure.sh", "timeout 10 env CC=x gcc sort.c\n", 1, "compiles sort.c"},
		{"what was built is run", "measure.sh", "./sort < cases > out\n", 1, "./sort runs"},
		{"its time is taken", "measure.sh", "time ./sort < cases > out\n", 1, "./sort runs"},
		{"an interpreter is given the candidate's file", "measure.sh", "out=$(python3 -I solution.py)\n", 1, "python3 runs solution.py"},
		{"make does what the tree says", "measure.sh", "make all\n", 1, "make runs what the tree says"},
		{"pytest imports the candidate", "measure.sh", "python3 -m pytest -q\n", 1, "pytest"},
		{"its standard output is the result", "measure.sh", "\"$ATOLL_RUN\" ./sort > \"$ATOLL_RESULT\"\n", 1, "becomes the result"},
		{"its own time is put into JSON as it is", "measure.sh", "ms=$(\"$ATOLL_RUN\" ./sort)\nprintf '{\"metrics\": {\"ms\": %s}}' \"$ms\" > \"$ATOLL_RESULT\"\n", 2, "$ms"},
		{"by echo", "measure.sh", "ms=`$ATOLL_RUN ./sort | tail -1`\necho \"{\\\"ms\\\": $ms}\" > $ATOLL_RESULT\n", 2, "$ms"},
		{"a shell script without an ending", "measure", "#!/bin/bash\ncc sort.c\n", 2, "compiles"},
		{"Python imports the candidate", "evaluate.py", "import json\nimport solution\n", 2, "imports solution"},
		{"Python executes it", "evaluate.py", "exec(open('solution.py').read())\n", 1, "loads code"},
		{"Python starts it", "evaluate.py", "import subprocess\nsubprocess.run(['python3', 'solution.py'])\n", 2, "starts solution.py"},

		{"everything behind the launcher", "measure.sh", "\"$ATOLL_RUN\" cc -o \"$ATOLL_RUN_DIR/s\" sort.c\n\"$ATOLL_RUN\" \"$ATOLL_RUN_DIR/s\" > \"$TMPDIR/out\"\n", 0, ""},
		{"the evaluator's own program is compiled", "measure.sh", "cc -o \"$TMPDIR/check\" check.c\ncc \"$dir/x.c\" /usr/share/y.c\n", 0, ""},
		{"a protected script is run", "measure.sh", "sh check.sh\n. ./check.sh\n./check.sh\n", 0, ""},
		{"the time is the evaluator's", "measure.sh", "a=$(date +%s)\n$ATOLL_RUN ./s\nms=$(( $(date +%s) - a ))\nprintf '{\"ms\": %s}' \"$ms\" > \"$ATOLL_RESULT\"\n", 0, ""},
		{"a number is asked for", "measure.sh", "n=$($ATOLL_RUN ./s)\nprintf '{\"n\": %d}' \"$n\" > \"$ATOLL_RESULT\"\n", 0, ""},
		{"what was printed is looked at", "measure.sh", "n=$($ATOLL_RUN ./s)\ncase $n in *[!0-9]*) exit 1;; esac\necho \"{\\\"n\\\": $n}\" > $ATOLL_RESULT\n", 0, ""},
		{"words in texts and comments are no commands", "measure.sh", "# cc sort.c\necho 'make all' >&2\ncat <<END\ncc sort.c\nEND\n", 0, ""},
		{"go builds without running", "quick.sh", "go vet ./...\ngo build -o x ./cmd\n$ATOLL_RUN ./x\n", 0, ""},
		{"Python imports its own and the library's", "evaluate.py", "import helper\nimport os.path\nfrom json import loads\n", 0, ""},
		{"Python gives a program to the launcher", "evaluate.py", "RUN = \"\"\"\nimport solution\n\"\"\"\nsubprocess.run([os.environ['ATOLL_RUN'], 'python3', '-c', RUN])\n", 0, ""},
		{"a script that no shell can read", "measure.sh", "if cc sort.c\n", 0, ""},
		{"another language", "main.go", "exec.Command(\"cc\", \"sort.c\")\n", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := lint.Check([]lint.Script{{Name: c.script, Text: c.text}}, tree)
			if c.line == 0 {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			if len(found) == 0 || found[0].Line != c.line || !strings.Contains(found[0].What, c.says) || found[0].Cure == "" {
				t.Errorf("found %+v, want line %d: %s", found, c.line, c.says)
			}
		})
	}
}

func TestEvaluatorsThatComeWithAtollAreFine(t *testing.T) {
	var scripts []lint.Script
	top := filepath.Join("..", "..", "..", "examples")
	err := filepath.WalkDir(top, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "/evaluator/") {
			return err
		}
		data, err := os.ReadFile(name)
		scripts = append(scripts, lint.Script{Name: name, Text: string(data)})
		return err
	})
	if err != nil || len(scripts) < 6 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	all := lint.Tree{
		Has:       func(p string) bool { return p == "solution.py" || p == "program.py" },
		Protected: func(p string) bool { return strings.HasPrefix(p, "evaluator/") },
	}
	for _, f := range lint.Check(scripts, all) {
		t.Errorf("%s:%d: %s", f.Script, f.Line, f.What)
	}
}

// TestTheShortestEvaluatorOfTheDocumentationIsFine reads it where people do.
func TestTheShortestEvaluatorOfTheDocumentationIsFine(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "evaluators.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```sh\n")
	script, _, ok := strings.Cut(rest, "```")
	if !ok || !strings.Contains(script, "ATOLL_RESULT") {
		t.Fatal("the page has no script")
	}
	for _, f := range lint.Check([]lint.Script{{Name: "measure.sh", Text: script}}, tree) {
		t.Errorf("line %d: %s", f.Line, f.What)
	}
	for _, f := range []string{"\"$ATOLL_RUN\" cc", "\"$ATOLL_RUN\" \"$ATOLL_RUN_DIR/sort\""} {
		bad := strings.Replace(script, f, strings.Replace(strings.TrimPrefix(f, "\"$ATOLL_RUN\" "), "\"$ATOLL_RUN_DIR/sort\"", "./sort", 1), 1)
		if bad == script || len(lint.Check([]lint.Script{{Name: "measure.sh", Text: bad}}, tree)) == 0 {
			t.Errorf("nothing is found without %s", f)
		}
	}
}
