package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"atoll/engine/agent/client"
	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store/record"
)

// work takes one task after the other until the worker ends.
func (w *Worker) work(ctx context.Context) {
	for ctx.Err() == nil && !w.draining() {
		for e := w.next(ctx); e != nil; {
			e = e.run(ctx)
		}
	}
}

// next asks for a task; nil: there is none now.
func (w *Worker) next(ctx context.Context) *execution {
	select {
	case n := <-w.orders:
		return w.execution(n)
	default:
	}
	if !w.mayAsk() {
		return w.await(ctx, 200*time.Millisecond)
	}
	id := wire.NewID() // once: an answer that was lost comes again
	for ctx.Err() == nil && !w.draining() {
		a, err := w.ask(ctx, wire.Ask{Kind: wire.AskWork, Work: &wire.Work{ID: id}})
		switch {
		case err != nil:
			w.rest(ctx, 500*time.Millisecond)
			continue
		case a.Next != nil:
			return w.execution(*a.Next)
		case a.Wait:
			return w.await(ctx, wire.PatienceMS*time.Millisecond)
		}
		w.follow(ctx, a)
		w.rest(ctx, 200*time.Millisecond)
		return nil
	}
	return nil
}

// mayAsk reports whether a slot may ask for work: while the machine has not measured the
// root one does, once a second.
func (w *Worker) mayAsk() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.hold {
		return true
	}
	now := w.o.Now()
	if now.Sub(w.held) < time.Second {
		return false
	}
	w.held = now
	return true
}

// await waits for a task that comes by an order, nil for none.
func (w *Worker) await(ctx context.Context, d time.Duration) *execution {
	enough := time.NewTimer(d)
	defer enough.Stop()
	select {
	case n := <-w.orders:
		return w.execution(n)
	case <-ctx.Done():
	case <-w.drained:
	case <-enough.C:
	}
	return nil
}

func (w *Worker) execution(n wire.Next) *execution {
	return &execution{w: w, data: n.Task, token: n.Token}
}

// execution is one task from the moment that it was given to its answer. It lives on the
// goroutine of its slot.
type execution struct {
	w     *Worker
	data  []byte
	task  wire.Task
	token string
	next  *wire.Next // what came with the answer to its result
	wait  bool       // that answer said that an order may come

	mu   sync.Mutex
	told time.Time // when a line was last sent
}

// run carries the task out, and returns the one that came with the answer to its result,
// nil for none.
func (e *execution) run(ctx context.Context) (next *execution) {
	var err error
	if e.task, err = wire.Decode[wire.Task](e.data); err != nil || !wire.IsID(e.task.ID) {
		e.w.o.Say("error", fmt.Sprintf("a task cannot be read: %v", err)) // its lease runs out
		return nil
	}
	if e.w.draining() { // it came when nothing was to be taken any more
		e.giveBack(ctx)
		return nil
	}
	mine, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.w.mu.Lock()
	_, twice := e.w.running[e.task.ID]
	if !twice {
		e.w.running[e.task.ID] = begun{cancel, e.w.o.Now()}
	}
	e.w.mu.Unlock()
	if twice { // another slot has it
		return nil
	}
	defer func() {
		e.w.mu.Lock()
		delete(e.w.running, e.task.ID)
		e.w.mu.Unlock()
	}()
	e.deliver(ctx, e.carryOut(mine))
	switch {
	case e.next != nil:
		return e.w.execution(*e.next)
	case e.wait:
		return e.w.await(ctx, wire.PatienceMS*time.Millisecond)
	}
	return nil
}

// giveBack says that a task is not begun here. Where that is lost its lease runs out.
func (e *execution) giveBack(ctx context.Context) {
	_, _ = e.w.ask(context.WithoutCancel(ctx), wire.Ask{Kind: wire.AskResult, Result: &wire.Result{Task: e.task.ID, Token: e.token, Back: true}})
}

// name is what people call the task.
func (e *execution) name() string {
	if e.task.Errand != "" {
		return "the edit of " + e.task.Job.String()
	}
	return e.task.Candidate.String()
}

// carryOut does what the task says; nil: nobody wants it any more.
func (e *execution) carryOut(ctx context.Context) *wire.Result {
	do := e.measure
	if e.task.Errand != "" {
		do = e.edit
	}
	r, err := do(ctx)
	cause := context.Cause(ctx)
	switch {
	case err == nil && ctx.Err() == nil:
		return r
	case errors.Is(cause, errStopped):
		return nil
	case ctx.Err() != nil:
		return &wire.Result{Task: e.task.ID, Token: e.token, Back: true}
	}
	e.w.o.Say("error", fmt.Sprintf("%s could not be done: %v", e.name(), err))
	return &wire.Result{Task: e.task.ID, Token: e.token, Fault: e.w.lab.withoutPaths(err.Error()), Missing: errors.Is(err, client.ErrNoProgram)}
}

// measure takes a sample.
func (e *execution) measure(ctx context.Context) (*wire.Result, error) {
	out, took, err := e.sample(ctx)
	if err != nil {
		return nil, err
	}
	return e.fit(wire.FromOutcome(e.task.ID, e.token, &out, took)), nil
}

