package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/work"
	"atoll/store/record"
)

// pull is how long a request for a task waits at the server.
const pull = 2 * time.Second

// work takes one task after the other until the worker ends.
func (w *Worker) work(ctx context.Context) {
	for ctx.Err() == nil && !w.draining() {
		e := w.ordered(ctx)
		if e == nil && !w.holds() {
			if msg := w.next(ctx); msg != nil {
				e = &execution{w: w, msg: msg}
			}
		}
		for e != nil {
			e = e.run(ctx)
		}
	}
}

// delivery is how a task came, and how it is told what became of it: a message of the
// queue, or an order.
type delivery interface {
	Data() []byte
	Ack() error
	Nak() error
	NakWithDelay(time.Duration) error
	InProgress() error
}

// order is a task that does not lie in the queue: this worker alone was told to do it,
// or got it with the answer to a result.
type order []byte

func (o order) Data() []byte                   { return o }
func (order) Ack() error                       { return nil }
func (order) Nak() error                       { return nil }
func (order) NakWithDelay(time.Duration) error { return nil }
func (order) InProgress() error                { return nil }

// holds reports whether nothing is to be taken from the queue.
func (w *Worker) holds() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hold
}

// ordered is the next task that the worker was told to do, nil for none. While nothing
// is to be taken from the queue it waits for one a little.
func (w *Worker) ordered(ctx context.Context) *execution {
	if w.holds() {
		return w.await(ctx, 200*time.Millisecond)
	}
	select {
	case n := <-w.orders:
		return w.taking(n)
	default:
		return nil
	}
}

// await waits for a task that the worker is told to do, nil for none.
func (w *Worker) await(ctx context.Context, d time.Duration) *execution {
	enough := time.NewTimer(d)
	defer enough.Stop()
	select {
	case n := <-w.orders:
		return w.taking(n)
	case <-ctx.Done():
	case <-w.drained:
	case <-enough.C:
	}
	return nil
}

// taking is the execution of a task that did not come through the queue.
func (w *Worker) taking(n wire.Next) *execution {
	return &execution{w: w, msg: order(n.Task), token: n.Token}
}

// next is the next message of the queue, nil for none now.
func (w *Worker) next(ctx context.Context) delivery {
	w.mu.Lock()
	from := w.welcome
	w.mu.Unlock()
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	consumer, err := w.js.Consumer(asking, from.Stream, from.Consumer)
	if err != nil {
		w.rest(ctx, 500*time.Millisecond)
		return nil
	}
	for ctx.Err() == nil && !w.draining() && !w.holds() && len(w.orders) == 0 {
		batch, err := consumer.Fetch(1, jetstream.FetchMaxWait(pull))
		if err != nil {
			w.rest(ctx, 500*time.Millisecond)
			return nil
		}
		for msg := range batch.Messages() {
			return msg
		}
		if err := batch.Error(); err != nil {
			w.rest(ctx, 500*time.Millisecond)
			return nil
		}
	}
	return nil
}

// execution is one task from the queue to its answer. It lives on the goroutine of
// its slot.
type execution struct {
	w     *Worker
	msg   delivery
	task  wire.Task
	token string     // of the claim; there from the beginning where the task came with an answer
	next  *wire.Next // what came with the answer to its result
	wait  bool       // that answer said that an order may come

	mu   sync.Mutex
	told time.Time // when a line was last sent
}

// run carries the task out, and returns the one that came with the answer to its result,
// nil for none. Messages that are not acknowledged go to another worker.
func (e *execution) run(ctx context.Context) (next *execution) {
	var err error
	if e.task, err = wire.Decode[wire.Task](e.msg.Data()); err != nil || !wire.IsID(e.task.ID) {
		e.w.o.Say("error", fmt.Sprintf("a task cannot be read: %v", err))
		_ = e.msg.NakWithDelay(time.Second)
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
	if twice { // another slot has it: the message came again
		_ = e.msg.NakWithDelay(e.w.lease())
		return nil
	}
	defer func() {
		e.w.mu.Lock()
		delete(e.w.running, e.task.ID)
		e.w.mu.Unlock()
	}()
	var held sync.WaitGroup
	holding, letGo := context.WithCancel(context.WithoutCancel(ctx))
	held.Go(func() { e.hold(holding) })
	defer held.Wait()
	defer letGo()
	if e.token != "" || e.claim(mine) {
		e.deliver(ctx, e.measure(mine))
	}
	switch {
	case e.next != nil:
		return e.w.taking(*e.next)
	case e.wait:
		return e.w.await(ctx, wire.PatienceMS*time.Millisecond)
	}
	return nil
}

// giveBack says that a task is not begun here.
func (e *execution) giveBack(ctx context.Context) {
	if e.token != "" { // else the lease runs out
		_, _ = e.w.ask(context.WithoutCancel(ctx), wire.Ask{Kind: wire.AskResult, Result: &wire.Result{Task: e.task.ID, Token: e.token, Back: true}})
	}
	_ = e.msg.Nak()
}

// hold keeps the message this worker's until ctx ends.
func (e *execution) hold(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(e.w.lease() / 4):
			_ = e.msg.InProgress() // when the server cannot be reached another worker gets it
		}
	}
}

