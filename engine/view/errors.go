package view

import "errors"

// ErrDecision: a decision that cannot be carried out. The text says why, behind that
// of this error and a colon.
var ErrDecision = errors.New("cannot do that")
