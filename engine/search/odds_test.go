package search_test

import (
	"math"
	"testing"

	"atoll/engine/search"
	"atoll/store/record"
)

// The odds that are told must be those that many draws show.
func TestOddsAreThoseOfTheDraws(t *testing.T) {
	for _, selection := range []string{search.Uniform, search.Rank, search.Exploit, search.Curiosity, search.Novelty, search.UCB, search.Mixed} {
		a := grid(t, [2]int{0, 0}, [2]int{1, 0}, [2]int{2, 0}, [2]int{3, 0})
		a.Freeze(1)
		v := search.View{
			Archive: a, Selection: selection, Stats: &search.Stats{},
			Operators: []search.Weighted{{Name: "crossover", Weight: 1}, {Name: "mutate", Weight: 2}, {Name: "repair", Weight: 9}, {Name: "tune", Weight: 1}},
			Agents:    []search.Weighted{{Name: "chat", Weight: 1}, {Name: "offline", Weight: 3}},
			Targets:   []search.Weighted{{Name: "left", Weight: 1}, {Name: "right", Weight: 1, Frozen: true}, {Name: "", Weight: 1}},
			AgentsFor: func(op record.Operator) []string {
				if op == record.OpTune {
					return []string{"offline"}
				}
				return []string{"chat", "offline"}
			},
			Fits: func(op record.Operator) bool { return op != record.OpRepair },
		}
		const n = 20_000
		got := search.Odds{Parents: map[record.CandidateID]float64{}, Operators: map[string]float64{}, Agents: map[string]float64{}, Targets: map[string]float64{}}
		for i := range n {
			c := search.Pick(v, search.Rand(1, record.JobID(i)), search.Free())
			got.Parents[c.Parent] += 1.0 / n
			got.Operators[string(c.Operator)] += 1.0 / n
			got.Agents[c.Agent] += 1.0 / n
			got.Targets[c.Target] += 1.0 / n
		}
		want := search.Chances(v)
		sameOdds(t, selection+" parents", got.Parents, want.Parents)
		sameOdds(t, selection+" operators", got.Operators, want.Operators)
		sameOdds(t, selection+" agents", got.Agents, want.Agents)
		sameOdds(t, selection+" targets", got.Targets, want.Targets)
	}
}

func sameOdds[K comparable](t *testing.T, what string, got, want map[K]float64) {
	t.Helper()
	sum := 0.0
	for k, w := range want {
		sum += w
		if math.Abs(got[k]-w) > 0.02 {
			t.Errorf("%s: %v is told as %.3f and drawn with %.3f", what, k, w, got[k])
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s add up to %g", what, sum)
	}
}
