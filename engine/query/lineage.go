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
	for _, nodes := range [][]view.LineageNode{l.Ancestors, l.Descendants} {
		for i := range nodes[:min(len(nodes), fold.LineageWords)] {
			c, err := r.db.Candidate(ctx, r.exp, nodes[i].ID)
			if err != nil {
				return l, fmt.Errorf("read candidate %s: %w", nodes[i].ID, err)
			}
			nodes[i].Parents, nodes[i].Class, nodes[i].Intent = c.Parents, c.Class, c.Intent
		}
	}
	return l, nil
}
