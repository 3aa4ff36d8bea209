package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// router knows the panes and where the person is, and goes from one to the
// other.
type router struct {
	d     *pane.Shared
	panes *pane.Panes
	at    places
	// The filter with which the log was opened for one job: it does not stay.
	jobOfLog string
}

// Current returns the pane that has the keys.
func (r *router) Current() pane.Pane { return r.panes.ByID[r.at.current()] }

// shown asks for what the visible panes miss.
func (r *router) shown() tea.Cmd {
	var cmds []tea.Cmd
	rects := r.at.rects()
	for id, at := range rects {
		if p := r.panes.ByID[id]; p != nil {
			r.place(id, at, rects)
			cmds = append(cmds, p.Load())
		}
	}
	return tea.Batch(cmds...)
}

// trail names the screens below the one that is shown, the lowest first.
func (r *router) trail() []string {
	var out []string
	for _, id := range r.at.stack[:max(0, len(r.at.stack)-1)] {
		name := screenTitle(id)
		if p, ok := r.panes.ByID[id].(pane.Subject); ok {
			name = p.Subject()
		}
		out = append(out, name)
	}
	return out
}

// place tells a pane how it lies on the screen.
func (r *router) place(id pane.ID, on rect, all map[pane.ID]rect) {
	_, curves := all[pane.Curves]
	r.panes.ByID[id].Place(pane.Placement{Full: r.at.screen() == id, W: on.W, H: on.H, Curves: curves})
}

func (r *router) loaded(m pane.Loaded) tea.Cmd {
	p := r.panes.ByID[m.Pane]
	if p == nil {
		return nil
	}
	p.Take(m)
	if r.at.shows(m.Pane) {
		return p.Load()
	}
	return nil
}

// open shows a screen.
func (r *router) open(id pane.ID) tea.Cmd {
	r.at.open(id)
	return r.shown()
}

// openCandidate shows a candidate.
func (r *router) openCandidate(id record.CandidateID) tea.Cmd {
	if id < 0 {
		return nil
	}
	r.panes.Candidate.Show(id, false)
	return r.open(pane.Candidate)
}

// openJob shows a job.
func (r *router) openJob(id record.JobID) tea.Cmd {
	if id < 0 {
		return nil
	}
	r.panes.Job.Set(id)
	return r.open(pane.Job)
}

// goes changes where the person is.
func (r *router) goes(move func(p *places)) func() tea.Cmd {
	return func() tea.Cmd {
		move(&r.at)
		return r.shown()
	}
}

func (r *router) move(m widget.Motion) tea.Cmd {
	p := r.Current()
	return tea.Batch(p.Move(m), p.Load())
}

func (r *router) canFilter() string {
	if _, ok := r.Current().Filter(); ok {
		return ""
	}
	return "this pane has nothing to filter"
}

func (r *router) markSelected() tea.Cmd {
	r.d.Mark(r.Current().Selected().Candidate)
	if r.at.current() == pane.Niches { // no list: the cursor stays
		return nil
	}
	return r.Current().Move(widget.Down)
}

func (r *router) hasMarks() string {
	if len(r.d.Marks) == 0 {
		return "nothing is marked"
	}
	return ""
}

func (r *router) unmark() tea.Cmd {
	r.d.Unmark()
	return nil
}

// openDiff shows what was changed, over the whole width. Where a difference is
// shown already its width changes.
func (r *router) openDiff() tea.Cmd {
	if d := r.differ(); d != nil {
		d.Diff().ToggleWide()
		r.d.Gen++
		return r.shown()
	}
	s := r.Current().Selected()
	if m := r.d.Marks; len(m) == 2 { // two marked: one against the other
		s.Candidate = m[1]
	}
	r.panes.Candidate.CompareMarked(s.Candidate)
	return r.open(pane.Candidate)
}

// differ is the pane with the keys if it shows a difference as a screen.
func (r *router) differ() pane.Differ {
	if d, ok := r.Current().(pane.Differ); ok && r.at.screen() != pane.None && len(r.d.Marks) != 2 {
		return d
	}
	return nil
}

// diffWord says what the key of differences does now.
func (r *router) diffWord() string {
	switch d := r.differ(); {
	case d == nil:
		return "diff"
	case d.Diff().Wide():
		return "its figures"
	}
	return "diff alone"
}

// openCompare lays the marked candidates side by side, in the order in which they
// were marked; with one marked that and the one under the cursor; with none the
// one under the cursor and its parent.
func (r *router) openCompare() tea.Cmd {
	ids := slices.Clone(r.d.Marks)
	if at := r.Current().Selected().Candidate; len(ids) < 2 && at >= 0 && !slices.Contains(ids, at) {
		ids = append(ids, at)
	}
	r.panes.Compare.Set(ids)
	return r.open(pane.Compare)
}

// needOthers: there is something to compare.
func (r *router) needOthers() string {
	if r.at.current() == pane.Compare {
		return "they stand side by side already"
	}
	if n := len(r.d.Marks); n > pane.MostCompared {
		return fmt.Sprintf("%d are marked, and %d fit side by side", n, pane.MostCompared)
	} else if n > 1 {
		return ""
	}
	return r.needCandidate()
}

func (r *router) openLineage() tea.Cmd {
	r.panes.Lineage.Set(r.Current().Selected().Candidate)
	return r.open(pane.Lineage)
}

func (r *router) openJobOf() tea.Cmd {
	return r.openJob(record.JobID(r.Current().Selected().Candidate))
}

func (r *router) jobLog() tea.Cmd {
	r.jobOfLog = r.Current().Selected().Job.String()
	r.panes.Log.SetFilter(r.jobOfLog)
	return r.open(pane.Log)
}

func (r *router) nothingWaits() string {
	if len(r.d.Snap.Review) == 0 {
		return "nothing waits for review"
	}
	return ""
}

// nothingFound says why there is nothing to sum up.
func (r *router) nothingFound() string {
	if r.d.Snap.Best.ID < 0 {
		return "nothing is measured yet"
	}
	return ""
}

func (r *router) needObject() string {
	if s := r.Current().Selected(); s.Candidate < 0 && s.Job < 0 {
		return "nothing is selected"
	}
	return ""
}

func (r *router) needJob() string {
	if r.Current().Selected().Job < 0 {
		return "no job is selected"
	}
	return ""
}

func (r *router) needCandidate() string {
	if r.Current().Selected().Candidate < 0 {
		return "no candidate is selected"
	}
	return ""
}

// ownCommand understands #341 and c128.
func (r *router) ownCommand(text string) *widget.Item {
	var n int64
	if _, err := fmt.Sscanf(text, "#%d", &n); err == nil {
		return &widget.Item{Title: "open job " + text, Run: func() tea.Cmd { return r.openJob(record.JobID(n)) }}
	}
	if _, err := fmt.Sscanf(text, "c%d", &n); err == nil {
		return &widget.Item{Title: "open candidate " + text, Run: func() tea.Cmd { return r.openCandidate(record.CandidateID(n)) }}
	}
	return nil
}
