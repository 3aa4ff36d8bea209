package store

import (
	"context"
	"errors"
	"fmt"

	"atoll/store/record"
)

// In strict order the lowest number among the jobs that came to one tree is its
// original, whichever of them was committed first: a job displaces those of
// higher numbers, which end as its duplicates. None of them was folded, for the
// lower number is folded before them.

// displace makes the jobs of higher numbers that came to a tree before into
// duplicates of job by, and returns them. Those that ended or wait end anew, and
// what was measured for one of them is by's; those that run end when their
// attempt does.
func (t *tx) displace(exp record.ExperimentID, by record.JobID, tree record.Hash) ([]record.JobID, error) {
	later, err := t.jobs(sqlCandidatesLater, exp, tree, by)
	if err != nil {
		return nil, err
	}
	for _, id := range later {
		if err := t.repoint(exp, id, by, false); err != nil {
			return nil, err
		}
		f, err := t.fence(exp, id)
		if err != nil {
			return nil, err
		}
		if f.state.Running() {
			if err := t.must(ErrLost, sqlJobDisplaced, exp, id, by); err != nil {
				return nil, err
			}
			continue
		}
		if err := t.endDisplaced(exp, id, f, by); err != nil {
			return nil, err
		}
	}
	return later, nil
}

// repoint has the duplicates of one job name another as their original: all, or
// only those of its product.
func (t *tx) repoint(exp record.ExperimentID, from, to record.JobID, products bool) error {
	dups, err := t.jobs(sqlJobsDuplicates, exp, to, from)
	if err != nil {
		return err
	}
	for _, id := range dups {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		if f.candidate < 0 && products {
			continue
		}
		if f.candidate >= 0 {
			if err := t.rejectTwin(exp, id, record.CandidateID(to)); err != nil {
				return err
			}
		}
		if err := t.endAsDuplicate(exp, id, f, to); err != nil {
			return err
		}
	}
	return nil
}

// nameOriginal has an outcome name the original of what it repeats, which may have
// been displaced since the worker looked: of a tree the one that came to it too, of
// a product the one that built it too.
func (t *tx) nameOriginal(exp record.ExperimentID, o *Outcome) error {
	reason := SameProduct
	if o.Reason == SameTree(o.Duplicate) {
		reason = SameTree
	}
	for {
		f, err := t.fence(exp, record.JobID(o.Duplicate))
		if errors.Is(err, ErrNotFound) || err == nil && (f.duplicate < 0 || f.duplicate == o.Duplicate) {
			return nil
		}
		if err != nil {
			return err
		}
		if o.Reason == SameTree(o.Duplicate) && f.candidate >= 0 { // it runs still, or stays for its product alone
			same, err := t.one(sqlTreesEqual, []any{exp, o.Duplicate, f.duplicate}, func(*row) {})
			if err != nil || !same {
				return err
			}
		}
		o.Duplicate, o.Reason = f.duplicate, reason(f.duplicate)
	}
}

// endDisplaced ends a job that does not run as the duplicate of another, which
// takes its samples over.
func (t *tx) endDisplaced(exp record.ExperimentID, id record.JobID, f fence, by record.JobID) error {
	if _, err := t.exec(sqlSamplesMove, exp, id, by); err != nil {
		return err
	}
	if err := t.dropCandidate(exp, id); err != nil {
		return err
	}
	f.candidate = record.NoCandidate
	return t.endAsDuplicate(exp, id, f, by)
}

// endAsDuplicate writes the end of a job that has no lease: for its tree where it
// has no candidate, else for its product.
func (t *tx) endAsDuplicate(exp record.ExperimentID, id record.JobID, f fence, of record.JobID) error {
	reason := SameTree(record.CandidateID(of))
	if f.candidate >= 0 {
		reason = SameProduct(record.CandidateID(of))
	}
	if err := t.must(ErrLost, sqlJobDuplicate, exp, id, reason, of, t.now); err != nil {
		return err
	}
	if err := t.dropKept(exp, id); err != nil {
		return err
	}
	t.moved(exp, record.Make, f.state, record.Duplicate)
	data, err := encode("end", record.EndData{State: record.Duplicate, Reason: reason})
	if err != nil {
		return err
	}
	_, err = t.log(exp, record.LogEnd, id, f.candidate, data)
	return err
}

// dropCandidate takes back that a job has a candidate, with all that hangs on it.
func (t *tx) dropCandidate(exp record.ExperimentID, id record.JobID) error {
	var parents []record.ParentRef
	if _, err := t.one(sqlCandidateParents, []any{exp, id}, func(r *row) { parents = unpackParents(r.text()) }); err != nil {
		return err
	}
	for _, p := range parents {
		if _, err := t.exec(sqlDescentDrop, exp, p.ID, id); err != nil {
			return err
		}
	}
	for _, q := range []statement{sqlSamplesDrop, sqlMetricDrop, sqlVectorDrop, sqlCandidateDrop, sqlJobUnmade} {
		if _, err := t.exec(q, exp, id); err != nil {
			return fmt.Errorf("drop the candidate of job %s: %w", id, err)
		}
	}
	return nil
}

// endAttempt ends an attempt whose job was displaced meanwhile as a duplicate.
// What it cost and its evidence stay; its candidate does not, or is rejected where
// its product alone is another's.
func (t *tx) endAttempt(l record.Lease, f fence, o Outcome, p *packed) (record.Seq, error) {
	exp, id, of := l.Job.Experiment, l.Job.ID, f.duplicate
	same, err := t.one(sqlTreesEqual, []any{exp, id, of}, func(*row) {})
	if err != nil {
		return 0, err
	}
	o.State, o.Class, o.Reason, o.Duplicate, o.Candidate = record.Duplicate, record.ClassNone, SameProduct(of), of, nil
	if same {
		o.Reason, f.candidate = SameTree(of), record.NoCandidate
		if err := t.dropCandidate(exp, id); err != nil {
			return 0, err
		}
	}
	if p != nil {
		p = &packed{evidence: p.evidence}
	}
	seq, err := t.end(l, f, o, p)
	if err == nil && !same {
		err = t.rejectTwin(exp, id, of)
	}
	return seq, err
}

func (t *tx) jobs(q statement, args ...any) ([]record.JobID, error) {
	var ids []record.JobID
	err := t.conn.query(context.Background(), q, args, func(r *row) error {
		ids = append(ids, record.JobID(r.int()))
		return nil
	})
	return ids, err
}
