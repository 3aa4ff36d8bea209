package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"atoll/engine/eval"
	"atoll/engine/evidence"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// score measures the candidate of a make job and writes the end of the job.
func (r *jobRun) score(ctx context.Context, c *record.Candidate, parentTree record.Hash) error {
	c.Version = r.w.facts.Experiment.Objective
	samples, failure, err := r.samples(ctx, c, 0, r.w.facts.Config.Evaluator.Repeats, false)
	if err != nil {
		return err
	}
	if failure != nil && failure.Twin != nil {
		return r.twin(ctx, c, *failure.Twin, samples)
	}
	if failure != nil {
		c.Status, c.Class, c.Reason = record.StatusFailed, failure.Class, view.CleanLine(failure.Reason)
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: c, Samples: samples})
	}
	if err := r.w.summarise(c, samples); err != nil {
		c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: c, Samples: samples})
	}
	vector, err := r.w.vectorOf(ctx, c, parentTree)
	if err != nil {
		return err
	}
	c.Status = record.StatusScored
	out := store.Outcome{State: record.Scored, Candidate: c, Samples: samples, Vector: vector}
	why, err := r.behaviour(ctx, c, vector)
	if err != nil {
		return err
	}
	if why = cmp.Or(why, r.reviewNiche(ctx, c, vector)); why != "" {
		return r.hold(ctx, record.Evaluating, why, out)
	}
	return r.finish(ctx, out)
}

// measure takes an evaluate job from its lease to its end.
func (r *jobRun) measure(ctx context.Context) error {
	w, job := r.w, r.lease.Job
	c, err := w.db.Candidate(ctx, w.facts.Experiment.ID, job.Candidate)
	if err != nil {
		return err
	}
	known, err := w.db.SamplesOf(ctx, w.facts.Experiment.ID, c.ID)
	if err != nil {
		return err
	}
	heldOut := job.Purpose == record.PurposeConfirm
	fresh, failure, err := r.samples(ctx, &c, job.Repeat, max(1, job.Samples), heldOut)
	if err != nil {
		return err
	}
	if failure != nil && fold.IsCheck(c.ID, job.Purpose) {
		// Once is a flaw, twice is the evaluator.
		if fresh, failure, err = r.samples(ctx, &c, job.Repeat, max(1, job.Samples), false); err != nil {
			return err
		}
		if failure != nil {
			w.host.RootSick(failure.Reason)
		}
	}
	if failure != nil {
		reason := view.CleanLine(failure.Reason)
		if job.Purpose == record.PurposeRoot {
			if err := w.db.PutMeta(ctx, w.facts.Experiment.ID, Versioned(MetaRootFails, w.facts.Experiment.Objective), failure.Signature); err != nil {
				return err
			}
			c.Status, c.Class, c.Reason = record.StatusFailed, failure.Class, reason
			w.host.RootFailed(failure.Class, reason)
		}
		if len(fresh) > 0 && job.Purpose != record.PurposeRoot {
			// What was measured before the failure counts.
			if err := w.summarise(&c, append(known, fresh...)); err != nil {
				return err
			}
		}
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: failure.Class, Reason: reason, Candidate: &c, Samples: fresh})
	}
	if err := w.summarise(&c, append(known, fresh...)); err != nil {
		if job.Purpose == record.PurposeRoot {
			c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
			w.host.RootFailed(record.ClassMetric, err.Error())
		}
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: record.ClassMetric, Reason: view.CleanLine(err.Error()), Candidate: &c, Samples: fresh})
	}
	var vector []float32
	if job.Purpose == record.PurposeRoot {
		if err := w.keepObjective(ctx); err != nil {
			return err
		}
		c.Status = record.StatusScored
		if vector, err = w.rootVector(ctx, c.Tree); err != nil {
			return err
		}
	}
	return r.finish(ctx, store.Outcome{State: record.Done, Candidate: &c, Samples: fresh, Vector: vector})
}

// reserve sets runs of the evaluator aside; the first ones of a candidate move
// its job on.
func (r *jobRun) reserve(ctx context.Context, n int) error {
	from := r.lease.Job.State
	if from != record.Committed && from != record.Gated {
		return r.w.db.SpendEvals(ctx, r.lease, n)
	}
	if err := r.w.db.Evaluate(ctx, r.lease, from, n); err != nil {
		return err
	}
	r.lease.Job.State = record.Evaluating
	return nil
}

