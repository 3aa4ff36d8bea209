package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
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
	made := slices.Clone(ds)
	for i := range made {
		made[i].Who = cmp.Or(made[i].Who, e.who)
	}
	var err error
	prepare := func(s *fold.State) { e.atRest(s, func() { made, err = s.PrepareStep(made) }) }
	if askErr := e.questions.Ask(ctx, prepare); askErr != nil {
		return 0, askErr
	}
	if err == nil {
		err = e.open(ctx, made)
	}
	if err != nil {
		return 0, err
	}
	return e.append(ctx, made...)
}

// open refuses to cancel or to move a job that has ended: nothing would come of it.
func (e *Engine) open(ctx context.Context, ds []record.Decision) error {
	for _, d := range ds {
		if d.Verb != record.Cancel && d.Verb != record.Prioritise {
			continue
		}
		j, err := e.db.Job(ctx, e.exp, d.Job)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w: there is no job %s", fold.ErrDecision, d.Job)
		}
		if err != nil {
			return err
		}
		if j.State.Ended() {
			return fmt.Errorf("%w: %s has ended: %s", fold.ErrDecision, j.ID, j.State)
		}
	}
	return nil
}

// Undo takes back the last step that can be taken back, a decision or those that
// were made together. of is the position of a decision of that step, as snapshots name
// it: when it is not the last one any more, or somebody decides at the same time,
// nothing is taken back and the error is [fold.ErrDecision]. 0 means whatever is last.
func (e *Engine) Undo(ctx context.Context, of record.Seq) (view.Unwound, error) {
	return e.unwind(ctx, of, (*fold.State).NextUndo)
}

// Redo does the last step that was undone again, with of as for [Engine.Undo].
func (e *Engine) Redo(ctx context.Context, of record.Seq) (view.Unwound, error) {
	return e.unwind(ctx, of, (*fold.State).NextRedo)
}

func (e *Engine) unwind(ctx context.Context, of record.Seq, next func(*fold.State, string) ([]record.Decision, error)) (done view.Unwound, err error) {
	for range unwindTries {
		var seen record.Seq
		if done, seen, err = e.unwindOnce(ctx, of, next); !errors.Is(err, store.ErrLost) {
			return done, err
		}
		if err := e.awaitFold(ctx, seen+1); err != nil { // then what was decided is the last
			return view.Unwound{}, err
		}
	}
	return view.Unwound{}, fmt.Errorf("%w: somebody decided at the same time; look at what is last now", fold.ErrDecision)
}

// unwindTries is how often a step is looked for anew because the log went on meanwhile:
// what the same person decided just before may not be folded yet.
const unwindTries = 8

// unwindOnce returns [store.ErrLost], and up to where the log was seen, where somebody
// decided behind it.
func (e *Engine) unwindOnce(ctx context.Context, of record.Seq, next func(*fold.State, string) ([]record.Decision, error)) (done view.Unwound, seen record.Seq, err error) {
	var step []record.Decision
	if askErr := e.questions.Ask(ctx, func(s *fold.State) {
		e.atRest(s, func() { step, err = next(s, e.who) })
		if err == nil {
			err = s.Means(step, of)
		}
		done.Said, seen = s.StepText(step), s.Seq
	}); askErr != nil {
		return view.Unwound{}, seen, askErr
	}
	if err == nil {
		err = e.allowed(step...)
	}
	if err == nil {
		done.Seq, err = e.db.AppendDecisionsBehind(ctx, e.exp, seen, step...)
		done.Seq, err = e.appended(ctx, done.Seq, err, step)
	}
	if err != nil {
		return view.Unwound{}, seen, err
	}
	return done, seen, e.awaitFold(ctx, done.Seq)
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
