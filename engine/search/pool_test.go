package search_test

import (
	"fmt"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/store/record"
)

// waiting is an archive of n candidates without coordinates: the root, and the
// others, each better than the one before.
func waiting(tb testing.TB, n int) *archive.Archive {
	tb.Helper()
	a := archive.New(archive.Shape{Axes: []archive.Axis{{Hi: 1, Bins: 8}, {Hi: 1, Bins: 8}}}, 0)
	for i := range n {
		if _, err := a.Add(archive.Entry{ID: record.CandidateID(i), Objective: float64(i), Samples: 1}); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

func waitingView(a *archive.Archive) search.View {
	return search.View{
		Archive: a, Root: record.Root, Inspirations: 2, Operators: []search.Weighted{{Name: string(record.OpMutate), Weight: 1}},
		Agents: []search.Weighted{{Name: "a", Weight: 1}}, Stats: &search.Stats{},
	}
}

func TestParentsWithoutAMap(t *testing.T) {
	suitetest.Full(t, "thousands of draws; TestParentsBeforeThereIsAMap has a few")
	for _, c := range []struct {
		name          string
		waiting, from int // the lowest number drawn, but for the root
		frozen        []record.CandidateID
	}{
		{"come from the better half and the root", 40, 20, nil},
		{"come from a bounded number where no map comes", 4000, 4000 - 512, nil},
		{"are no frozen ones", 40, 20, []record.CandidateID{39, 38, 0}},
		{"fill up where the best are frozen", 4000, 4000 - 514, []record.CandidateID{3999, 3998}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := waiting(t, c.waiting)
			banned := map[record.CandidateID]bool{}
			for _, id := range c.frozen {
				a.Freeze(id)
				banned[id] = true
			}
			lowest, root := record.CandidateID(c.waiting), false
			for job := range record.JobID(6000) {
				got := search.Pick(waitingView(a), search.Rand(1, job), search.Free()).Parent
				if banned[got] {
					t.Fatalf("%s is frozen", got)
				}
				if got == record.Root {
					root = true
				} else {
					lowest = min(lowest, got)
				}
			}
			want := record.CandidateID(c.from)
			if c.name == "are no frozen ones" { // the half is counted of all
				want -= 2
			}
			if lowest != want || root == banned[record.Root] {
				t.Errorf("the lowest parent is %s, want %s; the root was drawn: %v", lowest, want, root)
			}
		})
	}
}

func BenchmarkPickWithoutAMap(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			v := waitingView(waiting(b, n))
			for i := range b.N {
				search.Pick(v, search.Rand(1, record.JobID(i)), search.Free())
			}
		})
	}
}
