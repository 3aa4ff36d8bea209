package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"atoll/engine/eval"
	"atoll/engine/fold"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/fault"
	"atoll/store/record"
)

// measurer has candidates measured by the evaluator, and says what the values
// mean for them.
type measurer struct {
	*run
	products *products
	vectors  *vectors
	machine  *machine
	gate     *gatekeeper

	mu       sync.Mutex
	warned   map[string]bool            // what measurements warned of in this run
	kept     *guard.Guard               // one for the run: what it learns of the root it learns once
	compared map[record.CandidateID]int // how often by it, in this run
}

// maxWarned bounds what is remembered of warnings: what candidates cause has no end.
const maxWarned = 200

// warn tells what a measurement is worth a word for, each thing once in a run.
func (w *measurer) warn(job record.JobID, warnings []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range warnings {
		if text = view.CleanLine(text); w.warned[text] || len(w.warned) >= maxWarned {
			continue
		}
		if w.warned == nil {
			w.warned = map[string]bool{}
		}
		w.warned[text] = true
		w.host.Note("warn", job, text)
	}
}

// score measures the candidate of a make job and writes the end of the job.
func (w *measurer) score(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) error {
	c.Version = r.facts.Experiment.Objective
	taken, err := r.taken(ctx, c)
	if err != nil {
		return err
	}
	var samples []record.Sample
	var failure *eval.Outcome
	if taken == nil {
		if samples, failure, err = w.samples(ctx, r, c, 0, r.facts.Config.Evaluator.Repeats, false); err != nil {
			return err
		}
	}
	if failure != nil && failure.Twin != nil {
		return r.twin(ctx, c, *failure.Twin, samples)
	}
	if failure != nil {
		c.Status, c.Class, c.Reason = record.StatusFailed, failure.Class, view.CleanLine(failure.Reason)
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: c, Samples: samples})
	}
	if err := r.facts.summarise(c, slices.Concat(taken, samples)); err != nil {
		c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: c, Samples: samples})
	}
	vector, err := w.vectors.of(ctx, c, parentTree)
	if errors.Is(err, errPlugin) {
		c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: c, Samples: samples})
	}
	if err != nil {
		return err
	}
	fault.At(fault.Measured)
	c.Status = record.StatusScored
	out := store.Outcome{State: record.Scored, Candidate: c, Samples: samples, Vector: vector}
	why, err := w.behaviour(ctx, r, c, vector)
	if err != nil {
		return err
	}
	if why = cmp.Or(why, w.gate.holdNiche(ctx, r, c, vector)); why != "" {
		return r.hold(ctx, record.Evaluating, why, out)
	}
	return r.finish(ctx, out)
}

// taken are the samples that the candidate took over from one of the same tree
// that it displaced, nil for none: its measurement is paid for already.
func (r *attempt) taken(ctx context.Context, c *record.Candidate) ([]record.Sample, error) {
	if !r.facts.Experiment.Strict {
		return nil, nil
	}
	all, err := r.db.SamplesOf(ctx, r.exp(), c.ID)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s record.Sample) bool { return s.Version != c.Version || s.HeldOut })
	if len(all) < r.facts.Config.Evaluator.Repeats {
		return nil, nil
	}
	return all, nil
}

// twin ends a job whose candidate has the product of another.
func (r *attempt) twin(ctx context.Context, c *record.Candidate, of record.CandidateID, samples []record.Sample) error {
	c.Status, c.Reason = record.StatusRejected, store.SameProduct(of)
	return r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: of, Reason: c.Reason, Candidate: c, Samples: samples})
}

