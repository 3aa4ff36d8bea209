package work

import (
	"context"
	"strconv"

	"atoll/store/record"
)

// Candidates whose build gives the same product (evaluator.artifact), or that
// the evaluator gives one identity, are the same program: the first that was
// measured stands for all.

// products remembers who was measured with which product.
type products struct{ *run }

// meta is the key under which the owner of a product is kept.
func (w *products) meta(hash string) string {
	return "product " + strconv.Itoa(w.facts.Experiment.Objective) + " " + hash
}

// owner returns how to look up the candidate that makes another one of its product
// a duplicate. An error of the store reads as "nobody": then it is measured.
func (w *products) owner(ctx context.Context, r *attempt, self record.CandidateID) func(string) (record.CandidateID, bool) {
	return func(hash string) (record.CandidateID, bool) {
		owner, err := w.db.Owner(ctx, r.lease, self, w.meta(hash))
		return owner, err == nil && owner != record.NoCandidate
	}
}

// keep makes a measured candidate the owner of its product, unless it has one, and
// reports whether the candidate is the duplicate of that: in strict order one of a
// lower number was measured at the same time.
func (w *products) keep(ctx context.Context, r *attempt, id record.CandidateID, hash string) (of record.CandidateID, twin bool, err error) {
	if hash == "" {
		return id, false, nil
	}
	owner, displaced, err := w.db.Own(ctx, r.lease, id, w.meta(hash))
	for _, job := range displaced {
		w.live.Cancel(job, errDisplaced)
	}
	return owner, w.facts.Experiment.Strict && r.lease.Job.Kind == record.Make && owner < id, err
}
