package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"atoll/engine/roster"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// alarms takes what workers report beside results, and keeps it for the loop.
type alarms struct {
	*journal
	*signals
	decide func(ctx context.Context, ds ...record.Decision) (record.Seq, error)

	mu     sync.Mutex
	raised alarm
}

var (
	_ work.Host     = (*alarms)(nil)
	_ roster.Alarms = (*alarms)(nil)
)

// alarm is what was reported since the loop looked last; an error stays.
type alarm struct {
	budget string // the one that is used up
	pause  string // why no more jobs should be claimed for now
	broken string // why the evaluator cannot be trusted any more
	err    error  // no job can be blamed for it
}

// take returns what was reported since the last call.
func (a *alarms) take() alarm {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.raised
	a.raised = alarm{err: was.err}
	return was
}

// raise changes what is reported, and has the loop look at it.
func (a *alarms) raise(change func(*alarm)) {
	a.mu.Lock()
	change(&a.raised)
	a.mu.Unlock()
	a.wake()
}

// Exhausted notes that a budget is used up; the loop ends the run.
func (a *alarms) Exhausted(b *store.BudgetError) {
	a.raise(func(r *alarm) { r.budget = b.Error() })
}

// Spent notes that the money does not reach for the next request; the loop ends
// the run.
func (a *alarms) Spent(b *store.BudgetError) { a.Exhausted(b) }

// Overbilled notes that a provider charges more than its answers can cost by
// the price table; the loop pauses the run before more is asked.
func (a *alarms) Overbilled(job record.JobID, cost, reserved float64) {
	a.Pause(fmt.Sprintf("the provider billed $%.6f in %s for a request that could cost $%.6f at most: check prices and max_tokens, then resume", cost, job, reserved))
}

// StoreFailed notes an error of the store or the object store that no job can
// be blamed for; the loop ends the run with it.
func (a *alarms) StoreFailed(err error) {
	a.raise(func(r *alarm) {
		if r.err == nil {
			r.err = err
		}
	})
}

// RootSick pauses claims: the root fails where it did not before.
func (a *alarms) RootSick(reason string) {
	a.Pause(fmt.Sprintf("many candidates in a row failed alike, and now the root fails too (%s): mend the evaluator or the machine, then resume", reason))
}

// RootFailed ends the run: without a value of the root nothing can be compared.
func (a *alarms) RootFailed(class record.Class, reason string) {
	a.raise(func(r *alarm) { r.broken = fmt.Sprintf("%v (%s): %s", ErrRoot, class, reason) })
}

// Pause notes why no more jobs should be claimed for now.
func (a *alarms) Pause(why string) { a.raise(func(r *alarm) { r.pause = why }) }

// Note implements [work.Host].
func (a *alarms) Note(level string, job record.JobID, text string, at ...time.Time) {
	a.note(level, job, text, at...)
}

// Decide implements [work.Host].
func (a *alarms) Decide(ctx context.Context, d record.Decision) (record.Seq, error) {
	return a.decide(ctx, d)
}

// Wake implements [work.Host].
func (a *alarms) Wake() { a.wake() }
