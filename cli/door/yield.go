package door

import "atoll/engine/view"

// AgentYield is what one agent led to: its ended jobs, cancelled ones not
// counted.
type AgentYield struct {
	Name     string  `json:"name"`
	Weight   float64 `json:"weight"`
	Tries    int     `json:"tries"`
	Scored   int     `json:"scored"`   // measured
	Improved int     `json:"improved"` // took a niche
	Best     int     `json:"best"`     // became the best
	// Yield is improved/tries, Low and High bound it with 95 % confidence; null
	// before the first try.
	Yield *float64 `json:"yield"`
	Low   *float64 `json:"yield_low"`
	High  *float64 `json:"yield_high"`
	Cost  *float64 `json:"cost_usd"` // null: nobody could meter it
	// PerImprovement is cost_usd/improved; null where either is not known.
	PerImprovement *float64 `json:"cost_usd_per_improvement"`
}

// AgentYields are those of all agents that have a weight or were tried.
func AgentYields(s *view.Snapshot) []AgentYield {
	out := []AgentYield{}
	for _, y := range s.Agents {
		if y.Weight <= 0 && y.Tries == 0 {
			continue
		}
		a := AgentYield{Name: y.Name, Weight: y.Weight, Tries: y.Tries, Scored: y.Scored, Improved: y.Improved, Best: y.Best, Cost: y.CostUSD}
		if y.Tries == 0 {
			a.Cost = new(float64)
		} else {
			rate := float64(y.Improved) / float64(y.Tries)
			a.Yield, a.Low, a.High = &rate, &y.Low, &y.High
		}
		if a.Cost != nil && y.Improved > 0 {
			each := *a.Cost / float64(y.Improved)
			a.PerImprovement = &each
		}
		out = append(out, a)
	}
	return out
}
