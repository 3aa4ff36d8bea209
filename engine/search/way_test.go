package search_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"atoll/engine/search"
	"atoll/store/record"
)

// fits compares counts with what is expected of them by Pearson's chi-square, at a level of one
// in ten thousand (Wilson and Hilferty 1931). What has no chance must not occur.
func fits[K comparable](t *testing.T, what string, got map[K]int, want map[K]float64) {
	t.Helper()
	n, chi, free := 0, 0.0, -1.0
	for k, c := range got {
		n += c
		if c > 0 && want[k] == 0 {
			t.Errorf("%s: %v was drawn %d times and has no chance", what, k, c)
		}
	}
	for k, p := range want {
		if p > 0 {
			expected := p * float64(n)
			chi += (float64(got[k]) - expected) * (float64(got[k]) - expected) / expected
			free++
		}
	}
	const z = 3.719
	most := free * math.Pow(1-2/(9*free)+z*math.Sqrt(2/(9*free)), 3)
	if free > 0 && chi > most {
		t.Errorf("%s: chi-square %.1f with %.0f degrees of freedom, at most %.1f: drawn %v of %d, expected %v", what, chi, free, most, got, n, want)
	}
}

// share turns weights into chances.
func share[K comparable](weights map[K]float64) map[K]float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	out := map[K]float64{}
	for k, w := range weights {
		out[k] = w / sum
	}
	return out
}

