package engine

import (
	"slices"

	"atoll/config"
)

// WithLive is the configuration that an experiment started with, with what may
// change between its runs as it is now. What is among its settings is not
// touched: a change of those is a row of the log.
func WithLive(was, now config.Config) config.Config {
	was.Agents, was.Roles, was.Prices, was.Prompts, was.Console = now.Agents, now.Roles, now.Prices, now.Prompts, now.Console
	was.Retention = now.Retention
	was.GuardAccept = now.GuardAccept
	was.Plugins.Auditors, was.Plugins.Notifiers = now.Plugins.Auditors, now.Plugins.Notifiers
	was.Evaluator.Private, was.Evaluator.Caches, was.Sandbox.Scratch = now.Evaluator.Private, now.Evaluator.Caches, now.Sandbox.Scratch
	was.Targets = slices.Clone(was.Targets)
	for i := range was.Targets {
		for _, t := range now.Targets {
			if t.Name == was.Targets[i].Name {
				was.Targets[i].Weight = t.Weight
			}
		}
	}
	return was
}
