package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/steer"
)

// Feed is where snapshots come from. Both methods are safe for concurrent use
// and never slow the engine down.
type Feed interface {
	// Latest returns the newest snapshot; before anything is known one with
	// Loading set, or nil.
	Latest() *view.Snapshot
	// Wait returns the newest snapshot once its version is above after, or
	// the error of ctx.
	Wait(ctx context.Context, after uint64) (*view.Snapshot, error)
}

// Console is how the screen looks and feels.
type Console struct {
	Palette string            // viridis, cividis, magma, grey
	Theme   string            // auto, dark, light, contrast-dark, contrast-light
	Colours map[string]string // own ones, by name: #rrggbb
	Mouse   bool              // click and wheel
	ASCII   bool              // plain characters only
	FPS     int               // frames a second at most; 0 = 30
	Keys    map[string]string // action to key, space separated for several
	Hints   bool              // first-run hints
}

// Options is all the console needs. Feed is required; without Controller it
// is read-only, without Reader the detail screens say that they have no data.
type Options struct {
	Feed       Feed
	Controller steer.Controller
	Reader     pane.Reader
	Machines   pane.Machines // nil: nobody looks after machines here
	Console    Console
	ReadOnly   bool
	Color      string // auto, always, never
	Now        func() time.Time
	Input      io.Reader // nil = the terminal
	Output     io.Writer
	Env        []string                 // NO_COLOR, TERM, COLORTERM, EDITOR, PAGER; nil = none
	StateFile  string                   // remembered layout, "" = none
	CrashDir   string                   // where a crash report goes, "" = nowhere
	Redact     func(text string) string // takes keys out of a crash report; nil = none are known
	Version    string
	Who        string // signs decisions, "" = console
	Shown      func() // called once, after the first frame went to the terminal; nil = nobody asks
	Notices    Notices
	Quit       Quit
	Suspend    Suspend
	Remote     *Remote // nil: the person is here
	// Difftool returns a program that shows the difference from a to b on this
	// terminal, with its arguments; nil = there is none.
	Difftool func(a, b record.Hash) []string
	// Verb returns the command line of this program for a verb on the same
	// experiment; nil = there is none.
	Verb func(args ...string) []string
	// Typed writes the command lines of a text, `atoll run`, as the person can type
	// them where the console was started; nil = as they are.
	Typed func(text string) string
	// Meter measures what a process with all that it started takes of the machine; it
	// is called outside the screen's goroutine. Nil: nobody can tell.
	Meter func(ctx context.Context, pid int) (view.Resources, error)
	Dir   string // where files that a person asks for go, "" = the current folder
	// Replay plays the log from its start in so much time once it was read; 0 = the
	// screen begins with the present.
	Replay time.Duration
}

// Remote says that the person is on another machine: Input and Output are not a
// terminal of this one, no program is started here and no file written.
type Remote struct {
	Size  Size        // of their terminal at the beginning
	Sizes <-chan Size // as it changes; closed at the end
	// Pace is how long news wait at least for the next ones, while nothing is pressed;
	// nil: as at the machine itself. It is called from another goroutine.
	Pace func() time.Duration
}

// Size is how large a terminal is, in cells.
type Size struct{ Width, Height int }

// Quit is what leaving does to the engine. Both are called outside the
// screen's goroutine and must return soon; the console watches the feed for
// the end of the last job. Nil functions: leaving just leaves.
type Quit struct {
	Drain func() // finish what runs, claim nothing new
	Abort func() // end what runs now
}

// Suspend frames the time in which the whole process group is stopped by
// ctrl+z: no new claims before it, leases and deadlines moved after it.
type Suspend struct {
	Before func()
	After  func()
}

// Errors of Run.
var (
	// ErrNoFeed: the options name no feed.
	ErrNoFeed = errors.New("the console has no feed to show")
	// ErrKeys: the configured keys name no action or clash. Fix console.keys.
	ErrKeys = keys.ErrKeys
	// ErrAborted: the person asked to end running jobs at once.
	ErrAborted = errors.New("aborted by ctrl+c")
)

// CrashError reports a defect of the console itself. The terminal is restored
// and the experiment unharmed.
type CrashError struct {
	Where string // update, view, a command's name
	Value string
	Stack string
	File  string // crash report, "" when none was written
	Err   error
}

// Error says what happened and where the stack is.
func (e *CrashError) Error() string {
	if e.File != "" {
		return fmt.Sprintf("the console crashed in %s: %s; the report is in %s", e.Where, e.Value, e.File)
	}
	return fmt.Sprintf("the console crashed in %s: %s", e.Where, e.Value)
}

// Unwrap returns the error below, if any.
func (e *CrashError) Unwrap() error { return e.Err }
