package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"atoll/engine/doctor"
	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/engine/schedule"
	"atoll/engine/work"
	"atoll/gitops"
	"atoll/store/record"
)

// publishEvery bounds how often readers get a new snapshot.
const publishEvery = 66 * time.Millisecond

// pollEvery is how often the loop looks for rows that other processes wrote.
const pollEvery = 100 * time.Millisecond

// errAborted is the cause that running jobs see when the engine is told to
// stop at once; their leases go back to the queue.
var errAborted = errors.New("the engine was stopped")

// loop is the goroutine that runs an experiment. It alone has the state; all its
// methods are called on it.
type loop struct {
	*shared
	equipment equipment
	publisher publisher
	anchors   anchors
	folds     foldWriter
	wall      wallClock

	st      *fold.State
	work    *work.Runner    // of the present state
	plan    *schedule.Owner // what the owner adds
	owner   bool            // this process runs the jobs
	resumed bool            // it is known which decisions were carried out before
	budget  string          // the one that is used up, "" = none
	putBack bool            // jobs broke off and wait for the queue
	opened  record.Seq      // the last row when this engine began first; 0: it did not yet
	fatal   error

	until    time.Time // when a run that is bounded in time begins nothing more; zero = never
	timeOver bool      // that is why it ended
	looked   time.Time // when one who only looks on last looked who runs it
}

func newLoop(s *shared) *loop {
	l := &loop{
		shared: s, equipment: equipment{shared: s}, publisher: publisher{shared: s}, anchors: anchors{journal: &s.journal, exp: s.exp, repo: s.repo},
		folds: foldWriter{Writer: kept.Writer{Dir: s.ses.Dir, DB: s.db}, journal: &s.journal}, wall: wallClock{db: s.db, exp: s.exp, now: s.opt.Now},
	}
	plan := schedule.Options{Experiment: s.exp, DB: s.db, Repo: s.repo, Live: s.live, Host: scheduled{l}, RootOnly: s.opt.RootOnly, Enough: s.opt.Enough}
	if s.opt.Fleet != nil {
		plan.Slots = s.opt.Fleet.Slots
	}
	l.plan = schedule.New(plan)
	return l
}

// run is [Engine.Run].
func (l *loop) run(ctx context.Context) error {
	err := l.once(ctx)
	for l.owner && diskFull(err) && ctx.Err() == nil {
		if err = l.awaitRoom(ctx, err); err != nil {
			break
		}
		err = l.once(ctx)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		l.fatal = err
		l.note("error", record.NoJob, err.Error())
		l.broken(err)
		l.publish(true)
	}
	return err
}

// once runs until the experiment is over, or something is in the way.
func (l *loop) once(ctx context.Context) error {
	defer l.letGo()
	if err := l.start(ctx); err != nil {
		return err
	}
	return l.turn(ctx)
}

// letGo ends what was made ready and gives the checkout of the root back, once nothing
// is measured any more.
func (l *loop) letGo() {
	l.equipment.release()
	if l.work == nil {
		return
	}
	if bench := l.work.Bench(); bench != nil { // who only looks on has none
		bench.Close()
	}
}

// turn folds, schedules and publishes until the run is over.
func (l *loop) turn(ctx context.Context) error {
	closing, ends, err := l.wall.bounds(ctx, l.opt.For, l.st.Settings.MaxWallMS)
	if err != nil {
		return err
	}
	workCtx, abort := context.WithCancelCause(ctx)
	pool := l.work.NewPool(workCtx, work.PoolOptions{Once: l.opt.Once, More: l.more, Ends: ends})
	var care sync.WaitGroup
	if l.owner {
		u := upkeep{journal: &l.journal, exp: l.exp, db: l.db, repo: l.repo, asker: l.questions, pause: l.alarms.Pause, keep: l.folds.whenDue(workCtx), dir: l.ses.Dir, most: l.st.Config.Retention.Size}
		u.hold(ctx)
		care.Go(func() { u.run(workCtx) })
	}
	defer func() {
		abort(errAborted)
		pool.Wait(l.answerUntil)
		care.Wait()
	}()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	var limit timeLimit
	l.until, l.timeOver = time.Time{}, false
	if l.opt.For > 0 {
		l.until = l.opt.Now().Add(l.opt.For)
		limit = timeLimit{over: time.After(l.opt.For), late: time.After(l.opt.For + overtime(&l.opt))}
	}
	whole := context.WithoutCancel(ctx) // a step is short and is not broken off halfway
	lastChange, last, late := uint64(0), time.Time{}, false
	for {
		if !closing.IsZero() && l.opt.Now().After(closing) {
			l.plan.Close()
		}
		if err := l.step(whole); err != nil {
			return err
		}
		pool.Resize(l.workerGoal(pool.Busy()))
		if err := l.returnJobs(whole, pool); err != nil {
			return err
		}
		if err := l.settle(whole, pool); err != nil {
			return err
		}
		if wait := publishEvery - l.opt.Now().Sub(last); wait <= 0 || l.over(pool) {
			l.publish(false)
			last, late = l.opt.Now(), false
		} else if !late { // what came too soon after a snapshot is told a moment later
			late = true
			time.AfterFunc(wait, l.wake)
		}
		if l.over(pool) {
			return l.end(whole, pool)
		}
		if err := l.await(ctx, poll.C, limit, pool, &lastChange); err != nil {
			abort(errAborted)
			pool.Wait(l.answerUntil)
			if errors.Is(err, errLate) {
				err = nil
			}
			return errors.Join(err, l.end(whole, pool))
		}
	}
}

