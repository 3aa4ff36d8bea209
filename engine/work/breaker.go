package work

import (
	"fmt"
	"sync"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// The circuit breaker. When many candidates in a row fail in one and the same
// way, it may be the evaluator or the machine that is broken, or it may be a
// hard spot of the search. The root tells which: it is measured again, and only
// when it fails as well do claims pause. Counting is part of the fold, so that
// the look at the root belongs to a fold position.

// breaker counts failures of agents in a row.
type breaker struct {
	*run

	mu     sync.Mutex
	streak fold.Streak
}

// watch pauses claims when agents fail in one and the same way again and again.
func (b *breaker) watch(out store.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case out.State == record.Failed && (out.Class == record.ClassAgent || out.Class == record.ClassInternal):
		if b.streak.Add(out.Class, out.Reason, 1) {
			b.host.Pause(fmt.Sprintf("the last %d jobs failed alike (%s): mend the agent or the machine, then resume", fold.BreakAfter, out.Reason))
		}
	case out.Candidate != nil: // an agent did its work
		b.streak = fold.Streak{}
	}
}
