package fold

import (
	"fmt"
	"maps"
	"slices"

	"atoll/config"
	"atoll/engine/memory"
	"atoll/engine/view"
	"atoll/store/record"
)

// Targets are all that a job may be about: those of the configuration, then the
// proposed ones.
func (r *rules) Targets() []record.Target { return AllTargets(r.Config, r.Settings) }

func AllTargets(cfg config.Config, set record.Settings) []record.Target {
	var out []record.Target
	for _, t := range cfg.Targets {
		out = append(out, record.Target{Name: t.Name, Files: t.Files, Symbol: t.Symbol, Hint: t.Hint, Weight: t.Weight})
	}
	for _, t := range set.Targets {
		if !slices.ContainsFunc(out, func(o record.Target) bool { return o.Name == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}

// WithKept are new proposals with the old ones that a person set something for.
func (st *steering) WithKept(found []record.Target) []record.Target {
	out := slices.Clone(found)
	for _, t := range st.Settings.Targets {
		known := slices.ContainsFunc(out, func(o record.Target) bool { return o.Name == t.Name })
		if !known && (st.Decided.frozen[t.Name] || st.Decided.boosts[t.Name] > 0) {
			out = append(out, t)
		}
	}
	return out
}

// FrozenTargets names the targets that are frozen.
func (st *steering) FrozenTargets() []string { return slices.Sorted(maps.Keys(st.Decided.frozen)) }

// TargetFacts is what a mapper may know at one fold position.
type TargetFacts struct {
	Best  record.CandidateID
	Tried map[string]int // jobs on a target that brought nothing
	Ever  []memory.Improvement
	Told  []string // how the targets did
}

func (s *State) TargetFacts() TargetFacts {
	p := TargetFacts{Best: s.Best, Tried: map[string]int{}, Ever: slices.Clone(s.Epoch.ever)}
	for _, y := range s.targetYields() {
		if y.Improved == 0 {
			p.Tried[y.Name] = y.Tries
		}
		p.Told = append(p.Told, fmt.Sprintf("target %s: %s, %d took a niche, %d became the best", y.Name, view.Plural(y.Tries, "job"), y.Improved, y.Best))
	}
	return p
}
