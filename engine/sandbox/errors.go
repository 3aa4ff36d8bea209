package sandbox

import "errors"

// Errors of this package.
var (
	// ErrNoRung: no isolation that the mode allows works here. The text says why.
	ErrNoRung = errors.New("no sandbox works on this machine")
	// ErrSpec: a Spec cannot be run as it is written.
	ErrSpec = errors.New("bad sandbox request")
	// ErrEnded: the first process of a sandbox was killed while the command ran, by
	// the command or because the machine had no memory or processes left.
	ErrEnded = errors.New("the first process of the sandbox ended without a report")
	// ErrStarted: runs of this command are started, as no copy of a prepared
	// interpreter can stand in for them. The text says why.
	ErrStarted = errors.New("not prepared")
	// ErrClosed: the Box is closed.
	ErrClosed = errors.New("sandbox is closed")
)
