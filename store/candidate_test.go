package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"atoll/store"
	"atoll/store/record"
)

// family makes candidates 1 to n, each edited from the one at half its number,
// with the one before it as inspiration; every third merges candidate 1 in.
func (w *world) family(n int) {
	w.t.Helper()
	for i := 1; i <= n; i++ {
		w.addMakes(record.JobID(i), record.JobID(i))
		l := w.lease()
		c := candidate(l, 100+i)
		c.Intent = fmt.Sprintf("Idea %d", i)
		c.Added, c.Removed, c.Files = i, 2*i, 3
		c.Parents = []record.ParentRef{
			{ID: record.CandidateID(i / 2), Role: record.RoleParent},
			{ID: record.CandidateID(i - 1), Role: record.RoleInspiration},
		}
		if i%3 == 0 {
			c.Parents = append(c.Parents, record.ParentRef{ID: 1, Role: record.RoleCrossover})
		}
		dup, _, err := w.db.Made(w.ctx, l, c)
		w.ok(err)
		if dup != record.NoCandidate {
			w.t.Fatal(dup)
		}
		if i%4 == 0 {
			w.finish(l, store.Outcome{State: record.Failed, Class: record.ClassTest, Reason: "test 7 fails"})
			continue
		}
		w.finish(l, scored(float64(i)))
	}
}

func ids(list []record.Candidate) (out []int) {
	for _, c := range list {
		out = append(out, int(c.ID))
	}
	return out
}

func TestListsOfCandidates(t *testing.T) {
	w := open(t, record.Settings{})
	w.family(9)
	for _, c := range []struct {
		name   string
		filter store.CandidateFilter
		want   []int
	}{
		{"newest first", store.CandidateFilter{Limit: 3}, []int{9, 8, 7}},
		{"the next page", store.CandidateFilter{Limit: 3, Before: 7}, []int{6, 5, 4}},
		{"oldest first", store.CandidateFilter{Limit: 3, After: record.NoCandidate}, []int{0, 1, 2}},
		{"oldest first from the middle", store.CandidateFilter{After: 7}, []int{8, 9}},
		{"failed ones", store.CandidateFilter{Status: record.StatusFailed}, []int{8, 4}},
		{"failed ones after 4", store.CandidateFilter{Status: record.StatusFailed, After: 4}, []int{8}},
		{"elites are stored as scored", store.CandidateFilter{Status: record.StatusElite, Limit: 2}, []int{9, 7}},
		{"text of the intent", store.CandidateFilter{Text: "iDEA 3"}, []int{3}},
		{"text of the reason", store.CandidateFilter{Text: "test 7", Status: record.StatusFailed}, []int{8, 4}},
		{"beginning of the commit", store.CandidateFilter{Text: hash(105 + 1<<32).String()[:38]}, []int{9, 8, 7, 6, 5, 4, 3, 2, 1}},
		{"the commit", store.CandidateFilter{Text: hash(105 + 1<<32).String()}, []int{5}},
		{"signs of patterns mean themselves", store.CandidateFilter{Text: "%"}, nil},
	} {
		got, err := w.db.Candidates(w.ctx, w.exp, c.filter)
		w.ok(err)
		if !reflect.DeepEqual(ids(got), c.want) {
			t.Errorf("%s: got %v, want %v", c.name, ids(got), c.want)
		}
	}
}

