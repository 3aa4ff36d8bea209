package work

import (
	"strconv"

	"atoll/store/record"
)

// What the evaluator learned from the root, as facts of the experiment: the
// metric searched on, and the signature with which the root fails.
const (
	MetaObjective = "objective"
	MetaRootFails = "root-failure"
)

// versioned is the name of a fact that belongs to an objective version.
func Versioned(key string, version int) string {
	if version <= 1 {
		return key
	}
	return key + " " + strconv.Itoa(version)
}

// comparable takes the values from a candidate that are of another objective
// version than the present one: agents must not compare them.
func (w *Runner) comparable(c *record.Candidate) {
	if c.Version != w.facts.Experiment.Objective {
		c.Objective, c.Claimed, c.Metrics, c.Measures = nil, nil, nil, nil
	}
}
