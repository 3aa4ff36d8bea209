package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// The causes with which work is stopped.
var (
	// ErrCancelled: a person stopped a running job.
	ErrCancelled = errors.New("cancelled")
	// ErrDrained: the run ends, and nothing is waited for. The job goes back to
	// the queue.
	ErrDrained = errors.New("the run ends")
	// errDisplaced: a job of a lower number came to the same.
	errDisplaced = errors.New("a job of a lower number came to the same")
)

// errPutBack reports an attempt that came to nothing through no fault of its job:
// it goes back to the queue, and nothing is counted against it.
var errPutBack = errors.New("the job goes back to the queue")

// putBack reports whether an agent's error says nothing about the job: the
// provider does not serve the key, which pauses the run, or the run ends while a
// provider that fails is waited for.
func (r *attempt) putBack(err error) bool {
	if errors.Is(err, gateway.ErrAccess) {
		why := err.Error()
		if p := (*gateway.ProviderError)(nil); errors.As(err, &p) {
			why = p.Error()
		}
		r.host.Pause(view.CleanLine(why + "; then resume. No job was charged"))
		return true
	}
	return errors.Is(err, ErrDrained) || r.draining() && (errors.Is(err, gateway.ErrProvider) || errors.Is(err, gateway.ErrCircuit))
}

// agentFailed ends the job with what the agent said.
func (w *Runner) agentFailed(ctx context.Context, r *attempt, err error) error {
	var failure *agent.Error
	known := errors.As(err, &failure)
	if known { // what was used counts however the job ends
		r.usage = r.usage.Add(failure.Usage)
		r.evidence = append(r.evidence, failure.Evidence...)
	}
	if ended, err := w.rescuer.lost(ctx, r, err); ended || err != nil {
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
func (w *Runner) giveUp(ctx context.Context, r *attempt, err error) {
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
		if ended, lerr := w.rescuer.lost(ctx, r, err); ended && lerr == nil {
			return
		} else if lerr != nil {
			err = lerr
		}
		w.host.Note("error", r.lease.Job.ID, fmt.Sprintf("%s stopped: %v", r.lease.Job.ID, err))
		w.host.StoreFailed(fmt.Errorf("job %s: %w", r.lease.Job.ID, err))
	}
}
