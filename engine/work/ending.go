package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// fill adds to an outcome what was gathered on the way.
func (r *jobRun) fill(out *store.Outcome) {
	out.Usage, out.Evals = r.usage, r.evals
	out.Evidence = r.evidence
	out.EditMS, out.EvalMS = r.edit.Milliseconds(), r.eval.Milliseconds()
	own := r.w.now().Sub(r.started) - r.edit - r.eval
	out.OwnMS = float64(own.Microseconds()) / 1000
}

// agentFailed ends the job with what the agent said.
func (r *jobRun) agentFailed(ctx context.Context, err error) error {
	var failure *agent.Error
	known := errors.As(err, &failure)
	if known { // what was used counts however the job ends
		r.usage = r.usage.Add(failure.Usage)
		r.evidence = append(r.evidence, failure.Evidence...)
	}
	if ended, err := r.lost(ctx, err); ended || err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case known && failure.Class == record.ClassBudget && r.w.money.Refused(r.lease.Job.ID) != nil:
		return r.w.money.Refused(r.lease.Job.ID) // it waits for more money
	case known:
		return r.fail(ctx, failure.Class, failure.Error())
	case errors.Is(err, agent.ErrNoChange):
		return r.fail(ctx, record.ClassNoChange, err.Error())
	}
	return r.fail(ctx, record.ClassAgent, err.Error())
}

// fail ends a job that made no candidate.
func (r *jobRun) fail(ctx context.Context, class record.Class, reason string) error {
	return r.finish(ctx, store.Outcome{State: record.Failed, Class: class, Reason: view.CleanLine(reason)})
}

// finish writes the end of the job with all that was gathered on its way.
func (r *jobRun) finish(ctx context.Context, out store.Outcome) error {
	r.fill(&out)
	if _, err := r.w.db.Finish(context.WithoutCancel(ctx), r.lease, out); err != nil {
		return err
	}
	r.w.watchFailures(out)
	if out.State == record.Scored && out.Candidate != nil {
		r.w.touch(context.WithoutCancel(ctx), out.Candidate)
	}
	return nil
}

// giveUp ends a job whose attempt broke off: cancelled by a person, lost to
// another attempt, stopped with the engine, or broken by the machine.
func (r *jobRun) giveUp(ctx context.Context, err error) {
	cause := context.Cause(ctx)
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget):
		// Another job took what was left since this one was leased, or its agent
		// was refused: its lease goes back to the queue once nothing runs, and it
		// goes on when the budget is raised.
		r.w.host.Exhausted(budget)
		if uerr := r.w.db.AddUsage(context.WithoutCancel(ctx), r.lease, r.usage); uerr != nil && !errors.Is(uerr, store.ErrLost) {
			r.w.host.StoreFailed(uerr)
		}
	case errors.Is(err, store.ErrLost) || errors.Is(cause, store.ErrLost):
		return
	case errors.Is(cause, ErrCancelled):
		out := store.Outcome{State: record.Cancelled, Reason: "cancelled"}
		if ferr := r.finish(ctx, out); ferr != nil && !errors.Is(ferr, store.ErrLost) {
			r.w.host.StoreFailed(ferr)
		}
	case ctx.Err() != nil:
		// The engine stops at once: the lease goes back to the queue at its end.
		if uerr := r.w.db.AddUsage(context.WithoutCancel(ctx), r.lease, r.usage); uerr != nil {
			r.w.host.StoreFailed(uerr)
		}
	default:
		if ended, lerr := r.lost(ctx, err); ended && lerr == nil {
			return
		} else if lerr != nil {
			err = lerr
		}
		r.w.host.Note("error", r.lease.Job.ID, fmt.Sprintf("%s stopped: %v", r.lease.Job.ID, err))
		r.w.host.StoreFailed(fmt.Errorf("job %s: %w", r.lease.Job.ID, err))
	}
}
