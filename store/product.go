package store

import (
	"context"
	"strconv"

	"atoll/store/record"
)

// Candidates of one product are the same program: the one that was measured
// first stands for all, in strict order the one of the lowest number. Who that
// is is a fact of the experiment, under a key that the caller makes of the
// product.

// Owner returns the candidate that makes a job a duplicate that comes to a
// product, [record.NoCandidate] for none. L is the lease of the job, self the
// candidate that it measures.
func (db *DB) Owner(ctx context.Context, l record.Lease, self record.CandidateID, key string) (owner record.CandidateID, err error) {
	err = db.read(ctx, func(c *conn) (err error) {
		owner, err = c.owner(ctx, l.Job.Experiment, key)
		return err
	})
	if owner == self || owner > self && inTurn(l) {
		owner = record.NoCandidate
	}
	return owner, doing("read "+key, err)
}

// Own makes a measured candidate the owner of its product, unless it has one,
// and returns the owner. In strict order a make job displaces an owner of a higher
// number: that one, its job included, ends as a duplicate and is returned.
// Errors: [ErrLost].
func (db *DB) Own(ctx context.Context, l record.Lease, self record.CandidateID, key string) (owner record.CandidateID, displaced []record.JobID, err error) {
	err = db.write(ctx, "keep "+key, func(t *tx) error {
		displaced = nil
		exp := l.Job.Experiment
		if _, err := t.leased(l); err != nil {
			return err
		}
		if owner, err = t.conn.owner(ctx, exp, key); err != nil {
			return err
		}
		strict := false
		if _, err := t.one(sqlStrict, []any{exp}, func(r *row) { strict = r.bool() }); err != nil {
			return err
		}
		takes := strict && owner > self && inTurn(l)
		if owner != record.NoCandidate && !takes {
			return nil
		}
		if takes {
			id := record.JobID(owner)
			if err := t.displaceTwin(exp, id, record.JobID(self)); err != nil {
				return err
			}
			displaced = append(displaced, id)
		}
		owner = self
		_, err = t.exec(sqlMetaPut, exp, key, strconv.FormatInt(int64(self), 10))
		return err
	})
	return owner, displaced, err
}

// inTurn reports whether the job of a lease comes before those of higher numbers in
// strict order: one that was held was folded when it was.
func inTurn(l record.Lease) bool { return l.Job.Kind == record.Make && l.Job.HeldAt == "" }

// owner reads who owns a product: of a candidate that was displaced its original.
func (c *conn) owner(ctx context.Context, exp record.ExperimentID, key string) (record.CandidateID, error) {
	owner := record.NoCandidate
	_, err := c.one(ctx, sqlProductOwner, []any{exp, key}, func(r *row) { owner = record.CandidateID(r.int()) })
	return owner, err
}

// displaceTwin makes a job whose candidate has the product of another into its
// duplicate. The candidate stays, rejected: its tree is one of its own.
func (t *tx) displaceTwin(exp record.ExperimentID, id, by record.JobID) error {
	if err := t.repoint(exp, id, by, true); err != nil {
		return err
	}
	f, err := t.fence(exp, id)
	if err != nil {
		return err
	}
	if f.state.Running() {
		return t.must(ErrLost, sqlJobDisplaced, exp, id, by)
	}
	if err := t.rejectTwin(exp, id, record.CandidateID(by)); err != nil {
		return err
	}
	return t.endAsDuplicate(exp, id, f, by)
}

// rejectTwin takes the values of a candidate that has the product of another.
func (t *tx) rejectTwin(exp record.ExperimentID, id record.JobID, of record.CandidateID) error {
	for _, q := range []statement{sqlMetricDrop, sqlVectorDrop} {
		if _, err := t.exec(q, exp, id); err != nil {
			return err
		}
	}
	_, err := t.exec(sqlCandidateTwin, exp, id, SameProduct(of))
	return err
}

// SameProduct is why a job is the duplicate of a candidate with its product.
func SameProduct(of record.CandidateID) string { return "same build product as " + of.String() }

// SameTree is why a job is the duplicate of a candidate with its tree.
func SameTree(of record.CandidateID) string { return "same tree as " + of.String() }
