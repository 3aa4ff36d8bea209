package archive_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"atoll/engine/archive"
	"atoll/store/record"
)

// mustAdd enters a candidate and fails the test when that is refused.
func mustAdd(t *testing.T, a *archive.Archive, id record.CandidateID, objective float64, samples int, point ...float64) archive.Result {
	t.Helper()
	r, err := a.Add(archive.Entry{ID: id, Objective: objective, Samples: samples, Point: point})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func line(bins int) archive.Shape { return archive.Uniform([]int{bins}, "x") }

func TestAddDecidesACell(t *testing.T) {
	const none = record.NoCandidate
	for _, tt := range []struct {
		name    string
		entries []archive.Entry // the last one is looked at
		want    archive.Result
	}{
		{
			"an empty cell is taken and its gain counts from the offset",
			[]archive.Entry{{ID: 3, Objective: 5, Point: []float64{0.1}}},
			archive.Result{Status: archive.NewNiche, Cell: 0, Before: none, After: 3, Left: -1, Delta: 4},
		},
		{
			"a higher objective improves",
			[]archive.Entry{{ID: 1, Objective: 5, Point: []float64{0.1}}, {ID: 2, Objective: 7, Point: []float64{0.2}}},
			archive.Result{Status: archive.Improved, Cell: 0, Before: 1, After: 2, Left: -1, Delta: 2},
		},
		{
			"a lower objective loses by the difference",
			[]archive.Entry{{ID: 1, Objective: 5, Point: []float64{0.1}}, {ID: 2, Objective: 3, Point: []float64{0.2}}},
			archive.Result{Status: archive.Lost, Cell: 0, Before: 1, After: 1, Left: -1, Delta: -2},
		},
		{
			"of equal objectives more samples win",
			[]archive.Entry{{ID: 1, Objective: 5, Samples: 1, Point: []float64{0.1}}, {ID: 2, Objective: 5, Samples: 3, Point: []float64{0.2}}},
			archive.Result{Status: archive.Improved, Cell: 0, Before: 1, After: 2, Left: -1},
		},
		{
			"of equal objectives and samples the lower number wins",
			[]archive.Entry{{ID: 2, Objective: 5, Samples: 1, Point: []float64{0.1}}, {ID: 1, Objective: 5, Samples: 1, Point: []float64{0.2}}},
			archive.Result{Status: archive.Improved, Cell: 0, Before: 2, After: 1, Left: -1},
		},
		{
			"a holder measured again stays and tells its change",
			[]archive.Entry{{ID: 1, Objective: 5, Point: []float64{0.1}}, {ID: 1, Objective: 4, Point: []float64{0.1}}},
			archive.Result{Status: archive.Same, Cell: 0, Before: 1, After: 1, Left: -1, Delta: -1},
		},
		{
			"a holder measured again can lose to the one behind it",
			[]archive.Entry{{ID: 1, Objective: 5, Point: []float64{0.1}}, {ID: 2, Objective: 4, Point: []float64{0.1}}, {ID: 1, Objective: 1, Point: []float64{0.1}}},
			archive.Result{Status: archive.Lost, Cell: 0, Before: 1, After: 2, Left: -1, Delta: -3},
		},
		{
			"new samples may move a candidate to another cell",
			[]archive.Entry{{ID: 1, Objective: 5, Point: []float64{0.1}}, {ID: 1, Objective: 5, Point: []float64{0.9}}},
			archive.Result{Status: archive.NewNiche, Cell: 3, Before: none, After: 1, Left: 0, Delta: 4},
		},
		{
			"without coordinates a candidate waits in the pool",
			[]archive.Entry{{ID: 1, Objective: 5}},
			archive.Result{Status: archive.Unplaced, Cell: -1, Before: none, After: none, Left: -1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := archive.New(line(4), 1)
			var got archive.Result
			for _, e := range tt.entries {
				var err error
				if got, err = a.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestAddRefusesWhatIsNotFinite(t *testing.T) {
	for _, tt := range []struct {
		name  string
		entry archive.Entry
		want  error
	}{
		{"an objective that is no number", archive.Entry{ID: 1, Objective: math.NaN(), Point: []float64{0}}, archive.ErrObjective},
		{"an infinite objective", archive.Entry{ID: 1, Objective: math.Inf(1), Point: []float64{0}}, archive.ErrObjective},
		{"a coordinate that is no number", archive.Entry{ID: 1, Point: []float64{math.NaN()}}, archive.ErrPoint},
		{"an infinite coordinate", archive.Entry{ID: 1, Point: []float64{math.Inf(-1)}}, archive.ErrPoint},
		{"too many coordinates", archive.Entry{ID: 1, Point: []float64{0, 0}}, archive.ErrPoint},
		{"no coordinates that are not nil", archive.Entry{ID: 1, Point: []float64{}}, archive.ErrPoint},
		{"a number below zero", archive.Entry{ID: -1, Point: []float64{0}}, archive.ErrCandidate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := archive.New(line(4), 0)
			before := a.Digest()
			if _, err := a.Add(tt.entry); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if a.Digest() != before || a.Entries() != 0 {
				t.Error("a refused entry changed the archive")
			}
		})
	}
}

func TestRemovalGivesTheNicheToTheNextInLine(t *testing.T) {
	a := archive.New(line(1), 0)
	for id, f := range []float64{1, 4, 2, 3} {
		mustAdd(t, a, record.CandidateID(id), f, 1, 0.5)
	}
	if got := a.Remove(2); got.Status != archive.Same || got.After != 1 {
		t.Errorf("removing one behind: %+v", got)
	}
	want := archive.Result{Status: archive.Lost, Cell: 0, Before: 1, After: 3, Left: -1, Delta: -1}
	if got := a.Remove(1); got != want {
		t.Errorf("removing the holder: got %+v, want %+v", got, want)
	}
	mustAdd(t, a, 1, 100, 5, 0.5) // more samples of a removed one change nothing
	if e, _ := a.Elite(0); e.ID != 3 {
		t.Errorf("%s holds the cell", e.ID)
	}
	if got := a.Tries(0); got != 4 {
		t.Errorf("%d tries, want 4", got)
	}
	a.Remove(3)
	if got := a.Remove(0); got.After != record.NoCandidate || got.Status != archive.Lost || got.Delta != -1 {
		t.Errorf("removing the last: %+v", got)
	}
	if _, ok := a.Elite(0); ok || a.Stats().Filled != 0 {
		t.Error("an empty cell has a holder")
	}
	if got := a.Restore(1); got.Status != archive.NewNiche || got.After != 1 {
		t.Errorf("restoring: %+v", got)
	}
	if e, _ := a.Elite(0); e.Objective != 100 {
		t.Errorf("the restored one has objective %v, want its latest", e.Objective)
	}
}

func TestFreezeHoldsACellAgainstBetterOnes(t *testing.T) {
	a := archive.New(line(2), 0)
	mustAdd(t, a, 1, 1, 1, 0.1)
	a.Freeze(1)
	if got := mustAdd(t, a, 2, 9, 1, 0.1); got.Status != archive.Lost || got.After != 1 {
		t.Errorf("the challenger of a frozen one: %+v", got)
	}
	if best := a.Stats(); best.Best != 1 || best.BestID != 1 {
		t.Errorf("the best of the holders is %+v", best)
	}
	mustAdd(t, a, 3, 5, 1, 0.9)
	a.Freeze(3)
	a.Remap(line(1), nil) // both frozen ones fall in one cell
	if e, _ := a.Elite(0); e.ID != 3 {
		t.Errorf("%s holds the common cell, want c3 by the tie rule", e.ID)
	}
	runners := a.Runners(0, -1)
	if len(runners) != 2 || runners[0].ID != 1 || runners[1].ID != 2 {
		t.Errorf("behind it: %+v", runners)
	}
	if got := a.Frozen(); !slices.Equal(got, []record.CandidateID{1, 3}) {
		t.Errorf("frozen: %v", got)
	}
	if got := a.Release(3); got.Status != archive.Lost || got.After != 1 {
		t.Errorf("release: %+v", got)
	}
	if got := a.Release(1); got.After != 2 || got.Delta != 8 {
		t.Errorf("release of the last: %+v", got)
	}
}

func TestRunnersComeInOrderHoweverDeep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := archive.New(line(1), 0)
	var want []float64
	for id := range record.CandidateID(500) {
		f := float64(rng.IntN(50))
		want = append(want, f)
		mustAdd(t, a, id, f, 1, 0.5)
	}
	for _, id := range []record.CandidateID{7, 77, 177, 477} {
		a.Remove(id)
		want[id] = math.Inf(-1)
	}
	slices.SortFunc(want, func(x, y float64) int { return int(math.Copysign(2, y-x) * math.Min(1, math.Abs(y-x))) })
	got := a.Runners(0, -1)
	if len(got) != 495 {
		t.Fatalf("%d runners, want 495", len(got))
	}
	for i, e := range got {
		if e.Objective != want[i+1] {
			t.Fatalf("runner %d has %v, want %v", i, e.Objective, want[i+1])
		}
		if i > 0 && e.Objective == got[i-1].Objective && e.ID < got[i-1].ID {
			t.Fatalf("runner %d breaks the tie rule", i)
		}
	}
	if five := a.Runners(0, 5); fmt.Sprint(five) != fmt.Sprint(got[:5]) {
		t.Errorf("the first five differ: %v", five)
	}
}

func TestStatisticsFollowTheirDefinitions(t *testing.T) {
	a := archive.New(archive.Uniform([]int{2, 5}), -2)
	if got := a.Stats(); got != (archive.Stats{Total: 10, BestID: record.NoCandidate}) {
		t.Errorf("empty: %+v", got)
	}
	mustAdd(t, a, 1, 3, 1, 0, 0)
	mustAdd(t, a, 2, 1, 1, 0, 0)
	mustAdd(t, a, 3, -1, 1, 1, 1)
	want := archive.Stats{Filled: 2, Total: 10, Coverage: 0.2, QD: 6, QDNorm: 0.6, Best: 3, Mean: 1, BestID: 1}
	if got := a.Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	a.SetOffset(0)
	if got := a.Stats().QD; got != 2 {
		t.Errorf("QD with offset 0 is %v, want 2", got)
	}
}

func TestHugeObjectivesKeepTheStatisticsFinite(t *testing.T) {
	a := archive.New(line(4), -math.MaxFloat64)
	for i := range 4 {
		mustAdd(t, a, record.CandidateID(i), math.MaxFloat64, 1, float64(i)/4)
	}
	if st := a.Stats(); math.IsInf(st.QD, 0) || math.IsInf(st.Mean, 0) || math.IsNaN(st.QD) {
		t.Errorf("%+v", st)
	}
}

func TestEntriesAreCopies(t *testing.T) {
	a := archive.New(line(4), 0)
	p := []float64{0.1}
	mustAdd(t, a, 1, 1, 1, p...)
	p[0] = 0.9
	e, _ := a.Elite(0)
	e.Point[0] = 0.7
	if e, _ = a.Elite(0); e.Point[0] != 0.1 {
		t.Errorf("the archive's coordinates changed to %v from outside", e.Point[0])
	}
}

func TestBestListsAllOfAllNichesInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a := archive.New(line(4), 0)
	var want []archive.Entry
	for i := range 500 {
		e := archive.Entry{ID: record.CandidateID(i), Objective: float64(rng.IntN(100)), Samples: 1 + rng.IntN(2)}
		if i%7 != 0 { // else it waits in the pool
			e.Point = []float64{rng.Float64()}
		}
		if _, err := a.Add(e); err != nil {
			t.Fatal(err)
		}
		switch {
		case i%11 == 0:
			a.Remove(e.ID)
			continue
		case i%13 == 0:
			a.Freeze(e.ID)
		}
		want = append(want, e)
	}
	slices.SortFunc(want, func(x, y archive.Entry) int {
		return cmp.Or(cmp.Compare(y.Objective, x.Objective), cmp.Compare(y.Samples, x.Samples), cmp.Compare(x.ID, y.ID))
	})
	for _, n := range []int{0, 1, 30, len(want), 1000} {
		got := a.Best(n)
		if len(got) != min(n, len(want)) {
			t.Fatalf("the best %d are %d", n, len(got))
		}
		for i, h := range got {
			if e := want[i]; h.ID != e.ID || h.Objective != e.Objective || h.Samples != e.Samples || (h.Cell < 0) != (e.Point == nil) {
				t.Fatalf("number %d is %+v, not %+v", i, h, e)
			}
		}
	}
}

// Numbers that lie far beyond the count of candidates are kept apart from the
// others; where the same number is kept depends on when it came.
func TestNumbersFarApartAreComparedInOneOrder(t *testing.T) {
	ids := []record.CandidateID{0, math.MaxInt32, 9000, 70_000, 5_000_000}
	for id := record.CandidateID(1); id < 8500; id++ {
		ids = append(ids, id)
	}
	fill := func(order []record.CandidateID) *archive.Archive {
		a := archive.New(line(4), 0)
		for _, id := range order {
			mustAdd(t, a, id, float64(id%97), 1, float64(id%4)/4)
		}
		return a
	}
	first := fill(ids)
	slices.Reverse(ids)
	last := fill(ids)
	if err := first.Equal(last); err != nil {
		t.Error(err)
	}
	if first.Digest() != last.Digest() {
		t.Error("the digests differ")
	}
	last.Remove(70_000)
	if err := first.Equal(last); !errors.Is(err, archive.ErrDiffers) {
		t.Errorf("one that was removed: %v", err)
	}
	mustAdd(t, first, 6_000_000, 1, 1, 0)
	if err := last.Equal(first); !errors.Is(err, archive.ErrDiffers) {
		t.Errorf("one more: %v", err)
	}
}
