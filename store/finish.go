package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// Outcome is how an attempt ended, or where it stopped to wait for a person.
type Outcome struct {
	State  record.JobState // an end that the kind of job has
	Class  record.Class
	Reason string
	// Candidate has the new values of the job's candidate (status, class,
	// reason, objective, samples, claimed value, version, metrics, measures), or
	// is nil: then only its status follows the state of a make job. An empty
	// status follows it too.
	Candidate *record.Candidate
	Samples   []record.Sample   // Job and Candidate are filled in
	Evidence  []record.Evidence // Job and Attempt are filled in
	Vector    []float32         // of the candidate's tree
	Usage     record.Usage      // not counted by AddUsage or Settle yet
	// Evals is the number of runs of one stage that this attempt took. What
	// SpendEvals reserved beyond it is given back, what is missing is added.
	Evals     int
	EditMS    int64
	EvalMS    int64
	OwnMS     float64
	Duplicate record.CandidateID // of a job that ends duplicate
	Machine   string             // that measured last, "" = the run itself
}

// Made records the commit of a make job in the state editing: the job becomes
// committed, and the candidate of the job's number exists. When the tree is
// known in this experiment, the job ends as a duplicate instead and the original
// is returned; else dup is [record.NoCandidate]. The known tree of a candidate
// that was cancelled, or failed without a verdict on it (internal, evaluator,
// budget), or was last measured under an earlier objective version, makes no
// duplicate. In strict order the lowest number is the original: jobs of higher
// numbers with this tree end as duplicates of this one and are returned as
// displaced; the attempts of those that run are in vain. What the attempt brought
// so far (usage, evidence, times) goes with it in at most one outcome, which is
// kept where the job ends here, and is the caller's to hand in later where it goes
// on. Errors: [ErrLost].
func (db *DB) Made(ctx context.Context, l record.Lease, c record.Candidate, with ...Outcome) (dup record.CandidateID, displaced []record.JobID, err error) {
	exp, id, what := l.Job.Experiment, l.Job.ID, leaseName("record the commit of", l)
	c.ID, c.Job = record.CandidateID(id), id
	var end Outcome
	if len(with) > 0 {
		end = with[0]
	}
	end.State, end.Class, end.Candidate = record.Duplicate, record.ClassNone, nil
	p, err := pack(&end)
	if err != nil {
		return record.NoCandidate, nil, doing(what, err)
	}
	err = db.write(ctx, what, func(t *tx) error {
		dup, displaced = record.NoCandidate, nil
		f, err := t.leased(l)
		if err != nil {
			return err
		}
		if f.state != record.Editing || f.kind != record.Make {
			return ErrLost
		}
		known, err := t.one(sqlCandidateKnown, []any{exp, c.Tree, id}, func(r *row) { dup = record.CandidateID(r.int()) })
		if err != nil {
			return err
		}
		if known {
			end := end
			end.Duplicate, end.Reason = dup, SameTree(dup)
			_, err := t.end(l, f, end, p)
			return err
		}
		if err := t.must(ErrLost, sqlJobMade, exp, id, l.Attempt, c.ID); err != nil {
			return err
		}
		made := c
		made.Status = record.StatusMade
		if made.Created == 0 {
			made.Created = t.now
		}
		if err := t.insertCandidate(exp, &made); err != nil {
			return err
		}
		t.moved(exp, record.Make, record.Editing, record.Committed)
		if displaced, err = t.displace(exp, id, c.Tree); err != nil {
			return err
		}
		_, err = t.log(exp, record.LogMade, id, c.ID, nil)
		return err
	})
	return dup, displaced, err
}

