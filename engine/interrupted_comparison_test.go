package engine_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestARunThatAPersonEndsPutsAComparisonBackAndKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not on the PATH")
	}
	const kit = "def double(x):\n    return x * 2\n"
	const slow = "import time, unittest\nimport kit\n\n\nclass Slow(unittest.TestCase):\n    def test_double(self):\n        time.sleep(600)\n        self.assertEqual(kit.double(2), 4)\n"
	l := bareLab(t, map[string]string{"kit.py": kit, "test_kit.py": slow, "cost.txt": "5\n", "measure.sh": costScript})
	l.begin(l.loaded(costYAML))
	l.run()
	write(t, l.repo+"/kit.py", "def double(x):\n    return x + x\n")
	l.cheaper(2, "0.125")
	eng, stop := l.start()
	seen := l.await(eng, "behaviour is compared", func(s *view.Snapshot) bool {
		return len(s.Running) > 0 && s.Running[0].Stage == "comparing behaviour" && strings.Contains(s.Running[0].Line, "recording the calls of the tests")
	})
	stop() // long before the tests end
	job := seen.Running[0].Job.ID
	if waiting := l.jobs(record.Queued); !slices.ContainsFunc(waiting, func(j record.Job) bool { return j.ID == job }) {
		t.Fatalf("in the queue are %+v", waiting)
	}
	kept, err := l.ses.DB.KeptSamples(t.Context(), l.exp.ID, job)
	if err != nil || len(kept) == 0 {
		t.Errorf("no sample is kept: %v", err)
	}
	said := func(l view.LogLine) bool {
		return strings.Contains(l.Text, "is put back while its behaviour is compared")
	}
	if end := eng.Feed().Latest(); !slices.ContainsFunc(end.Log, said) {
		t.Errorf("nobody says so: %+v", end.Log)
	}
}
