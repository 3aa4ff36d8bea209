package fold

import (
	"math"
	"sort"

	"atoll/engine/search"
	"atoll/store/record"
)

// View is what the search may know at this fold position.
func (s *State) View() search.View {
	return search.View{
		Archive: s.arch, Fold: s.folded, Root: record.Root, Selection: s.Config.Search.Selection,
		Inspirations: s.Settings.Inspirations, Operators: search.Weights(s.Settings.Operators),
		Agents: search.Weights(s.Settings.Agents), Targets: s.targetWeights(), AgentsFor: s.agentsFor(),
		Fits: s.fits, Stats: &s.yields, Adapt: search.DefaultAdapt,
	}
}

func (s *State) targetWeights() []search.Weighted {
	var out []search.Weighted
	proposed := 0.0
	for _, t := range s.Targets() {
		if t.By != "" {
			proposed += t.Weight
		}
		w := search.Weighted{Name: t.Name, Weight: t.Weight}
		if s.Decided.frozen[t.Name] {
			w.Weight = 0
		}
		if b := s.Decided.boosts[t.Name]; b > 0 {
			w.Boost, w.Until = b, math.MaxInt
		}
		out = append(out, w)
	}
	if len(s.Config.Targets) == 0 && proposed > 0 { // proposals are no fence: half of the jobs stay free
		out = append(out, search.Weighted{Weight: proposed})
	}
	return out
}

// offlineOperators are what the built-in agent can carry out.
var offlineOperators = map[record.Operator]bool{
	record.OpSeed: true, record.OpTune: true, record.OpMutate: true, record.OpCrossover: true, record.OpRepair: true,
}

// agentsFor names the agents that can carry out an operator: the offline agent
// its own, models everything but tune, a person only what is asked for by hand.
func (r *rules) agentsFor() func(record.Operator) []string {
	kinds := map[string]string{"offline": "offline"}
	for _, a := range r.Config.Agents {
		kinds[a.Name] = a.Kind
	}
	names := make([]string, 0, len(kinds))
	for n := range kinds {
		names = append(names, n)
	}
	sort.Strings(names)
	return func(op record.Operator) []string {
		var out []string
		for _, n := range names {
			switch kinds[n] {
			case "offline":
				if !offlineOperators[op] {
					continue
				}
			case "human":
				continue
			default:
				if op == record.OpTune {
					continue
				}
			}
			out = append(out, n)
		}
		return out
	}
}

// fits says whether an operator makes sense now.
func (s *State) fits(op record.Operator) bool {
	switch op {
	case record.OpManual:
		return false
	case record.OpRepair:
		return len(s.repairs) > 0
	case record.OpSeed:
		return s.Scored < seedJobs
	}
	return true
}

// seedJobs is how many measured candidates end the first population.
const seedJobs = 16
