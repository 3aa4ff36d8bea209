package fold

import (
	"fmt"

	"atoll/engine/view"
)

var (
	// ErrDecision: a decision that cannot be carried out; readers know it as
	// [view.ErrDecision].
	ErrDecision = view.ErrDecision
	// ErrArgument: a decision that makes sense in no state. It is an ErrDecision, too.
	ErrArgument = fmt.Errorf("%w", ErrDecision)
	// ErrMissing: a decision about what is not there. It is an ErrDecision, too.
	ErrMissing = fmt.Errorf("%w", ErrDecision)
)
