package fold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"atoll/config"
	"atoll/engine/search"
	"atoll/store/record"
)

// isled is an experiment of n islands with epochs of so many jobs.
func isled(n, epoch int) func(*record.Experiment, *config.Config) {
	return func(_ *record.Experiment, cfg *config.Config) { cfg.Search.Islands, cfg.Search.Epoch = n, epoch }
}

// made ends a make job of an island whose candidate descends from a parent.
func (s *story) made(id, parent int, island int32, value, x float64) {
	s.t.Helper()
	s.row(record.FoldRow{
		LogRow: record.LogRow{Kind: record.LogEnd, Job: record.JobID(id), Candidate: record.CandidateID(id), Data: data(record.EndData{State: record.Scored})},
		Work: &record.Job{
			ID: record.JobID(id), Kind: record.Make, State: record.Scored, Island: islandName(island), Operator: record.OpTune, Agent: "offline",
			Parent: record.CandidateID(parent),
		},
		Cand: &record.FoldCandidate{
			ID: record.CandidateID(id), Parent: record.CandidateID(parent), Operator: record.OpTune, Agent: "offline", Status: record.StatusScored,
			Objective: &value, Samples: 1, Version: 1, Measures: []float64{x},
		},
	})
}

// lives tells who holds which niche of every island: "1: 0:c0 | 2: 0:c0 3:c7".
func (s *story) lives() string {
	var out []string
	for i := range s.st.isles.live {
		k := &s.st.isles.live[i]
		line := fmt.Sprintf("%d:", k.number)
		for _, h := range k.elites {
			line += fmt.Sprintf(" %d:%s", h.Cell, h.ID)
		}
		out = append(out, line)
	}
	return strings.Join(out, " | ")
}

func TestAnIslandHasElitesOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		name  string
		told  func(s *story)
		lives string
	}{
		{"the root lives on all", func(*story) {}, "1: 0:c0 | 2: 0:c0"},
		{"what was made on one lives there", func(s *story) { s.made(1, 0, 1, 5, 0.55) }, "1: 0:c0 5:c1 | 2: 0:c0"},
		{"one that is worse than another island's holds its niche all the same", func(s *story) {
			s.made(1, 0, 1, 5, 0.55)
			s.made(2, 0, 2, 4, 0.55)
			s.made(3, 0, 2, 3, 0.55)
		}, "1: 0:c0 5:c1 | 2: 0:c0 5:c2"},
		{"what no job of an island made lives on all", func(s *story) { s.made(1, 0, 0, 5, 0.55) }, "1: 0:c0 5:c1 | 2: 0:c0 5:c1"},
		{"a rejected one leaves its niche to the runner-up of its island", func(s *story) {
			s.made(1, 0, 1, 5, 0.55)
			s.made(2, 0, 2, 4, 0.55)
			s.made(3, 0, 1, 3, 0.55)
			s.decide(record.Decision{Verb: record.Reject, Candidate: 1})
		}, "1: 0:c0 5:c3 | 2: 0:c0 5:c2"},
		{"a frozen one keeps its niche", func(s *story) {
			s.made(1, 0, 1, 5, 0.55)
			s.decide(record.Decision{Verb: record.Freeze, Candidate: 1})
			s.made(2, 0, 1, 6, 0.55)
		}, "1: 0:c0 5:c1 | 2: 0:c0"},
		{"at the end of an epoch the best is a guest of the next one", func(s *story) {
			for id := 1; id < 10; id++ {
				s.made(id, 0, 1, float64(id), 0.55)
			}
			s.ended(10, record.EndData{State: record.Failed, Class: record.ClassAgent}, record.NoCandidate)
		}, "1: 0:c0 5:c9 | 2: 0:c0 5:c9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, isled(2, 10))
			s.measured(0, 1, 0.05)
			c.told(s)
			if got := s.lives(); got != c.lives {
				t.Errorf("%s; want %s", got, c.lives)
			}
			s.st.isles.refresh()
			if got := s.lives(); got != c.lives {
				t.Errorf("found anew: %s; want %s", got, c.lives)
			}
		})
	}
}

func TestAnIslandThatFollowsAnAxisGoesForTheBestAtHomeAndForNichesEverywhere(t *testing.T) {
	s := begin(t, isled(3, 1000))
	s.measured(0, 1, 0.05)
	for id := 1; id <= 60; id++ {
		s.made(id, 0, int32(1+id%3), float64(id%7), float64(id%10)/10+0.05)
	}
	turns, away := map[string]int{}, 0
	for job := record.JobID(61); job < 361; job++ {
		v := s.st.View(job)
		c := search.Pick(v, search.Rand(1, job), search.Free())
		turns[c.Island]++
		number := islandNumber(c.Island)
		m := s.st.Candidate(c.Parent)
		switch abroad := m.island != number && c.Parent != record.Root; {
		case abroad && c.Way == search.Rank && s.st.View(job).Axis > 0:
			t.Fatalf("job %d of island %d goes for the best from %s of island %d", job, number, c.Parent, m.island)
		case abroad:
			away++
		}
	}
	if away == 0 {
		t.Error("no parent comes from another island")
	}
	for i, axis := range []int{0, 1, 1} {
		v := s.st.View(record.JobID(360 + i))
		if v.Axis != axis || len(v.Leaders) != 2 {
			t.Errorf("island %s follows axis %d, want %d, and has %v for the heads of others", v.Island, v.Axis, axis, v.Leaders)
		}
	}
	if len(turns) != 3 || turns["1"] != 100 || turns["2"] != 100 || turns["3"] != 100 {
		t.Errorf("the islands had turns %v", turns)
	}
	one := begin(t)
	one.measured(0, 1, 0.05)
	if c := search.Pick(one.st.View(1), search.Rand(1, 1), search.Free()); c.Island != "main" {
		t.Errorf("without islands a job is of island %q", c.Island)
	}
}

