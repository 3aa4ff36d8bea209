package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"atoll/engine/eval"
	"atoll/engine/fleet/wire"
	"atoll/engine/view"
	"atoll/engine/work"
	"atoll/store/record"
)

// session is the fleet as one run measures on it.
type session struct {
	c    *Coordinator
	job  work.Station
	form wire.Task // what all tasks have in common
	// stages are those of the evaluator; learned is what it learned of the root.
	stages  []string
	learned func() (objective, fault string)
}

var _ work.Meter = (*session)(nil)

// Open makes the fleet ready to measure for a run; the meter serves until the next
// Open or Close. Repositories that keep files with Git LFS are refused: their
// content does not travel.
func (c *Coordinator) Open(ctx context.Context, j work.Station) (work.Meter, error) {
	if _, err := j.Bench.Checkout(ctx); err != nil { // what cannot be laid out here cannot be there
		return nil, err
	}
	present, missing, err := j.Bench.Repo.Pointers(ctx, j.Bench.RootTree)
	if err != nil {
		return nil, err
	}
	if n := len(present) + len(missing); n > 0 {
		return nil, fmt.Errorf("a fleet cannot measure this repository: %s kept by Git LFS, whose content does not travel; run without --fleet", view.Plural(n, "file"))
	}
	parcel, err := wire.PackEvaluator(j.Config)
	if err != nil {
		return nil, err
	}
	base, err := c.blobs.offerFile("base-"+j.Bench.RootTree.String()+".pack", func(w io.Writer) error {
		return j.Bench.Repo.PackTree(ctx, j.Bench.RootTree, w)
	})
	if err != nil {
		return nil, err
	}
	s := &session{c: c, job: j, stages: j.Bench.Eval.Stages(), learned: j.Bench.Eval.Learned, form: wire.Task{
		V: wire.Protocol, Experiment: j.Bench.Experiment, Seed: j.Bench.Seed, RootCommit: j.Bench.RootCommit,
		Base:      wire.Base{Tree: j.Bench.RootTree, Blob: base},
		Evaluator: wire.Evaluator{Key: j.Bench.Eval.Key(), Blob: c.blobs.offer(parcel)},
	}}
	c.mu.Lock()
	c.rung, c.listener = int(j.Rung), j.Host
	c.begin(s)
	for _, tell := range c.early {
		tell(j.Host)
	}
	c.early = nil
	if len(c.machines) == 0 { // and nobody is told to have joined before this is
		j.Host.Note("info", record.NoJob, "the fleet listens at "+c.address+"; no machine has joined yet")
	}
	c.mu.Unlock()
	return s, nil
}

// begin has the machines that are here serve a run: those that lack a label it asks for
// are set aside, the others measure its root before anything else. The caller holds the
// lock.
func (c *Coordinator) begin(s *session) {
	c.run, c.first, c.refusedFor = s, "", map[string]string{}
	c.ref = reference{values: s.job.RootValues, known: len(s.job.RootValues) > 0, need: s.job.Config.Evaluator.RootRepeats}
	for _, m := range c.machines {
		if why, _ := s.unfit(&m.hello); why != "" {
			c.notFit(m.name, why)
			c.setAside(m, why)
		}
		m.check = calibration{held: c.opt.Agree > 0}
	}
	c.calibrate(c.opt.Now())
}

// Measure implements [work.Meter]: it waits until a machine has taken the sample.
func (s *session) Measure(ctx context.Context, m work.Measurement) (work.Measured, error) {
	k, blob, err := s.task(ctx, m)
	if err != nil {
		return work.Measured{}, err
	}
	if blob != "" {
		defer s.c.blobs.drop(blob)
	}
	k.live("waits for a machine")
	s.c.offer(k)
	how, err := s.wait(ctx, k, m.Drain)
	switch {
	case err != nil:
		s.cancel(k)
		return work.Measured{}, err
	case how.err != nil:
		return work.Measured{Machine: how.machine}, how.err
	}
	return s.outcome(k, how)
}

// wait waits until a task has ended, or until nobody wants it any more: where the run ends
// that is when no machine has it or could have it.
func (s *session) wait(ctx context.Context, k *task, drain <-chan struct{}) (ended, error) {
	var look <-chan time.Time
	for {
		select {
		case how := <-k.done:
			return how, nil
		case <-ctx.Done():
			return ended{}, context.Cause(ctx)
		case <-drain:
			drain = nil
		case <-look:
		}
		if s.forsaken(k) {
			return ended{}, work.ErrDrained
		}
		look = time.After(forsakenEvery)
	}
}

