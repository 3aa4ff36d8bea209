package fold

import (
	"fmt"

	"atoll/engine/view"
)

var (
	// ErrDecision: a decision that cannot be carried out; readers know it as
	// [view.ErrDecision].
	ErrDecision = view.ErrDecision
	// ErrNumber: a decision with a number that makes sense in no state. It is an
	// ErrDecision, too.
	ErrNumber = fmt.Errorf("%w", ErrDecision)
)
