package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atoll/cli/door"
	"atoll/config/suitetest"
)

// pageBlock is one example of a page of the documentation: its language and its text.
type pageBlock struct{ lang, text string }

// pageExamples are the examples of docs/evaluators.md, in order.
func pageExamples(t *testing.T) (blocks []pageBlock) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "evaluators.md"))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(page)
	for {
		_, after, ok := strings.Cut(rest, "\n```")
		if !ok {
			return blocks
		}
		head, body, _ := strings.Cut(after, "\n")
		text, next, closed := strings.Cut(body, "\n```")
		if !closed {
			t.Fatalf("an example that does not end: %s", head)
		}
		blocks, rest = append(blocks, pageBlock{head, text + "\n"}), next
	}
}

// The programs that the examples measure.
const (
	pageSortC = `#include <stdio.h>
#include <stdlib.h>
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
	static int v[1 << 20];
	int n = 0;
	while (n < 1 << 20 && scanf("%d", v + n) == 1) n++;
	qsort(v, n, sizeof *v, less);
	for (int i = 0; i < n; i++) printf("%d\n", v[i]);
	return 0;
}
`
	pageSortPython = "import sys\nfor n in sorted(int(line) for line in sys.stdin):\n    print(n)\n"
	pageScore      = "import json, os\njson.dump({'metrics': {'score': 0.75}}, open(os.environ['ATOLL_RESULT'], 'w'))\n"
	pageSortGo     = "package sorting\n\nimport \"slices\"\n\n// Sort sorts.\nfunc Sort(v []int) { slices.Sort(v) }\n"
	pageBench      = `package sorting

import "testing"

func BenchmarkSort(b *testing.B) {
	for range b.N {
		v := make([]int, 1000)
		for i := range v {
			v[i] = i * 7919 % 1000
		}
		Sort(v)
	}
}
`
)

// pageExample is a repository made of examples, with files beside it.
type pageExample struct {
	t   *testing.T
	dir string // of the repository
}

// newPageExample makes a repository of files, with an evaluator's folder beside it.
func newPageExample(t *testing.T, yaml string, files, evaluator map[string]string, programs ...string) *pageExample {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("the example needs %s, which is not here", p)
		}
	}
	top := t.TempDir()
	e := &pageExample{t, filepath.Join(top, "repo")}
	put(t, filepath.Join(top, "evaluator"), evaluator)
	put(t, e.dir, files)
	put(t, e.dir, map[string]string{"atoll.yaml": yaml})
	git(t, e.dir, "init", "--quiet", "--initial-branch=main")
	git(t, e.dir, "add", "--all")
	git(t, e.dir, "commit", "--quiet", "--message", "start")
	return e
}

// doctored returns what doctor says of the evaluator beside the root's own line and that there are no tests.
func (e *pageExample) doctored(args ...string) (said []string) {
	e.t.Helper()
	c := atoll(e.t, e.dir, append([]string{"doctor", "--json"}, args...)...)
	var lines []struct {
		Group, Name, Detail string
		OK                  bool
	}
	if err := json.Unmarshal([]byte(c.out), &lines); err != nil {
		e.t.Fatalf("%v: %s%s", err, c.out, c.err)
	}
	for _, l := range lines {
		noisy := l.Name == "measured root" && strings.HasSuffix(l.Detail, ": noisy")
		unseen := strings.HasPrefix(l.Detail, "evaluator.stages: no stage runs tests") // the examples look at the answers themselves
		if !l.OK && !noisy && !unseen && (l.Group == "evaluator" || l.Group == "configuration") {
			said = append(said, l.Name+": "+l.Detail)
		}
	}
	return said
}