func TestParentsAreDrawnByTheirFormulasFrozenNichesNeverAndBoostedOnesByTheirFactor(t *testing.T) {
	// c0 to c5 hold niches, c6 fell into the niche of c0 and lost, c3 is frozen, c1 boosted by 3.
	open := func() search.View {
		a := grid(t, [2]int{0, 0}, [2]int{1, 0}, [2]int{2, 0}, [2]int{5, 5}, [2]int{6, 5}, [2]int{7, 7})
		if _, err := a.Add(entry(6, -1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		a.Freeze(3)
		a.BoostOn(1, 3, 10)
		stats := &search.Stats{}
		for id, ends := range map[record.CandidateID][2]int{0: {6, 1}, 1: {2, 0}, 5: {3, 2}} {
			for i := range ends[0] {
				e := search.Event{Operator: "mutate", Parent: id, State: record.Scored}
				if i < ends[1] {
					e.State = record.Placed
				}
				stats.Add(e)
			}
		}
		v := view(a)
		v.Stats = stats
		return v
	}
	root2 := math.Sqrt2
	weights := map[string]map[record.CandidateID]float64{
		search.Uniform: {0: 1, 1: 3, 2: 1, 4: 1, 5: 1},
		search.Rank:    {5: 1, 4: 1. / 4, 2: 1. / 9, 1: 3. / 16, 0: 1. / 25},
		search.Exploit: {5: 16, 4: 1, 2: 1, 1: 3, 0: 1},
		// children 6, 2, 0, 0, 3, of which 1, 0, 0, 0, 2 took a niche
		search.Curiosity: {0: 2. / 8, 1: 3. / 4, 2: 1. / 2, 4: 1. / 2, 5: 3. / 5},
		search.Novelty:   {0: 1 / math.Sqrt(3), 1: 3 / root2, 2: 1 / root2, 4: 1 / root2, 5: 1 / root2},
		// bounds: c2 and c4 1/2 + b, c5 3/5 + b/2, c1 1/4 + b/sqrt 3, c0 1/4 + b/sqrt 7, b = sqrt(ln 12)/2
		search.UCB: {2: 1, 4: 1. / 4, 5: 1. / 9, 1: 3. / 16, 0: 1. / 25},
	}
	mixed := map[record.CandidateID]float64{}
	for _, way := range []string{search.Rank, search.Uniform, search.Curiosity, search.Novelty, search.UCB} {
		for id, p := range share(weights[way]) {
			if way == search.Rank { // nothing is known of the ways
				mixed[id] += p * (0.4 + 0.36/5)
			} else {
				mixed[id] += p * (0.06 + 0.36/5)
			}
		}
	}
	weights[search.Mixed] = mixed
	for way, w := range weights {
		t.Run(way, func(t *testing.T) {
			v := open()
			v.Selection = way
			fits(t, way, sample(v, 20_000, parentOf), share(w))
			told := search.Chances(v).Parents
			for id, p := range share(w) {
				if math.Abs(told[id]-p) > 1e-9 {
					t.Errorf("%s is told to have a chance of %v, want %v", id, told[id], p)
				}
			}
		})
	}
}

// A parent whose children come to nothing is left to rest, and comes back with the first that does.
func TestAParentWhoseChildrenTakeNoNicheRests(t *testing.T) {
	v := view(grid(t, [2]int{0, 0}, [2]int{3, 3}))
	v.Selection, v.Stats = search.Mixed, &search.Stats{}
	chance := func() float64 { return search.Chances(v).Parents[1] }
	fresh := chance()
	vain := search.Event{Operator: "tune", Parent: 1, State: record.Scored}
	for range 24 {
		v.Stats.Add(vain) // drawn by no way, as samples of an evolution strategy are
	}
	samples := v.Stats.Rested(1)
	vain.Way = search.Rank
	for range 24 {
		v.Stats.Add(vain)
	}
	if rests := chance(); samples != 1 || math.Abs(v.Stats.Rested(1)-1./3) > 1e-9 || rests > fresh/1.5 {
		t.Errorf("a chance of %.3f after 24 children in vain, %.3f before; rested %v, and %v after samples alone", rests, fresh, v.Stats.Rested(1), samples)
	}
	v.Stats.Add(search.Event{Operator: "tune", Parent: 1, State: record.Placed, Way: search.Uniform})
	if v.Stats.Rested(1) != 1 {
		t.Errorf("it rests %v after a child took a niche", v.Stats.Rested(1))
	}
}

func TestFrozenTargetsGetNoJobsAndBoostedOnesTheirShare(t *testing.T) {
	v := view(grid(t, [2]int{0, 0}))
	v.Fold = 3
	v.Targets = []search.Weighted{
		{Name: "boosted", Weight: 1, Boost: 3, Until: 5},
		{Name: "past", Weight: 2, Boost: 3, Until: 3},
		{Name: "plain", Weight: 1.5},
		{Name: "frozen", Weight: 9, Frozen: true},
		{Name: "without", Boost: 3, Until: 9},
	}
	got := sample(v, 20_000, func(c search.Choice) string { return c.Target })
	fits(t, "targets", got, share(map[string]float64{"boosted": 3, "past": 2, "plain": 1.5}))
}

func TestWaysThatYieldAreDrawnMoreAndNoneIsGivenUp(t *testing.T) {
	v := view(grid(t, [2]int{0, 0}, [2]int{1, 0}, [2]int{2, 0}))
	v.Selection, v.Stats = search.Mixed, &search.Stats{}
	tell := func(way string, n int, state record.JobState, best bool) {
		for range n {
			v.Stats.Add(search.Event{Operator: "mutate", Way: way, State: state, Best: best})
		}
	}
	of := func(stalled bool) map[string]float64 {
		out, sum := map[string]float64{}, 0.0
		for _, s := range v.Stats.Shares(stalled) {
			out[s.Name] = s.Share
			sum += s.Share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("the shares add up to %v", sum)
		}
		return out
	}
	for way, p := range of(false) {
		if want := 0.132; math.Abs(p-want) > 1e-9 && !(way == search.Rank && math.Abs(p-want-0.34) < 1e-9) {
			t.Errorf("before anything is known %s has %v", way, p)
		}
	}
	for _, way := range []string{search.Rank, search.Uniform, search.Curiosity, search.Novelty, search.UCB} {
		tell(way, 100, record.Scored, false)
	}
	tell(search.Rank, 10, record.Placed, true)
	tell(search.Novelty, 60, record.Placed, false)
	got := of(false)
	if !(got[search.Rank] > got[search.Novelty] && got[search.Novelty] > got[search.Uniform] && got[search.Uniform] >= 0.06) {
		t.Errorf("shares %v", got)
	}
	still := of(true)
	if !(still[search.Novelty] > got[search.Novelty] && still[search.Rank] < got[search.Rank]) {
		t.Errorf("while it stands %v", still)
	}
	ways := sample(v, 20_000, func(c search.Choice) string { return c.Way })
	fits(t, "ways", ways, got)
	var why string
	for job := record.JobID(0); ; job++ {
		if c := search.Pick(v, search.Rand(1, job), search.Free()); c.Way == search.Rank {
			why = c.Why
			break
		}
	}
	if want := fmt.Sprintf("by rank (%.0f %% of the draws) with chance", 100*got[search.Rank]); !strings.Contains(why, want) {
		t.Errorf("a job says %q, without %q", why, want)
	}
	f := search.Free()
	f.Parent = 1
	if c := search.Pick(v, search.Rand(1, 1), f); c.Way != "" {
		t.Errorf("a parent given by hand is told to be drawn by %s", c.Way)
	}
}

func TestASearchThatStandsMakesLargerEditsAndLeavesTheBestAlone(t *testing.T) {
	var s search.Stats
	end := func(n int, state record.JobState, best bool) {
		for range n {
			s.Add(search.Event{Operator: "tune", State: state, Best: best})
		}
	}
	end(1, record.Placed, true)
	for range 11 {
		end(8, record.Scored, false)
		end(1, record.Placed, false)
	}
	if p := s.Pause(); p.Stalled() || p.Best != 99 {
		t.Fatalf("after 99 jobs without a better best: %+v", p)
	}
	end(1, record.Placed, false)
	if p := s.Pause(); !p.Stalled() || p.String() != "no better best in the last 100 jobs" {
		t.Fatalf("after 100: %+v, %s", p, p)
	}
	end(1, record.Placed, true)
	end(49, record.Scored, false)
	if p := s.Pause(); p.Stalled() {
		t.Fatalf("49 jobs after a better best: %+v", p)
	}
	end(1, record.Scored, false)
	if p := s.Pause(); !p.Stalled() || p.String() != "no niche was taken in the last 50 jobs" {
		t.Fatalf("after 50 jobs that took no niche: %+v, %s", p, p)
	}
	end(1000, record.Placed, false)
	end(1, record.Placed, true)
	end(110, record.Scored, false)
	if p := s.Pause(); p.Stalled() {
		t.Errorf("a tenth of all jobs is more than %d: %+v", p.Niche, p)
	}

	s.Mapless()
	end(111, record.Scored, false)
	if p := s.Pause(); p.Stalled() || p.Niche != 111 {
		t.Errorf("111 jobs since there is a map: %+v", p)
	}

	v := view(grid(t, [2]int{0, 0}, [2]int{1, 0}, [2]int{2, 0}))
	v.Operators = []search.Weighted{{Name: "mutate", Weight: 1}, {Name: "tune", Weight: 2}}
	v.Selection, v.Stalled = search.Mixed, true
	fits(t, "operators", sample(v, 5000, func(c search.Choice) record.Operator { return c.Operator }), map[record.Operator]float64{"mutate": 0.5, "tune": 0.5})
	byRank := map[record.CandidateID]int{}
	for job := range record.JobID(5000) {
		if c := search.Pick(v, search.Rand(1, job), search.Free()); c.Way == search.Rank {
			byRank[c.Parent]++
		}
	}
	fits(t, "by rank", byRank, share(map[record.CandidateID]float64{1: 1. / 4, 0: 1. / 9}))
}

func TestWhatIsMergedIsANeighbourOrFromAnotherRoad(t *testing.T) {
	// c0 is the parent, c1 touches it, c2 is 4 steps away and c3 14.
	v := view(grid(t, [2]int{0, 0}, [2]int{1, 0}, [2]int{2, 2}, [2]int{7, 7}))
	v.Operators, v.Inspirations = []search.Weighted{{Name: "crossover", Weight: 1}}, 2
	got := map[record.CandidateID]int{}
	for job := range record.JobID(20_000) {
		f := search.Free()
		f.Parent = 0
		c := search.Pick(v, search.Rand(5, job), f)
		if len(c.Inspirations) != 2 || c.Inspirations[0] == c.Inspirations[1] {
			t.Fatalf("beside it %v", c.Inspirations)
		}
		got[c.Inspirations[0]]++
	}
	fits(t, "mates", got, map[record.CandidateID]float64{1: 0.5 + 0.5/19, 2: 0.5 * 4 / 19, 3: 0.5 * 14 / 19})
}