// await returns when there may be something to do: a worker finished, a row of
// another process, a question, a reader that has waited long enough.
func (l *loop) await(ctx context.Context, poll <-chan time.Time, limit timeLimit, pool *work.Pool, lastChange *uint64) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case question := <-l.questions:
			question(l.st)
			continue
		case <-l.woken:
			return nil
		case <-limit.over:
			l.timeOver = !l.draining()
			sayTimeIsOver(l)
			l.Drain()
			return nil
		case <-limit.late:
			sayBrokenOff(l)
			return errLate
		case <-pool.Idle():
			return nil
		case <-poll:
			n, err := l.db.Changed(ctx)
			if err != nil {
				return err
			}
			moved := n != *lastChange
			*lastChange = n
			if moved || l.live.Busy() || leftAlone(l) {
				return nil
			}
		}
	}
}

// leftAlone reports, to one who only looks on, that the process which runs the experiment is another than the
// newest snapshot names, or gone: an engine that was killed writes no row of that.
func leftAlone(l *loop) bool {
	now := l.opt.Now()
	if l.owner || now.Sub(l.looked) < ownerEvery {
		return false
	}
	l.looked = now
	last := l.feed.Latest()
	return last != nil && last.OwnerPID != l.ses.OwnerPID()
}

// ownerEvery is how often one who looks on looks whether the engine still runs.
const ownerEvery = time.Second

// step folds what is new, carries out decisions and keeps the queue filled.
func (l *loop) step(ctx context.Context) error {
	err := l.st.CatchUp(ctx, l.db, func(job record.JobID) error { return l.folded(ctx, job) })
	if errors.Is(err, fold.ErrSuperseded) && !l.owner {
		err = l.reopen(ctx)
	}
	if err != nil {
		return err
	}
	l.tell()
	if !l.owner {
		l.st.Placed = nil // the owner tells the store
		return nil
	}
	if err := l.troubled(ctx); err != nil {
		return err
	}
	if err := l.plan.Act(ctx); err != nil {
		return err
	}
	if err := l.plan.Fill(ctx); err != nil {
		return err
	}
	if err := l.markPlaced(ctx); err != nil {
		return err
	}
	if l.wall.due() {
		if err := l.addWall(ctx); err != nil {
			return err
		}
	}
	return l.anchors.add(ctx, l.st, false)
}

// troubled takes over what workers reported beside results.
func (l *loop) troubled(ctx context.Context) error {
	now := l.alarms.take()
	if now.budget != "" {
		l.budget = now.budget
	}
	if now.pause != "" {
		l.putBack = true
		l.note("error", record.NoJob, now.pause)
		if l.opt.Unattended {
			return l.setState(ctx, record.ExperimentBroken, now.pause)
		}
		return l.setState(ctx, record.ExperimentPaused, now.pause)
	}
	if now.broken != "" {
		return l.setState(ctx, record.ExperimentBroken, now.broken+hollow(ctx, l.repo, l.st.Exp.RootTree))
	}
	return now.err
}

// hollow says which folders of the root are empty where it is measured, behind why it failed.
func hollow(ctx context.Context, repo *gitops.Repo, root record.Hash) string {
	tree, err := repo.Tree(ctx, root)
	if err != nil {
		return "" // the failure itself is told
	}
	var names []string
	for _, f := range tree.Files() {
		if f.Mode == record.Submodule {
			names = append(names, f.Path)
		}
	}
	if text := doctor.EmptySubmodules(names); text != "" {
		return "; " + text
	}
	return ""
}

// folded runs at each fold position.
func (l *loop) folded(ctx context.Context, job record.JobID) error {
	l.publisher.rate.tick(l.opt.Now())
	if !l.owner {
		return nil
	}
	return l.plan.Folded(ctx, job)
}

// workerGoal is how many workers should claim jobs now; busy have one.
func (l *loop) workerGoal(busy int) int {
	if !l.owner || l.asleep.Load() || l.draining() || l.budget != "" || l.st.Run != record.ExperimentRunning {
		return 0
	}
	if l.st.Archive() == nil && l.st.Version > 1 && !l.opt.Once {
		return 1 // the root before all others
	}
	if l.opt.Fleet != nil && !l.opt.Once {
		return fleetGoal(l.opt.Fleet, busy, l.st.Settings.Workers)
	}
	return l.st.Settings.Workers
}

// fleetGoal is how many jobs are in work while other machines measure, busy being so many
// now and least the workers asked for: so many that some candidates wait for a slot, however
// long edits take. The queue has no more than twice the slots.
func fleetGoal(fleet Fleet, busy, least int) int {
	slots := fleet.Slots()
	editing := max(0, busy-fleet.Tasks())
	return max(least, min(editing+slots+slots/4+1, 2*slots+least))
}

// publish gives readers a snapshot; last is that of a run.
func (l *loop) publish(last bool) {
	if l.st != nil {
		l.sync()
	}
	l.publisher.publish(present{
		st: l.st, owner: l.owner, rung: l.equipment.rung(), guarantees: l.equipment.guarantees(), fatal: l.fatal, atWork: l.atWork(), wallFrom: l.wall.from, until: l.until, last: last,
	})
}

// sync publishes the settings to the workers.
func (l *loop) sync() {
	set := l.st.Settings
	l.set.Store(&set)
}

// tell writes what the fold has to say to the log.
func (l *loop) tell() {
	for _, ev := range l.st.TakeEvents() {
		l.note(ev.Level, ev.Job, ev.Text, time.UnixMilli(int64(ev.At)))
	}
}

// answerUntil answers a question, unless done is closed first.
func (l *loop) answerUntil(done <-chan struct{}) {
	select {
	case <-done:
	case question := <-l.questions: // questions are answered to the end
		question(l.st)
	}
}
