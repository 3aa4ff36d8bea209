package fold

import (
	"testing"

	"atoll/store/record"
)

func TestAGroupOfFailuresIsToldByTheReasonOfItsSample(t *testing.T) {
	f := failures{}
	f.count(3, record.ClassTest, "circle 3 has a radius of -0.1")
	before := f.count(9, record.ClassTest, "circle 24 has a radius of -1.5")
	told := func() (record.JobID, string, int) {
		g := f.groups(9)
		if len(g) != 1 {
			t.Fatalf("%d groups", len(g))
		}
		return g[0].Sample, g[0].Reason, g[0].Count
	}
	if job, reason, n := told(); job != 9 || reason != "circle 24 has a radius of -1.5" || n != 2 {
		t.Errorf("%d like %s: %s", n, job, reason)
	}
	f.discount(9, record.ClassTest, "circle 24 has a radius of -1.5", before)
	if job, reason, n := told(); job != 3 || reason != "circle 3 has a radius of -0.1" || n != 1 {
		t.Errorf("after one is taken back: %d like %s: %s", n, job, reason)
	}
}