func TestListsOfJobs(t *testing.T) {
	w := open(t, record.Settings{})
	w.family(6)
	w.add(record.Job{ID: 7, Kind: record.Evaluate, Candidate: 1, Goal: "Look closer"},
		record.Job{ID: 8, Kind: record.Make, Operator: record.OpRepair, Agent: "chat", Target: "parser", Inspirations: []record.CandidateID{3, 1}})
	for _, c := range []struct {
		name   string
		filter store.JobFilter
		want   []int
	}{
		{"newest first", store.JobFilter{Limit: 2}, []int{8, 7}},
		{"the next page", store.JobFilter{Limit: 2, Before: 7}, []int{6, 5}},
		{"failed or queued", store.JobFilter{States: []record.JobState{record.Failed, record.Queued, record.Failed}}, []int{8, 7, 4}},
		{"two of several states", store.JobFilter{States: []record.JobState{record.Failed, record.Queued}, Limit: 2}, []int{8, 7}},
		{"of a state before 4", store.JobFilter{States: []record.JobState{record.Scored}, Before: 4}, []int{3, 2, 1}},
		{"a kind", store.JobFilter{Kind: record.Evaluate}, []int{7}},
		{"an operator", store.JobFilter{Operator: record.OpRepair}, []int{8}},
		{"an agent", store.JobFilter{Agent: "chat"}, []int{8}},
		{"a target", store.JobFilter{Target: "parser"}, []int{8}},
		{"text of the goal", store.JobFilter{Text: "look CLOSER"}, []int{7}},
		{"text of the intent", store.JobFilter{Text: "idea 5"}, []int{5}},
		{"the number", store.JobFilter{Text: "#6"}, []int{6}},
	} {
		got, err := w.db.Jobs(w.ctx, w.exp, c.filter)
		w.ok(err)
		var numbers []int
		for _, j := range got {
			numbers = append(numbers, int(j.ID))
		}
		if !reflect.DeepEqual(numbers, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, numbers, c.want)
		}
	}
	if j := w.job(8); !reflect.DeepEqual(j.Inspirations, []record.CandidateID{3, 1}) || j.Candidate != record.NoCandidate || j.Duplicate != record.NoCandidate {
		t.Errorf("got %+v", j)
	}
}

func TestFamilies(t *testing.T) {
	w := open(t, record.Settings{})
	w.family(13)
	line, err := w.db.Lineage(w.ctx, w.exp, 13, 0)
	w.ok(err)
	if got, want := ids(line), []int{13, 6, 3, 1, 0}; !reflect.DeepEqual(got, want) {
		t.Errorf("got lineage %v, want %v", got, want)
	}
	line, err = w.db.Lineage(w.ctx, w.exp, 13, 2)
	w.ok(err)
	if got, want := ids(line), []int{13, 6}; !reflect.DeepEqual(got, want) {
		t.Errorf("got lineage %v, want %v", got, want)
	}
	children, err := w.db.Children(w.ctx, w.exp, 1)
	w.ok(err)
	if want := []record.CandidateID{2, 3, 6, 9, 12}; !slices.Equal(children, want) {
		t.Errorf("got children %v, want %v", children, want)
	}
	c := w.candidate(6)
	want := []record.ParentRef{{ID: 3, Role: record.RoleParent}, {ID: 5, Role: record.RoleInspiration}, {ID: 1, Role: record.RoleCrossover}}
	if !reflect.DeepEqual(c.Parents, want) || c.Added != 6 || c.Removed != 12 || c.Files != 3 {
		t.Errorf("got %+v", c)
	}
}

func TestCandidatesByTreeAndCommit(t *testing.T) {
	w := open(t, record.Settings{})
	w.family(3)
	c, err := w.db.CandidateByTree(w.ctx, w.exp, 99, hash(102))
	w.ok(err)
	d, err := w.db.CandidateByCommit(w.ctx, w.exp, hash(103+1<<32))
	w.ok(err)
	if c.ID != 2 || d.ID != 3 || len(d.Metrics) != 1 {
		t.Errorf("got %s and %s", c.ID, d.ID)
	}
	_, err = w.db.CandidateByTree(w.ctx, w.exp, 99, hash(999))
	wants(t, err, store.ErrNotFound)
	_, err = w.db.CandidateByCommit(w.ctx, w.exp, hash(999))
	wants(t, err, store.ErrNotFound)
}

func TestPinning(t *testing.T) {
	w := open(t, record.Settings{})
	w.family(1)
	for _, pinned := range []bool{true, false} {
		w.ok(w.db.PutPinned(w.ctx, w.exp, 1, pinned))
		if got := w.candidate(1).Pinned; got != pinned {
			t.Errorf("pinned %v, want %v", got, pinned)
		}
	}
	wants(t, w.db.PutPinned(w.ctx, w.exp, 9, true), store.ErrNotFound)
}

