package engine

import (
	"context"

	"atoll/engine/fold"
	"atoll/store/record"
)

// Decide appends decisions that are made by one act, all or none, after checking
// them against the state; the loop carries them out when it folds the rows.
// Together they are one step of undo. It works on an engine that only looks on as
// well. It returns the position of the last row.
func (e *Engine) Decide(ctx context.Context, ds ...record.Decision) (record.Seq, error) {
	if err := e.allowed(ds...); err != nil {
		return 0, err
	}
	if len(ds) == 1 && ds[0].Verb == record.Inject && len(ds[0].Args) == 0 {
		_, seq, err := e.Inject(ctx, Injection{Revision: ds[0].Text})
		return seq, err
	}
	made := make([]record.Decision, len(ds))
	var err error
	if askErr := e.questions.Ask(ctx, func(s *fold.State) {
		for i, d := range ds {
			if d.Who == "" {
				d.Who = e.who
			}
			if made[i], err = s.Prepare(d); err != nil {
				return
			}
		}
	}); askErr != nil {
		return 0, askErr
	}
	if err != nil {
		return 0, err
	}
	return e.append(ctx, made...)
}

// Undo takes back the last step that can be taken back, a decision or those that
// were made together, and says what is so again.
func (e *Engine) Undo(ctx context.Context) (string, error) {
	return e.unwind(ctx, (*fold.State).NextUndo)
}

// Redo does the last step that was undone again and says which.
func (e *Engine) Redo(ctx context.Context) (string, error) {
	return e.unwind(ctx, (*fold.State).NextRedo)
}

func (e *Engine) unwind(ctx context.Context, next func(*fold.State, string) ([]record.Decision, error)) (string, error) {
	var step []record.Decision
	var text string
	var err error
	if askErr := e.questions.Ask(ctx, func(s *fold.State) {
		step, err = next(s, e.who)
		text = s.StepText(step)
	}); askErr != nil {
		return "", askErr
	}
	if err != nil {
		return "", err
	}
	if err := e.allowed(step...); err != nil {
		return "", err
	}
	seq, err := e.append(ctx, step...)
	if err != nil {
		return "", err
	}
	return text, e.awaitFold(ctx, seq)
}

// awaitFold returns when the loop has folded the log up to a row, so that the
// next step is the one before.
func (e *Engine) awaitFold(ctx context.Context, seq record.Seq) error {
	for folded := record.Seq(0); folded < seq; {
		e.wake()
		if err := e.questions.Ask(ctx, func(s *fold.State) { folded = s.Seq }); err != nil {
			return err
		}
	}
	return nil
}