// Hold stops a leased job until a person decides: at is gated (before
// measuring) or evaluating (before its niche). The lease ends, the candidate's
// status is held. What the attempt brought so far goes with it in at most one
// outcome, whose State is ignored; without one, evaluations that were reserved
// count as run. Errors: [ErrLost].
func (db *DB) Hold(ctx context.Context, l record.Lease, at record.JobState, reason string, with ...Outcome) error {
	what := leaseName("hold", l)
	if at != record.Gated && at != record.Evaluating || len(with) > 1 {
		return fmt.Errorf("%s at %q with %d outcomes: %w", what, at, len(with), ErrInvalid)
	}
	var o Outcome
	if len(with) == 1 {
		o = with[0]
	}
	o.State, o.Class, o.Reason = record.Held, record.ClassNone, reason
	p, err := pack(&o)
	if err != nil {
		return doing(what, err)
	}
	return db.write(ctx, what, func(t *tx) error {
		exp, id := l.Job.Experiment, l.Job.ID
		f, err := t.leased(l)
		if err != nil {
			return err
		}
		if f.candidate < 0 || f.kind != record.Make {
			return fmt.Errorf("it has no commit yet: %w", ErrInvalid)
		}
		o := o
		if len(with) == 0 {
			o.Evals = int(f.open)
		}
		if f.displaced() {
			_, err := t.endLeased(l, f, o, p)
			return err
		}
		seq, err := t.nextSeq()
		if err != nil {
			return err
		}
		if err := t.keep(l, f, &o, p, seq); err != nil {
			return err
		}
		err = t.must(ErrLost, sqlJobHold, exp, id, l.Attempt, f.state, at, reason, o.EditMS, o.EvalMS, o.OwnMS, o.Machine)
		if err != nil {
			return err
		}
		t.forfeit(exp, f)
		t.moved(exp, f.kind, f.state, record.Held)
		return t.logHeld(seq, exp, id, f.candidate, reason)
	})
}

// Finish ends a leased job with all that the attempt brought, in one
// transaction, and returns the position of its row: sample for an evaluate job
// with samples, else end. Errors: [ErrLost], [ErrNotFinite], [ErrInvalid] when a
// job of this kind has no such end. A candidate that was measured although its
// approval was taken back meanwhile is held before its niche instead.
func (db *DB) Finish(ctx context.Context, l record.Lease, o Outcome) (record.Seq, error) {
	what := leaseName("finish", l)
	p, err := pack(&o)
	if err != nil {
		return 0, doing(what, err)
	}
	var seq record.Seq
	err = db.write(ctx, what, func(t *tx) error {
		f, err := t.leased(l)
		if err != nil {
			return err
		}
		if !endsIn(f.kind, o.State) {
			return fmt.Errorf("a %s job does not end %s: %w", f.kind, o.State, ErrInvalid)
		}
		seq, err = t.endLeased(l, f, o, p)
		return err
	})
	return seq, err
}

// endLeased writes the end that an attempt came to, unless something else was
// decided of its job meanwhile.
func (t *tx) endLeased(l record.Lease, f fence, o Outcome, p *packed) (record.Seq, error) {
	if f.displaced() {
		return t.endAttempt(l, f, o, p)
	}
	if o.State == record.Duplicate {
		if err := t.nameOriginal(l.Job.Experiment, &o); err != nil {
			return 0, err
		}
	}
	if o.State == record.Scored && f.recalled() {
		return t.withhold(l, f, o, p)
	}
	return t.end(l, f, o, p)
}

// withhold keeps what an attempt brought whose approval was taken back while it
// ran: the candidate waits before its niche.
func (t *tx) withhold(l record.Lease, f fence, o Outcome, p *packed) (record.Seq, error) {
	exp, id := l.Job.Experiment, l.Job.ID
	seq, err := t.nextSeq()
	if err != nil {
		return 0, err
	}
	o.State, o.Class, o.Reason = record.Held, record.ClassNone, f.heldFor
	if err := t.keep(l, f, &o, p, seq); err != nil {
		return 0, err
	}
	err = t.must(ErrLost, sqlJobHold, exp, id, l.Attempt, f.state, record.Evaluating, f.heldFor, o.EditMS, o.EvalMS, o.OwnMS, o.Machine)
	if err != nil {
		return 0, err
	}
	t.forfeit(exp, f)
	t.moved(exp, f.kind, f.state, record.Held)
	return seq, t.logHeld(seq, exp, id, f.candidate, f.heldFor)
}

func endsIn(kind record.JobKind, s record.JobState) bool {
	switch s {
	case record.Failed, record.Cancelled:
		return true
	case record.Done:
		return kind != record.Make
	case record.Rejected: // of a measurement: the guard refused the candidate before it
		return kind == record.Make || kind == record.Evaluate
	}
	return kind == record.Make && s.Ended()
}

