package engine_test

import (
	"math"
	"slices"
	"testing"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// reading is an engine whose budget is used up, and all of its candidates.
func reading(t *testing.T) (eng *engine.Engine, last *view.Snapshot, all []record.Candidate, stop func()) {
	t.Helper()
	l := newLab(t, "budget.jobs=40")
	eng, stop = l.start()
	last = l.await(eng, "forty jobs ended", func(s *view.Snapshot) bool { return s.Jobs.Ended() == 40 && s.State == record.ExperimentDone })
	all, err := eng.Reader().Candidates(t.Context(), view.CandidateQuery{Limit: 1000})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d candidates, %v", len(all), err)
	}
	return eng, last, all, stop
}

func TestTheBestAreLookedForAmongAll(t *testing.T) {
	suitetest.Full(t, "runs an experiment for one list; TestElitesAreListedByNumberOrByValue stands for it")
	t.Parallel()
	eng, last, all, stop := reading(t)
	defer stop()
	measured := slices.DeleteFunc(slices.Clone(all), func(c record.Candidate) bool { return c.Objective == nil })
	slices.SortStableFunc(measured, func(a, b record.Candidate) int {
		switch {
		case *a.Objective > *b.Objective:
			return -1
		case *a.Objective < *b.Objective:
			return 1
		}
		return b.Samples - a.Samples
	})
	for _, text := range []string{"", "tune"} {
		got, err := eng.Reader().Candidates(t.Context(), view.CandidateQuery{Best: true, Text: text, Limit: 3})
		if err != nil || len(got) != 3 {
			t.Fatalf("the best that are about %q: %d, %v", text, len(got), err)
		}
		if text == "" && got[0].ID != last.Best.ID {
			t.Errorf("the first is %s, the best %s", got[0].ID, last.Best.ID)
		}
		for i, c := range got {
			if text == "" && *c.Objective != *measured[i].Objective {
				t.Errorf("number %d has %v, not %v", i, *c.Objective, *measured[i].Objective)
			}
			if i > 0 && *c.Objective > *got[i-1].Objective {
				t.Errorf("%v comes after %v", *c.Objective, *got[i-1].Objective)
			}
		}
	}
}

func TestElitesAreListedByNumberOrByValue(t *testing.T) {
	t.Parallel()
	eng, last, _, stop := reading(t)
	defer stop()
	for _, best := range []bool{false, true} {
		got, err := eng.Reader().Candidates(t.Context(), view.CandidateQuery{Elites: true, Best: best})
		if err != nil || len(got) != last.Grid.Filled {
			t.Fatalf("%d elites of %d niches, %v", len(got), last.Grid.Filled, err)
		}
		for i, c := range got {
			if c.Status != record.StatusElite {
				t.Errorf("%s is %s", c.ID, c.Status)
			}
			if i > 0 && (best && *c.Objective > *got[i-1].Objective || !best && c.ID > got[i-1].ID) {
				t.Errorf("%s with %v comes after %s with %v", c.ID, *c.Objective, got[i-1].ID, *got[i-1].Objective)
			}
		}
	}
}

func TestJobsAreListedWithTheValueOfWhatTheyMade(t *testing.T) {
	t.Parallel()
	eng, _, all, stop := reading(t)
	defer stop()
	lines, err := eng.Reader().Jobs(t.Context(), view.JobQuery{Limit: 1000})
	if err != nil || len(lines) < 40 {
		t.Fatalf("%d jobs, %v", len(lines), err)
	}
	values := 0
	for _, l := range lines {
		i := slices.IndexFunc(all, func(c record.Candidate) bool { return c.ID == l.Job.Candidate })
		switch {
		case i < 0 || all[i].Objective == nil:
			if l.Objective != nil {
				t.Errorf("%s made nothing that was measured, and has %v", l.Job.ID, *l.Objective)
			}
		case l.Objective == nil || *l.Objective != *all[i].Objective:
			t.Errorf("%s has %v, what it made %v", l.Job.ID, l.Objective, *all[i].Objective)
		default:
			values++
		}
	}
	if values < 10 {
		t.Errorf("%d jobs have a value", values)
	}
}

func TestALineageHasEveryDescendantAfterItsParent(t *testing.T) {
	t.Parallel()
	eng, last, all, stop := reading(t)
	defer stop()
	root, err := eng.Reader().Lineage(t.Context(), record.Root)
	if err != nil {
		t.Fatal(err)
	}
	if len(root.Descendants) != len(all)-1 || root.More != 0 || len(root.Ancestors) != 1 {
		t.Errorf("the root has %d descendants and %d more of %d candidates, and %d in its line", len(root.Descendants), root.More, len(all), len(root.Ancestors))
	}
	seen := map[record.CandidateID]bool{record.Root: true}
	for _, n := range root.Descendants {
		if !seen[n.Parents[0].ID] {
			t.Errorf("%s comes before its parent %s", n.ID, n.Parents[0].ID)
		}
		seen[n.ID] = true
	}
	line, err := eng.Reader().Lineage(t.Context(), last.Best.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(line.Ancestors); n < 2 || line.Ancestors[0].ID != record.Root || line.Ancestors[n-1].ID != last.Best.ID {
		t.Fatalf("the line of the best: %+v", line.Ancestors)
	}
	for i, n := range line.Ancestors[1:] {
		if n.Parents[0].ID != line.Ancestors[i].ID {
			t.Errorf("%s follows %s, its parent is %s", n.ID, line.Ancestors[i].ID, n.Parents[0].ID)
		}
	}
}

func TestTheHistoryOfANicheEndsWithItsElite(t *testing.T) {
	t.Parallel()
	eng, last, _, stop := reading(t)
	defer stop()
	for _, c := range last.Grid.Cells {
		n, err := eng.Reader().Niche(t.Context(), c.Index)
		if err != nil {
			t.Fatal(err)
		}
		if len(n.History) == 0 || n.History[0].Candidate != c.Elite {
			t.Fatalf("niche %d is held by %s, its history is %+v", c.Index, c.Elite, n.History)
		}
		for i, h := range n.History {
			first := i == len(n.History)-1
			switch {
			case first && (h.From != record.NoCandidate || !math.IsNaN(h.Delta)):
				t.Errorf("niche %d was opened by %+v", c.Index, h)
			case !first && (h.From != n.History[i+1].Candidate || h.Delta < 0):
				t.Errorf("niche %d: %+v follows %+v", c.Index, h, n.History[i+1])
			}
		}
	}
}
