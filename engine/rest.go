package engine

import (
	"context"
	"time"

	"atoll/store/record"
)

// Rest keeps a console alive between runs: it answers questions, folds what
// other processes write, carries out decisions and publishes. It returns true
// when there is work for another [Engine.Run] (a larger budget, a job to retry,
// a candidate that was approved), and false when ctx ends. Call it only while
// Run does not run, from the goroutine that calls Run.
func (e *Engine) Rest(ctx context.Context) (work bool) {
	if e.st == nil { // the run failed before there was a state
		return e.restEmpty(ctx)
	}
	e.rate = rateMeter{}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	last := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return false
		case question := <-e.questions:
			question(e.st)
			continue
		case <-e.wake:
		case <-poll.C:
			n, err := e.db.Changed(ctx)
			if err != nil || n == last {
				continue
			}
			last = n
		}
		if again, err := e.attend(ctx); err != nil {
			e.note("error", record.NoJob, err.Error())
		} else if again && !e.draining() {
			e.plan.Again()
			e.budget, e.fatal = "", nil
			return true
		}
		e.publish(true)
	}
}

// attend folds new rows and carries out decisions; true means that one of them
// is work for a run.
func (e *Engine) attend(ctx context.Context) (work bool, err error) {
	from := len(e.st.Decided.All)
	if err := e.st.CatchUp(ctx, e.db, func(record.JobID) error { return nil }); err != nil {
		return false, err
	}
	for _, ev := range e.st.TakeEvents() {
		e.note(ev.Level, ev.Job, ev.Text, time.UnixMilli(int64(ev.At)))
	}
	if !e.owner {
		return false, nil
	}
	if err := e.plan.Act(ctx); err != nil {
		return false, err
	}
	for _, d := range e.st.Decided.All[from:] {
		work = work || startsWork(d)
	}
	return work, e.markPlaced(ctx)
}

// startsWork reports whether a decision can give an engine at rest something
// to do.
func startsWork(d record.Decision) bool {
	switch d.Verb {
	case record.Approve, record.Resume, record.Retry, record.Measure, record.StartJob, record.Inject, record.Set, record.Restore:
		return true
	}
	return false
}

// restEmpty answers nobody: there is nothing to tell. Questions end with their
// own contexts.
func (e *Engine) restEmpty(ctx context.Context) bool {
	<-ctx.Done()
	return false
}
