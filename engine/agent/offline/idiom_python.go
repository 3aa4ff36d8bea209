package offline

import (
	"fmt"

	"atoll/engine/agent"
)

// patternShare is how often a job after the first compiles the patterns of one file.
const patternShare = 0.2

// patterns has functions of Python use expressions that are compiled once, instead of
// asking package re for them at each call: the first job in all files, later ones at
// times in one.
func (e *editing) patterns() bool {
	type change struct {
		path string
		data []byte
		n    int
	}
	var all []change
	if target := e.job.Target; target.Symbol != "" { // what is compiled stands outside of every function
		e.job.Target.Symbol = ""
		defer func() { e.job.Target = target }()
	}
	if scope := e.job.Scope; e.job.Number == 1 && e.job.Everywhere != nil {
		target := e.job.Target
		e.job.Scope, e.job.Target, e.ready, e.picked = e.job.Everywhere, agent.Target{}, false, nil
		defer func() { e.job.Scope, e.job.Target, e.ready, e.picked = scope, target, false, nil }()
	}
	for _, p := range e.picks() {
		if p.l.Name != "python" || e.stop() {
			continue
		}
		if s, ok := e.load(p); ok && s.Lo == 0 && s.Hi == len(s.Data) && !(idioms{e}).frozenFile(s.Path()) {
			if data, n := compiledOnce(s); n > 0 && int64(len(data)) <= e.limits.maxBytes && e.valid(s, data) {
				all = append(all, change{s.Path(), data, n})
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	if e.job.Number != 1 {
		if e.rng.Float64() >= patternShare {
			return false
		}
		all = all[e.rng.IntN(len(all)):][:1]
	}
	for _, c := range all {
		e.put(c.path, c.data, fmt.Sprintf("idiom: %d expressions of %s compiled once", c.n, c.path))
	}
	return true
}
