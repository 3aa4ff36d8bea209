package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/query"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// start brings the loop to the point where it can turn: the fold is complete
// and, for the owner of the lock, everything that runs jobs is ready.
func (l *loop) start(ctx context.Context) error {
	l.resumed = false
	known := l.recall(ctx)
	if err := l.claim(ctx); err != nil {
		return err
	}
	if err := l.changeObjective(ctx); err != nil {
		return err
	}
	l.feed.Doing("reading the log", l.opt.Now())
	st := known
	if l.owner || st == nil { // who decides folds every row
		var err error
		if st, err = fold.OpenState(ctx, l.db, l.exp); err != nil {
			return err
		}
	}
	known = nil // it may be large
	if err := spareMemory(ctx, l.db, l.exp); err != nil {
		return err
	}
	l.open(st)
	if l.owner {
		if err := l.equip(ctx); err != nil {
			return err
		}
		if err := l.recover(ctx); err != nil {
			return err
		}
		if err := l.plan.Resume(ctx); err != nil {
			return err
		}
		l.resumed = true
	}
	l.st.Quiet, l.st.Past = true, l.lines.room()
	tell := l.progress(ctx)
	if err := l.st.CatchUp(ctx, l.db, func(job record.JobID) error { tell(); return l.folded(ctx, job) }); err != nil {
		return err
	}
	l.st.Quiet, l.st.Past = false, 0
	l.opened = cmp.Or(l.opened, l.st.Seq)
	for _, ev := range l.st.TakeEvents() {
		l.lines.add(ev.Level, ev.Job, time.UnixMilli(int64(ev.At)), ev.Text)
	}
	l.wall.start()
	for _, line := range l.opt.Say {
		l.note("info", record.NoJob, line)
	}
	l.publish(true) // what is there can be seen while the rest is made ready
	if !l.owner {
		l.lookOn()
		return nil
	}
	kept.Rest()
	return l.begin(ctx)
}

// manyRows is from how many rows of the log on memory is dearer than processor time: a
// state of a million takes some 200 MB.
const manyRows = 250_000

// spareMemory has the collector leave less head room where the log is long, unless a
// person said how much. The state is plain memory, which costs a collection nothing.
func spareMemory(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
	last, err := db.LastSeq(ctx, exp)
	if err == nil && last > manyRows && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(20)
	}
	return err
}

