package query

import (
	"context"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
)

// Front returns who is best in a way of its own.
func (r *Reader) Front(ctx context.Context) (view.Front, error) {
	var f view.Front
	if err := r.asker.Ask(ctx, func(s *fold.State) { f = fold.FrontOf(s) }); err != nil {
		return f, err
	}
	for i := range f.Members {
		c, err := r.db.Candidate(ctx, r.exp, f.Members[i].ID)
		if err != nil {
			return f, fmt.Errorf("read candidate %s: %w", f.Members[i].ID, err)
		}
		f.Members[i].Intent = c.Intent
	}
	return f, nil
}
