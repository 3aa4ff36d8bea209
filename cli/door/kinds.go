package door

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine"
	"atoll/engine/agent/broker"
	"atoll/engine/fold"
	"atoll/gitops"
	"atoll/store"
)

// Kind is what an error means to a caller.
type Kind int

// The kinds of errors.
const (
	KindInternal  Kind = iota // nobody's fault out there
	KindBad                   // the request makes no sense
	KindForbidden             // not with this role
	KindMissing               // there is no such thing
	KindConflict              // it makes sense, but not now
	KindLater                 // try again
)

// kinds sorts errors: the first that fits says what one means.
var kinds = []struct {
	err  error
	kind Kind
}{
	{engine.ErrRole, KindForbidden},
	{store.ErrNotFound, KindMissing},
	{broker.ErrNoTask, KindMissing},
	{fold.ErrMissing, KindMissing},
	{ErrLoading, KindLater},
	{context.DeadlineExceeded, KindLater},
	{ErrCommand, KindBad},
	{gitops.ErrTaken, KindConflict},
	{gitops.ErrBranch, KindBad},
	{fold.ErrArgument, KindBad},
	{fold.ErrDecision, KindConflict},
	{store.ErrLost, KindConflict},
	{broker.ErrLease, KindConflict},
	{ErrNoEngine, KindConflict},
}

// KindOf sorts an error.
func KindOf(err error) Kind {
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.kind
		}
	}
	if refusal := (*gitops.Refusal)(nil); errors.As(err, &refusal) {
		return KindBad
	}
	return KindInternal
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCommand, fmt.Sprintf(format, args...))
}
