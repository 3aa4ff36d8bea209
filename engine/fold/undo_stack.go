package fold

import (
	"fmt"
	"slices"

	"atoll/store/record"
)

// NextUndo returns the decisions that take back the last step that can be taken
// back: one decision, or those that were made together, the last one first.
func (st *steering) NextUndo(who string) ([]record.Decision, error) {
	step := lastStep(st.Decided.undo)
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
	step := lastStep(st.Decided.redo)
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
