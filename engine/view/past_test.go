package view_test

import (
	"slices"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

// before is a state that the tests change: c1 holds one of six niches.
func before() view.Snapshot {
	s := view.Snapshot{State: record.ExperimentRunning}
	s.Best.ID, s.Best.Objective = 1, 10
	s.Grid.Dims, s.Grid.Total, s.Grid.Filled = []int{2, 3}, 6, 1
	s.Grid.Cells = []view.Cell{{Index: 4, Elite: 1, Boost: 1}}
	s.Settings = record.Settings{Workers: 2, Goal: "faster", Operators: map[string]float64{"mutate": 1, "tune": 2}}
	return s
}

func TestWhatChangedIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *view.Snapshot)
		want   []string
	}{
		"nothing": {func(*view.Snapshot) {}, nil},
		"another best": {
			func(s *view.Snapshot) { s.Best.ID, s.Best.Objective = 7, 12.5 },
			[]string{"best c7 12.5, was c1 10"},
		},
		"the root is the best again": {
			func(s *view.Snapshot) { s.Best.ID, s.Best.Objective = record.Root, 9 },
			[]string{"best the root 9, was c1 10"},
		},
		"a niche has another holder": {
			func(s *view.Snapshot) { s.Grid.Cells = []view.Cell{{Index: 4, Elite: 7, Boost: 1}} },
			[]string{"c7 holds (1,1), was c1"},
		},
		"an empty niche is taken": {
			func(s *view.Snapshot) { s.Grid.Cells = append(s.Grid.Cells, view.Cell{Index: 5, Elite: 7, Boost: 1}) },
			[]string{"c7 takes the empty (1,2)"},
		},
		"a niche is emptied": {
			func(s *view.Snapshot) { s.Grid.Cells = nil },
			[]string{"(1,1) is empty, c1 held it"},
		},
		"a niche is frozen and boosted": {
			func(s *view.Snapshot) {
				s.Grid.Cells = []view.Cell{{Index: 4, Elite: 1, Frozen: true, Boost: 3}}
			},
			[]string{"(1,1) is frozen", "(1,1) is chosen x3, was x1"},
		},
		"a new map says nothing of single niches": {
			func(s *view.Snapshot) { s.Grid.Map, s.Grid.Cells = 3, nil },
			[]string{"a new map: 1 of 6 niches filled"},
		},
		"the experiment is paused while one waits": {
			func(s *view.Snapshot) { s.State, s.Jobs.Held = record.ExperimentPaused, 1 },
			[]string{"1 waiting, was 0", "the experiment is paused"},
		},
		"budgets": {
			func(s *view.Snapshot) {
				s.Settings.MaxJobs, s.Settings.MaxEvals, s.Settings.MaxTokens, s.Settings.MaxCostUSD, s.Settings.MaxWallMS = 5, 6, 7, 1.5, 90_000
			},
			[]string{"jobs at most 5, was 0", "evaluations at most 6, was 0", "tokens at most 7, was 0", "dollars at most 1.5, was 0", "time at most 1m30s, was 0s"},
		},
		"what candidates are asked for": {
			func(s *view.Snapshot) {
				s.Settings.Goal, s.Settings.Constraints, s.Settings.Acceptance = "smaller", []string{"no new dependency"}, []string{"half the size"}
				s.Settings.Targets = []record.Target{{Name: "parser"}}
			},
			[]string{"another goal", "other constraints", "other acceptance criteria", "proposed targets 1, was 0"},
		},
		"a weight that is gone is 0": {
			func(s *view.Snapshot) { s.Settings.Operators = map[string]float64{"mutate": 1, "rewrite": 3} },
			[]string{"weight of rewrite 3, was 0", "weight of tune 0, was 2"},
		},
	} {
		a, b := before(), before()
		c.change(&b)
		if got := view.Changes(&a, &b); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
}
