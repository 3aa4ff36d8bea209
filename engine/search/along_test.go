package search_test

import (
	"strings"
	"testing"

	"atoll/engine/archive"
	"atoll/engine/search"
	"atoll/store/record"
)

// isleView is an island that follows an axis: c0, the root, and c1 live there, c2 and c3 elsewhere.
func isleView(t *testing.T, axis int) search.View {
	t.Helper()
	a := grid(t, [2]int{1, 1}, [2]int{1, 2}, [2]int{5, 1}, [2]int{1, 7})
	v := view(a)
	v.Root, v.Selection, v.Stats = record.Root, search.Mixed, &search.Stats{}
	v.Island, v.Named, v.Axis = "2", true, axis
	for _, h := range a.Holders() {
		if h.ID < 2 {
			v.Elites = append(v.Elites, h)
		}
	}
	return v
}

func TestAnIslandIsLedByWhoIsFarthestFromTheRootAlongItsAxis(t *testing.T) {
	for _, c := range []struct {
		name  string
		axis  int
		add   []archive.Entry
		first record.CandidateID
	}{
		{"along the first axis", 1, nil, 2},
		{"along the second axis", 2, nil, 3},
		{"of those as far the better one", 1, []archive.Entry{entry(4, 9, 5, 5)}, 4},
		{"below the root is as far as above it", 1, []archive.Entry{entry(4, 9, 7, 1), entry(5, 8, 0, 1)}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := isleView(t, c.axis)
			for _, e := range c.add {
				if _, err := v.Archive.Add(e); err != nil {
					t.Fatal(err)
				}
			}
			if got := search.Leader(v); got != c.first {
				t.Errorf("%s leads, want %s", got, c.first)
			}
		})
	}
}

func TestOfAnIslandFourOfFiveParentsAreDrawnAlongItsAxisAndTheBestAreAtHome(t *testing.T) {
	const n = 20_000
	v := isleView(t, 1)
	ways := sample(v, n, func(c search.Choice) string { return c.Way })
	fits(t, "along and not", map[bool]int{true: ways[search.Along], false: n - ways[search.Along]}, map[bool]float64{true: 0.8, false: 0.2})
	fits(t, "parents", sample(v, n, func(c search.Choice) record.CandidateID { return c.Parent }), search.Chances(v).Parents)
	for way, parents := range map[string]map[record.CandidateID]bool{search.Rank: {}, search.Novelty: {}} {
		for job := range record.JobID(n) {
			if c := search.Pick(v, search.Rand(1, job), search.Free()); c.Way == way {
				parents[c.Parent] = true
			}
		}
		if away := parents[2] || parents[3]; away != (way == search.Novelty) || !parents[0] || !parents[1] {
			t.Errorf("by %s parents are %v", way, parents)
		}
	}
	v.Axis = 0
	if ways := sample(v, n, func(c search.Choice) string { return c.Way }); ways[search.Along] > 0 {
		t.Errorf("an island without an axis draws along one %d times", ways[search.Along])
	}
}

func TestHalfOfTheCrossoversOfAnIslandHaveTheHeadOfAnotherForTheirDonor(t *testing.T) {
	v := isleView(t, 1)
	v.Operators = []search.Weighted{{Name: string(record.OpCrossover), Weight: 1}}
	led := func() int {
		return sample(v, 4000, func(c search.Choice) bool {
			head := strings.Contains(c.Why, "c3 from the head of another island")
			if head && c.Inspirations[0] != 3 {
				t.Errorf("the donor is %v: %s", c.Inspirations, c.Why)
			}
			return head
		})[true]
	}
	if n := led(); n > 0 {
		t.Errorf("%d crossovers have a head where no other island is", n)
	}
	v.Leaders = []record.CandidateID{3}
	if n := led(); n < 1500 || n > 2000 { // where it is not the parent itself
		t.Errorf("%d of 4000 crossovers have the head of the other island", n)
	}
}
