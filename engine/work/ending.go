package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent"
	"atoll/store"
	"atoll/store/record"
)

// ender ends attempts that broke off.
type ender struct{ *rescuer }

// agentFailed ends the job with what the agent said.
func (w *ender) agentFailed(ctx context.Context, r *attempt, err error) error {
	var failure *agent.Error
	known := errors.As(err, &failure)
	if known { // what was used counts however the job ends
		r.spend(failure.Usage)
		r.evidence = append(r.evidence, failure.Evidence...)
	}
	if ended, err := w.lost(ctx, r, err); ended || err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.putBack(err):
		return fmt.Errorf("%w: %w", errPutBack, err)
	case known && failure.Class == record.ClassBudget && w.money.Refused(r.lease.Job.ID) != nil:
		return w.money.Refused(r.lease.Job.ID) // it waits for more money
	case known:
		return r.fail(ctx, failure.Class, failure.Error())
	case errors.Is(err, agent.ErrNoChange):
		return r.fail(ctx, record.ClassNoChange, err.Error())
	}
	return r.fail(ctx, record.ClassAgent, err.Error())
}

// giveUp ends a job whose attempt broke off: cancelled by a person, lost to
// another attempt, stopped with the engine, or broken by the machine.
func (w *ender) giveUp(ctx context.Context, r *attempt, err error) {
	cause := context.Cause(ctx)
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		// Another job took what was left since this one was leased, or its agent
		// was refused: its lease goes back to the queue once nothing runs, and it
		// goes on when the budget is raised.
		w.host.Exhausted(budget)
		if uerr := w.db.AddUsage(context.WithoutCancel(ctx), r.lease, r.usage); uerr != nil && !errors.Is(uerr, store.ErrLost) {
			w.host.StoreFailed(uerr)
		}
	case errors.Is(err, errPutBack): // once nothing runs
		if uerr := w.db.AddUsage(context.WithoutCancel(ctx), r.lease, r.usage); uerr != nil && !errors.Is(uerr, store.ErrLost) {
			w.host.StoreFailed(uerr)
		}
	case errors.Is(err, store.ErrLost) || errors.Is(cause, store.ErrLost):
		return
	case errors.Is(cause, ErrCancelled), errors.Is(cause, errDisplaced):
		out := store.Outcome{State: record.Cancelled, Reason: "cancelled"} // the store knows of what a displaced one is the duplicate
		if ferr := r.finish(ctx, out); ferr != nil && !errors.Is(ferr, store.ErrLost) {
			w.host.StoreFailed(ferr)
		}
	case ctx.Err() != nil:
		// The engine stops at once: the lease goes back to the queue at its end.
		if uerr := w.db.AddUsage(context.WithoutCancel(ctx), r.lease, r.usage); uerr != nil {
			w.host.StoreFailed(uerr)
		}
	default:
		if ended, lerr := w.lost(ctx, r, err); ended && lerr == nil {
			return
		} else if lerr != nil {
			err = lerr
		}
		w.host.Note("error", r.lease.Job.ID, fmt.Sprintf("%s stopped: %v", r.lease.Job.ID, err))
		w.host.StoreFailed(fmt.Errorf("job %s: %w", r.lease.Job.ID, err))
	}
}
