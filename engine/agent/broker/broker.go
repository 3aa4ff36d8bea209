// Package broker gives jobs to workers that come for them: programs in any
// language, on any machine, that ask for a task, edit, and bring back what they
// changed.
//
// Its three nouns are [Broker] (the tasks that wait and those that are out),
// [Task] and [Lease]. An [Agent] puts its jobs in and waits; a worker takes one
// for a time, may ask for more time, and finishes it or gives it back.
//
// Caveats: a lease is a fence: after its end the task is another worker's, and
// what comes late is refused, as is what comes under the name of another holder
// than the one that took it. Tasks live in memory; the engine asks for the same
// job again after a restart. Nothing here measures: an answer is a change like
// that of any agent, and the gate and the evaluator judge it.
package broker

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"atoll/engine/agent"
	"atoll/store/record"
)

// Errors of workers.
var (
	// ErrNoTask: no such task is here, or not any more: its job ended.
	ErrNoTask = errors.New("there is no such task")
	// ErrLease: the lease is not the one that the task is out under; it ran out, or
	// another worker has the task, or it is another holder's.
	ErrLease = errors.New("the task is not yours (any more)")
)

// Bounds of a lease.
const (
	DefaultLease = 10 * time.Minute
	MostLease    = 24 * time.Hour
)

// Task is a job that a worker may do.
type Task struct {
	Job     record.JobID
	Attempt int
	Agent   string // whose tasks these are
	About   agent.Job
	Prompt  string     // the whole task in words
	Files   agent.Tree // of the parent
	Since   time.Time  // when it began to wait
	Worker  string     // who has it, as it calls itself; "" = it waits
	Holder  string     // whose token it came with
	Until   time.Time  // when the lease ends
}

// Lease is the right of its holder to finish a task.
type Lease struct {
	Job    record.JobID
	Holder string // who took it
	Token  string // a secret of the worker's
	Until  time.Time
}

// Broker is safe for concurrent use. Its zero value is not ready: see [New].
type Broker struct {
	now func() time.Time

	mu      sync.Mutex
	tasks   map[record.JobID]*entry
	changed chan struct{} // closed and made anew when a task comes or comes back
}

type entry struct {
	Task
	token string
	end   chan outcome // of size one
}

// by names who has the task.
func (e *entry) by() string { return fmt.Sprintf("%s (token of %s)", e.Worker, e.Holder) }

func (e *entry) lease() Lease { return Lease{e.Job, e.Holder, e.token, e.Until} }

// waiting is what those who watch are told while no worker has a task.
const waiting = "waiting for a worker"

// stage tells those who watch where the task is.
func (e *entry) stage(text string) {
	if e.About.Progress != nil {
		e.About.Progress(text)
	}
}

type outcome struct {
	res agent.Result
	err error
}

// New returns a broker without tasks.
func New(now func() time.Time) *Broker {
	return &Broker{now: now, tasks: map[record.JobID]*entry{}, changed: make(chan struct{})}
}

// ask puts a task in and waits for its end or for that of ctx.
func (b *Broker) ask(ctx context.Context, t Task) (agent.Result, error) {
	e := &entry{Task: t, end: make(chan outcome, 1)}
	b.mu.Lock()
	e.Since = b.now()
	b.tasks[t.Job] = e
	b.tell()
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.tasks[t.Job] == e {
			delete(b.tasks, t.Job)
		}
	}()
	select {
	case o := <-e.end:
		return o.res, o.err
	case <-ctx.Done():
		return agent.Result{}, context.Cause(ctx)
	}
}

// tell wakes those who wait for a task. The caller holds mu.
func (b *Broker) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Tasks are all tasks, oldest jobs first.
func (b *Broker) Tasks() []Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Task, 0, len(b.tasks))
	for _, e := range b.tasks {
		out = append(out, b.seen(e))
	}
	slices.SortFunc(out, func(x, y Task) int { return cmp.Compare(x.Job, y.Job) })
	return out
}

// seen is a task as it stands now. The caller holds mu.
func (b *Broker) seen(e *entry) Task {
	t := e.Task
	if !b.out(e) {
		t.Worker, t.Holder, t.Until = "", "", time.Time{}
	}
	return t
}

