package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// goTo focuses a pane of the dashboard, or shows it as a screen when a screen
// is shown already.
func (a *app) goTo(id paneID) tea.Cmd {
	if len(a.stack) == 0 && id <= paneLog {
		a.focus = id
		return a.shown()
	}
	a.stack = nil
	if id <= paneLog {
		a.focus = id
	}
	return a.open(id)
}

// cycle moves the focus over the panes of the dashboard that are shown; where
// one is shown at a time, over all.
func (a *app) cycle(by int) tea.Cmd {
	if len(a.stack) > 0 {
		return nil
	}
	n := int(a.focus) - 1
	a.focus = paneID((n+by+5)%5 + 1)
	return a.shown()
}

func (a *app) zoomBy(by int) tea.Cmd {
	if len(a.stack) > 0 {
		if by < 0 {
			return a.back()
		}
		return nil
	}
	switch {
	case by > 0 && a.zoom == zoomNormal:
		a.zoom = zoomHalf
	case by > 0:
		a.zoom = zoomNormal
		return a.open(a.focus)
	default:
		a.zoom = zoomNormal
	}
	return a.shown()
}

func (a *app) toggleZoom() tea.Cmd {
	if len(a.stack) > 0 {
		return a.back()
	}
	return a.open(a.focus)
}

// escape leaves the nearest transient state.
func (a *app) escape() tea.Cmd {
	if p := a.current(); p != nil {
		if text, ok := p.filter(); ok && text != "" {
			p.setFilter("")
			return a.shown()
		}
	}
	if a.still && len(a.stack) == 0 && a.zoom == zoomNormal {
		return a.pauseView()
	}
	return a.back()
}

func (a *app) move(m motion) tea.Cmd {
	if p := a.current(); p != nil {
		return tea.Batch(p.move(m), p.show())
	}
	return nil
}

// match steps through the finds of a text.
func (a *app) match(by int) tea.Cmd {
	if s, ok := a.current().(interface{ match(by int) bool }); ok && !s.match(by) {
		return a.warn("nothing to search for; / starts a search")
	}
	return nil
}

func canFilter(a *app) string {
	if p := a.current(); p != nil {
		if _, ok := p.filter(); ok {
			return ""
		}
	}
	return "this pane has nothing to filter"
}

// openSelected opens what the cursor stands on.
func (a *app) openSelected() tea.Cmd {
	s := a.current().sel()
	switch id := a.currentID(); {
	case id == paneReview && a.screen() != paneReview:
		return a.open(paneReview)
	case id == paneCurves && a.screen() == noPane, id == paneYields && a.screen() == noPane:
		return a.open(id)
	case (id == paneJobs || id == paneLog || id == paneFailures || id == paneDecisions) && s.job >= 0:
		return a.openJob(s.job)
	case id == paneSettings:
		return a.run(a.keys.get("change"))
	case id == paneNotes:
		return a.run(a.keys.get("goal"))
	case s.cand >= 0:
		return a.openCandidate(s.cand)
	case s.job >= 0:
		return a.openJob(s.job)
	}
	return nil
}

func (a *app) markSelected() tea.Cmd {
	a.d.mark(a.current().sel().cand)
	if a.currentID() == paneNiches { // no list: the cursor stays
		return nil
	}
	return a.current().move(down)
}

func hasMarks(a *app) string {
	if len(a.d.marks) == 0 {
		return "nothing is marked"
	}
	return ""
}

func (a *app) unmark() tea.Cmd {
	a.d.marks = nil
	a.d.gen++
	return nil
}

func (a *app) cyclePalette() tea.Cmd {
	names := plot.PaletteNames()
	a.d.palette = names[(slices.Index(names, a.d.palette)+1)%len(names)]
	a.d.restyle()
	return a.say("colours: "+a.d.palette, false)
}

func (a *app) pauseView() tea.Cmd {
	a.still = !a.still
	if a.still {
		return nil
	}
	if a.behind != nil {
		a.d.take(a.behind)
		a.behind = nil
	}
	return tea.Batch(a.tick(), a.shown())
}

// help lists what works here. Enter runs a line.
func (a *app) help() tea.Cmd {
	var scopes []scope
	if p := a.current(); p != nil {
		scopes = p.scopes()
	}
	var items []item
	for _, s := range append(scopes[:len(scopes):len(scopes)], inAll) {
		for _, b := range a.keys.active([]scope{s}) {
			if !slices.ContainsFunc(items, func(it item) bool { return it.title == b.Title && it.key == keyNames(b.Keys) }) {
				items = append(items, a.item(b, string(s)))
			}
		}
	}
	return a.push(newMenu("Keys here", items))
}

