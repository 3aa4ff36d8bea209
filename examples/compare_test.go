package examples_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"atoll/engine/agent/edit"
)

const evolved = `# EVOLVE-BLOCK-START
import numpy as np

def f(x):
    # 3 parts
    return 0.5 * x + 0.5 * x

def g(x):
    return 4 * x
# EVOLVE-BLOCK-END
LIMIT = 10
`

// requests are what either system asks, in the form of its prompts.
var requests = map[string]string{
	"atoll, blocks": "## Other versions\n[begin c3 against the base 11]\n-    return 4 * x\n+    return 7 * x\n[end c3 against the base 11]\n" +
		"[begin file solve.py 0a1b]\n" + evolved + "[end file solve.py 0a1b]\nPath, then\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n",
	"atoll, whole files":      "[begin file solve.py 0a1b]\n" + evolved + "[end file solve.py 0a1b]\nGive whole files.",
	"OpenEvolve, differences": "# Current Program\n```python\n" + evolved + "\n```\n\n# Task\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n",
	"OpenEvolve, rewrites":    "# Current Program\n```python\n" + evolved + "\n```\n\n# Task\nRewrite the program.",
}

func TestTheModelOfTheComparisonChangesNumbersAndNothingElse(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the comparison is a script of Python, and python3 is not on the PATH")
	}
	asked := func(seed, request string) string {
		t.Helper()
		data, err := json.Marshal([]map[string]string{{"role": "user", "content": request}})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", "import compare, json, sys; print(compare.answer(sys.argv[1], json.load(sys.stdin)))", seed)
		cmd.Dir, cmd.Stdin = filepath.Join("adapters", "openevolve", "compare"), strings.NewReader(string(data))
		cmd.Env = append(cmd.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	number := regexp.MustCompile(`\d+(\.\d+)?`)
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			format := edit.Blocks
			if !strings.Contains(request, "SEARCH") {
				format = edit.Whole
			}
			first := asked("1", request)
			if first != asked("1", request) {
				t.Error("the same request has two answers")
			}
			if first == asked("2", request) {
				t.Error("two seeds have one answer")
			}
			text := first
			if strings.HasPrefix(name, "OpenEvolve") { // which knows one file, and asks for no path
				text = strings.NewReplacer("<<<<<<<", "solve.py\n<<<<<<<", "```python", "solve.py\n```python").Replace(first)
			}
			edits, err := edit.Parse(format, text, []string{"solve.py"})
			if err != nil {
				t.Fatalf("%v\n%s", err, first)
			}
			after := strings.TrimSpace(applied(t, edits)) + "\n"
			if after == evolved || number.ReplaceAllString(after, "0") != number.ReplaceAllString(evolved, "0") || !strings.Contains(after, "# 3 parts") || !strings.Contains(after, "LIMIT = 10\n") {
				t.Errorf("the program became\n%s", after)
			}
		})
	}
}

// applied is the program after edits that replace whole lines once, or all of it.
func applied(t *testing.T, edits []edit.Edit) string {
	t.Helper()
	after := evolved
	for _, e := range edits {
		if e.Path != "solve.py" {
			t.Fatalf("an edit of %q", e.Path)
		}
		if e.Whole != nil {
			after = *e.Whole
			continue
		}
		before := strings.Join(e.Block.Search, "\n")
		if strings.Count(after, before) != 1 {
			t.Fatalf("%q occurs %d times", before, strings.Count(after, before))
		}
		after = strings.Replace(after, before, strings.Join(e.Block.Replace, "\n"), 1)
	}
	return after
}