// holds looks at the example with doctor and runs a few jobs: nothing is said of the
// evaluator, and the root is scored.
func (e *pageExample) holds() {
	e.t.Helper()
	if said := e.doctored("--deep"); len(said) > 0 {
		e.t.Errorf("doctor says %q", said)
	}
	c := atoll(e.t, e.dir, "run", "--headless", "--max-jobs", "3")
	if c.code != 0 || strings.Contains(c.out+c.err, "higher_is_better") {
		e.t.Fatalf("exit %d\n%s%s", c.code, c.out, c.err)
	}
	var s struct{ Best struct{ Objective *float64 } }
	if err := json.Unmarshal([]byte(must(e.t, e.dir, "status", "--json")), &s); err != nil || s.Best.Objective == nil || *s.Best.Objective <= 0 {
		e.t.Errorf("the best: %+v, %v\n%s", s, err, c.out)
	}
}

// TestTheExamplesOfThePageRunAsTheyAreWritten takes every example of docs/evaluators.md
// out of the page and does with it what a reader would.
func TestTheExamplesOfThePageRunAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	b := pageExamples(t)
	var kinds []string
	for _, of := range b {
		kinds = append(kinds, of.lang)
	}
	if got := strings.Join(kinds, " "); got != "yaml sh yaml python json yaml yaml yaml yaml sh" {
		t.Fatalf("the page has the examples %q: run the new one here, too", got)
	}
	t.Run("the shortest one", func(t *testing.T) {
		t.Parallel()
		newPageExample(t, b[0].text, map[string]string{"measure.sh": b[1].text, "sort.c": pageSortC}, nil, "cc").holds()
	})
	t.Run("one outside of the repository, and how its change is told", func(t *testing.T) {
		suitetest.Full(t, "four runs of a compiled program; the shortest one stands for it")
		t.Parallel()
		e := newPageExample(t, b[2].text, map[string]string{"solve.py": pageSortPython}, map[string]string{"evaluate.py": b[3].text}, "python3")
		e.holds()
		put(t, filepath.Join(e.dir, "..", "evaluator"), map[string]string{"evaluate.py": b[3].text + "# changed\n"})
		again := strings.Fields(b[9].text)
		refused(t, atoll(t, e.dir, "run", "--headless"), strings.Join(again, " "))
		must(t, e.dir, append(again[1:], "--headless", "--max-jobs", "3")...)
	})
	t.Run("the result file", func(t *testing.T) {
		t.Parallel()
		const yaml = "evaluator: {command: 'cp result.json \"$ATOLL_RESULT\"', protected: [result.json], objective: time_ms, direction: minimize}\n"
		e := newPageExample(t, yaml, map[string]string{"result.json": b[4].text, "a.txt": "1\n"}, nil)
		if said := strings.Join(e.doctored("--deep"), "\n"); said != "measured root: test: list 3 is not sorted" {
			t.Errorf("as it is written: %s", said)
		}
		lines := strings.SplitAfter(b[4].text, "\n")
		for i, line := range lines {
			if strings.Contains(line, `"failure"`) {
				lines[i-1], lines[i] = strings.Replace(lines[i-1], ",\n", "\n", 1), ""
			}
		}
		newPageExample(t, yaml, map[string]string{"result.json": strings.Join(lines, ""), "a.txt": "1\n"}, nil).holds()
	})
	t.Run("several objectives, and cases", func(t *testing.T) {
		t.Parallel()
		const measure = `printf '{"metrics": [{"name": "ops_per_s", "value": %d}, {"name": "peak_mb", "value": 12}, {"name": "case_a", "value": 1}]}' "$(wc -c < a.txt)" > "$ATOLL_RESULT"` + "\n"
		yaml := strings.Replace(b[5].text, "evaluator: {", "evaluator: {command: sh measure.sh, protected: [measure.sh], ", 1)
		e := newPageExample(t, yaml, map[string]string{"measure.sh": measure, "a.txt": "1\n"}, nil)
		e.holds()
		if said := must(t, e.dir, "front"); !strings.Contains(said, "peak_mb") || !strings.Contains(said, "case_a") {
			t.Errorf("the front:\n%s", said)
		}
		var told door.Front
		_, body := serving(t, e.dir).get("api/v1/front", looker)
		if err := json.Unmarshal([]byte(body), &told); err != nil || len(told.Objectives) != 1 || told.Objectives[0].Metric != "peak_mb" || len(told.Cases) != 1 ||
			len(told.Members) == 0 || !told.Members[0].OnFront || !strings.Contains(told.Says, "peak_mb") {
			t.Errorf("over HTTP (%v): %s", err, body)
		}
		if out := must(t, e.dir, "report"); !strings.Contains(out, "## Best in a way of its own") {
			t.Errorf("the report:\n%s", out)
		}
	})
	t.Run("stages", func(t *testing.T) {
		suitetest.Full(t, "a run of a compiled program; the shortest one stands for it")
		t.Parallel()
		newPageExample(t, b[6].text, map[string]string{"sort.c": pageSortC}, map[string]string{"quick.py": pageScore, "full.py": pageScore}, "cc", "python3").holds()
	})
	t.Run("benchmarks of Go", func(t *testing.T) {
		t.Parallel()
		suitetest.Slow(t, "benchmarks run for a second each, six times in turns with the root, eight times over")
		newPageExample(t, b[7].text, map[string]string{"go.mod": "module sorting\n\ngo 1.25\n", "sort.go": pageSortGo, "sort_test.go": pageBench}, nil, "go").holds()
	})
	t.Run("a warm one", func(t *testing.T) {
		suitetest.Full(t, "a run whose evaluator is copied; the tests of engine/eval stand for it")
		t.Parallel()
		newPageExample(t, b[8].text, map[string]string{"solve.py": pageSortPython}, map[string]string{"evaluate.py": b[3].text}, "python3").holds()
	})
}

