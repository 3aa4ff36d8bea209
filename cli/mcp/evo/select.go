package evo

import (
	"slices"
	"strings"
)

// Survivors say which branches stay.
type Survivors struct {
	Keep       []string `json:"keep"`
	Eliminate  []string `json:"eliminate"`
	BestBranch *string  `json:"best_branch"`
	BestObj    *float64 `json:"best_obj"`
}

// The temperatures: what one that improved gains up to, what one that stands still
// loses down to, and after how many generations.
const (
	warmer, warmest   = 0.3, 2.0
	cooler, coolest   = 0.2, 0.2
	patience          = 3
	boostBy, boostMax = 1.0, 3.0
)

// survive ends the generation: it keeps the best of every target and the best of
// all, counts how long targets stand still, and changes their temperatures. A
// temperature that a boost lifted above what improving gives is not cut by
// improving.
func (r *Run) survive() Survivors {
	out := Survivors{Keep: []string{}, Eliminate: []string{}, BestObj: r.Best}
	if r.BestBranch != "" {
		best := r.BestBranch
		out.BestBranch = &best
		out.Keep = append(out.Keep, best)
	}
	fresh := map[string]bool{}
	for i := range r.Batch {
		fresh[r.Batch[i].Branch] = true
	}
	for i := range r.Targets {
		t := &r.Targets[i]
		ranked := slices.Clone(t.Active)
		slices.SortStableFunc(ranked, func(a, b Active) int {
			switch {
			case r.better(a.Fitness, b.Fitness):
				return -1
			case r.better(b.Fitness, a.Fitness):
				return 1
			}
			return 0
		})
		t.Active = nil
		for k, a := range ranked {
			if k < r.Setup.TopK || a.Branch == r.BestBranch {
				t.Active = append(t.Active, a)
				once(&out.Keep, a.Branch)
			} else {
				once(&out.Eliminate, a.Branch)
			}
		}
		t.Stagnation++
		if t.BestBranch != "" && fresh[t.BestBranch] {
			t.Stagnation = 0
		}
		t.warm()
	}
	out.Eliminate = slices.DeleteFunc(out.Eliminate, func(b string) bool { return slices.Contains(out.Keep, b) })
	r.Batch, r.Stage = nil, stageReflect
	r.Generation++
	return out
}

func once(list *[]string, branch string) {
	if !slices.Contains(*list, branch) {
		*list = append(*list, branch)
	}
}

// warm changes the temperature at the end of a generation.
func (t *Target) warm() {
	switch {
	case t.Frozen:
		t.Temperature = 0
	case t.Stagnation == 0:
		t.Temperature = max(t.Temperature, min(warmest, t.Temperature+warmer))
	case t.Stagnation >= patience:
		t.Temperature = max(coolest, t.Temperature-cooler)
	}
}

// report takes a measured success in, and reports whether it is the best of all. A
// synergy works on two targets and is the best of neither.
func (r *Run) report(it *Item, a Active) (isBest bool) {
	if t := r.target(it.Target); t != nil {
		t.Active = append(t.Active, a)
		if t.Best == nil || r.better(a.Fitness, *t.Best) {
			v := a.Fitness
			t.Best, t.BestBranch, t.Stagnation = &v, a.Branch, 0
		}
	}
	if r.Best == nil || r.better(a.Fitness, *r.Best) {
		v := a.Fitness
		r.Best, r.BestBranch = &v, a.Branch
		return true
	}
	return false
}

// targetsOf are the targets of an item; a synergy has two.
func targetsOf(id string) []string { return strings.Split(id, "+") }
