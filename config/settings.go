package config

import (
	"maps"
	"slices"

	"atoll/store/record"
)

// Settings returns the part of the configuration that a person may change
// while the experiment runs, as the store keeps it. It shares nothing with c.
func (c Config) Settings() record.Settings {
	s := record.Settings{
		Workers:      c.Workers,
		MaxJobs:      c.Budget.Jobs,
		MaxEvals:     c.Budget.Evaluations,
		MaxTokens:    c.Budget.Tokens,
		MaxCostUSD:   c.Budget.CostUSD,
		MaxWallMS:    c.Budget.Wall.Milliseconds(),
		Review:       c.Review.Measure,
		ReviewNiche:  c.Review.Niche,
		Goal:         c.Goal,
		Constraints:  slices.Clone(c.Constraints),
		Acceptance:   slices.Clone(c.Acceptance),
		Inspirations: c.Search.Inspirations,
		Challenge:    &c.Evaluator.Challenge,
		Depth:        &c.Evaluator.Depth,
		Remeasure:    &c.Evaluator.Remeasure,
		Operators:    maps.Clone(c.Search.Operators),
		Agents:       map[string]float64{},
	}
	for _, a := range c.Agents {
		s.Agents[a.Name] = a.Weight
	}
	return s
}