func (a *app) item(b *binding, group string) item {
	return item{group: group, key: keyNames(b.Keys), title: b.Title, note: b.Doc, off: a.off(b), run: func(a *app) tea.Cmd { return a.run(b) }}
}

// palette finds every action and screen by a few letters, and objects by
// number: c128, #341.
func (a *app) palette() tea.Cmd {
	var scopes []scope
	if p := a.current(); p != nil {
		scopes = p.scopes()
	}
	var items []item
	for _, b := range a.keys.active(append(scopes[:len(scopes):len(scopes)], inAll)) {
		if b.Hidden {
			continue
		}
		it := a.item(b, "")
		it.title = b.ID
		it.note = words(": ", b.Title, b.Doc)
		items = append(items, it)
	}
	m := newMenu("Command", items)
	m.own = ownCommand
	return a.push(m)
}

// ownCommand understands #341 and c128.
func ownCommand(text string) *item {
	var n int64
	if _, err := fmt.Sscanf(text, "#%d", &n); err == nil {
		return &item{title: "open job " + text, run: func(a *app) tea.Cmd { return a.openJob(record.JobID(n)) }}
	}
	if _, err := fmt.Sscanf(text, "c%d", &n); err == nil {
		return &item{title: "open candidate " + text, run: func(a *app) tea.Cmd { return a.openCandidate(record.CandidateID(n)) }}
	}
	return nil
}

// quit leaves at once when nothing runs here, else asks: between two jobs too.
func (a *app) quit() tea.Cmd {
	s := a.newest()
	if !busy(s) || a.d.opt.Quit.Drain == nil {
		return tea.Quit
	}
	c := &confirm{title: "Quit", now: quitChoices}
	c.follow(s)
	return a.push(c)
}

// busy reports whether leaving would end something.
func busy(s *view.Snapshot) bool {
	return s.Owner && s.Fatal == "" && (len(s.Running) > 0 || s.State == record.ExperimentRunning)
}

// quitChoices is what leaving means now: the last job may end behind the
// question.
func quitChoices(s *view.Snapshot) ([]string, []choice) {
	stay := choice{"esc", "stay", nil}
	if !busy(s) {
		leave := func(*app) tea.Cmd { return tea.Quit }
		return []string{"Nothing runs any more: nothing is lost by leaving."}, []choice{stay, {"d", "quit", leave}}
	}
	text := "No job runs at this moment, and the search goes on."
	if n := len(s.Running); n > 0 {
		text = plural(n, "job is", "jobs are") + " running. Drained jobs keep their result; ended ones start again at the next run."
	}
	return []string{text}, []choice{stay, {"d", "drain and quit", (*app).drain}, {"a", "end them and quit", (*app).abort}}
}

// newest is the newest snapshot, also while the view is paused.
func (a *app) newest() *view.Snapshot {
	if a.behind != nil {
		return a.behind
	}
	return a.d.snap
}

// interrupt is ctrl+c: once drains, twice ends.
func (a *app) interrupt() tea.Cmd {
	a.dialogs = nil
	s := a.newest()
	if !s.Owner || len(s.Running) == 0 || a.d.opt.Quit.Drain == nil {
		return tea.Quit
	}
	if a.leaving > 0 {
		return a.abort()
	}
	return a.drain()
}

func (a *app) drain() tea.Cmd {
	if a.leaving > 0 {
		return nil
	}
	a.leaving = 1
	fn := a.d.opt.Quit.Drain
	text := fmt.Sprintf("draining %s, ctrl+c again to end them", plural(len(a.newest().Running), "job", "jobs"))
	return tea.Batch(a.say(text, false), guard("drain", func() tea.Msg {
		fn()
		return nil
	}))
}

func (a *app) abort() tea.Cmd {
	a.leaving, a.aborted = 2, true
	fn := a.d.opt.Quit.Abort
	return guard("abort", func() tea.Msg {
		if fn != nil {
			fn()
		}
		return abortedMsg{}
	})
}

func (a *app) suspend() tea.Cmd {
	before := a.d.opt.Suspend.Before
	return tea.Sequence(guard("suspend", func() tea.Msg {
		if before != nil {
			before()
		}
		return nil
	}), tea.Suspend)
}

func (a *app) resumed() tea.Cmd {
	after := a.d.opt.Suspend.After
	return guard("resume", func() tea.Msg {
		if after != nil {
			after()
		}
		return nil
	})
}
