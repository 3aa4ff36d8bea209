package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// leaving is the way out: quitting, ctrl+c, ctrl+z.
type leaving struct {
	host      pane.Host
	newest    func() *view.Snapshot // also while the view is paused
	quit      Quit
	suspended Suspend
	stage     int // 1 = draining, 2 = aborting
	aborted   bool
}

// ask leaves at once when nothing runs here, else asks: between two jobs too.
func (l *leaving) ask() tea.Cmd {
	s := l.newest()
	if !busy(s) || l.quit.Drain == nil {
		return tea.Quit
	}
	c := &widget.Confirm{Title: "Quit", Now: l.choices}
	c.Follow()
	return l.host.Ask(c)
}

// busy reports whether leaving would end something.
func busy(s *view.Snapshot) bool {
	return s.Owner && s.Fatal == "" && (len(s.Running) > 0 || s.State == record.ExperimentRunning)
}

// choices is what leaving means now: the last job may end behind the
// question.
func (l *leaving) choices() ([]string, []widget.Choice) {
	s := l.newest()
	stay := widget.Choice{Key: "esc", Label: "stay"}
	if !busy(s) {
		leave := func() tea.Cmd { return tea.Quit }
		return []string{"Nothing runs any more: nothing is lost by leaving."}, []widget.Choice{stay, {Key: "d", Label: "quit", Run: leave}}
	}
	text := "No job runs at this moment, and the search goes on."
	if n := len(s.Running); n > 0 {
		text = widget.Plural(n, "job is", "jobs are") + " running. Drained jobs keep their result; ended ones start again at the next run."
	}
	return []string{text}, []widget.Choice{stay, {Key: "d", Label: "drain and quit", Run: l.drain}, {Key: "a", Label: "end them and quit", Run: l.abort}}
}

// interrupt is ctrl+c: once drains, twice ends.
func (l *leaving) interrupt() tea.Cmd {
	s := l.newest()
	if !s.Owner || len(s.Running) == 0 || l.quit.Drain == nil {
		return tea.Quit
	}
	if l.stage > 0 {
		return l.abort()
	}
	return l.drain()
}

func (l *leaving) drain() tea.Cmd {
	if l.stage > 0 {
		return nil
	}
	l.stage = 1
	fn := l.quit.Drain
	text := fmt.Sprintf("draining %s, ctrl+c again to end them", widget.Plural(len(l.newest().Running), "job", "jobs"))
	return tea.Batch(l.host.Say(text, false), pane.Guard("drain", func() tea.Msg {
		fn()
		return nil
	}))
}

func (l *leaving) abort() tea.Cmd {
	l.stage, l.aborted = 2, true
	fn := l.quit.Abort
	return pane.Guard("abort", func() tea.Msg {
		if fn != nil {
			fn()
		}
		return abortedMsg{}
	})
}

func (l *leaving) suspend() tea.Cmd {
	before := l.suspended.Before
	return tea.Sequence(pane.Guard("suspend", func() tea.Msg {
		if before != nil {
			before()
		}
		return nil
	}), tea.Suspend)
}

func (l *leaving) resumed() tea.Cmd {
	after := l.suspended.After
	return pane.Guard("resume", func() tea.Msg {
		if after != nil {
			after()
		}
		return nil
	})
}
