package guard

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"atoll/engine/sandbox"
)

// What ends a comparison before its end, as [Report.Cut] has it.
const (
	CutWork = "work" // its processes used the processor time that they may: [Options.Work]
	CutTime = "time" // the clock: [Options.Wall], or the deadline of the caller's context
)

var (
	errOutOfWork = errors.New("the guard used the processor time that it may")
	errOutOfTime = errors.New("the guard ran out of time")
	errKnown     = errors.New("the guard found a difference and looked for others for a while")
	errEnough    = errors.New("a part of the guard's work used its share")
)

// Slack is how many times its processor time a process, or a comparison, may take by the clock: one that waits for
// the processor does no less than on a calm machine, and one that waits for nothing ends.
const Slack = 4

// within limits a process by its work, and by the clock where it does none.
func within(s *sandbox.Spec, work time.Duration) { s.Limits.CPU, s.Limits.Wall = work, Slack*work }

// budget is processor time that processes use up together; it runs them.
type budget struct {
	box  Runner
	mu   sync.Mutex
	left time.Duration
	used time.Duration
	over func() // called when it is used up
}

// Run runs a process that may use what is left.
func (b *budget) Run(ctx context.Context, s sandbox.Spec) (sandbox.Result, error) {
	left := b.rest()
	if left <= 0 {
		b.over()
		return sandbox.Result{}, nil
	}
	last := s.Limits.CPU == 0 || s.Limits.CPU > left
	if last {
		s.Limits.CPU = left
	}
	res, err := b.box.Run(ctx, s)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += res.CPU
	if b.left -= res.CPU; b.left <= 0 || last && slices.Contains(res.Limits, "cpu") {
		b.left = 0
		b.over()
	}
	return res, err
}

// atMost takes off what is left above some time.
func (b *budget) atMost(left time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.left, left)
}

func (b *budget) rest() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left
}

// spent is what was used until now.
func (b *budget) spent() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// part is a context and a budget of a share of what is left of another one, for work
// that may not use up the whole. The context ends with errEnough.
func (b *budget) part(ctx context.Context, share int) (context.Context, *budget, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &budget{box: b, left: b.rest() / time.Duration(share), over: func() { cancel(errEnough) }}, func() { cancel(nil) }
}

// cut notes in the report what ended the check, and reports whether that is an answer: it
// is none where the caller gave up.
func (c *check) cut(ctx context.Context) bool {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errKnown):
		c.report.note("not all of it was compared: a difference was known, and others were looked for in the %s of processor time behind it", c.known.Round(time.Second))
		return true
	case errors.Is(cause, errOutOfWork):
		c.report.Cut = CutWork
		c.report.note("it was ended before its end: its processes used the %s of processor time that a comparison may", c.g.o.Work)
	case errors.Is(cause, errOutOfTime):
		c.report.Cut = CutTime
		c.report.note("it was ended before its end by the clock, after %s", c.g.o.Wall)
	case errors.Is(cause, ErrShare):
		c.report.Cut = CutTime
		c.report.note("it was ended before its end by the clock: one comparison may take a part of the time that the run has left")
	default:
		return false
	}
	c.report.OutOfTime = true
	if c.now != "" && c.report.Cases == 0 {
		c.report.note("its last step was %s", c.now)
	}
	return true
}
