package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// over reports whether nothing is left to do in this run.
func (l *loop) over(pool *work.Pool) bool {
	if !l.owner || pool.Busy() > 0 {
		return false
	}
	if l.draining() || l.fatal != nil || l.st.Run == record.ExperimentBroken && !l.opt.KeepState { // else a person is here to mend it
		return true
	}
	if l.opt.RootOnly && l.st.Archive() != nil {
		return true
	}
	if l.opt.Once {
		return pool.Spent() || l.st.Archive() != nil && (l.nothingLeft() || noneInjected(l))
	}
	if l.st.Run != record.ExperimentRunning {
		return false
	}
	return l.opt.Unattended && l.nothingLeft()
}

// noneInjected reports whether no commit waits where candidates are made of injected ones alone.
func noneInjected(l *loop) bool {
	if !l.st.Config.Search.OnlyInjected {
		return false
	}
	c, err := l.db.Counters(context.Background(), l.exp)
	return err == nil && c.Jobs(record.Make, record.Queued)+c.Jobs(record.Evaluate, record.Queued) == 0
}

// timeLimit is what bounds a run in time: nothing begins any more when it is over, and
// what is not done when it is late is broken off.
type timeLimit struct{ over, late <-chan time.Time }

// errLate: a run whose time was over waited long enough for what it had begun.
var errLate = errors.New("the time was over for too long")

// overtime is how long a run that is bounded in time waits behind it for what it began.
func overtime(opt *Options) time.Duration {
	return max(opt.For/4, cmp.Or(opt.Silence, work.DefaultSilence))
}

// sayBrokenOff names what a run does not wait for any longer.
func sayBrokenOff(l *loop) {
	busy := l.live.All()
	if len(busy) == 0 || l.st == nil {
		return
	}
	var names []string
	for _, r := range busy {
		names = append(names, fmt.Sprintf("%s (%s)", r.Job.ID, r.Stage))
	}
	l.note("info", record.NoJob, fmt.Sprintf("not done in %s beyond the time, and put back into the queue: %s", overtime(&l.opt).Round(time.Second), strings.Join(names, ", ")))
}

// sayTimeIsOver names what a run whose time is over still waits for, for how long at
// most, and how long such work took so far.
func sayTimeIsOver(l *loop) {
	busy := l.live.All()
	if len(busy) == 0 || l.st == nil {
		return
	}
	var names []string
	for _, r := range busy {
		names = append(names, fmt.Sprintf("%s (%s since %s)", r.Job.ID, r.Stage, l.opt.Now().Sub(r.Started).Round(time.Second)))
	}
	text := fmt.Sprintf("the time is over; the run ends when these are done, in %s at the latest: %s", overtime(&l.opt).Round(time.Second), strings.Join(names, ", "))
	l.note("info", record.NoJob, text+usual(l.st.Snapshot().Recent))
}

