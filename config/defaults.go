package config

import (
	"reflect"
	"runtime"
	"time"
)

// FormerSelection is what search.selection was where it was not given, before several ways
// took turns. Experiments of those days go on with it.
const FormerSelection = "rank"

// Defaults returns the configuration of an experiment that says nothing. Only
// Workers depends on the machine.
func Defaults() Config {
	return Config{
		Goal:      "Improve the objective and keep everything else working.",
		Root:      "HEAD",
		Seed:      1,
		Order:     "completion",
		Lookahead: 8,
		Workers:   min(4, max(1, runtime.NumCPU()/2)),
		Evaluator: Evaluator{
			Output: "result-file", Direction: "maximize",
			Repeats: 1, Warm: "auto", RootRepeats: 3, Challenge: 2, Depth: 16, Remeasure: 0.05,
			Timeout: 2 * time.Minute,
		},
		Map: Map{
			Grid: []int{16, 16}, MaxBytes: 512 << 10,
			MinFit: 32, Provisional: true, History: 4096, RefitEvery: 50,
		},
		Front: Front{CaseDirection: "maximize", Parents: 0.25},
		Search: Search{
			Operators: defaultOperators(nil), Inspirations: 3, Selection: "mixed", Islands: 1, Evolve: 0.75, DrawAgents: "weights",
			Epoch: 50, BoostFor: 50,
		},
		Gate: Gate{
			Forbidden: []string{".gitmodules", ".gitattributes", ".github/**", ".gitlab-ci.yml"},
			MaxFiles:  20, MaxLines: 2000, MaxFileBytes: 1 << 20,
		},
		Review:    Review{Measure: "off", Niche: "off", Fail: "open"},
		Guard:     "auto",
		Health:    Health{Worse: "reject"},
		Limits:    Limits{Memory: 2 << 30, Procs: 512, Output: 1 << 20, Disk: 1 << 30},
		Sandbox:   Sandbox{Mode: "auto"},
		Budget:    Budget{Jobs: 100},
		Agents:    []Agent{offlineAgent()},
		Retention: Retention{Evidence: 30 * 24 * time.Hour},
		Console:   Console{Palette: "viridis", Theme: "auto", Mouse: true, FPS: 30, Hints: true},
	}
}

func offlineAgent() Agent {
	a := element(reflect.TypeFor[Agent]()).Interface().(Agent)
	a.Name, a.Kind = "offline", "offline"
	return a
}

// element returns one element of a list with the defaults of its fields.
func element(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch e := v.Addr().Interface().(type) {
	case *Agent:
		e.Weight, e.Attempts, e.Timeout = 1, 2, 30*time.Minute
	case *Axis:
		e.Bins = 12
	case *FrontObjective:
		e.Direction = "maximize"
	case *Target:
		e.Weight = 1
	}
	return v
}

// defaultOperators returns the weights for a set of agents: what the offline
// agent can do, and more as soon as another agent edits. What no agent with a
// weight can carry out has none.
func defaultOperators(agents []Agent) map[string]float64 {
	offline, other := len(agents) == 0, false
	for _, a := range agents {
		offline = offline || a.Weight > 0 && a.Carries("tune")
		other = other || a.Weight > 0 && a.Kind != "offline"
	}
	if !other {
		return map[string]float64{"tune": 0.4, "mutate": 0.4, "crossover": 0.2}
	}
	weights := map[string]float64{"mutate": 0.45, "crossover": 0.2, "structural": 0.1, "repair": 0.05, "synergy": 0.05}
	if offline {
		weights["tune"] = 0.15
	}
	return weights
}

// fill sets what a default derives from other keys: names of stages and
// agents, and the weights of the operators unless somebody gave them.
func (c *Config) fill(operatorsGiven bool) {
	c.fillNames()
	if !operatorsGiven {
		c.Search.Operators = defaultOperators(c.Agents)
	}
}

// fillNames names stages and agents, and gives an adapter its arguments as
// they were written: it runs no shell.
func (c *Config) fillNames() {
	if words := c.Evaluator.Command; c.Evaluator.Adapter != "" && len(words) == 3 && words[0] == "sh" && words[1] == "-c" {
		c.Evaluator.Command = words[2:]
	}
	for i := range c.Evaluator.Stages {
		if c.Evaluator.Stages[i].Name == "" {
			c.Evaluator.Stages[i].Name = stageName(i)
		}
	}
	for i := range c.Agents {
		a := &c.Agents[i]
		if a.Kind == "" {
			a.Kind = impliedKind(*a)
		}
		switch {
		case a.Name != "":
		case a.Preset != "":
			a.Name = a.Preset
		default:
			a.Name = a.Kind
		}
	}
}

func impliedKind(a Agent) string {
	switch {
	case a.Preset != "" || len(a.Command) > 0:
		return "command"
	case a.API != "" || a.BaseURL != "" || a.Model != "":
		return "chat"
	case a.Recording != "":
		return "replay"
	case a.Plugin != "":
		return "plugin"
	}
	return ""
}