func TestIslandsOfALearnedMapFollowNoAxis(t *testing.T) {
	s := begin(t, isled(3, 1000), func(_ *record.Experiment, cfg *config.Config) { cfg.Map.Axes, cfg.Map.MinFit = nil, 8 })
	s.st.Vectors = map[record.CandidateID][]float32{}
	s.st.vector = func(id record.CandidateID) ([]float32, error) { return []float32{float32(id % 10), 1}, nil }
	s.measured(0, 1, 0.05)
	for id := 1; id <= 60; id++ {
		s.made(id, 0, int32(1+id%3), float64(id%7), 0)
		if v := s.st.View(record.JobID(id)); v.Named || v.Axis != 0 || len(v.Leaders) > 0 {
			t.Fatalf("island %s after %d jobs: named %v, axis %d, heads of others %v", v.Island, id, v.Named, v.Axis, v.Leaders)
		}
	}
}

func TestAnIslandThatStandsAndIsTheWorstBeginsAnew(t *testing.T) {
	s := begin(t, isled(2, 10))
	s.measured(0, 1, 0.05)
	s.made(1, 0, 1, 5, 0.15)
	s.made(2, 1, 1, 9, 0.25) // the best, a grandchild of the root by c1
	s.made(3, 0, 2, 4, 0.35) // another child of the root
	for id := 4; id < 10; id++ {
		s.made(id, 0, 2, 0, 0.45)
	}
	var numbers []string
	note := func() {
		var now []string
		for _, k := range s.st.isles.live {
			now = append(now, islandName(k.number))
		}
		if line := strings.Join(now, " "); len(numbers) == 0 || numbers[len(numbers)-1] != line {
			numbers = append(numbers, line)
		}
	}
	note()
	s.made(10, 0, 2, 0, 0.45) // the best of each wanders
	if got := s.st.isles.live[1].best; got != 2 {
		t.Fatalf("the best of island 2 is %s after the best of all came there", got)
	}
	for id := 11; id <= 20; id++ {
		s.made(id, 0, 2, 0, 0.45)
		note()
	}
	if want := []string{"1 2", "1 3"}; !slices.Equal(numbers, want) {
		t.Fatalf("islands %v, want %v", numbers, want)
	}
	if _, guest := slices.BinarySearch(s.st.isles.live[1].guests, 3); !guest {
		t.Errorf("island 3 begins with %v, without c3, the best of another road", s.st.isles.live[1].guests)
	}
	if text := fmt.Sprint(s.st.TakeEvents()); !strings.Contains(text, "island 2 ends, its best is c2: island 3 begins from c3") {
		t.Errorf("it was told as %s", text)
	}
	s.made(21, 0, 2, 99, 0.95) // a late child of the island that is no more
	if got := s.lives(); strings.Contains(got, "c21") || !strings.Contains(s.elites(), "9:c21") {
		t.Errorf("a late child of an island that ended: %s, of all: %s", got, s.elites())
	}
}

func TestIslandsFollowFromTheLogAlone(t *testing.T) {
	live := begin(t, isled(3, 7))
	live.rows = &[]record.FoldRow{}
	live.measured(0, 1, 0.05)
	rng := search.Rand(9, 9)
	for id := 1; id <= 300; id++ {
		job := record.JobID(id)
		c := search.Pick(live.st.View(job), search.Rand(1, job), search.Free())
		if number := islandNumber(c.Island); id%5 == 0 {
			live.ended(id, record.EndData{State: record.Failed, Class: record.ClassAgent}, record.NoCandidate)
		} else {
			live.made(id, int(c.Parent), number, rng.Float64()*float64(1+id%3), rng.Float64())
		}
		if id%40 == 0 {
			live.decide(record.Decision{Verb: record.Reject, Candidate: live.st.Best})
			_ = live.st.Odds(live.st.Settings)
		}
	}
	again := begin(t, isled(3, 7))
	for _, row := range *live.rows {
		again.row(row)
	}
	if got, want := again.lives(), live.lives(); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got, want := fmt.Sprint(again.st.Digest()), fmt.Sprint(live.st.Digest()); got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if n := live.st.isles.last; n < 4 {
		t.Errorf("no island ended: the last one is %d", n)
	}
}
