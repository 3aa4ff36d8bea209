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

// owner returns how to look up the candidate that was measured with a
// product. An error of the store reads as "nobody": then it is measured.
func (w *products) owner(ctx context.Context, self record.CandidateID) func(string) (record.CandidateID, bool) {
	return func(hash string) (record.CandidateID, bool) {
		text, ok, err := w.db.Meta(ctx, w.exp(), w.meta(hash))
		if err != nil || !ok {
			return 0, false
		}
		n, err := strconv.ParseInt(text, 10, 64)
		return record.CandidateID(n), err == nil && record.CandidateID(n) != self
	}
}

// keep makes a measured candidate the owner of its product, unless it has
// one.
func (w *products) keep(ctx context.Context, id record.CandidateID, hash string) error {
	if hash == "" {
		return nil
	}
	if _, taken, err := w.db.Meta(ctx, w.exp(), w.meta(hash)); err != nil || taken {
		return err
	}
	return w.db.PutMeta(ctx, w.exp(), w.meta(hash), strconv.FormatInt(int64(id), 10))
}
