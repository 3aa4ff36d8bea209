package query

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Lineage returns the family of one candidate.
func (r *Reader) Lineage(ctx context.Context, id record.CandidateID) (view.Lineage, error) {
	l := view.Lineage{Focus: id}
	if err := r.asker.Ask(ctx, func(s *fold.State) { s.FillAncestors(&l) }); err != nil {
		return l, err
	}
	look := fold.Family{L: &l}
	for more := true; more; {
		if err := r.asker.Ask(ctx, func(s *fold.State) { more = s.FillDescendants(&look) }); err != nil {
			return l, err
		}
	}
	return l, r.words(ctx, &l, fold.LineageWords)
}

// words adds what the state does not keep: intents and other parents, of the
// first candidates of a lineage, and the values of those that wait.
func (r *Reader) words(ctx context.Context, l *view.Lineage, first int) error {
	for _, nodes := range [][]view.LineageNode{l.Ancestors, l.Descendants} {
		var waiting []*view.LineageNode
		var kept []record.Candidate
		for i := range nodes {
			n := &nodes[i]
			if i >= first && n.Status != record.StatusHeld {
				continue
			}
			c, err := r.db.Candidate(ctx, r.exp, n.ID)
			if err != nil {
				return fmt.Errorf("read candidate %s: %w", n.ID, err)
			}
			n.Parents, n.Class, n.Intent = c.Parents, c.Class, c.Intent
			if n.Status == record.StatusHeld {
				waiting, kept = append(waiting, n), append(kept, c)
			}
		}
		if err := askEach(ctx, r.asker, len(kept), func(s *fold.State, i int) { s.TellWaiting(waiting[i], &kept[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// Survivors returns the lines of descent of all that hold a niche, as one family
// of the root.
func (r *Reader) Survivors(ctx context.Context) (view.Lineage, error) {
	l := view.Lineage{Focus: record.Root}
	if err := r.asker.Ask(ctx, func(s *fold.State) { s.FillSurvivors(&l) }); err != nil {
		return l, err
	}
	return l, r.words(ctx, &l, len(l.Descendants))
}