// measure takes an evaluate job from its lease to its end.
func (w *measurer) measure(ctx context.Context, r *attempt) error {
	job := r.lease.Job
	c, err := w.db.Candidate(ctx, w.exp(), job.Candidate)
	if err != nil {
		return err
	}
	known, err := w.db.SamplesOf(ctx, w.exp(), c.ID)
	if err != nil {
		return err
	}
	heldOut := job.Purpose == record.PurposeConfirm
	if rejected, err := w.behaviourLate(ctx, r, &c); err != nil {
		return err
	} else if rejected {
		return r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassReview, Reason: "refused by the guard: it behaves in another way than the root"})
	}
	fresh, failure, err := w.samples(ctx, r, &c, job.Repeat, max(1, job.Samples), heldOut)
	if err != nil {
		return err
	}
	check := fold.IsCheck(c.ID, job.Purpose)
	if failure != nil && (check || job.Purpose == record.PurposeRoot && failure.Class != record.ClassTimeout) {
		// Once is a flaw, twice is the evaluator. A time limit is not waited for twice.
		w.host.Note("warn", job.ID, fmt.Sprintf("the root failed (%s): %s; it is measured once more", failure.Class, view.CleanLine(failure.Reason)))
		if fresh, failure, err = w.samples(ctx, r, &c, job.Repeat, max(1, job.Samples), false); err != nil {
			return err
		}
		if failure != nil && check {
			w.host.RootSick(failure.Reason)
		}
	}
	if failure != nil {
		reason := view.CleanLine(failure.Reason)
		if job.Purpose == record.PurposeRoot {
			if err := w.db.PutMeta(ctx, w.exp(), Versioned(MetaRootFails, w.facts.Experiment.Objective), failure.Signature); err != nil {
				return err
			}
			c.Status, c.Class, c.Reason = record.StatusFailed, failure.Class, reason
			w.host.RootFailed(failure.Class, reason)
		}
		if len(fresh) > 0 && job.Purpose != record.PurposeRoot {
			// What was measured before the failure counts.
			if err := w.facts.summarise(&c, append(known, fresh...)); err != nil {
				return err
			}
		}
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: failure.Class, Reason: reason, Candidate: &c, Samples: fresh})
	}
	if err := w.facts.summarise(&c, append(known, fresh...)); err != nil {
		if job.Purpose == record.PurposeRoot {
			c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
			w.host.RootFailed(record.ClassMetric, err.Error())
		}
		return r.finish(ctx, store.Outcome{State: record.Failed, Class: record.ClassMetric, Reason: view.CleanLine(err.Error()), Candidate: &c, Samples: fresh})
	}
	var vector []float32
	if job.Purpose == record.PurposeRoot {
		if err := w.keepMetric(ctx); err != nil {
			return err
		}
		c.Status = record.StatusScored
		if vector, err = w.vectors.ofRoot(ctx, c.Tree); errors.Is(err, errPlugin) {
			c.Status, c.Class, c.Reason = record.StatusFailed, record.ClassMetric, view.CleanLine(err.Error())
			w.host.RootFailed(record.ClassMetric, err.Error())
			return r.finish(ctx, store.Outcome{State: record.Failed, Class: c.Class, Reason: c.Reason, Candidate: &c, Samples: fresh})
		} else if err != nil {
			return err
		}
	}
	return r.finish(ctx, store.Outcome{State: record.Done, Candidate: &c, Samples: fresh, Vector: vector})
}

// reserve sets runs of the evaluator aside; the first ones of a candidate move
// its job on.
func (r *attempt) reserve(ctx context.Context, n int) error {
	from := r.lease.Job.State
	if from != record.Committed && from != record.Gated {
		return r.db.SpendEvals(ctx, r.lease, n)
	}
	if err := r.db.Evaluate(ctx, r.lease, from, n); err != nil {
		return err
	}
	r.lease.Job.State = record.Evaluating
	return nil
}

