package steer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
)

// Controller carries decisions to the experiment. Methods return when the
// decision is a row of the log; its effect arrives through the feed.
type Controller interface {
	// Decide writes decisions made by one act, all or none; they are one step of
	// undo.
	Decide(ctx context.Context, ds ...record.Decision) (record.Seq, error)
	// Undo takes the last step back. of is the position of the decision that the person
	// saw last; it is an error when that is not what would be taken back. 0 is any.
	Undo(ctx context.Context, of record.Seq) (view.Unwound, error)
	Redo(ctx context.Context, of record.Seq) (view.Unwound, error)
	// FreeBranch is a name for a candidate's branch that the user's repository has not
	// yet.
	FreeBranch(ctx context.Context, id record.CandidateID) (string, error)
	// CheckBranch refuses a name that is none, or that the user's repository has.
	CheckBranch(ctx context.Context, branch string) error
	// Promote adds a branch to the user's repository and returns its full name.
	Promote(ctx context.Context, id record.CandidateID, branch string) (string, error)
	// Patch returns the difference to the root as git writes it.
	Patch(ctx context.Context, id record.CandidateID) ([]byte, error)
}

// Host is what decisions ask of the console.
type Host interface {
	pane.Host
	// Decided tells which candidates were decided about by one key.
	Decided(ids ...record.CandidateID)
}

// Actions are what a person can do to the experiment.
type Actions struct {
	D    *pane.Shared
	Host Host
	Ctl  Controller // nil: no experiment is attached
	Who  string     // signs decisions
	// from is what undo and redo were about, by the snapshot, when this console acted last:
	// as long as they are, the snapshot may not have followed. nil: it did nothing yet.
	from *[2]record.Seq
	// Verify measures a candidate on top of the user's branch as it is now and
	// writes the branch where its gain holds; nil = not from here.
	Verify func(id record.CandidateID, branch string) tea.Cmd
	Dir    string // where files that a person asks for go, "" = the current folder
	// Machines are those that measure for the run; nil: nobody looks after them here.
	Machines pane.Machines
}

// Done is the end of an action: what to say, or what went wrong.
type Done struct {
	Text string
	Undo bool // can be taken back
	// Logged says that the experiment's log tells it: the console's own lines
	// leave it out.
	Logged bool
	// Back says that what was decided may wait again.
	Back bool
	Err  error
	Then tea.Cmd
	Next func() tea.Cmd // run by the console when the rest is told, nil = nothing
}

const actTimeout = 15 * time.Second

// Act runs an action outside the screen's goroutine.
func (a *Actions) Act(where string, fn func(ctx context.Context) Done) tea.Cmd {
	ctx := a.D.Ctx
	a.from = &[2]record.Seq{a.D.Snap.Undo, a.D.Snap.Redo}
	return pane.Guard(where, func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, actTimeout)
		defer cancel()
		m := fn(ctx)
		if errors.Is(m.Err, context.DeadlineExceeded) {
			m.Err = fmt.Errorf("%s took longer than %s; the log tells whether it happened", where, actTimeout)
		}
		return m
	})
}

// Decide writes decisions to the log, all or none; said tells what was done.
func (a *Actions) Decide(said string, undo bool, ds ...record.Decision) tea.Cmd {
	ctl, who := a.Ctl, a.Who
	if ctl == nil || len(ds) == 0 {
		return nil
	}
	if s := a.D.Snap; !s.Loading && !s.Owner && s.OwnerPID == 0 {
		said += a.D.Told("; no engine runs, so that it waits for `atoll run`")
	}
	return a.Act(string(ds[0].Verb), func(ctx context.Context) Done {
		for i := range ds {
			ds[i].Who = who
		}
		if _, err := ctl.Decide(ctx, ds...); err != nil {
			return Done{Err: err}
		}
		return Done{Text: said, Undo: undo, Logged: true}
	})
}

// targets returns what a decision acts on: the marked candidates, else what
// the cursor stands on.
func (a *Actions) targets() []pane.Selection {
	p := a.Host.Current()
	if len(a.D.Marks) == 0 {
		return []pane.Selection{p.Selected()}
	}
	var out []pane.Selection
	for _, id := range a.D.Marks {
		s := pane.Nothing()
		s.Candidate, s.Cell, s.Held = id, a.D.Grid.CellOf(id), a.held(id) != nil
		s.Job = record.JobID(id)
		out = append(out, s)
	}
	return out
}

func (a *Actions) held(id record.CandidateID) *view.Held {
	for i := range a.D.Snap.Review {
		if a.D.Snap.Review[i].Candidate.ID == id {
			return &a.D.Snap.Review[i]
		}
	}
	return nil
}

// namesOf lists what was acted on: c12, c13 or "5 candidates".
func namesOf(ss []pane.Selection) string {
	if len(ss) > 3 {
		return fmt.Sprintf("%d candidates", len(ss))
	}
	var out []string
	for _, s := range ss {
		out = append(out, pane.CandidateName(s.Candidate))
	}
	return strings.Join(out, ", ")
}

// on makes one decision for each selection.
func on(v record.Verb, ss []pane.Selection, edit func(d *record.Decision)) []record.Decision {
	out := make([]record.Decision, 0, len(ss))
	for _, s := range ss {
		d := pane.Decision(v)
		d.Candidate, d.Cell = s.Candidate, s.Cell
		if s.Job >= 0 && (v == record.Approve || v == record.Reject) {
			d.Job = s.Job
		}
		if edit != nil {
			edit(&d)
		}
		out = append(out, d)
	}
	return out
}
