package fold

import (
	"fmt"
	"slices"

	"atoll/store/record"
)

// NextUndo returns the decisions that take back the last step that can be taken
// back: one decision, or those that were made together, the last one first.
func (st *steering) NextUndo(who string) ([]record.Decision, error) {
	step := lastStep(st.lasting(st.Decided.undo, func(d record.Decision) record.Verb { return d.Inverse.Verb }))
	if len(step) == 0 {
		return nil, fmt.Errorf("%w: nothing to undo", ErrDecision)
	}
	for i, d := range step {
		back := *d.Inverse
		back.Who, back.Undoes, back.Inverse = who, d.Seq, nil
		step[i] = back
	}
	return step, nil
}

// NextRedo returns the decisions that do the last step that was undone again.
func (st *steering) NextRedo(who string) ([]record.Decision, error) {
	step := lastStep(st.lasting(st.Decided.redo, func(d record.Decision) record.Verb { return d.Verb }))
	if len(step) == 0 {
		return nil, fmt.Errorf("%w: nothing to redo", ErrDecision)
	}
	for i, d := range step {
		d.Who, d.Undoes = who, d.Seq
		d.Seq, d.At, d.Group = 0, 0, 0
		step[i] = d
	}
	return step, nil
}

// Means checks that a step is about the decision at a position, which is what the one
// who asked for it saw last; 0 is any.
func (st *steering) Means(step []record.Decision, of record.Seq) error {
	if of == 0 || slices.ContainsFunc(step, func(d record.Decision) bool { return d.Undoes == of }) {
		return nil
	}
	return fmt.Errorf("%w: the decision at %d is not the last one any more, that is the one at %d; look again", ErrDecision, of, step[0].Undoes)
}

// positions are those of the decisions that undo and redo are about now; 0 for none.
func (st *steering) positions() (undo, redo record.Seq) {
	if step, err := st.NextUndo(""); err == nil {
		undo = step[0].Undoes
	}
	if step, err := st.NextRedo(""); err == nil {
		redo = step[0].Undoes
	}
	return undo, redo
}

// lasting cuts a stack behind the last decision that can change something: to pause what is
// paused, or to resume what runs, is no step. act is what would be done about one.
func (st *steering) lasting(stack []record.Decision, act func(record.Decision) record.Verb) []record.Decision {
	n := len(stack)
	for n > 0 {
		verb := act(stack[n-1])
		if verb == record.Pause && st.Run == record.ExperimentPaused || verb == record.Resume && st.Run == record.ExperimentRunning {
			n--
			continue
		}
		break
	}
	return stack[:n]
}

// lastStep copies the last decisions of a stack that are one step, last one
// first.
func lastStep(stack []record.Decision) []record.Decision {
	var step []record.Decision
	for _, d := range slices.Backward(stack) {
		if len(step) > 0 && (d.Group == 0 || d.Group != step[0].Group) {
			break
		}
		step = append(step, d)
	}
	return step
}
