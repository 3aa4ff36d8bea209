package engine

import (
	"context"
	"time"

	"atoll/store/record"
)

// idle is [Engine.Idle]. After a run that failed before it was known which
// decisions were carried out none is: they wait for the next run.
func (l *loop) idle(ctx context.Context) (work bool) {
	if l.st == nil { // the run failed before there was a state
		<-ctx.Done() // questions end with their own contexts
		return false
	}
	if l.owner && !l.resumed { // what was decided before asks for nothing now
		if _, err := l.attend(ctx); err != nil {
			l.note("error", record.NoJob, err.Error())
		}
		l.publish(true)
	}
	l.publisher.rate = rateMeter{}
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	last := uint64(0)
	for {
		select {
		case <-ctx.Done():
			return false
		case question := <-l.questions:
			question(l.st)
			continue
		case <-l.woken:
		case <-poll.C:
			n, err := l.db.Changed(ctx)
			if err != nil || n == last {
				continue
			}
			last = n
		}
		if again, err := l.attend(ctx); err != nil {
			l.note("error", record.NoJob, err.Error())
		} else if again && !l.draining() {
			l.plan.Again()
			l.budget, l.fatal = "", nil
			return true
		}
		l.publish(true)
	}
}

// attend folds new rows and carries out decisions; true means that one of them
// is work for a run.
func (l *loop) attend(ctx context.Context) (work bool, err error) {
	from := len(l.st.Decided.All)
	if err := l.st.CatchUp(ctx, l.db, func(record.JobID) error { return nil }); err != nil {
		return false, err
	}
	l.tell()
	if !l.owner {
		return false, nil
	}
	for _, d := range l.st.Decided.All[from:] {
		work = work || startsWork(d)
	}
	if !l.resumed {
		return work, nil
	}
	if err := l.plan.Act(ctx); err != nil {
		return false, err
	}
	return work, l.markPlaced(ctx)
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
