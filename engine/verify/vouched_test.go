package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/config"
	"atoll/engine/guard"
)

func TestAComparisonThatFailedIsRefusedWhateverTestsThereAre(t *testing.T) {
	tested := []config.Stage{{Name: "tests"}, {Name: "measure"}}
	for _, c := range []struct {
		name     string
		report   *guard.Report
		believed bool
		refused  string
	}{
		{"the guard is off", nil, false, ""},
		{"inputs were compared", &guard.Report{Cases: 9}, false, ""},
		{"there is no guard for the language", &guard.Report{Notes: []string{"there is no guard for C"}}, false, ""},
		{"the probe did not answer", &guard.Report{Failed: "the probe did not answer"}, false, "the guard is on and could not compare whether it still does the same: the probe did not answer; look at `atoll diff c7`"},
		{"constants alone were compared", &guard.Report{Values: 3, Failed: "the probe did not answer"}, false, "could not compare"},
		{"a person looked at it", &guard.Report{Failed: "the probe did not answer"}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := &check{q: Question{Believed: c.believed}, report: Report{Behaviour: c.report}}
			k.q.Candidate.ID, k.q.Config.Evaluator.Stages = 7, tested
			if err := k.vouched(t.Context()); err != nil || (k.report.Refused == "") != (c.refused == "") || !strings.Contains(k.report.Refused, c.refused) {
				t.Errorf("%v, refused %q, want %q", err, k.report.Refused, c.refused)
			}
		})
	}
}

func TestTheProcessorTimeOfWhatRunsIsThatOfDescendants(t *testing.T) {
	proc := t.TempDir()
	for pid, stat := range map[string]string{
		"5": "5 (atoll) S 1 5 5 0 -1 0 0 0 0 0 900 900 0 0 20 0 1 0 7",
		"6": "6 (a (b) c) S 5 6 6 0 -1 0 0 0 0 0 150 50 400 400 20 0 1 0 7",
		"7": "7 (python3) R 6 6 6 0 -1 0 0 0 0 0 300 0 0 0 20 0 1 0 7",
		"8": "8 (other) R 1 8 8 0 -1 0 0 0 0 0 800 0 0 0 20 0 1 0 7",
		"9": "cut off",
	} {
		if err := os.MkdirAll(filepath.Join(proc, pid), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "stat"), []byte(stat), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := running(proc, 5); got != 5*time.Second {
		t.Errorf("%s, want 5s", got)
	}
	if got := running(filepath.Join(proc, "none"), 5); got != 0 {
		t.Errorf("without processes %s", got)
	}
}