// samples measures a candidate n times, behind what earlier attempts measured. A failure
// of the candidate is returned as an outcome; an error is one of the machine.
func (w *measurer) samples(ctx context.Context, r *attempt, c *record.Candidate, from, n int, heldOut bool) ([]record.Sample, *eval.Outcome, error) {
	job := r.lease.Job
	goal := w.settings().Goal
	identity := w.identity(c, goal)
	known, err := w.earlier(ctx, r, identity)
	if err != nil {
		return nil, nil, err
	}
	var out []record.Sample
	var more []record.Metric // of descriptors and of the auditor: the same for each sample
	for i := range n {
		if err := r.keepSamples(ctx); err != nil {
			return out, nil, err
		}
		if r.draining() && r.inTime() && takeLong(out, n-i) {
			return out, nil, w.ended(r, "it is measured", "goes on")
		}
		s, err := w.take(ctx, r, Measurement{
			Job: job.ID, Attempt: r.lease.Attempt, Candidate: c.ID, Commit: c.Commit, Tree: c.Tree, Goal: goal,
			Repeat: from + i, SameProduct: w.products.owner(ctx, r, c.ID),
			Live: func(stage, line string) { r.liveEval(stage, line, i, n) }, Drain: w.drain,
		}, identity, known)
		if err != nil {
			return out, nil, err
		}
		res := &s.Result
		r.evidence = append(r.evidence, res.Evidence...)
		w.warn(job.ID, res.Warnings)
		if res.Class != record.ClassNone || res.Twin != nil {
			return out, &res.Outcome, nil
		}
		if of, twin, err := w.products.keep(ctx, r, c.ID, res.Product); err != nil {
			return out, nil, err
		} else if twin {
			return nil, &eval.Outcome{Twin: &of}, nil
		}
		if more == nil {
			if more, err = w.besides(ctx, c.Tree); err == nil {
				_, err = join(res.Metrics, more)
			}
			if errors.Is(err, errPlugin) {
				return out, &eval.Outcome{Class: record.ClassMetric, Reason: err.Error(), Signature: "beside the evaluator"}, nil
			}
			if err != nil {
				return out, nil, err
			}
		}
		metrics, err := join(res.Metrics, more)
		if err != nil {
			return out, nil, err
		}
		out = append(out, record.Sample{
			Candidate: c.ID, Job: job.ID, Version: w.facts.Experiment.Objective, Repeat: from + i, HeldOut: heldOut,
			Objective: res.Objective, Metrics: metrics, WallMS: s.Wall.Milliseconds(), At: s.At, Load: s.Load, Machine: res.Machine,
		})
		if _, kept := known[s.Repeat]; !kept {
			r.unkept = append(r.unkept, s)
		}
	}
	return out, nil, nil
}

// drainPatience is how long the samples of a candidate may still take when a person ends the run; where
// it would be longer, the job goes back to the queue with those that it has.
const drainPatience = 5 * time.Second

// takeLong reports whether so many more samples, each as long as those taken, are too many to wait for.
func takeLong(taken []record.Sample, more int) bool {
	var all int64
	for i := range taken {
		all += taken[i].WallMS
	}
	return len(taken) > 0 && time.Duration(all)*time.Millisecond*time.Duration(more)/time.Duration(len(taken)) > drainPatience
}

// besides are the metrics of a candidate that its evaluator does not report: those of
// descriptors and the figures of health that are asked for.
func (w *measurer) besides(ctx context.Context, tree record.Hash) ([]record.Metric, error) {
	more, err := w.described(ctx, tree)
	if err != nil {
		return nil, err
	}
	figures, err := w.gate.health.metrics(ctx, tree)
	if err != nil {
		return nil, err
	}
	return join(more, figures)
}

// described are the metrics of a candidate's descriptors.
func (w *measurer) described(ctx context.Context, tree record.Hash) ([]record.Metric, error) {
	if w.plugins == nil || len(w.plugins.descriptors) == 0 {
		return nil, nil
	}
	base, err := w.bench.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	delta, err := w.repo.Changes(ctx, w.facts.Experiment.RootTree, tree)
	if err != nil {
		return nil, err
	}
	return w.plugins.describe(ctx, base, delta)
}

func (r *attempt) liveEval(stage, line string, i, n int) {
	name := "measuring"
	if stage != "" && stage != "measure" {
		name += " " + stage
	}
	if n > 1 {
		name += fmt.Sprintf(" %d/%d", i+1, n)
	}
	if line == "" {
		r.live.stage(r.lease.Job.ID, record.Evaluating, name)
		return
	}
	r.live.line(r.lease.Job.ID, line)
}
