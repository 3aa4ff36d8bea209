package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// HealthPrefix stands before the names of figures of health where they are metrics: axes of
// the map, and the metrics of a candidate.
const HealthPrefix = "health."

// HealthFigures are the figures of the auditor that a candidate is measured by.
func HealthFigures() []string {
	return []string{"cognitive", "complexity", "duplicated", "lines", "maintainability", "worst"}
}

// NoWorse is an entry of health.no_worse.
type NoWorse struct {
	Figure string  // one of [HealthFigures]
	Slack  float64 // of the root's figure: 0.1 lets it grow worse by a tenth
}

// ParseNoWorse reads an entry of health.no_worse: "lines", or "lines 10%".
func ParseNoWorse(text string) (NoWorse, error) {
	name, slack, given := strings.Cut(strings.TrimSpace(text), " ")
	n := NoWorse{Figure: name}
	if !slices.Contains(HealthFigures(), name) {
		return n, fmt.Errorf("the auditor has no figure %q of health%s", name, amongst(name, HealthFigures()))
	}
	if !given {
		return n, nil
	}
	number, isPercent := strings.CutSuffix(strings.TrimSpace(slack), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !isPercent || err != nil || math.IsNaN(v) || v < 0 || v > 1000 {
		return n, fmt.Errorf("%q: after the figure stands by how much it may grow worse, such as %s 10%%", text, name)
	}
	n.Slack = v / 100
	return n, nil
}

// Measured are the figures of health that candidates are measured by: those of axes and of
// health.no_worse, in the order of [HealthFigures].
func (c *Config) Measured() []string {
	asked := map[string]bool{}
	for _, a := range c.Map.Axes {
		if name, ok := strings.CutPrefix(a.Metric, HealthPrefix); ok {
			asked[name] = true
		}
	}
	for _, text := range c.Health.NoWorse {
		if n, err := ParseNoWorse(text); err == nil {
			asked[n.Figure] = true
		}
	}
	return slices.DeleteFunc(HealthFigures(), func(name string) bool { return !asked[name] })
}

// health checks the figures that are asked for.
func (k *checker) health(c Config) {
	seen := map[string]bool{}
	for i, text := range c.Health.NoWorse {
		n, err := ParseNoWorse(text)
		switch at := elementPath("health.no_worse", i); {
		case err != nil:
			k.bad(at, "%v", err)
		case seen[n.Figure]:
			k.bad(at, "%s stands there twice", n.Figure)
		}
		seen[n.Figure] = true
	}
	for i, a := range c.Map.Axes {
		if name, ok := strings.CutPrefix(a.Metric, HealthPrefix); ok && !slices.Contains(HealthFigures(), name) {
			k.bad(elementPath("map.axes", i)+".metric", "the auditor has no figure %q of health%s", name, amongst(name, HealthFigures()))
		}
	}
}