// claim asks whether the task is still to be done. False: the message was dealt
// with.
func (e *execution) claim(ctx context.Context) bool {
	for {
		a, err := e.w.ask(ctx, wire.Ask{Kind: wire.AskClaim, Claim: &wire.Claim{Task: e.task.ID}})
		switch {
		case err != nil:
		case a.OK:
			e.token = a.Token
			return true
		case a.Fenced:
			_ = e.msg.Ack()
			return false
		default:
			_ = e.msg.Nak()
			e.w.follow(ctx, a)
			return false
		}
		if !e.w.rest(ctx, 500*time.Millisecond) {
			_ = e.msg.Nak()
			return false
		}
	}
}

// measure takes the sample; nil: nobody wants it any more.
func (e *execution) measure(ctx context.Context) *wire.Result {
	out, took, err := e.sample(ctx)
	cause := context.Cause(ctx)
	switch {
	case err == nil && ctx.Err() == nil:
		return e.fit(wire.FromOutcome(e.task.ID, e.token, &out, took))
	case errors.Is(cause, errStopped):
		return nil
	case ctx.Err() != nil:
		return &wire.Result{Task: e.task.ID, Token: e.token, Back: true}
	}
	e.w.o.Say("error", fmt.Sprintf("%s could not be measured: %v", e.task.Candidate, err))
	return &wire.Result{Task: e.task.ID, Token: e.token, Fault: e.w.lab.withoutPaths(err.Error())}
}

// sample measures what the task says.
func (e *execution) sample(ctx context.Context) (eval.Outcome, time.Duration, error) {
	t := &e.task
	bench, done, err := e.w.lab.bench(ctx, t)
	if err != nil {
		return eval.Outcome{}, 0, err
	}
	defer done()
	changes := t.Changes
	if t.Blob != "" {
		data, err := e.w.lab.fetch(ctx, t.Blob, wire.MaxBlob)
		if err != nil {
			return eval.Outcome{}, 0, err
		}
		if changes, err = wire.ParseChanges(data); err != nil {
			return eval.Outcome{}, 0, err
		}
	}
	delta := wire.ToChanges(changes)
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

// line sends a line of output now and then, for those who look on.
func (e *execution) line(stage, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.w.o.Now()
	if now.Sub(e.told) < 300*time.Millisecond {
		return
	}
	e.told = now
	data, err := wire.Encode(wire.Ask{V: wire.Protocol, Kind: wire.AskLine, Line: &wire.Line{Task: e.task.ID, Stage: cut(stage), Text: cut(text)}})
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
		_ = e.msg.Ack()
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
			_ = e.msg.Ack()
			e.next, e.wait = a.Next, a.Wait
			e.count(r, a, kept)
			return
		}
		if err == nil && a.Greet {
			e.w.follow(ctx, a)
		}
		if !kept {
			e.w.o.Say("warn", fmt.Sprintf("the result of %s cannot be delivered yet; it is kept", e.task.Candidate))
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
		e.w.o.Say("warn", fmt.Sprintf("the result of %s counts no more: %s", e.task.Candidate, a.Why))
	case r.Fault == "":
		told := fmt.Sprintf("measured %s of %s", e.task.Candidate, e.task.Experiment)
		if r.Class != record.ClassNone {
			told += ": " + strings.TrimSpace(string(r.Class)+" "+r.Reason)
		}
		if kept {
			told += " (delivered late)"
		}
		e.w.o.Say("info", told)
	}
}
