package query

import (
	"context"

	"atoll/engine/fold"
	"atoll/store/record"
)

// Alone is the [Asker] of a state that nobody else uses, as a verb has it that
// folded the log and runs no engine. It is not safe for concurrent use.
type Alone struct{ State *fold.State }

// Ask implements [Asker].
func (a Alone) Ask(ctx context.Context, fn func(*fold.State)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fn(a.State)
	return nil
}

// Decided tells a decision as a sentence.
func (r *Reader) Decided(ctx context.Context, d record.Decision) (text string, err error) {
	return text, r.asker.Ask(ctx, func(s *fold.State) { text = s.DecisionText(d) })
}

// Deciding tells what a decision would do as a sentence.
func (r *Reader) Deciding(ctx context.Context, d record.Decision) (text string, err error) {
	return text, r.asker.Ask(ctx, func(s *fold.State) {
		if made, err := s.Prepare(d); err == nil {
			d = made
		}
		text = s.DecisionText(d)
	})
}