// out reports whether a worker has the task. The caller holds mu.
func (b *Broker) out(e *entry) bool { return e.token != "" && b.now().Before(e.Until) }

// Task returns one. The error is [ErrNoTask].
func (b *Broker) Task(job record.JobID) (Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.tasks[job]
	if e == nil {
		return Task{}, fmt.Errorf("%w: #%d", ErrNoTask, job)
	}
	return b.seen(e), nil
}

// Next leases the oldest task that waits to a worker of a holder, for at most so
// long (0 = [DefaultLease]), waiting for one until ctx ends: then ok is false.
func (b *Broker) Next(ctx context.Context, holder, worker string, span time.Duration) (t Task, l Lease, ok bool) {
	for {
		b.mu.Lock()
		if e := b.oldest(); e != nil {
			e.token, e.Holder, e.Worker, e.Until = token(), holder, worker, b.now().Add(lease(span))
			e.stage("with the worker " + e.by())
			t, l = e.Task, e.lease()
			b.mu.Unlock()
			return t, l, true
		}
		changed, again := b.changed, b.soonest()
		b.mu.Unlock()
		select {
		case <-ctx.Done():
			return Task{}, Lease{}, false
		case <-changed:
		case <-time.After(again):
		}
	}
}

// oldest is the task that waits longest, nil without one. The caller holds mu.
func (b *Broker) oldest() (found *entry) {
	for _, e := range b.tasks {
		if !b.out(e) && (found == nil || e.Job < found.Job) {
			found = e
		}
	}
	return found
}

// soonest is when a lease may run out. The caller holds mu.
func (b *Broker) soonest() time.Duration {
	wait := time.Minute
	for _, e := range b.tasks {
		wait = min(wait, max(e.Until.Sub(b.now()), time.Millisecond))
	}
	return wait
}

func token() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

func lease(span time.Duration) time.Duration {
	if span <= 0 {
		span = DefaultLease
	}
	return min(span, MostLease)
}

// held is the task of a lease that still holds. The caller holds mu.
func (b *Broker) held(l Lease) (*entry, error) {
	e := b.tasks[l.Job]
	switch {
	case e == nil:
		return nil, fmt.Errorf("%w: #%d", ErrNoTask, l.Job)
	case l.Token == "" || e.token != l.Token || e.Holder != l.Holder || !b.out(e):
		return nil, fmt.Errorf("%w: #%d", ErrLease, l.Job)
	}
	return e, nil
}

// Extend makes a lease hold so much longer from now on, and tells the person who
// watches that the worker is there. Errors: [ErrNoTask], [ErrLease].
func (b *Broker) Extend(l Lease, span time.Duration, says string) (Lease, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.held(l)
	if err != nil {
		return Lease{}, err
	}
	e.Until = b.now().Add(lease(span))
	if says != "" && e.About.Live != nil {
		e.About.Live(says)
	}
	return e.lease(), nil
}

// GiveBack lets another worker have the task. Errors: [ErrNoTask], [ErrLease].
func (b *Broker) GiveBack(l Lease) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.held(l)
	if err != nil {
		return err
	}
	e.token, e.Worker, e.Holder, e.Until = "", "", "", time.Time{}
	e.stage(waiting)
	b.tell()
	return nil
}

// Holds returns the task of a lease that still holds. Errors: [ErrNoTask], [ErrLease].
func (b *Broker) Holds(l Lease) (Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.held(l)
	if err != nil {
		return Task{}, err
	}
	return e.Task, nil
}

// Finish ends the task with what the worker made, or with why it made nothing; the
// worker's name is kept with it. Errors: [ErrNoTask], [ErrLease].
func (b *Broker) Finish(l Lease, res agent.Result, failure *agent.Error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, err := b.held(l)
	if err != nil {
		return err
	}
	delete(b.tasks, l.Job)
	by := record.Evidence{Kind: "worker", Text: []byte(e.by())}
	if failure != nil {
		failure.Evidence = append(failure.Evidence, by)
		e.end <- outcome{err: failure}
		return nil
	}
	res.Evidence = append(res.Evidence, by)
	e.end <- outcome{res: res}
	return nil
}
