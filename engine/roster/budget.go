package roster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/store"
	"atoll/store/record"
)

// Budget hands out the money of an experiment to the requests of its jobs. The
// store keeps the books; it knows which reservations of this process are
// open, so that a request that does not fit now waits for those to be settled
// and is refused only when nothing can come back. It is safe for concurrent
// use.
type Budget struct {
	exp    record.ExperimentID
	books  Books
	alarms Alarms
	limit  func() float64 // US dollars of the experiment as set now, 0 = none

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

// Books is where reservations of money are kept.
type Books interface {
	// Reserve sets US dollars aside for a request of a leased job; a
	// *store.BudgetError says that they are not there.
	Reserve(ctx context.Context, lease record.Lease, usd float64) error
	// Settle puts what a request used in the place of what was reserved.
	Settle(ctx context.Context, lease record.Lease, reserved float64, u record.Usage) error
}

// Alarms are told what ends or pauses a run over money.
type Alarms interface {
	// Spent reports that a request does not fit and that nothing can come back.
	Spent(b *store.BudgetError)
	// Overbilled reports a provider that charges more than a request can cost.
	Overbilled(job record.JobID, cost, reserved float64)
}

// NewBudget returns the budget of an experiment. limit tells the money of the
// experiment as it is set now, in US dollars; 0 is no limit.
func NewBudget(exp record.ExperimentID, books Books, alarms Alarms, limit func() float64) *Budget {
	return &Budget{exp: exp, books: books, alarms: alarms, limit: limit, change: make(chan struct{}), accounts: map[accountKey]*gateway.Account{}, broke: map[record.JobID]*store.BudgetError{}}
}

// Account returns who pays for an agent's requests, with the agent's own limit
// for one job in US dollars (0 = none).
func (p *Budget) Account(name string, limit float64) func(agent.Job) *gateway.Account {
	return func(j agent.Job) *gateway.Account {
		key := accountKey{j.Number, j.Attempt, name}
		p.mu.Lock()
		defer p.mu.Unlock()
		if a := p.accounts[key]; a != nil {
			return a
		}
		lease := record.Lease{Job: record.Job{Experiment: p.exp, ID: j.Number}, Attempt: j.Attempt}
		a := gateway.NewAccount(gateway.AccountOptions{
			Name: j.Number.String(), Ledger: &jobLedger{p: p, lease: lease}, LimitUSD: limit,
			Limited: p.limit() > 0,
		})
		p.accounts[key] = a
		return a
	}
}

// Forget lets go of the accounts of a job that ended or broke off.
func (p *Budget) Forget(job record.JobID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.broke, job)
	for key := range p.accounts {
		if key.job == job {
			delete(p.accounts, key)
		}
	}
}

// Heard returns when an account of a job last sent a request or heard a word of an
// answer, and whether one is waited for now. Zero: never.
func (p *Budget) Heard(job record.JobID) (at time.Time, asking bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, a := range p.accounts {
		if key.job != job {
			continue
		}
		t, inFlight := a.Heard()
		asking = asking || inFlight
		if t.After(at) {
			at = t
		}
	}
	return at, asking
}

func (p *Budget) begin() {
	p.mu.Lock()
	p.open++
	p.mu.Unlock()
}

// end counts one reservation less. Those that wait are woken when money came
// back, or when there is nothing left to wait for. It returns what to wait on,
// nil when no reservation is open.
func (p *Budget) end(settled bool) <-chan struct{} {
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

func (p *Budget) refuse(job record.JobID, b *store.BudgetError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broke[job] = b
}

// Refused returns the budget of the experiment that ended a job's work, nil
// when none did: a limit of the job's own is none.
func (p *Budget) Refused(job record.JobID) *store.BudgetError {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broke[job]
}

// jobLedger is the experiment's money as one attempt of a job spends it.
type jobLedger struct {
	p     *Budget
	lease record.Lease
}

var _ gateway.Ledger = (*jobLedger)(nil)

// Reserve implements [gateway.Ledger]. A refusal that no open request can lift,
// and that what is left does not do for, ends the run.
func (l *jobLedger) Reserve(ctx context.Context, least, most float64) (float64, error) {
	for usd := most; ; {
		l.p.begin()
		err := l.p.books.Reserve(ctx, l.lease, usd)
		if err == nil {
			return usd, nil
		}
		wait := l.p.end(false)
		var budget *store.BudgetError
		if !errors.As(err, &budget) {
			return 0, err
		}
		if wait == nil {
			if left := budget.Max - budget.Used - rounding; left >= least && left < usd {
				usd = left
				continue
			}
			l.p.refuse(l.lease.Job.ID, budget)
			l.p.alarms.Spent(budget)
			return 0, fmt.Errorf("%w: %w", gateway.ErrBudget, err)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// rounding is what sums of money may differ by, in US dollars.
const rounding = 1e-9

// Settle implements [gateway.Ledger]. More than was reserved under a money
// budget pauses the run: the bound does not hold with this provider.
func (l *jobLedger) Settle(ctx context.Context, reserved float64, u record.Usage) error {
	err := l.p.books.Settle(context.WithoutCancel(ctx), l.lease, reserved, u)
	l.p.end(true)
	if err != nil {
		return err
	}
	if u.CostUSD != nil && *u.CostUSD > reserved+rounding && l.p.limit() > 0 {
		l.p.alarms.Overbilled(l.lease.Job.ID, *u.CostUSD, reserved)
	}
	return nil
}
