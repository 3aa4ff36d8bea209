package work

import (
	"context"
	"strconv"

	"atoll/store"
	"atoll/store/record"
)

// Candidates whose build gives the same product (evaluator.artifact), or that
// the evaluator gives one identity, are the same program: the first that was
// measured stands for all.

// metaProduct is the key under which the owner of a product is kept.
func (w *Runner) metaProduct(hash string) string {
	return "product " + strconv.Itoa(w.facts.Experiment.Objective) + " " + hash
}

// productOwner returns how to look up the candidate that was measured with a
// product. An error of the store reads as "nobody": then it is measured.
func (w *Runner) productOwner(ctx context.Context, self record.CandidateID) func(string) (record.CandidateID, bool) {
	return func(hash string) (record.CandidateID, bool) {
		text, ok, err := w.db.Meta(ctx, w.facts.Experiment.ID, w.metaProduct(hash))
		if err != nil || !ok {
			return 0, false
		}
		n, err := strconv.ParseInt(text, 10, 64)
		return record.CandidateID(n), err == nil && record.CandidateID(n) != self
	}
}

// keepProduct makes a measured candidate the owner of its product, unless it has
// one.
func (w *Runner) keepProduct(ctx context.Context, id record.CandidateID, hash string) error {
	if hash == "" {
		return nil
	}
	if _, taken, err := w.db.Meta(ctx, w.facts.Experiment.ID, w.metaProduct(hash)); err != nil || taken {
		return err
	}
	return w.db.PutMeta(ctx, w.facts.Experiment.ID, w.metaProduct(hash), strconv.FormatInt(int64(id), 10))
}

// twin ends a job whose candidate has the product of another.
func (r *jobRun) twin(ctx context.Context, c *record.Candidate, of record.CandidateID, samples []record.Sample) error {
	c.Status, c.Reason = record.StatusRejected, "same build product as "+of.String()
	return r.finish(ctx, store.Outcome{State: record.Duplicate, Duplicate: of, Reason: c.Reason, Candidate: c, Samples: samples})
}
