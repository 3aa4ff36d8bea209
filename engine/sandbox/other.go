//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"os"
)

// Other systems have no rung: what keeps a command in on Linux has no
// counterpart that this package knows.

type (
	system struct{}
	facts  struct{}
	// starter is never started.
	starter struct{ exe string }
	// fence is never taken.
	fence int
	// groups are never made.
	groups struct{}
	// audience has no filter.
	audience struct{}
	// nursery is empty.
	nursery struct{ box *Box }
)

func (s *starter) close() {}

func (n *nursery) close() {}

// CanPrepare says that nothing is prepared.
func (b *Box) CanPrepare() string { return ErrNoRung.Error() }

// WhyStarted says that nothing is prepared.
func (b *Box) WhyStarted(*Spec) string { return ErrNoRung.Error() }

// Prepare always fails.
func (b *Box) Prepare(context.Context, Spec) error { return ErrNoRung }

// LetGo has nothing to end.
func (b *Box) LetGo(string) {}

func findSystem() system { return system{} }

func findFacts() facts { return facts{} }

func (s *system) covered(string) bool { return false }

func (b *Box) climb(context.Context, Mode) error {
	return fmt.Errorf("%w: atoll runs foreign code on Linux only", ErrNoRung)
}

// Run always fails: New made no Box.
func (b *Box) Run(context.Context, Spec) (Result, error) { return Result{}, ErrNoRung }

// ReapStrays finds nothing: nothing was started.
func ReapStrays(string) (int, error) { return 0, nil }

func claim(string) error { return nil }

func removeAll(path string) error { return os.RemoveAll(path) }
