package work

import "errors"

// The causes with which work is stopped.
var (
	// ErrCancelled: a person stopped a running job.
	ErrCancelled = errors.New("cancelled")
	// ErrDrained: the run ends, and nothing is waited for. The job goes back to
	// the queue.
	ErrDrained = errors.New("the run ends")
	// errDisplaced: a job of a lower number came to the same.
	errDisplaced = errors.New("a job of a lower number came to the same")
)

// errPutBack reports an attempt that came to nothing through no fault of its job:
// it goes back to the queue, and nothing is counted against it.
var errPutBack = errors.New("the job goes back to the queue")
