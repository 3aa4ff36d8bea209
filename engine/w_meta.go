package engine

import (
	"atoll/store/record"
	"strconv"
)

// versioned is the name of a fact that belongs to an objective version.
func versioned(key string, version int) string {
	if version <= 1 {
		return key
	}
	return key + " " + strconv.Itoa(version)
}

// comparable takes the values from a candidate that are of another objective
// version than the present one: agents must not compare them.
func (e *Engine) comparable(c *record.Candidate) {
	if c.Version != e.objectiveVersion() {
		c.Objective, c.Claimed, c.Metrics, c.Measures = nil, nil, nil, nil
	}
}