// sample measures what the task says.
func (e *execution) sample(ctx context.Context) (eval.Outcome, time.Duration, error) {
	t := &e.task
	bench, done, err := e.w.lab.bench(ctx, t)
	if err != nil {
		return eval.Outcome{}, 0, err
	}
	defer done()
	delta, err := e.delta(ctx)
	if err != nil {
		return eval.Outcome{}, 0, err
	}
	tree, err := bench.Repo.TreeAfter(ctx, t.Base.Tree, delta)
	if err != nil {
		return eval.Outcome{}, 0, err
	}
	if tree != t.Tree {
		return eval.Outcome{}, 0, fmt.Errorf("the changes of %s give tree %s, not %s", t.Candidate, tree.Short(), t.Tree.Short())
	}
	bench.Eval.SetObjective(t.Evaluator.Objective)
	bench.Eval.SetRootFailure(t.Evaluator.RootFault)
	began := e.w.o.Now()
	out, err := bench.MeasureChanges(ctx, work.Measurement{
		Job: t.Job, Attempt: t.Attempt, Candidate: t.Candidate, Commit: t.Commit, Tree: t.Tree, Goal: t.Goal, Repeat: t.Repeat, Live: e.line,
	}, delta)
	return out.Outcome, e.w.o.Now().Sub(began), err
}

// delta is what the task changes in its base.
func (e *execution) delta(ctx context.Context) ([]record.Change, error) {
	changes := e.task.Changes
	if e.task.Blob != "" {
		data, err := e.w.lab.fetch(ctx, e.task.Blob, wire.MaxBlob)
		if err != nil {
			return nil, err
		}
		if changes, err = wire.ParseChanges(data); err != nil {
			return nil, err
		}
	}
	return wire.ToChanges(changes), nil
}

// line sends a line of output now and then, for those who look on.
func (e *execution) line(stage, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.w.o.Now()
	if now.Sub(e.told) < 300*time.Millisecond {
		return
	}
	e.told = now
	data, err := wire.Encode(wire.Ask{V: wire.Protocol, Session: e.w.session, Kind: wire.AskLine, Line: &wire.Line{Task: e.task.ID, Stage: cut(stage), Text: cut(text)}})
	if err == nil {
		_ = e.w.nc.Publish(e.w.subject.Up(e.w.o.Name), data) // nobody waits for it
	}
}

func cut(text string) string { return text[:min(len(text), 400)] }

// fit leaves out what does not fit into a message: first the texts that only
// people read.
func (e *execution) fit(r *wire.Result) *wire.Result {
	for _, less := range []func(){
		func() {},
		func() { r.Artifacts, r.Tests = nil, r.Tests[:min(len(r.Tests), 1000)] },
		func() {
			r.Evidence, r.Tests, r.Warnings = nil, nil, []string{"what was kept of the measurement was too large to be sent"}
		},
	} {
		less()
		if _, err := wire.Encode(wire.Ask{V: wire.Protocol, Kind: wire.AskResult, Result: r}); err == nil {
			return r
		}
	}
	return &wire.Result{Task: r.Task, Token: r.Token, Runs: r.Runs, Class: record.ClassOutput, Reason: fmt.Sprintf("%d metrics do not fit into a message", len(r.Metrics))}
}

// deliver tells the coordinator until it has understood. What it has no use for
// any more is thrown away.
func (e *execution) deliver(ctx context.Context, r *wire.Result) {
	if r == nil {
		return
	}
	if r.Back {
		e.giveBack(ctx)
		return
	}
	ask := wire.Ask{Kind: wire.AskResult, Result: r}
	for kept := false; ; kept = true {
		r.More = !e.w.draining() && len(e.w.orders) == 0
		a, err := e.w.ask(ctx, ask)
		if err == nil && (a.OK || a.Fenced) {
			e.next, e.wait = a.Next, a.Wait
			e.count(r, a, kept)
		}
		if err == nil {
			e.w.follow(ctx, a)
		}
		if err == nil && (a.OK || a.Fenced || a.Leave) {
			return
		}
		if !kept {
			e.w.o.Say("warn", fmt.Sprintf("the result of %s cannot be delivered yet; it is kept", e.name()))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// count notes how an execution ended.
func (e *execution) count(r *wire.Result, a wire.Answer, kept bool) {
	e.w.mu.Lock()
	e.w.told = e.w.o.Now()
	switch {
	case r.Fault != "":
		e.w.failed++
	case a.OK:
		e.w.done++
	}
	e.w.mu.Unlock()
	switch {
	case a.Fenced:
		e.w.o.Say("warn", fmt.Sprintf("the result of %s counts no more: %s", e.name(), a.Why))
	case r.Fault == "":
		told := fmt.Sprintf("measured %s of %s", e.task.Candidate, e.task.Experiment)
		if e.task.Errand != "" {
			told = fmt.Sprintf("edited %s of %s", e.task.Job, e.task.Experiment)
		}
		if r.Class != record.ClassNone {
			told += ": " + strings.TrimSpace(string(r.Class)+" "+r.Reason)
		}
		if kept {
			told += " (delivered late)"
		}
		e.w.o.Say("info", told)
	}
}
