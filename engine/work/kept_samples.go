package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"atoll/engine/view"
	"atoll/store/fault"
	"atoll/store/record"
)

// A job that is put back while it is measured keeps the samples that it has: the
// attempt after it takes them in the place of measuring, and all that follows from a
// sample follows from a kept one, so that what is measured and what comes of it do not
// depend on whether one was kept. A sample of another evaluator, another commit or
// another goal is not taken.

// sample is one measurement with what is known of when it was taken.
type sample struct {
	Identity string        `json:"identity"` // see [measurer.identity]
	Repeat   int           `json:"repeat"`
	Result   Measured      `json:"result"`
	Wall     time.Duration `json:"wall"`
	Load     *float64      `json:"load,omitempty"`
	At       record.Millis `json:"at"`
}

// identity says what a kept sample must be of to stand for one of this job.
func (w *measurer) identity(c *record.Candidate, goal string) string {
	return fmt.Sprintf("%d %s %s %s", w.facts.Experiment.Objective, w.eval.Key(), c.Commit, goal)
}

// earlier reads what earlier attempts of the job kept, by number.
func (w *measurer) earlier(ctx context.Context, r *attempt, identity string) (map[int]sample, error) {
	if r.lease.Attempt < 2 || r.recalled {
		return nil, nil
	}
	r.recalled = true // who is measured a second time in one attempt is measured anew
	texts, err := w.db.KeptSamples(ctx, w.exp(), r.lease.Job.ID)
	if err != nil {
		return nil, err
	}
	known := map[int]sample{}
	for _, text := range texts {
		var s sample
		if json.Unmarshal([]byte(text), &s) == nil && s.Identity == identity {
			known[s.Repeat] = s
		}
	}
	if len(known) > 0 {
		w.host.Note("info", r.lease.Job.ID, fmt.Sprintf("%s goes on behind what was measured before it was put back: %s",
			r.lease.Job.ID, view.Plural(len(known), "sample")))
	}
	return known, nil
}

// take takes one sample: one that an earlier attempt kept, or a new one.
func (w *measurer) take(ctx context.Context, r *attempt, m Measurement, identity string, known map[int]sample) (sample, error) {
	s, ok := known[m.Repeat]
	if ok {
		if m.Candidate == record.Root {
			w.eval.Learn(&s.Result.Outcome)
		}
		r.before += s.Wall
		r.machine = cmp.Or(s.Result.Machine, r.machine)
		return s, nil
	}
	if err := r.reserve(ctx, w.eval.MaxRuns()); err != nil {
		return s, err
	}
	began := w.now()
	load := w.machine.load(began)
	if w.facts.Config.Evaluator.Paired {
		w.machine.noteBusy(w.host, m.Job, load)
	}
	m.Live("", "") // an evaluator that prints nothing is seen to work
	res, err := w.meter.Measure(ctx, m)
	all := w.now().Sub(began)
	wall := cmp.Or(res.Took, all)
	r.measured += wall
	r.aside += max(0, all-wall)
	r.machine = cmp.Or(res.Machine, r.machine)
	if errors.Is(err, ErrDrained) {
		err = fmt.Errorf("%w: %w", errPutBack, err)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		r.evals += res.Runs
	}
	return sample{Identity: identity, Repeat: m.Repeat, Result: res, Wall: wall, Load: load, At: record.Millis(w.now().UnixMilli())}, err
}

// keepSamples keeps what the attempt measured and did not keep yet.
func (r *attempt) keepSamples(ctx context.Context) error {
	for _, s := range r.unkept {
		text, err := json.Marshal(s)
		if err != nil { // it is measured again where it has to be
			continue
		}
		if err := r.db.KeepSample(ctx, r.lease, s.Repeat, string(text)); err != nil {
			return err
		}
		fault.At(fault.Kept)
	}
	r.unkept = nil
	return nil
}