// usual says how long the jobs whose candidates were measured last took in the middle, edit
// and measurement together; "" where none was.
func usual(recent []view.Ended) string {
	var all []int64
	for _, e := range recent {
		if measured := e.Job.State == record.Scored || e.Job.State == record.Placed; measured && e.Job.Kind == record.Make {
			all = append(all, e.Job.EditMS+e.Job.EvalMS)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	if len(all) < 3 {
		return fmt.Sprintf("; a measured candidate took about %s", (time.Duration(all[0]+all[len(all)-1]) * time.Millisecond / 2).Round(100*time.Millisecond))
	}
	took := time.Duration(all[len(all)/2]) * time.Millisecond
	return fmt.Sprintf("; of the last %s the one in the middle took %s", view.Plural(len(all), "measured candidate"), took.Round(100*time.Millisecond))
}

// nothingLeft reports whether the budgets leave nothing to do.
func (l *loop) nothingLeft() bool {
	_, finished := l.plan.Finished()
	return l.budget != "" || finished
}

// settle ends an experiment that a person watches: it is done, and the engine
// stays to answer questions and to go on when the person changes something.
func (l *loop) settle(ctx context.Context, pool *work.Pool) error {
	if !l.owner || l.opt.Unattended || l.st.Run != record.ExperimentRunning || !l.nothingLeft() || pool.Busy() > 0 {
		return nil
	}
	if err := errors.Join(l.markPlaced(ctx), l.anchors.add(ctx, l.st, true), l.addWall(ctx)); err != nil {
		return err
	}
	if _, err := l.db.Requeue(ctx, l.exp); err != nil { // what the budget stopped halfway
		return err
	}
	return errors.Join(l.endState(ctx), l.keepDigest(ctx))
}

// keepDigest writes what the state is, for a check that folds the log later, and the
// state itself where it is large.
func (l *loop) keepDigest(ctx context.Context) error {
	if l.folds.DueAtEnd(l.st.Seq) {
		l.folds.keep(ctx, l.st)
	}
	return doctor.KeepDigest(ctx, l.db, l.exp, l.st.Digest())
}

// returnJobs puts jobs that broke off back in the queue, once nothing runs.
func (l *loop) returnJobs(ctx context.Context, pool *work.Pool) error {
	if !l.putBack || pool.Busy() > 0 || l.st.Run == record.ExperimentRunning {
		return nil
	}
	l.putBack = false
	_, err := l.db.Requeue(ctx, l.exp)
	return err
}

// goOn makes an experiment that was done run again for a decision. What was decided before
// this engine began starts nothing where a person only looks: a run is on already.
func (l *loop) goOn(ctx context.Context, decision record.Seq) error {
	l.budget = ""
	if l.st.Run != record.ExperimentDone || decision <= l.opened {
		return nil
	}
	return l.setState(ctx, record.ExperimentRunning, "")
}

// end writes how the run ended.
func (l *loop) end(ctx context.Context, pool *work.Pool) error {
	pool.Resize(0)
	pool.Wait(l.answerUntil)
	if !l.owner {
		return nil
	}
	if err := l.st.CatchUp(ctx, l.db, func(record.JobID) error { return nil }); err != nil {
		return err
	}
	if err := readAgain(ctx, l); err != nil {
		return err
	}
	if err := errors.Join(l.markPlaced(ctx), l.anchors.add(ctx, l.st, true), l.addWall(ctx)); err != nil {
		return err
	}
	if _, err := l.db.Requeue(ctx, l.exp); err != nil {
		return err
	}
	if err := errors.Join(l.endState(ctx), l.keepDigest(ctx)); err != nil {
		return err
	}
	l.tell()
	l.publish(true)
	if l.st.Run == record.ExperimentBroken && !l.opt.KeepState {
		return fmt.Errorf("%w: %s", ErrBroken, l.st.Reason)
	}
	return l.fatal
}

// readAgain folds the log anew where values vary and who reads it later finds another
// state: one finds a candidate with all of its samples at once, and judges everybody under
// the newest map. This state took, in strict order, the samples of the jobs whose turn came,
// one after the other, and kept under a learned map those that an earlier one let in. What
// a run says at its end is what readers, and the run that goes on, will find.
func readAgain(ctx context.Context, l *loop) error {
	if !l.st.Noisy || !l.st.Exp.Strict && !l.st.Learned {
		return nil
	}
	l.tell()
	st, err := fold.OpenState(ctx, l.db, l.exp)
	if err != nil {
		return err
	}
	if l.opt.Live != nil {
		st.Config = WithLive(st.Config, *l.opt.Live)
	}
	st.Quiet = true // it was told when it happened
	if err := st.CatchUp(ctx, l.db, func(record.JobID) error { return nil }); err != nil {
		return err
	}
	st.Quiet = false
	l.st = st
	return nil
}

// lastWords bounds how long a run that an error stopped tries to write so.
const lastWords = 10 * time.Second

// broken ends a run that an error stopped: its jobs wait in the queue again, and the
// experiment is stopped for that reason. Where the store is what fails the next start
// puts the jobs back, and until then readers are told by [AtRest].
func (l *loop) broken(cause error) {
	if !l.owner || l.st == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	_, err := l.db.Requeue(ctx, l.exp)
	if l.st.Run == record.ExperimentRunning {
		why, _, _ := strings.Cut(cause.Error(), "\n")
		err = errors.Join(err, l.setState(ctx, record.ExperimentStopped, view.CleanLine(why)+"; `atoll run` goes on"))
	}
	if err != nil {
		l.note("error", record.NoJob, "the end of the run could not be written: "+err.Error())
	}
}

// NoEngine is the reason of an experiment that nobody runs.
const NoEngine = "no engine runs; `atoll run` goes on"

// AtRest makes a snapshot say what holds while no engine runs: an experiment that was
// left as running has stopped, and jobs that were left in work wait in the queue.
func AtRest(snap *view.Snapshot, reason string) {
	if snap.State == record.ExperimentRunning {
		snap.State, snap.Reason = record.ExperimentStopped, reason
	}
	snap.Jobs.Queued, snap.Jobs.Running = snap.Jobs.Queued+snap.Jobs.Running, 0
	snap.Running = nil
}

func (l *loop) endState(ctx context.Context) error {
	state, reason := record.ExperimentStopped, view.Drained
	if l.timeOver {
		reason = view.TimeOver
	}
	why, finished := l.plan.Finished()
	switch {
	case l.st.Run != record.ExperimentRunning: // paused or broken, or never resumed
		return nil
	case l.budget != "":
		state, reason = record.ExperimentDone, l.budget
	case finished:
		state, reason = record.ExperimentDone, why
	}
	return l.setState(ctx, state, reason)
}

// setState writes a state and folds it.
func (l *loop) setState(ctx context.Context, state record.ExperimentState, reason string) error {
	if l.st.Run == state && l.st.Reason == reason {
		return nil
	}
	if err := l.addWall(ctx); err != nil { // of the state before
		return err
	}
	if _, err := l.db.PutState(ctx, l.exp, state, reason); err != nil {
		return fmt.Errorf("write the state %s: %w", state, err)
	}
	return l.st.CatchUp(ctx, l.db, func(job record.JobID) error { return l.folded(ctx, job) })
}

// markPlaced tells the store which jobs took a niche when they were folded.
func (l *loop) markPlaced(ctx context.Context) error {
	if len(l.st.Placed) == 0 {
		return nil
	}
	if err := l.db.Place(ctx, l.exp, l.st.Placed...); err != nil {
		return fmt.Errorf("write which jobs took a niche: %w", err)
	}
	l.st.Placed = l.st.Placed[:0]
	return nil
}

// addWall counts the time since the last call, unless nothing was to be done in it.
func (l *loop) addWall(ctx context.Context) error {
	if !l.atWork() {
		l.wall.start()
		return nil
	}
	return l.wall.add(ctx)
}

// atWork reports whether the time that passes is time of the run: it is on, or what
// it began still goes on.
func (l *loop) atWork() bool {
	return l.owner && l.st != nil && (l.st.Run == record.ExperimentRunning || l.live.Busy())
}