// end writes the end of a leased job.
func (t *tx) end(l record.Lease, f fence, o Outcome, p *packed) (record.Seq, error) {
	exp, id := l.Job.Experiment, l.Job.ID
	seq, err := t.nextSeq()
	if err != nil {
		return 0, err
	}
	if err := t.keep(l, f, &o, p, seq); err != nil {
		return 0, err
	}
	dup := record.NoCandidate
	if o.State == record.Duplicate {
		dup = o.Duplicate
	}
	err = t.must(ErrLost, sqlJobEnd, exp, id, l.Attempt, f.state, o.State, o.Class, o.Reason, dup, t.now,
		o.EditMS, o.EvalMS, o.OwnMS, o.Machine)
	if err != nil {
		return 0, err
	}
	t.forfeit(exp, f)
	t.moved(exp, f.kind, f.state, o.State)
	if f.kind == record.Evaluate && len(o.Samples) > 0 {
		return seq, t.logAt(seq, exp, record.LogSample, id, f.candidate, nil)
	}
	data, err := encode("end", record.EndData{State: o.State, Class: o.Class, Reason: o.Reason})
	if err != nil {
		return 0, err
	}
	return seq, t.logAt(seq, exp, record.LogEnd, id, f.candidate, data)
}

// keep writes what an attempt brought besides the state of its job. P is nil
// when there is nothing but a state.
func (t *tx) keep(l record.Lease, f fence, o *Outcome, p *packed, seq record.Seq) error {
	exp, id := l.Job.Experiment, l.Job.ID
	if err := t.dropKept(exp, id); err != nil {
		return err
	}
	if err := t.countEvals(l, int64(o.Evals)-f.open); err != nil {
		return err
	}
	if err := t.spend(exp, id, o.Usage); err != nil {
		return err
	}
	if err := t.keepCandidate(exp, f, o, p, seq); err != nil || p == nil {
		return err
	}
	for i := range p.samples {
		if err := t.insertSample(exp, f.candidate, id, &p.samples[i]); err != nil {
			return err
		}
	}
	for i := range p.evidence {
		e := &p.evidence[i]
		e.job, e.attempt = id, l.Attempt
		if err := t.insertEvidence(exp, e); err != nil {
			return err
		}
	}
	if p.vector != nil && f.candidate >= 0 {
		_, err := t.exec(sqlVectorPut, exp, f.candidate, p.vector)
		return err
	}
	return nil
}

// keepCandidate updates the candidate of a job.
func (t *tx) keepCandidate(exp record.ExperimentID, f fence, o *Outcome, p *packed, seq record.Seq) error {
	if f.candidate < 0 {
		return nil
	}
	c := o.Candidate
	if c == nil {
		if f.kind != record.Make {
			return nil
		}
		_, err := t.exec(sqlCandidateStatus, exp, f.candidate, statusOf(o.State), o.Class, o.Reason)
		return err
	}
	status, class, reason := c.Status, c.Class, c.Reason
	switch {
	case o.State == record.Held:
		status = record.StatusHeld
	case status == record.StatusElite, status == "" && f.kind == record.Evaluate && c.Objective != nil:
		status = record.StatusScored
	case status == "":
		status = statusOf(o.State)
	}
	if class == "" && f.kind == record.Make {
		class = o.Class
	}
	if reason == "" && f.kind == record.Make {
		reason = o.Reason
	}
	scored := record.Seq(0)
	if status == record.StatusScored && c.Objective != nil {
		scored = seq
	}
	_, err := t.exec(sqlCandidateValues, exp, f.candidate, status, class, reason, c.Objective, c.MAD, c.Samples, c.Claimed,
		c.ClaimedSamples, c.Version, p.measures, scored, c.Dev, c.ClaimedDev)
	if err == nil && p.metrics != nil {
		_, err = t.exec(sqlMetricPut, exp, f.candidate, p.metrics)
	}
	return err
}

// statusOf is the status of a candidate whose make job ended, or waits.
func statusOf(s record.JobState) record.Status {
	switch s {
	case record.Placed, record.Scored:
		return record.StatusScored
	case record.Rejected:
		return record.StatusRejected
	case record.Failed:
		return record.StatusFailed
	case record.Cancelled:
		return record.StatusCancelled
	case record.Held:
		return record.StatusHeld
	}
	return record.StatusMade
}
