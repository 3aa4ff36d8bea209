package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/store/record"
)

// valued is what a line of `candidates --json` says of values.
type valued struct {
	ID        record.CandidateID
	Status    string
	Objective *float64
	Version   int `json:"objective_version"`
	History   []struct {
		Version   int `json:"objective_version"`
		Objective float64
	}
}

// scale is a site whose evaluator lies in a folder of its own and multiplies
// what it measures by the number in a file there.
type scale struct{ site }

func newScale(t *testing.T) *scale {
	t.Helper()
	s := &scale{site{t: t, dir: t.TempDir()}}
	s.write("dial.txt", "a = 1.5\nb = 2.5\nc = 0.5\nd = 3.25\n")
	s.write("evaluator/measure.sh", `sleep 0.05
awk -v f="$(cat "$1/factor")" '{s+=$3; v[NR]=$3} END {d=s-10; if (d<0) d=-d; printf "score=%.9f\nfirst=%.9f\nsecond=%.9f\n", -d*f, v[1], v[2]}' dial.txt
`)
	s.write("evaluator/factor", "1\n")
	s.write("atoll.yaml", `goal: come near ten
seed: 3
workers: 2
evaluator:
  command: [sh, "{dir}/measure.sh", "{dir}"]
  dir: evaluator
  output: name=value
  objective: score
map:
  axes:
    - {metric: first, min: 0, max: 4, bins: 6}
    - {metric: second, min: 0, max: 4, bins: 6}
budget: {jobs: 16}
`)
	git(t, s.dir, "init", "-q", "-b", "main")
	git(t, s.dir, "add", "-A")
	git(t, s.dir, "commit", "-q", "-m", "start")
	return s
}

func (s *scale) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scale) values() map[record.CandidateID]valued {
	s.t.Helper()
	out := map[record.CandidateID]valued{}
	for line := range strings.Lines(must(s.t, s.dir, "candidates", "--json")) {
		var v valued
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			s.t.Fatalf("%v in %s", err, line)
		}
		out[v.ID] = v
	}
	return out
}

func TestAChangedEvaluatorIsAChoiceAndKillsDoNotMixItsValues(t *testing.T) {
	suitetest.Full(t, "kills while values are measured anew; engine has TestAChangedEvaluatorMeasuresRootAndElitesAgainFirst")
	s := newScale(t)
	must(t, s.dir, "run", "--headless")
	before := s.values()
	s.write("evaluator/factor", "100\n")
	refused := atoll(t, s.dir, "run", "--headless")
	if refused.code == 0 || !strings.Contains(refused.err, "--remeasure") || !strings.Contains(refused.err, "--new") {
		t.Fatalf("exit %d, %s; want a refusal with both choices", refused.code, refused.err)
	}
	if both := atoll(t, s.dir, "run", "--headless", "--new", "--remeasure"); both.code == 0 {
		t.Errorf("--new and --remeasure together are taken")
	}
	args := []string{"run", "--headless", "--max-jobs", "24", "--remeasure"}
	kills := 0
	for {
		more := s.counters().Evals + 1 + suitetest.Pick(4, 1, 1)*kills
		if s.killed(func() bool { return s.counters().Evals >= more }, args...) {
			break
		}
		kills++
		now := s.status()
		for id, v := range s.values() {
			if v.Status == "elite" && v.Version != figure(t, now, "objective_version") {
				t.Fatalf("after %d kills %s holds a niche by %v of version %d", kills, id, *v.Objective, v.Version)
			}
		}
	}
	if kills < 2 {
		t.Errorf("only %d kills", kills)
	}
	after := s.values()
	again := 0
	for id, v := range after {
		old, known := before[id]
		switch {
		case v.Status == "elite" && v.Version != 2:
			t.Errorf("%s holds a niche by a value of version %d", id, v.Version)
		case known && v.Version == 2 && math.Abs(*v.Objective-100**old.Objective) > 1e-6:
			t.Errorf("%s: %v, was %v and is to be a hundredfold", id, *v.Objective, *old.Objective)
		case known && old.Objective != nil && v.Version == 1 && *v.Objective != *old.Objective:
			t.Errorf("%s: %v of version 1, was %v", id, *v.Objective, *old.Objective)
		case !known && v.Objective != nil && v.Version != 2:
			t.Errorf("%s was made after the change and has version %d", id, v.Version)
		}
		if known && v.Version == 2 {
			again++
			var shown valued
			if err := json.Unmarshal([]byte(must(t, s.dir, "show", id.String(), "--json")), &shown); err != nil {
				t.Fatal(err)
			}
			if len(shown.History) != 1 || shown.History[0].Version != 1 || shown.History[0].Objective != *old.Objective {
				t.Errorf("%s was %v; show tells %+v", id, *old.Objective, shown.History)
			}
		}
	}
	if again < 2 || len(after) <= len(before) {
		t.Errorf("%d were measured again, %d candidates after %d", again, len(after), len(before))
	}
	status := s.status()
	past, _ := status["past_objectives"].([]any)
	if figure(t, status, "objective_version") != 2 || len(past) != 1 {
		t.Errorf("status tells version %v and the past %v", status["objective_version"], past)
	}
	if text := must(t, s.dir, "status"); !strings.Contains(text, "past  objective version 1 (score): root ") {
		t.Errorf("status says nothing of the past:\n%s", text)
	}
	s.sound()
	gone(t, "")
}

func TestOtherSettingsOfTheMeasurementAreAChoiceAsWell(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "several runs; engine has TestWithoutLeaveAChangedEvaluatorStopsTheRun")
	s := newScale(t)
	must(t, s.dir, "run", "--headless", "--max-jobs", "6")
	yaml, err := os.ReadFile(filepath.Join(s.dir, "atoll.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("atoll.yaml", strings.Replace(string(yaml), "objective: score", "objective: first\n  direction: minimize", 1))
	refused := atoll(t, s.dir, "run", "--headless", "--max-jobs", "6")
	if refused.code == 0 || !strings.Contains(refused.err, "evaluator.direction") || !strings.Contains(refused.err, "--remeasure") {
		t.Fatalf("exit %d, %s", refused.code, refused.err)
	}
	must(t, s.dir, "run", "--headless", "--max-jobs", "10", "--remeasure")
	status := s.status()
	if status["direction"] != "minimize" || figure(t, status, "objective_version") != 2 {
		t.Errorf("direction %v, version %v", status["direction"], status["objective_version"])
	}
	root, best := status["root"].(map[string]any)["objective"].(float64), status["best"].(map[string]any)["objective"].(float64)
	if root != 1.5 || best > root {
		t.Errorf("root %v, best %v; the first number of the root is 1.5 and less is better", root, best)
	}
	s.write("atoll.yaml", strings.Replace(string(yaml), "bins: 6", "bins: 7", 1))
	refused = atoll(t, s.dir, "run", "--headless", "--max-jobs", "10", "--remeasure")
	if refused.code == 0 || !strings.Contains(refused.err, "map.axes") {
		t.Errorf("exit %d, %s; other axes are another experiment", refused.code, refused.err)
	}
}
