package engine

import (
	"fmt"

	"atoll/store"
	"atoll/store/record"
)

// The circuit breaker. When many candidates in a row fail in one and the same
// way, it may be the evaluator or the machine that is broken, or it may be a
// hard spot of the search. The root tells which: it is measured again, and only
// when it fails as well do claims pause. Counting is part of the fold, so that
// the look at the root belongs to a fold position.

// breakAfter is how many in a row must fail alike.
const breakAfter = 20

// alike counts failures in a row that look the same.
type alike struct {
	key   string
	n     int
	limit int  // grows each time the root proves the evaluator right
	check bool // the root has to be measured again
	text  string
}

// add counts a failure and reports whether there are too many now.
func (a *alike) add(class record.Class, reason string, weight int) bool {
	key := string(class) + ": " + figures.ReplaceAllString(reason, "N")
	if key != a.key {
		a.key, a.n = key, 0
	}
	a.n += weight
	if a.n < max(a.limit, breakAfter) {
		return false
	}
	a.n, a.text = 0, reason
	return true
}

// suspect takes the failure of a make job.
func (s *State) suspect(row store.FoldRow, class record.Class, reason string) {
	weight := 1
	switch class {
	case record.ClassEvaluator: // the same as on the root
		weight = breakAfter / 4
	case record.ClassBuild, record.ClassTest, record.ClassTimeout, record.ClassMemory, record.ClassOutput, record.ClassCrash,
		record.ClassMetric, record.ClassSandbox:
	default:
		return // not the evaluator's
	}
	if s.alike.add(class, reason, weight) {
		s.alike.check = true
		s.say(row, "warn", fmt.Sprintf("many candidates in a row failed alike (%s): the root is measured again, to see whether the evaluator is broken", reason))
	}
}

// trust takes a measurement that went well: of a candidate, or of the root that
// was asked.
func (s *State) trust(row store.FoldRow) {
	if row.Work != nil && isCheck(row.Candidate, row.Work.Purpose) {
		s.alike.limit = 2 * max(s.alike.limit, breakAfter)
		s.say(row, "info", "the root measures well: it is the candidates that fail")
	}
	s.alike.key, s.alike.n = "", 0
}

// isCheck reports whether an evaluate job is the breaker's look at the root;
// the root has no other reason to be challenged.
func isCheck(id record.CandidateID, p record.Purpose) bool {
	return id == record.Root && p == record.PurposeChallenge
}

// sick pauses claims: the root fails where it did not before.
func (e *Engine) sick(reason string) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.pause = fmt.Sprintf("many candidates in a row failed alike, and now the root fails too (%s): mend the evaluator or the machine, then resume", reason)
	e.poke()
}

// breaker counts failures of agents; owned by troubles' lock.
type breaker struct{ alike }

// watchFailures pauses claims when agents fail in one and the same way again
// and again.
func (e *Engine) watchFailures(out store.Outcome) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	b := &e.trouble.breaker
	switch {
	case out.State == record.Failed && (out.Class == record.ClassAgent || out.Class == record.ClassInternal):
		if b.add(out.Class, out.Reason, 1) {
			e.trouble.pause = fmt.Sprintf("the last %d jobs failed alike (%s): mend the agent or the machine, then resume", breakAfter, out.Reason)
			e.poke()
		}
	case out.Candidate != nil: // an agent did its work
		*b = breaker{}
	}
}