func TestAnEvaluatorThatContradictsTheDirectionIsTold(t *testing.T) {
	t.Parallel()
	const yaml = "evaluator: {command: sh measure.sh, protected: [measure.sh]}\n"
	const measure = `printf '{"metrics": [{"name": "time_ms", "value": 3, "higher_is_better": false}]}' > "$ATOLL_RESULT"` + "\n"
	e := newPageExample(t, yaml, map[string]string{"measure.sh": measure, "a.txt": "1\n"}, nil)
	if said := strings.Join(e.doctored("--deep"), "\n"); !strings.Contains(said, "higher_is_better = false for time_ms") || !strings.Contains(said, "maximize") {
		t.Errorf("doctor says %q", said)
	}
	c := atoll(t, e.dir, "run", "--headless", "--max-jobs", "4")
	if said := c.out + c.err; c.code != 0 || strings.Count(said, "higher_is_better = false for time_ms") != 1 {
		t.Errorf("run: exit %d\n%s", c.code, said)
	}
}

func TestANameOrAUnitThatContradictsTheDirectionIsTold(t *testing.T) {
	t.Parallel()
	for _, c := range suitetest.Every(3, []struct{ said, yaml, metric string }{
		{`the unit "ms" of "parse" says that less is better`, "objective: parse, ", `"name": "parse", "value": 3, "unit": "ms"`},
		{`the name "parse_seconds" says that less is better`, "objective: parse_seconds, ", `"name": "parse_seconds", "value": 3`},
		{`the name "elapsed" says that less is better`, "", `"name": "elapsed", "value": 3`},
	}) {
		measure := `printf '{"metrics": [{` + c.metric + `}]}' > "$ATOLL_RESULT"` + "\n"
		e := newPageExample(t, "evaluator: {"+c.yaml+"command: sh measure.sh, protected: [measure.sh]}\n", map[string]string{"measure.sh": measure, "a.txt": "1\n"}, nil)
		if told := strings.Join(e.doctored("--deep"), "\n"); strings.Count(told, c.said) != 1 || !strings.Contains(told, "`direction: minimize`") {
			t.Errorf("%s: doctor says %q", c.said, told)
		}
		r := atoll(t, e.dir, "run", "--headless", "--max-jobs", "2")
		if told := r.out + r.err; r.code != 0 || strings.Count(told, c.said) != 1 {
			t.Errorf("%s: run: exit %d\n%s", c.said, r.code, told)
		}
	}
}