// forsakenEvery is how often a run that ends looks whether a machine came for what waits.
const forsakenEvery = 200 * time.Millisecond

// forsaken reports whether no machine has a task and none serves, or the queue is out of
// reach for a lease.
func (s *session) forsaken(k *task) bool {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cut.IsZero() && c.opt.Now().Sub(c.cut) >= c.opt.Lease {
		return true
	}
	c.count(c.machines)
	return k.machine == "" && c.slots == 0
}

// task writes the task of a measurement; blob is where its changes are when they
// are large.
func (s *session) task(ctx context.Context, m work.Measurement) (k *task, blob string, err error) {
	changes, err := s.job.Bench.Repo.Changes(ctx, s.job.Bench.RootTree, m.Tree)
	if err != nil {
		return nil, "", err
	}
	t := s.form
	t.ID, t.Job, t.Attempt, t.Candidate, t.Commit, t.Tree = wire.NewID(), m.Job, m.Attempt, m.Candidate, m.Commit, m.Tree
	t.Goal, t.Repeat, t.Root = m.Goal, m.Repeat, m.Candidate == record.Root
	t.Evaluator.Objective, t.Evaluator.RootFault = s.learned()
	if blob, err = s.c.blobs.carry(&t, changes); err != nil {
		return nil, "", err
	}
	k, err = newTask(t, m, s.stages)
	return k, blob, err
}

// carry puts changes of the base into a task; blob is where they are when they are large.
func (b *blobs) carry(t *wire.Task, changes []record.Change) (blob string, err error) {
	t.Changes = wire.FromChanges(changes)
	size := 0
	for _, ch := range changes {
		size += len(ch.Data) + len(ch.Path) + 64
	}
	if size <= wire.MaxInline {
		return "", nil
	}
	data, err := json.Marshal(t.Changes)
	if err != nil {
		return "", err
	}
	t.Changes, t.Blob = nil, b.offer(data)
	return t.Blob, nil
}

// newTask lists nothing yet.
func newTask(t wire.Task, m work.Measurement, stages []string) (*task, error) {
	data, err := wire.Encode(t)
	if err != nil {
		return nil, err
	}
	if len(data) > wire.MaxTask {
		return nil, fmt.Errorf("a task for %s: %w: it has %d bytes", m.Candidate, wire.ErrMessage, len(data))
	}
	return &task{id: t.ID, data: data, what: m, stages: stages, done: make(chan ended, 1), issued: map[string]string{}}, nil
}

// outcome is what a result says, as the evaluator here would have said it.
func (s *session) outcome(k *task, how ended) (work.Measured, error) {
	out, err := how.result.Outcome(k.what.Job, k.what.Candidate, k.stages)
	if err != nil {
		return work.Measured{}, err
	}
	if k.what.Candidate == record.Root {
		s.job.Bench.Eval.Learn(&out)
		s.c.mu.Lock()
		s.c.ref.take(out.Objective, out.Failed())
		s.c.mu.Unlock()
	}
	if !out.Failed() && out.Product != "" && k.what.SameProduct != nil {
		if of, same := k.what.SameProduct(out.Product); same {
			out = eval.Outcome{Twin: &of, Product: out.Product, Runs: out.Runs, Evidence: out.Evidence, Wall: out.Wall, Stage: out.Stage}
		}
	}
	return work.Measured{Outcome: out, Machine: how.machine, Took: time.Duration(how.result.TookMS) * time.Millisecond}, nil
}

// errCancelled is what a task ends with that nobody waits for any more.
var errCancelled = errors.New("nobody waits for it any more")

// cancel takes a task back: from the queue when a worker asks for it, from a
// machine by an order.
func (s *session) cancel(k *task) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if m := s.c.machines[k.machine]; m != nil {
		s.c.order(m, wire.Order{Kind: wire.OrderStop, Task: k.id})
	}
	s.c.table.end(k, ended{err: errCancelled})
}

// clean is text of a machine, fit to be shown.
func clean(text string) string {
	text = view.CleanLine(text)
	if len(text) > 500 {
		text = string(bytes.ToValidUTF8([]byte(text[:500]), nil))
	}
	return text
}
