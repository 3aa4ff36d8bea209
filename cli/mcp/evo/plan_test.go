package evo

import (
	"fmt"
	"testing"
)

func setup(maxFE int) Setup {
	return Setup{RepoPath: ".", BenchmarkCmd: "true", Objective: "min", MaxFE: maxFE, PopSize: 8, MutationRate: 0.5, Synergy: 3, TopK: 5}
}

func withTargets(temperatures ...float64) *Run {
	seed := 10.0
	r := &Run{Setup: setup(500), SeedObj: &seed, Best: &seed, Evals: 1}
	for i, t := range temperatures {
		r.Targets = append(r.Targets, Target{ID: fmt.Sprintf("t%d", i), File: "f.go", Temperature: t, Best: &seed})
	}
	return r
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

func TestABatchHasAsManyItemsAsTheProtocolSays(t *testing.T) {
	for _, c := range []struct{ targets, plain, synergy int }{
		{1, 8, 8}, {2, 8, 9}, {3, 9, 12}, {5, 10, 20}, {8, 8, 36}, {12, 12, 78},
	} {
		r := withTargets(ones(c.targets)...)
		if got := len(r.plan(1)); got != c.plain {
			t.Errorf("%d targets: %d items, want %d", c.targets, got, c.plain)
		}
		r.Generation = 3
		if got := len(r.plan(1)); got != c.synergy {
			t.Errorf("%d targets in generation 3: %d items, want %d", c.targets, got, c.synergy)
		}
	}
}

func TestATargetGetsItsShareByItsTemperature(t *testing.T) {
	want := map[string]int{"t0 crossover": 3, "t0 mutate": 2, "t1 crossover": 1, "t1 mutate": 1, "t2 mutate": 1}
	got := map[string]int{}
	for _, it := range withTargets(2, 1, 0.2).plan(1) {
		got[it.Target+" "+it.Operation]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestABatchIsCutToWhatTheBudgetLeaves(t *testing.T) {
	r := withTargets(1, 1, 1)
	r.Setup.MaxFE = 6
	if got := len(r.plan(1)); got != 5 {
		t.Errorf("%d items beside the seed, want 5", got)
	}
	r.Evals = 6
	if got := len(r.plan(1)); got != 0 {
		t.Errorf("%d items behind the end of the budget", got)
	}
}

func TestParentsComeFromWhatWasMeasured(t *testing.T) {
	r := withTargets(1)
	first := r.plan(1)
	for _, it := range first {
		if fmt.Sprint(it.Parents) != "[seed-baseline]" {
			t.Errorf("%s starts from %v, want the seed", it.Branch, it.Parents)
		}
	}
	for i, v := range []float64{9, 7, 8} {
		r.report(&first[i], Active{Branch: first[i].Branch, Fitness: v})
	}
	r.Generation++
	for _, it := range r.plan(1) {
		switch it.Operation {
		case opMutate:
			if it.Parents[0] != first[1].Branch {
				t.Errorf("%s starts from %v, want the best", it.Branch, it.Parents)
			}
		case opCrossover:
			if len(it.Parents) != 2 || it.Parents[0] == it.Parents[1] {
				t.Errorf("%s has the parents %v, want two", it.Branch, it.Parents)
			}
		}
	}
	if once, again := fmt.Sprint(r.plan(1)), fmt.Sprint(r.plan(1)); once != again {
		t.Error("one seed gives two plans")
	}
}

func TestASelectionKeepsTheBestAndCountsHowLongATargetStandsStill(t *testing.T) {
	r := withTargets(1, 1)
	r.Setup.TopK = 2
	r.Batch = r.plan(1)
	r.Stage = stageBatch
	for i, v := range []float64{9, 7, 8} {
		r.report(&r.Batch[i], Active{Branch: r.Batch[i].Branch, Fitness: v})
	}
	worst := r.Batch[0].Branch
	s := r.survive()
	if fmt.Sprint(s.Eliminate) != fmt.Sprintf("[%s]", worst) || len(s.Keep) != 2 {
		t.Errorf("keeps %v, eliminates %v; want to lose %s", s.Keep, s.Eliminate, worst)
	}
	improved, still := r.Targets[0], r.Targets[1]
	if improved.Stagnation != 0 || improved.Temperature != 1.3 || still.Stagnation != 1 || still.Temperature != 1 {
		t.Errorf("improved: %+v, still: %+v", improved, still)
	}
	for range 3 {
		r.Stage = stageBatch
		r.survive()
	}
	if got := r.Targets[1].Temperature; fmt.Sprintf("%.1f", got) != "0.6" {
		t.Errorf("a target that stands still for four generations has temperature %v, want 0.6", got)
	}
}

func TestAnImprovementDoesNotCutABoost(t *testing.T) {
	r := withTargets(3)
	r.Batch = r.plan(1)
	r.report(&r.Batch[0], Active{Branch: r.Batch[0].Branch, Fitness: 1})
	r.survive()
	if got := r.Targets[0].Temperature; got != 3 {
		t.Errorf("temperature %v, want 3", got)
	}
}

func TestNothingIsBetterThanTheSeedUnlessItIs(t *testing.T) {
	r := withTargets(1)
	it := Item{Branch: "b", Target: "t0"}
	if r.report(&it, Active{Branch: "b", Fitness: 11}) || r.Targets[0].BestBranch != "" {
		t.Error("a worse one became the best")
	}
	if !r.report(&it, Active{Branch: "b", Fitness: 9}) || r.improvement() != "-10.0%" {
		t.Errorf("a better one did not become the best: %v", r.improvement())
	}
}

func TestASetupThatNobodyMeansIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Setup){
		"no direction":       func(s *Setup) { s.Objective = "best" },
		"no budget":          func(s *Setup) { s.MaxFE = 1 },
		"nobody":             func(s *Setup) { s.PopSize = 0 },
		"more than all":      func(s *Setup) { s.MutationRate = 1.5 },
		"nothing to measure": func(s *Setup) { s.BenchmarkCmd = "" },
		"no survivors":       func(s *Setup) { s.TopK = 0 },
	} {
		s := setup(10)
		change(&s)
		if s.check() == nil {
			t.Errorf("%s: %+v is taken", name, s)
		}
	}
}
