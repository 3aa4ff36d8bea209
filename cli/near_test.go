package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// helped is a repository whose agent adds the same helper again and again, with another
// number in its comment.
func helped(t *testing.T, search string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "helped")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	agent := `printf 'def helper(value):\n    total = value + 1\n    return total\n# %s\n' "$(date +%N)" > helper.py`
	for name, text := range map[string]string{
		"main.py":    "def main():\n    print('hello')\n",
		"measure.sh": "n=$(cat *.py | tr -cd 0-9 | wc -c); echo score=$n; echo place=$n\n",
		"atoll.yaml": "workers: 1\nevaluator: {command: [sh, measure.sh], output: name=value, objective: score, protected: [measure.sh]}\n" +
			"map: {axes: [{metric: place, min: 0, max: 8, bins: 8}]}\nbudget: {jobs: 10}\n" +
			"agents:\n  - {name: helper, kind: command, command: [sh, -c, " + strconv.Quote(agent) + "], attempts: 1}\n" + search,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "start")
	must(t, dir, "run", "--headless")
	return dir
}

func TestWhatAnAgentDoesAgainIsNotMeasuredWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	type job struct {
		ID     int    `json:"id"`
		State  string `json:"state"`
		Reason string `json:"reason"`
	}
	near := regexp.MustCompile(`^near c(\d+), which has 100 % of its change; it was not measured \(search\.novelty\)$`)
	for name, c := range map[string]struct {
		search string
		behind int // how far the one that it is near to is back at least
		want   bool
	}{
		"off":       {"search: {selection: uniform}\n", 0, false},
		"wanted":    {"search: {selection: uniform, novelty: 0.9}\n", 1, true},
		"in strict": {"order: strict\nlookahead: 2\nsearch: {selection: uniform, novelty: 0.9}\n", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "in strict" {
				suitetest.Full(t, "a run for each order, and one that measures all; in strict stands for them")
			}
			t.Parallel()
			dir := helped(t, c.search)
			n := 0
			for line := range strings.Lines(must(t, dir, "jobs", "--json", "--limit", "100")) {
				var j job
				if err := json.Unmarshal([]byte(line), &j); err != nil {
					t.Fatal(err)
				}
				if j.State != "duplicate" {
					continue
				}
				m := near.FindStringSubmatch(j.Reason)
				if m == nil {
					t.Fatalf("job %d is a duplicate: %s", j.ID, j.Reason)
				}
				if of, _ := strconv.Atoi(m[1]); of == 0 || of > j.ID-c.behind {
					t.Errorf("job %d is near c%d", j.ID, of)
				}
				n++
			}
			if c.want != (n > 0) {
				t.Errorf("%d of 10 jobs were near others:\n%s", n, must(t, dir, "jobs", "--limit", "100"))
			}
			if out := must(t, dir, "doctor"); !strings.Contains(out, "the archive is the fold of the log") {
				t.Errorf("%s", out)
			}
		})
	}
}
