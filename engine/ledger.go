package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/store"
	"atoll/store/record"
)

// purse hands out the money of an experiment to the requests of its jobs. The
// store keeps the books; the purse knows which reservations of this process are
// open, so that a request that does not fit now waits for those to be settled
// and is refused only when nothing can come back. It is safe for concurrent
// use.
type purse struct {
	e *Engine

	mu       sync.Mutex
	open     int           // reservations that were made or are being made
	change   chan struct{} // closed when open went down
	accounts map[accountKey]*gateway.Account
	broke    map[record.JobID]*store.BudgetError // jobs that the experiment's money refused
}

// accountKey is one agent's work within one attempt of a job: all its requests
// are charged to one account.
type accountKey struct {
	job     record.JobID
	attempt int
	agent   string
}

func newPurse(e *Engine) *purse {
	return &purse{e: e, change: make(chan struct{}), accounts: map[accountKey]*gateway.Account{}, broke: map[record.JobID]*store.BudgetError{}}
}

// account returns who pays for an agent's requests, with the agent's own limit
// for one job in US dollars (0 = none).
func (p *purse) account(name string, limit float64) func(agent.Job) *gateway.Account {
	return func(j agent.Job) *gateway.Account {
		key := accountKey{j.Number, j.Attempt, name}
		p.mu.Lock()
		defer p.mu.Unlock()
		if a := p.accounts[key]; a != nil {
			return a
		}
		lease := record.Lease{Job: record.Job{Experiment: p.e.exp, ID: j.Number}, Attempt: j.Attempt}
		a := gateway.NewAccount(gateway.AccountOptions{
			Name: j.Number.String(), Ledger: &jobLedger{p: p, lease: lease}, LimitUSD: limit,
			Limited: p.e.settings().MaxCostUSD > 0,
		})
		p.accounts[key] = a
		return a
	}
}

// forget lets go of the accounts of a job that ended or broke off.
func (p *purse) forget(job record.JobID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.broke, job)
	for key := range p.accounts {
		if key.job == job {
			delete(p.accounts, key)
		}
	}
}

func (p *purse) begin() {
	p.mu.Lock()
	p.open++
	p.mu.Unlock()
}

// end counts one reservation less. Those that wait are woken when money came
// back, or when there is nothing left to wait for. It returns what to wait on,
// nil when no reservation is open.
func (p *purse) end(settled bool) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if settled || p.open == 0 {
		close(p.change)
		p.change = make(chan struct{})
	}
	if p.open == 0 {
		return nil
	}
	return p.change
}

func (p *purse) refuse(job record.JobID, b *store.BudgetError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broke[job] = b
}

// refused returns the budget of the experiment that ended a job's work, nil
// when none did: a limit of the job's own is none.
func (p *purse) refused(job record.JobID) *store.BudgetError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broke[job]
}

// jobLedger is the experiment's money as one attempt of a job spends it.
type jobLedger struct {
	p     *purse
	lease record.Lease
}

var _ gateway.Ledger = (*jobLedger)(nil)

// Reserve implements [gateway.Ledger]. A refusal that no open request can lift
// ends the run: the budget is used up.
func (l *jobLedger) Reserve(ctx context.Context, usd float64) error {
	for {
		l.p.begin()
		err := l.p.e.db.Reserve(ctx, l.lease, usd)
		if err == nil {
			return nil
		}
		wait := l.p.end(false)
		var budget *store.BudgetError
		if !errors.As(err, &budget) {
			return err
		}
		if wait == nil {
			l.p.refuse(l.lease.Job.ID, budget)
			l.p.e.spent(budget, usd)
			return fmt.Errorf("%w: %w", gateway.ErrBudget, err)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Settle implements [gateway.Ledger]. More than was reserved under a money
// budget pauses the run: the bound does not hold with this provider.
func (l *jobLedger) Settle(ctx context.Context, reserved float64, u record.Usage) error {
	err := l.p.e.db.Settle(context.WithoutCancel(ctx), l.lease, reserved, u)
	l.p.end(true)
	if err != nil {
		return err
	}
	const slack = 1e-9 // rounding
	if u.CostUSD != nil && *u.CostUSD > reserved+slack && l.p.e.settings().MaxCostUSD > 0 {
		l.p.e.overbilled(l.lease.Job.ID, *u.CostUSD, reserved)
	}
	return nil
}

// spent notes that the money is used up; the loop ends the run.
func (e *Engine) spent(b *store.BudgetError, usd float64) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.budget = fmt.Sprintf("%v; the next request can cost $%.4f", b, usd)
	e.poke()
}

// overbilled notes that a provider charges more than its answers can cost by
// the price table; the loop pauses the run before more is asked.
func (e *Engine) overbilled(job record.JobID, cost, reserved float64) {
	e.trouble.Lock()
	defer e.trouble.Unlock()
	e.trouble.pause = fmt.Sprintf("the provider billed $%.6f in %s for a request that could cost $%.6f at most: check prices and max_tokens, then resume", cost, job, reserved)
	e.poke()
}
