package engine

import (
	"fmt"

	"atoll/store"
	"atoll/store/record"
)

// breakAfter is how many candidates in a row must fail in the evaluator's own
// way before claims pause.
const breakAfter = 20

// breaker counts failures that speak against the evaluator or the machine
// rather than against a candidate. Owned by troubles' lock.
type breaker struct {
	same   int
	reason string
}

// watchFailures pauses claims when the evaluator seems broken: many candidates
// in a row end with the very same failure, or with one that the root shows.
func (e *Engine) watchFailures(out store.Outcome) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	b := &e.trouble.breaker
	if out.State != record.Failed {
		if out.State == record.Scored || out.State == record.Done {
			*b = breaker{}
		}
		return
	}
	key := string(out.Class) + ": " + figures.ReplaceAllString(out.Reason, "N")
	switch {
	case out.Class == record.ClassEvaluator:
		b.same += breakAfter / 4
		b.reason = out.Reason
	case key == b.reason:
		b.same++
	default:
		*b = breaker{same: 1, reason: key}
	}
	if b.same < breakAfter {
		return
	}
	e.trouble.pause = fmt.Sprintf("the last %d measurements failed alike (%s): mend the evaluator or the machine, then resume", breakAfter, out.Reason)
	*b = breaker{}
	e.poke()
}
