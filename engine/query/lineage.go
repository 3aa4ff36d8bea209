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
// first candidates of a lineage.
func (r *Reader) words(ctx context.Context, l *view.Lineage, first int) error {
	for _, nodes := range [][]view.LineageNode{l.Ancestors, l.Descendants} {
		for i := range nodes[:min(len(nodes), first)] {
			c, err := r.db.Candidate(ctx, r.exp, nodes[i].ID)
			if err != nil {
				return fmt.Errorf("read candidate %s: %w", nodes[i].ID, err)
			}
			nodes[i].Parents, nodes[i].Class, nodes[i].Intent = c.Parents, c.Class, c.Intent
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
