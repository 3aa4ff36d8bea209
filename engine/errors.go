package engine

import "errors"

// The errors that callers tell apart.
var (
	// ErrLocked: another process runs the engine on this state directory.
	ErrLocked = errors.New("another atoll runs the engine here")
	// ErrNoExperiment: the state directory holds no experiment (of that name).
	ErrNoExperiment = errors.New("no experiment here")
	// ErrRoot: the evaluator fails on the root commit, so nothing can be
	// compared with it.
	ErrRoot = errors.New("the evaluator fails on the root commit")
	// ErrFrozen: a setting that is fixed when an experiment starts was changed.
	ErrFrozen = errors.New("fixed when the experiment started")
	// ErrBroken: the experiment stopped because it could not be trusted to go on.
	ErrBroken = errors.New("the experiment cannot go on")
	// ErrRole: the one who asks may not decide that.
	ErrRole = errors.New("not allowed")
)
