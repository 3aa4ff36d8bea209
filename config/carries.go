package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Carries reports whether an agent can carry out an operator: the offline agent
// its own, models, clients and persons everything but tune (they write code, and
// the offline agent turns numbers for nothing), a replay whatever was recorded, a
// plug-in what is named.
func (a Agent) Carries(operator string) bool {
	switch a.Kind {
	case "offline":
		return slices.Contains([]string{"seed", "tune", "mutate", "crossover", "repair"}, operator)
	case "replay":
		return true
	case "plugin":
		if len(a.Operators) > 0 {
			return slices.Contains(a.Operators, operator)
		}
	}
	return operator != "tune"
}

// idle names the operators with a weight that no agent with a weight can carry
// out, sorted.
func (c Config) idle() []string {
	var out []string
	for _, name := range sortedWeights(c.Search.Operators) {
		able := slices.ContainsFunc(c.Agents, func(a Agent) bool { return a.Weight > 0 && a.Carries(name) })
		if c.Search.Operators[name] > 0 && !able {
			out = append(out, name)
		}
	}
	return out
}

// Carried returns the weights of the operators that some agent with a weight can carry
// out: those that are drawn.
func (c Config) Carried() map[string]float64 {
	out := maps.Clone(c.Search.Operators)
	for _, name := range c.idle() {
		delete(out, name)
	}
	return out
}

// idleAdvice says what becomes of the weights of operators that nobody carries
// out; "" where there are none.
func (c Config) idleAdvice() string {
	idle := c.idle()
	if len(idle) == 0 || !slices.ContainsFunc(c.Agents, func(a Agent) bool { return a.Weight > 0 }) {
		return ""
	}
	if len(idle) == len(c.Search.Operators) {
		return fmt.Sprintf("No agent with a weight can carry out %s (search.operators): every job will be a mutate.", strings.Join(idle, ", "))
	}
	return fmt.Sprintf("No agent with a weight can carry out %s: the weight in search.operators goes to the others, in their proportion. "+
		"Take it out, or give an agent that can a weight (the offline one for tune, a model for structural, synergy, rewrite and meta).", strings.Join(idle, ", "))
}
