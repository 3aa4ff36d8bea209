package work

import (
	"fmt"
	"sync"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// agentStreak pauses claims when agents fail in one and the same way again and
// again. What may be the evaluator's fault is counted by the fold ([fold.Streak]),
// which has the root measured again to tell; an agent that fails made nothing that
// could be measured.
type agentStreak struct {
	*run

	mu     sync.Mutex
	streak fold.Streak
}

// watch counts the end of a job.
func (a *agentStreak) watch(out store.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case out.State == record.Failed && (out.Class == record.ClassAgent || out.Class == record.ClassInternal):
		if a.streak.Add(out.Class, out.Reason, 1) {
			a.host.Pause(fmt.Sprintf("the last %d jobs failed alike (%s): mend the agent or the machine, then resume", fold.BreakAfter, out.Reason))
		}
	case out.Candidate != nil: // an agent did its work
		a.streak = fold.Streak{}
	}
}
