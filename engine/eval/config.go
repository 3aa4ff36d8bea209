package eval

import (
	"atoll/config"
	"atoll/engine/sandbox"
)

// OptionsOf turns a configuration into the options of its evaluator. A relative
// evaluator.dir stays relative.
func OptionsOf(cfg config.Config) Options {
	c := cfg.Evaluator
	o := Options{
		Command: c.Command, Dir: c.Dir, Adapter: c.Adapter, AdapterOptions: c.AdapterOptions, Repeats: c.Repeats, Output: c.Output, Objective: c.Objective, Direction: c.Direction,
		Timeout: c.Timeout, Protected: append([]string{config.FileName}, c.Protected...), Hidden: c.Hidden, Env: c.Env, Caches: c.Caches,
		Paired: c.Paired, Artifact: c.Artifact, Warm: c.Warm,
		Limits: sandbox.Limits{
			Wall: c.Timeout, CPU: cfg.Limits.CPU, Memory: cfg.Limits.Memory, Procs: cfg.Limits.Procs,
			Output: cfg.Limits.Output, Disk: cfg.Limits.Disk,
		},
	}
	for _, s := range c.Stages {
		o.Stages = append(o.Stages, Stage{
			Name: s.Name, Command: s.Command, Timeout: s.Timeout, Metric: s.Metric, Threshold: s.Threshold, Output: s.Output,
		})
	}
	return o
}
