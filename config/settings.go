package config

import (
	"cmp"
	"maps"
	"slices"
	"time"

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

// With returns the configuration with what a person may change as it is in force; it shares nothing with either.
func (c Config) With(s record.Settings) Config {
	c.Workers, c.Goal = s.Workers, s.Goal
	c.Budget.Jobs, c.Budget.Evaluations, c.Budget.Tokens, c.Budget.CostUSD = s.MaxJobs, s.MaxEvals, s.MaxTokens, s.MaxCostUSD
	c.Budget.Wall = time.Duration(s.MaxWallMS) * time.Millisecond
	c.Review.Measure, c.Review.Niche = s.Review, s.ReviewNiche
	c.Constraints, c.Acceptance = slices.Clone(s.Constraints), slices.Clone(s.Acceptance)
	c.Search.Inspirations, c.Search.Operators = s.Inspirations, maps.Clone(s.Operators)
	e := &c.Evaluator
	e.Challenge, e.Depth, e.Remeasure = *cmp.Or(s.Challenge, &e.Challenge), *cmp.Or(s.Depth, &e.Depth), *cmp.Or(s.Remeasure, &e.Remeasure)
	c.Agents = slices.Clone(c.Agents)
	for i, a := range c.Agents {
		if weight, ok := s.Agents[a.Name]; ok {
			c.Agents[i].Weight = weight
		}
	}
	return c
}
