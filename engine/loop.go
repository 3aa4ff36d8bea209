package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"atoll/engine/fold"
	"atoll/engine/work"
	"atoll/store/record"
)

// publishEvery bounds how often readers get a new snapshot.
const publishEvery = 66 * time.Millisecond

// pollEvery is how often the loop looks for rows that other processes wrote.
const pollEvery = 100 * time.Millisecond

// errAborted is the cause that running jobs see when the engine is told to
// stop at once; their leases go back to the queue.
var errAborted = errors.New("the engine was stopped")

// Run runs the experiment until it is done, drained or ctx ends. When another
// process holds the engine's lock it only looks on: it folds what that process
// writes and returns when ctx ends. The error is nil for a clean end.
func (e *Engine) Run(ctx context.Context) error {
	err := e.start(ctx)
	if err == nil {
		err = e.loop(ctx)
	}
	e.retire()
	if err != nil && !errors.Is(err, context.Canceled) {
		e.fatal = err
		e.note("error", record.NoJob, err.Error())
		e.publish(true)
	}
	return err
}

func (e *Engine) loop(ctx context.Context) error {
	workCtx, abort := context.WithCancelCause(ctx)
	pool := e.work.NewPool(workCtx, work.PoolOptions{Once: e.opt.Once, More: e.more, Drain: e.drain})
	var care sync.WaitGroup
	if e.owner {
		care.Go(func() { e.upkeep(workCtx) })
	}
	defer func() {
		abort(errAborted)
		pool.Wait(e.answerUntil)
		care.Wait()
	}()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var expired <-chan time.Time
	if e.opt.For > 0 {
		expired = time.After(e.opt.For)
	}
	lastChange, last, late := uint64(0), time.Time{}, false
	for {
		if err := e.step(ctx); err != nil {
			return err
		}
		pool.Resize(e.workerGoal())
		if err := e.rest(ctx, pool); err != nil {
			return err
		}
		if wait := publishEvery - e.opt.Now().Sub(last); wait <= 0 || e.over(pool) {
			e.publish(false)
			last, late = e.opt.Now(), false
		} else if !late { // what came too soon after a snapshot is told a moment later
			late = true
			time.AfterFunc(wait, e.poke)
		}
		if e.over(pool) {
			return e.end(ctx, pool)
		}
		if err := e.await(ctx, poll.C, expired, pool, &lastChange); err != nil {
			abort(errAborted)
			pool.Wait(e.answerUntil)
			return errors.Join(err, e.end(context.WithoutCancel(ctx), pool))
		}
	}
}

// await returns when there may be something to do: a worker finished, a row of
// another process, a question, a reader that has waited long enough.
func (e *Engine) await(ctx context.Context, poll, expired <-chan time.Time, pool *work.Pool, lastChange *uint64) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case question := <-e.questions:
			question(e.st)
			continue
		case <-e.wake:
			return nil
		case <-expired:
			e.Drain()
			return nil
		case <-pool.Idle():
			return nil
		case <-poll:
			n, err := e.db.Changed(ctx)
			if err != nil {
				return err
			}
			moved := n != *lastChange
			*lastChange = n
			if moved || e.live.Busy() {
				return nil
			}
		}
	}
}

// step folds what is new, carries out decisions and keeps the queue filled.
func (e *Engine) step(ctx context.Context) error {
	err := e.st.CatchUp(ctx, e.db, func(record.JobID) error { return e.folded(ctx) })
	if errors.Is(err, fold.ErrSuperseded) && !e.owner {
		err = e.reopen(ctx)
	}
	if err != nil {
		return err
	}
	for _, ev := range e.st.TakeEvents() {
		e.note(ev.Level, ev.Job, ev.Text, time.UnixMilli(int64(ev.At)))
	}
	if !e.owner {
		e.st.Placed = nil // the owner tells the store
		return nil
	}
	if err := e.troubled(ctx); err != nil {
		return err
	}
	if err := e.plan.Act(ctx); err != nil {
		return err
	}
	if err := e.plan.Fill(ctx); err != nil {
		return err
	}
	if err := e.markPlaced(ctx); err != nil {
		return err
	}
	if e.opt.Now().Sub(e.wallFrom) >= time.Second && e.st.Run != record.ExperimentDone {
		if err := e.addWall(ctx); err != nil {
			return err
		}
	}
	return e.anchor(ctx, false)
}

// troubled takes over what workers reported beside results.
func (e *Engine) troubled(ctx context.Context) error {
	e.trouble.Lock()
	budget, err, broken, pause := e.trouble.budget, e.trouble.err, e.trouble.broken, e.trouble.pause
	e.trouble.budget, e.trouble.broken, e.trouble.pause = "", "", ""
	e.trouble.Unlock()
	if budget != "" {
		e.budget = budget
	}
	if pause != "" {
		e.note("error", record.NoJob, pause)
		if e.opt.Unattended {
			return e.setState(ctx, record.ExperimentBroken, pause)
		}
		return e.setState(ctx, record.ExperimentPaused, pause)
	}
	if broken != "" {
		return e.setState(ctx, record.ExperimentBroken, broken)
	}
	return err
}

