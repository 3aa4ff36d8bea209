package survey

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// wholePatience bounds a survey as a whole: what it measured by then is what it derives the rest from.
const wholePatience = 15 * time.Minute

// errSpent ends a survey that takes longer than it may.
var errSpent = errors.New("its time is over")

// cutting is how a survey ends before it is through.
type cutting struct {
	now     string // what is done, "" before anything is
	was     string // what was done at the end; "" where now is
	samples int    // of the root that the objective was derived from
}

// plan says what is tried, in which order, and how long all of it takes at most.
func plan(s *survey) {
	var parts []string
	if len(s.Look.Test) > 0 {
		parts = append(parts, "the tests")
	}
	for _, c := range choicesOf(s.Look) {
		parts = append(parts, inShell(portable(s.Tree, prepared(c.Command)...)...))
	}
	if len(parts) == 0 {
		return
	}
	s.Say(fmt.Sprintf("tries %s, for up to %s in all; ctrl+c keeps what was measured by then", strings.Join(parts, ", then "), roundTime(s.Whole)))
}

// ending is the end of a survey, which may come before it is through.
type ending struct{ *survey }

// cut reports whether an error comes of the end of the survey while the root was measured already, so
// that there is something to keep.
func (s ending) cut(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && s.m.Wall > 0
}

// why says how a survey of so much time was cut.
func (c *cutting) why(ctx context.Context, whole time.Duration) string {
	if errors.Is(context.Cause(ctx), errSpent) {
		return fmt.Sprintf("its %s were over while %s", roundTime(whole), orElse(c.was, c.now))
	}
	return "interrupted while " + orElse(c.was, c.now)
}

// tellCut marks in the file what was not tried, and returns why.
func (s ending) tellCut(ctx context.Context) string {
	var missing []string
	if s.samples < rootSamples && !s.once {
		missing = append(missing, fmt.Sprintf("how much it varies (%d of %d measurements were made)", s.samples, rootSamples))
	}
	missing = append(missing, "whether it runs with its files protected")
	if len(s.m.Targets) == 0 {
		missing = append(missing, "where its time goes")
	}
	why := s.why(ctx, s.Whole)
	note(s.survey, fmt.Sprintf("CHECK the whole file: init was cut short, %s; not tried: %s. `atoll init --force` begins anew", why, strings.Join(missing, ", ")))
	return why
}

// unmeasured is the error of a survey whose end came before anything was measured.
func (s ending) unmeasured(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSpent) {
		s.next = orElse(s.next, "name a program that measures in less time in evaluator.command, then `atoll doctor --deep`")
		return fmt.Errorf("%w: %s", ErrNothing, s.why(ctx, s.Whole))
	}
	return err
}
