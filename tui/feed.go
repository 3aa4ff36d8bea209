package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// Messages of the console's own commands.
type (
	snapMsg  struct{ snap *view.Snapshot }
	tickMsg  struct{}
	toastMsg struct{ n int } // toast n may go
	crashMsg struct {
		where, value, stack string
	}
	// doneMsg is the end of an action: what to say, or what went wrong.
	doneMsg struct {
		text string
		undo bool // can be taken back
		err  error
		then tea.Cmd
	}
	feedEndMsg struct{ err error }
	abortedMsg struct{}
)

// guard makes a command whose panic becomes a message instead of a dead
// terminal.
func guard(where string, fn func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = crashMsg{where, fmt.Sprint(p), string(debug.Stack())}
			}
		}()
		return fn()
	}
}

const frameTime = time.Second / 15

// waitForSnap waits for the next snapshot, at most fifteen times a second. It
// is re-armed when its message arrives, so that one is under way at any time.
func waitForSnap(ctx context.Context, f Feed, after uint64, last time.Time) tea.Cmd {
	return guard("feed", func() tea.Msg {
		s, err := f.Wait(ctx, after)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return feedEndMsg{err}
		}
		if wait := frameTime - time.Since(last); wait > 0 {
			if !sleep(ctx, wait) {
				return nil
			}
			if l := f.Latest(); l != nil && l.Version >= s.Version {
				s = l
			}
		}
		return snapMsg{s}
	})
}

const actTimeout = 15 * time.Second

// act runs an action of the controller outside the screen's goroutine.
func (a *app) act(where string, fn func(ctx context.Context) doneMsg) tea.Cmd {
	ctx := a.d.ctx
	return guard(where, func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, actTimeout)
		defer cancel()
		m := fn(ctx)
		if errors.Is(m.err, context.DeadlineExceeded) {
			m.err = fmt.Errorf("%s took longer than %s; the log tells whether it happened", where, actTimeout)
		}
		return m
	})
}

// decide appends decisions, one after the other; said tells what was done.
func (a *app) decide(said string, undo bool, ds ...record.Decision) tea.Cmd {
	ctl, who := a.d.opt.Controller, a.d.opt.Who
	if ctl == nil || len(ds) == 0 {
		return nil
	}
	return a.act(string(ds[0].Verb), func(ctx context.Context) doneMsg {
		for i, d := range ds {
			d.Who = who
			if _, err := ctl.Decide(ctx, d); err != nil {
				if i > 0 {
					err = fmt.Errorf("%d of %d done, then: %w", i, len(ds), err)
				}
				return doneMsg{err: err}
			}
		}
		return doneMsg{text: said, undo: undo}
	})
}

// decision returns a decision about nothing yet; decide signs it.
func decision(v record.Verb) record.Decision {
	return record.Decision{Verb: v, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1}
}