// folded runs at each fold position.
func (e *Engine) folded(ctx context.Context) error {
	e.rate.tick(e.opt.Now())
	if !e.owner {
		return nil
	}
	return e.plan.Folded(ctx)
}

// workerGoal is how many workers should claim jobs now.
func (e *Engine) workerGoal() int {
	if !e.owner || e.asleep.Load() || e.draining() || e.budget != "" || e.st.Run != record.ExperimentRunning {
		return 0
	}
	if e.st.Archive() == nil && e.st.Version > 1 && !e.opt.Once {
		return 1 // the root before all others
	}
	return e.st.Settings.Workers
}

// over reports whether nothing is left to do in this run.
func (e *Engine) over(pool *work.Pool) bool {
	if !e.owner || pool.Busy() > 0 {
		return false
	}
	if e.draining() || e.fatal != nil || e.st.Run == record.ExperimentBroken {
		return true
	}
	if e.opt.RootOnly && e.st.Archive() != nil {
		return true
	}
	if e.opt.Once {
		return pool.Spent()
	}
	if e.st.Run != record.ExperimentRunning {
		return false
	}
	return e.opt.Unattended && e.settled()
}

// settled reports whether the budgets leave nothing to do.
func (e *Engine) settled() bool {
	_, finished := e.plan.Finished()
	return e.budget != "" || finished
}

// rest ends an experiment that a person watches: it is done, and the engine
// stays to answer questions and to go on when the person changes something.
func (e *Engine) rest(ctx context.Context, pool *work.Pool) error {
	if !e.owner || e.opt.Unattended || e.st.Run != record.ExperimentRunning || !e.settled() || pool.Busy() > 0 {
		return nil
	}
	if err := errors.Join(e.markPlaced(ctx), e.anchor(ctx, true), e.addWall(ctx)); err != nil {
		return err
	}
	if _, err := e.db.Requeue(ctx, e.exp); err != nil { // what the budget stopped halfway
		return err
	}
	return e.endState(ctx)
}

// goOn makes an experiment that was done run again.
func (e *Engine) goOn(ctx context.Context) error {
	e.budget = ""
	if e.st.Run != record.ExperimentDone {
		return nil
	}
	e.wallFrom = e.opt.Now()
	return e.setState(ctx, record.ExperimentRunning, "")
}

// end writes how the run ended.
func (e *Engine) end(ctx context.Context, pool *work.Pool) error {
	pool.Resize(0)
	pool.Wait(e.answerUntil)
	if !e.owner {
		return nil
	}
	if err := e.st.CatchUp(ctx, e.db, func(record.JobID) error { return nil }); err != nil {
		return err
	}
	if err := errors.Join(e.markPlaced(ctx), e.anchor(ctx, true), e.addWall(ctx)); err != nil {
		return err
	}
	if _, err := e.db.Requeue(ctx, e.exp); err != nil {
		return err
	}
	if err := e.endState(ctx); err != nil {
		return err
	}
	for _, ev := range e.st.TakeEvents() {
		e.note(ev.Level, ev.Job, ev.Text, time.UnixMilli(int64(ev.At)))
	}
	e.publish(true)
	if e.st.Run == record.ExperimentBroken {
		return fmt.Errorf("%w: %s", ErrBroken, e.st.Reason)
	}
	return e.fatal
}

func (e *Engine) endState(ctx context.Context) error {
	state, reason := record.ExperimentStopped, "drained; `atoll run` goes on"
	why, finished := e.plan.Finished()
	switch {
	case e.st.Run != record.ExperimentRunning: // paused or broken, or never resumed
		return nil
	case e.budget != "":
		state, reason = record.ExperimentDone, "budget used up: "+e.budget
	case finished:
		state, reason = record.ExperimentDone, why
	}
	return e.setState(ctx, state, reason)
}

// setState writes a state and folds it.
func (e *Engine) setState(ctx context.Context, state record.ExperimentState, reason string) error {
	if e.st.Run == state && e.st.Reason == reason {
		return nil
	}
	if _, err := e.db.PutState(ctx, e.exp, state, reason); err != nil {
		return fmt.Errorf("write the state %s: %w", state, err)
	}
	return e.st.CatchUp(ctx, e.db, func(record.JobID) error { return e.folded(ctx) })
}

// markPlaced tells the store which jobs took a niche when they were folded.
func (e *Engine) markPlaced(ctx context.Context) error {
	if len(e.st.Placed) == 0 {
		return nil
	}
	if err := e.db.Place(ctx, e.exp, e.st.Placed...); err != nil {
		return fmt.Errorf("write which jobs took a niche: %w", err)
	}
	e.st.Placed = e.st.Placed[:0]
	return nil
}

func (e *Engine) addWall(ctx context.Context) error {
	now := e.opt.Now()
	ms := now.Sub(e.wallFrom).Milliseconds()
	if ms <= 0 {
		return nil
	}
	e.wallFrom = now
	return e.db.AddWall(ctx, e.exp, ms)
}

// answerUntil answers a question, unless done is closed first.
func (e *Engine) answerUntil(done <-chan struct{}) {
	select {
	case <-done:
	case question := <-e.questions: // questions are answered to the end
		question(e.st)
	}
}
