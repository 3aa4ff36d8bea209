package engine

import (
	"atoll/store"
	"atoll/store/record"
	"fmt"
	"sync"
)

// exhausted notes that a budget is used up; the loop ends the run.
func (e *Engine) exhausted(b *store.BudgetError) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.budget = b.Error()
	e.poke()
}

// storeFailed notes an error of the store or the object store that no job can
// be blamed for; the loop ends the run with it.
func (e *Engine) storeFailed(err error) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	if e.trouble.err == nil {
		e.trouble.err = err
	}
	e.poke()
}

// troubles is what workers tell the loop beside results.
type troubles struct {
	sync.Mutex
	budget  string
	err     error
	broken  string // why the evaluator cannot be trusted any more
	pause   string // why no more jobs should be claimed for now
	breaker breaker

	dismissed map[record.CandidateID]bool // by this engine, for want of their objects
}

// Spent notes that the money is used up; the loop ends the run.
func (e *Engine) Spent(b *store.BudgetError, usd float64) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.budget = fmt.Sprintf("%v; the next request can cost $%.4f", b, usd)
	e.poke()
}

// Overbilled notes that a provider charges more than its answers can cost by
// the price table; the loop pauses the run before more is asked.
func (e *Engine) Overbilled(job record.JobID, cost, reserved float64) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.pause = fmt.Sprintf("the provider billed $%.6f in %s for a request that could cost $%.6f at most: check prices and max_tokens, then resume", cost, job, reserved)
	e.poke()
}

// sick pauses claims: the root fails where it did not before.
func (e *Engine) sick(reason string) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.pause = fmt.Sprintf("many candidates in a row failed alike, and now the root fails too (%s): mend the evaluator or the machine, then resume", reason)
	e.poke()
}

// rootFailed ends the run: without a value of the root nothing can be compared.
func (e *Engine) rootFailed(class record.Class, reason string) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.broken = fmt.Sprintf("%v (%s): %s", ErrRoot, class, reason)
	e.poke()
}
