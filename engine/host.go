package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// Exhausted notes that a budget is used up; the loop ends the run.
func (h host) Exhausted(b *store.BudgetError) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.budget = b.Error()
	h.e.poke()
}

// StoreFailed notes an error of the store or the object store that no job can
// be blamed for; the loop ends the run with it.
func (h host) StoreFailed(err error) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	if h.e.trouble.err == nil {
		h.e.trouble.err = err
	}
	h.e.poke()
}

// troubles is what workers tell the loop beside results.
type troubles struct {
	sync.Mutex
	budget string
	err    error
	broken string // why the evaluator cannot be trusted any more
	pause  string // why no more jobs should be claimed for now
}

// Spent notes that the money is used up; the loop ends the run.
func (h host) Spent(b *store.BudgetError, usd float64) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.budget = fmt.Sprintf("%v; the next request can cost $%.4f", b, usd)
	h.e.poke()
}

// Overbilled notes that a provider charges more than its answers can cost by
// the price table; the loop pauses the run before more is asked.
func (h host) Overbilled(job record.JobID, cost, reserved float64) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.pause = fmt.Sprintf("the provider billed $%.6f in %s for a request that could cost $%.6f at most: check prices and max_tokens, then resume", cost, job, reserved)
	h.e.poke()
}

// RootSick pauses claims: the root fails where it did not before.
func (h host) RootSick(reason string) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.pause = fmt.Sprintf("many candidates in a row failed alike, and now the root fails too (%s): mend the evaluator or the machine, then resume", reason)
	h.e.poke()
}

// RootFailed ends the run: without a value of the root nothing can be compared.
func (h host) RootFailed(class record.Class, reason string) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.broken = fmt.Sprintf("%v (%s): %s", ErrRoot, class, reason)
	h.e.poke()
}

// Pause notes why no more jobs should be claimed for now.
func (h host) Pause(why string) {
	h.e.trouble.Lock()
	defer h.e.trouble.Unlock()
	h.e.trouble.pause = why
	h.e.poke()
}

// host is told what workers report; it is the engine without its API.
type host struct{ e *Engine }

// Note implements [work.Host].
func (h host) Note(level string, job record.JobID, text string, at ...time.Time) {
	h.e.note(level, job, text, at...)
}

// Decide implements [work.Host].
func (h host) Decide(ctx context.Context, d record.Decision) (record.Seq, error) {
	return h.e.append(ctx, d)
}

// Wake implements [work.Host].
func (h host) Wake() { h.e.poke() }
