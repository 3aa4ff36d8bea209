package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/steer"
	"atoll/tui/widget"
)

// Notices says how a person who looks elsewhere is told what happened.
type Notices struct {
	By []string // bell, osc9, osc777; none = not at all
	On []string // best, review, pause, end
	// Run starts the person's own program with one line of text and waits for it;
	// nil = there is none.
	Run func(text string) error
}

// notices looks for what is worth telling in the step from one snapshot to the
// next. What was there when the console opened is no news.
type notices struct {
	opt  Notices
	last *view.Snapshot
}

// see returns what tells the news, nil without any.
func (n *notices) see(s *view.Snapshot) tea.Cmd {
	news := view.NewsOf(n.last, s, widget.Number)
	n.last = s
	var cmds []tea.Cmd
	for _, one := range news {
		if slices.Contains(n.opt.On, one.What) {
			cmds = append(cmds, n.tell("atoll "+s.Experiment.Name+": "+one.Text))
		}
	}
	return tea.Batch(cmds...)
}

// tell writes one line to the terminal in the ways that were chosen.
func (n *notices) tell(text string) tea.Cmd {
	text = plot.Clean(text)
	var cmds []tea.Cmd
	for _, by := range n.opt.By {
		if raw := noticeText(by, text); raw != "" {
			cmds = append(cmds, tea.Raw(raw))
		}
	}
	if run := n.opt.Run; run != nil {
		cmds = append(cmds, pane.Guard("notify", func() tea.Msg {
			if err := run(text); err != nil {
				return steer.Done{Err: fmt.Errorf("console.notify_command: %w", err)}
			}
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// noticeText is the sequence of a terminal: BEL, the notification of iTerm2 and
// Windows Terminal (OSC 9), or that of urxvt, foot and Ghostty (OSC 777).
func noticeText(by, text string) string {
	switch by {
	case "bell":
		return "\a"
	case "osc9":
		return "\x1b]9;" + text + "\a"
	case "osc777":
		return "\x1b]777;notify;atoll;" + text + "\a"
	}
	return ""
}