// samples measures a candidate n times. A failure of the candidate is returned
// as an outcome; an error is one of the machine.
func (r *jobRun) samples(ctx context.Context, c *record.Candidate, from, n int, heldOut bool) ([]record.Sample, *eval.Outcome, error) {
	w, job := r.w, r.lease.Job
	base, release, err := w.baseCheckout(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	delta, err := w.repo.Changes(ctx, w.facts.Experiment.RootTree, c.Tree)
	if err != nil {
		return nil, nil, err
	}
	var out []record.Sample
	for i := range n {
		if err := r.reserve(ctx, w.eval.MaxRuns()); err != nil {
			return out, nil, err
		}
		began := w.now()
		r.liveEval("", "", i, n) // an evaluator that prints nothing is seen to work
		res, err := w.eval.Run(ctx, eval.Request{
			Base: base, Trusted: base, Delta: delta, Experiment: w.facts.Experiment.Name, Job: job.ID, Candidate: c.ID,
			BaseCommit: w.facts.Experiment.RootCommit, Commit: c.Commit, Goal: w.settings().Goal, Repeat: from + i, Seed: w.facts.Experiment.Seed,
			Root: c.ID == record.Root, SameProduct: w.productOwner(ctx, c.ID),
			Live: func(stage, line string) { r.liveEval(stage, line, i, n) },
		})
		wall := w.now().Sub(began)
		r.eval += wall
		if err != nil {
			return out, nil, err
		}
		if ctx.Err() != nil {
			return out, nil, context.Cause(ctx)
		}
		r.evals += res.Runs
		r.evidence = append(r.evidence, res.Evidence...)
		if res.Class != record.ClassNone || res.Twin != nil {
			return out, &res, nil
		}
		if err := w.keepProduct(ctx, c.ID, res.Product); err != nil {
			return out, nil, err
		}
		out = append(out, record.Sample{
			Candidate: c.ID, Job: job.ID, Version: w.facts.Experiment.Objective, Repeat: from + i, HeldOut: heldOut,
			Objective: res.Objective, Metrics: res.Metrics, WallMS: wall.Milliseconds(), At: record.Millis(w.now().UnixMilli()),
		})
	}
	return out, nil, nil
}

// keepObjective fixes the metric that is searched on: the configured one, or
// the first of the root's result.
func (w *Runner) keepObjective(ctx context.Context) error {
	name := w.eval.Objective()
	if name == "" {
		return nil
	}
	w.objName.Store(&name)
	return w.db.PutMeta(ctx, w.facts.Experiment.ID, Versioned(MetaObjective, w.facts.Experiment.Objective), name)
}

func (r *jobRun) liveEval(stage, line string, i, n int) {
	name := "measuring"
	if stage != "" && stage != "measure" {
		name += " " + stage
	}
	if n > 1 {
		name += fmt.Sprintf(" %d/%d", i+1, n)
	}
	if line == "" {
		r.w.live.stage(r.lease.Job.ID, record.Evaluating, name)
		return
	}
	r.w.live.line(r.lease.Job.ID, line)
}

// summarise fills in the objective, its spread and the medians of all metrics
// from the samples. Deciding samples give the objective, held-out ones the
// claimed value; the two never mix (design rule 8).
func (w *Runner) summarise(c *record.Candidate, samples []record.Sample) error {
	var deciding, heldOut []float64
	values := map[string][]float64{}
	var order []record.Metric
	for _, s := range samples {
		if s.Version != w.facts.Experiment.Objective {
			continue
		}
		if s.HeldOut {
			heldOut = append(heldOut, s.Objective)
			continue
		}
		deciding = append(deciding, s.Objective)
		for _, m := range s.Metrics {
			if _, ok := values[m.Name]; !ok {
				order = append(order, m)
			}
			values[m.Name] = append(values[m.Name], m.Value)
		}
	}
	c.Objective = nil
	if len(deciding) == 0 {
		return errors.New("nothing was measured")
	}
	mid := eval.Median(deciding)
	if w.facts.Config.Evaluator.Paired && c.ID == record.Root {
		mid = 1 // the root beside itself: what its samples say is the noise
	}
	c.Version = w.facts.Experiment.Objective
	known, err := evidence.Of(deciding...)
	if err != nil {
		return err
	}
	c.Objective, c.Samples, c.MAD, c.Dev = &mid, len(deciding), spread(deciding, mid), known.Dev
	c.Claimed, c.ClaimedSamples, c.ClaimedDev = nil, 0, 0
	if len(heldOut) > 0 {
		if known, err = evidence.Of(heldOut...); err != nil {
			return err
		}
		c.Claimed, c.ClaimedSamples, c.ClaimedDev = &known.Mean, known.N, known.Dev
	}
	c.Metrics = c.Metrics[:0]
	for _, m := range order {
		m.Value = eval.Median(values[m.Name])
		c.Metrics = append(c.Metrics, m)
	}
	if err := w.measuresOf(c); err != nil {
		c.Objective = nil
		return err
	}
	return nil
}

// measuresOf fills in the coordinates on named axes.
func (w *Runner) measuresOf(c *record.Candidate) error {
	c.Measures = nil
	for _, a := range w.facts.Config.Map.Axes {
		found := false
		for _, m := range c.Metrics {
			if m.Name == a.Metric {
				c.Measures = append(c.Measures, m.Value)
				found = true
			}
		}
		if !found {
			return fmt.Errorf("the evaluator reported no metric %q, which is an axis of the map", a.Metric)
		}
	}
	return nil
}

// spread returns the median absolute deviation from mid; when more than half of
// the values agree, where that is 0 whatever the others are, the mean absolute
// deviation. It is 0 if and only if all values are equal, which is how the fold
// sees noise.
func spread(values []float64, mid float64) float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - mid)
	}
	if m := eval.Median(d); m > 0 {
		return m
	}
	sum := 0.0
	for _, v := range d {
		sum += v / float64(len(d))
	}
	return sum
}
