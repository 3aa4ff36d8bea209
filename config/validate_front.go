package config

import (
	"path"
	"slices"
)

// frontMost bounds what a front compares: with more values hardly anybody beats anybody.
const frontMost = 4

func (k *checker) front(c Config) {
	f := &c.Front
	if len(f.Objectives) > frontMost {
		k.bad("front.objectives", "%d are too many: with more than %d hardly any candidate is worse than another in all", len(f.Objectives), frontMost)
	}
	seen := map[string]bool{}
	for i, o := range f.Objectives {
		at := elementPath("front.objectives", i) + ".metric"
		switch {
		case o.Metric == "":
			k.bad(at, "it has no metric: {metric: peak_mb, direction: minimize}")
		case o.Metric == c.Evaluator.Objective:
			k.bad(at, "%s is evaluator.objective, which counts anyway; front.step is its step", o.Metric)
		case seen[o.Metric]:
			k.bad(at, "%s a second time", o.Metric)
		}
		seen[o.Metric] = true
	}
	for _, glob := range f.Cases {
		if _, err := path.Match(glob, "x"); glob == "" || err != nil {
			k.bad("front.cases", "%q is no glob of metric names: write case_*", glob)
		}
	}
}

// CaseOf reports whether a metric is a case of the front.
func (f *Front) CaseOf(metric string) bool {
	return slices.ContainsFunc(f.Cases, func(glob string) bool { ok, _ := path.Match(glob, metric); return ok })
}
