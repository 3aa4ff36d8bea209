package fold

import "errors"

// ErrDecision: a decision that cannot be carried out.
var ErrDecision = errors.New("cannot do that")
