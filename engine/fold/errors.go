package fold

import "atoll/engine/view"

// ErrDecision: a decision that cannot be carried out; readers know it as
// [view.ErrDecision].
var ErrDecision = view.ErrDecision
