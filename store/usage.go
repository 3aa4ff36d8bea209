package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

func checkUsage(u record.Usage) error {
	if !finitePtr(u.CostUSD) {
		return fmt.Errorf("cost: %w", ErrNotFinite)
	}
	if u.Requests < 0 || u.InputTokens < 0 || u.OutputTokens < 0 || (u.CostUSD != nil && *u.CostUSD < 0) {
		return fmt.Errorf("a usage below zero: %w", ErrInvalid)
	}
	return nil
}

// spend adds a usage to a job and to the totals.
func (t *tx) spend(exp record.ExperimentID, id record.JobID, u record.Usage) error {
	s := spentOf(u)
	if s == (spent{}) {
		return nil
	}
	err := t.must(notFound("job %s", id), sqlJobSpend, exp, id, s.requests, s.in, s.out, s.cost, s.priced, s.unpriced, s.unmeter)
	if err == nil {
		t.ledger(exp).delta.spent.add(s)
	}
	return err
}

// AddUsage counts what an agent consumed while its job goes on. It is counted
// even when the lease is lost: the money is gone. What was added here must not
// be in [Outcome].Usage again.
func (db *DB) AddUsage(ctx context.Context, l record.Lease, u record.Usage) error {
	if err := checkUsage(u); err != nil {
		return doing(leaseName("count the usage of", l), err)
	}
	return db.write(ctx, leaseName("count the usage of", l), func(t *tx) error {
		return t.spend(l.Job.Experiment, l.Job.ID, u)
	})
}

// SpendEvals reserves n runs of one stage before they run, or gives back -n
// that did not run after all. They count against the budget of evaluations from
// now on; the outcome of the attempt says how many of them were run. Errors:
// [ErrBudget] when fewer than n are left, [ErrLost].
func (db *DB) SpendEvals(ctx context.Context, l record.Lease, n int) error {
	return db.write(ctx, leaseName("reserve evaluations for", l), func(t *tx) error { return t.reserveEvals(l, n) })
}

// Evaluate is [DB.Stage] to evaluating and [DB.SpendEvals] in one step: both
// happen, or neither does.
func (db *DB) Evaluate(ctx context.Context, l record.Lease, from record.JobState, n int) error {
	if from != record.Committed && from != record.Gated {
		return fmt.Errorf("evaluate job %s, which is %s: %w", l.Job.ID, from, ErrInvalid)
	}
	return db.write(ctx, leaseName("evaluate", l), func(t *tx) error {
		if err := t.reserveEvals(l, n); err != nil {
			return err
		}
		return t.stage(l, from, record.Evaluating)
	})
}

func (t *tx) reserveEvals(l record.Lease, n int) error {
	f, err := t.leased(l)
	if err != nil {
		return err
	}
	if int64(n)+f.open < 0 {
		return fmt.Errorf("give back %d evaluations of %d: %w", -n, f.open, ErrInvalid)
	}
	b, err := t.budget(l.Job.Experiment)
	if err != nil {
		return err
	}
	used := b.now().evals + int64(n)
	if n > 0 && b.limits.evals > 0 && used > b.limits.evals {
		return &BudgetError{Which: BudgetEvals, Used: float64(used - int64(n)), Max: float64(b.limits.evals), Next: float64(n)}
	}
	return t.countEvals(l, int64(n))
}

func (t *tx) countEvals(l record.Lease, n int64) error {
	if n == 0 {
		return nil
	}
	t.ledger(l.Job.Experiment).delta.evals += n
	return t.must(ErrLost, sqlJobEvals, l.Job.Experiment, l.Job.ID, l.Attempt, n)
}

// Reserve sets money aside before a request, at the most it can cost in US
// dollars; more than [record.MostUSD] is never counted. Errors: [ErrBudget] when less is left, [ErrLost].
func (db *DB) Reserve(ctx context.Context, l record.Lease, usd float64) error {
	what := leaseName("reserve money for", l)
	if !finite(usd) {
		return doing(what, ErrNotFinite)
	}
	if usd < 0 {
		return doing(what, ErrInvalid)
	}
	n := toNano(usd)
	return db.write(ctx, what, func(t *tx) error {
		if _, err := t.leased(l); err != nil {
			return err
		}
		b, err := t.budget(l.Job.Experiment)
		if err != nil {
			return err
		}
		if used := b.now().money(); b.limits.cost > 0 && plus(used, n) > b.limits.cost {
			return &BudgetError{Which: BudgetCost, Used: fromNano(used), Max: fromNano(b.limits.cost), Next: usd}
		}
		n := min(n, toNano(record.MostUSD))
		b.delta.reserved += n
		return t.must(ErrLost, sqlJobReserve, l.Job.Experiment, l.Job.ID, l.Attempt, n)
	})
}

// Settle ends a reservation with what the request really used. The usage is
// counted even when the lease is lost; the reservation then stays counted too,
// as it was when the attempt died.
func (db *DB) Settle(ctx context.Context, l record.Lease, reserved float64, u record.Usage) error {
	what := leaseName("settle money of", l)
	if err := checkUsage(u); err != nil {
		return doing(what, err)
	}
	if !finite(reserved) {
		return doing(what, ErrNotFinite)
	}
	n := min(toNano(reserved), toNano(record.MostUSD))
	return db.write(ctx, what, func(t *tx) error {
		exp, id := l.Job.Experiment, l.Job.ID
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		if back := min(n, f.reserved); back > 0 && f.attempt == l.Attempt && f.state.Running() {
			if err := t.must(ErrLost, sqlJobReserve, exp, id, l.Attempt, -back); err != nil {
				return err
			}
			t.ledger(exp).delta.reserved -= back
		}
		return t.spend(exp, id, u)
	})
}