// claim takes the lock of the state directory, unless this engine only looks on
// or another process has it.
func (l *loop) claim(ctx context.Context) error {
	if l.opt.Look {
		return nil
	}
	err := l.ses.Lock()
	l.owner = l.owner || err == nil
	if errors.Is(err, ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	l.db.KeepSealed()
	if _, err := l.db.CheckSeal(ctx); err != nil {
		return fmt.Errorf("%w; `atoll doctor --deep` says more, `atoll repair` mends what can be", err)
	}
	return nil
}

// open makes a state that was read the loop's own.
func (l *loop) open(st *fold.State) {
	if l.opt.Live != nil {
		st.Config = WithLive(st.Config, *l.opt.Live)
	}
	l.st = st
	l.sync()
	l.work = work.New(work.Options{
		Facts: work.Facts{Experiment: st.Exp, Config: st.Config, Learned: st.Learned}, DB: l.db, Repo: l.repo, Budget: l.money,
		Live: l.live, Standing: query.Standing{Asker: l.questions}, Host: l.alarms, Now: l.opt.Now, Settings: l.settings, Drain: l.drain, Silence: l.opt.Silence,
	})
	l.plan.Begin(st, st.Config, l.work)
}

// begin writes the state that the owner's run starts in, once the log is folded.
func (l *loop) begin(ctx context.Context) error {
	if err := l.plan.Learn(ctx); err != nil {
		return err
	}
	var err error
	switch {
	case !l.opt.KeepState:
		sayPaused(l)
		err = l.setState(ctx, record.ExperimentRunning, "")
	case l.st.Run == record.ExperimentRunning: // nobody runs it, or this would not be the owner
		err = l.setState(ctx, record.ExperimentStopped, "its engine ended without a word; `atoll run` goes on")
	}
	if err != nil {
		return err
	}
	if l.plan.Unbegun() {
		return l.plan.RetryRoot(ctx)
	}
	if l.st.Run == record.ExperimentRunning && rootFailed(l) {
		return l.plan.RetryRoot(ctx)
	}
	l.publish(true)
	return nil
}

// rootFailed reports whether the root failed and is not being measured again: nothing can
// be compared until it is.
func rootFailed(l *loop) bool {
	m := l.st.Candidate(record.Root)
	return m != nil && l.st.Origin(m).Status == record.StatusFailed && l.st.Trials(m).Measuring == 0
}

// sayPaused says of a run that it goes on with what was paused.
func sayPaused(l *loop) {
	if l.st.Run != record.ExperimentPaused {
		return
	}
	at := ""
	for _, d := range slices.Backward(l.st.Decided.All) {
		if d.Verb == record.Pause && l.st.Reason == fold.PausedBy(d.Who) {
			at = time.UnixMilli(int64(d.At)).Format(" at 15:04 on 2006-01-02")
			break
		}
	}
	l.note("info", record.NoJob, fmt.Sprintf("it was %s%s: goes on", view.CleanLine(view.StateText(l.st.Run, l.st.Reason)), at))
}

// equip makes ready what only the owner needs: sandbox, evaluator, agents.
func (l *loop) equip(ctx context.Context) error {
	q := &l.equipment
	l.feed.Doing("preparing the sandbox and the evaluator", l.opt.Now())
	if err := q.prepare(ctx, l.st); err != nil {
		return err
	}
	l.work.Equip(q.box, q.eval)
	placing, err := work.OpenPlugins(q.box, q.located(l.st.Config), q.opt.Getenv)
	if err != nil {
		return err
	}
	l.work.SetPlugins(placing)
	if err := q.enlist(ctx, l.st, l.work); err != nil {
		return err
	}
	if name, err := work.LearnedMetric(ctx, l.db, l.exp, l.st.Exp.Objective); err != nil {
		return err
	} else if name != "" {
		l.work.SetMetric(name)
	}
	if l.opt.RootOnly {
		return nil
	}
	l.feed.Doing("preparing the agents", l.opt.Now())
	if err := q.hire(l.st); err != nil {
		return err
	}
	l.work.SetRoster(q.roster)
	l.plan.SetRoster(q.roster)
	l.reader.ShowPrompts(l.work)
	// Where agents cost money a power cut must not lose what was paid for.
	paid := len(roster.PaidAgents(l.st.Config)) > 0
	l.repo.SetFsync(paid)
	return l.db.SetSync(paid)
}

// lookOn lets readers see the prompts of jobs that wait; who asks before sees
// none.
func (l *loop) lookOn() {
	if err := l.equipment.watch(l.st.Config); err != nil {
		l.note("warn", record.NoJob, fmt.Sprintf("no prompt can be shown: %v", err))
		return
	}
	l.work.SetRoster(l.equipment.roster)
	l.reader.ShowPrompts(l.work)
}

// recover brings jobs and commits of a dead engine back to where they can go
// on: leases are given back, and a commit without a row goes on from there.
func (l *loop) recover(ctx context.Context) error {
	n, err := l.db.Requeue(ctx, l.exp)
	if err != nil {
		return fmt.Errorf("give dead leases back: %w", err)
	}
	if n > 0 {
		l.note("info", record.NoJob, fmt.Sprintf("recovered %s of an engine that died", view.Plural(n, "job")))
	}
	attempts, err := l.anchors.attempts(ctx)
	if err != nil {
		return err
	}
	l.anchors.found = len(attempts)
	for job, commit := range attempts {
		l.work.SetPrepared(job, commit)
	}
	return nil
}

// progress returns a function, called for each job that is folded at the start,
// that tells readers now and then how much of the log was read.
func (l *loop) progress(ctx context.Context) func() {
	rows, err := l.db.LastSeq(ctx, l.exp)
	if err != nil {
		return func() {}
	}
	calls, last := 0, l.opt.Now()
	return func() {
		if calls++; calls%256 > 0 || l.opt.Now().Sub(last) < publishEvery {
			return
		}
		last = l.opt.Now()
		if s := *l.feed.Latest(); s.Loading {
			s.Read, s.Rows = int(l.st.Seq), int(rows)
			l.feed.Publish(&s)
		}
	}
}