func TestCandidatesAndVectorsStreamInParts(t *testing.T) {
	w := open(t, record.Settings{})
	const n = 2100
	w.fill(1, n, 4)
	seen, metrics := 0, 0
	count := func(c *record.Candidate) error {
		if int(c.ID) != seen {
			return fmt.Errorf("candidate %s at %d", c.ID, seen)
		}
		seen++
		metrics += len(c.Metrics)
		return nil
	}
	w.ok(w.db.EachCandidate(w.ctx, w.exp, record.NoCandidate, count))
	if seen != n+1 || metrics != 0 {
		t.Errorf("%d candidates, %d metrics", seen, metrics)
	}
	seen = 1
	w.ok(w.db.EachCandidate(w.ctx, w.exp, record.Root, count, store.WithMetrics))
	if seen != n+1 || metrics != n {
		t.Errorf("%d candidates, %d metrics", seen, metrics)
	}
	some, err := w.db.MetricsOf(w.ctx, w.exp, []record.CandidateID{2100, 7, 7, 99_999, record.NoCandidate})
	w.ok(err)
	if len(some) != 2 {
		t.Errorf("metrics of %d candidates, want those of c7 and c2100: %v", len(some), some)
	}
	for id, m := range some {
		if alone, err := w.db.Metrics(w.ctx, w.exp, id); err != nil || len(m) == 0 || !reflect.DeepEqual(m, alone) {
			t.Errorf("%s: %v among others, %v alone, %v", id, m, alone, err)
		}
	}
	if none, err := w.db.MetricsOf(w.ctx, w.exp, nil); err != nil || len(none) != 0 {
		t.Errorf("metrics of nobody: %v, %v", none, err)
	}
	wants(t, w.db.EachCandidate(w.ctx, w.exp, 5, func(*record.Candidate) error { return errRefused }), errRefused)

	for _, id := range []record.CandidateID{5, 0, 2100} {
		w.ok(w.db.PutVector(w.ctx, w.exp, id, []float32{float32(id), -0.5}))
	}
	w.ok(w.db.PutVector(w.ctx, w.exp, 5, []float32{6}))
	got := map[record.CandidateID][]float32{}
	w.ok(w.db.Vectors(w.ctx, w.exp, func(id record.CandidateID, v []float32) error {
		got[id] = v
		return nil
	}))
	want := map[record.CandidateID][]float32{0: {0, -0.5}, 5: {6}, 2100: {2100, -0.5}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	_, err = w.db.Vector(w.ctx, w.exp, 7)
	wants(t, err, store.ErrNotFound)
}

func TestVectorsOfFilesAreCachedPerEmbedder(t *testing.T) {
	w := open(t, record.Settings{})
	w.ok(w.db.PutBlobVectors(w.ctx, "lexical-1", map[record.Hash][]float32{hash(1): {1}, hash(2): {2}}))
	w.ok(w.db.PutBlobVectors(w.ctx, "lexical-2", map[record.Hash][]float32{hash(1): {3}}))
	w.ok(w.db.PutBlobVectors(w.ctx, "lexical-1", map[record.Hash][]float32{hash(1): {9}}))
	for _, c := range []struct {
		embedder string
		blob     int
		want     []float32
	}{
		{"lexical-1", 1, []float32{1}},
		{"lexical-1", 2, []float32{2}},
		{"lexical-2", 1, []float32{3}},
		{"lexical-2", 2, nil},
		{"other", 1, nil},
	} {
		v, ok, err := w.db.BlobVector(w.ctx, c.embedder, hash(c.blob))
		w.ok(err)
		if ok != (c.want != nil) || !reflect.DeepEqual(v, c.want) {
			t.Errorf("%s of %d: got %v, %v", c.embedder, c.blob, v, ok)
		}
	}
}
