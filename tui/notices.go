package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
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
	old := n.last
	n.last = s
	if old == nil || old.Loading || s.Loading || old.Experiment.ID != s.Experiment.ID {
		return nil
	}
	var cmds []tea.Cmd
	for _, text := range news(old, s, n.opt.On) {
		cmds = append(cmds, n.tell("atoll "+s.Experiment.Name+": "+text))
	}
	return tea.Batch(cmds...)
}

// news lists what a person asked to be told.
func news(old, now *view.Snapshot, on []string) (out []string) {
	say := func(what, text string) {
		if slices.Contains(on, what) {
			out = append(out, text)
		}
	}
	if b := now.Best; b.ID >= 0 && b.ID != old.Best.ID && b.ID != record.Root {
		say("best", fmt.Sprintf("new best %s, %s", pane.CandidateName(b.ID), widget.Number(b.Objective)))
	}
	if n := now.Jobs.Held; n > old.Jobs.Held {
		say("review", fmt.Sprintf("%d to review", n))
	}
	switch s := now.State; {
	case s == old.State:
	case s == record.ExperimentPaused:
		say("pause", widget.Words(": ", "paused", now.Reason))
	case s == record.ExperimentDone || s == record.ExperimentStopped || s == record.ExperimentBroken:
		say("end", widget.Words(": ", string(s), now.Reason))
	}
	if now.Fatal != "" && old.Fatal == "" {
		say("end", "the engine stopped: "+now.Fatal)
	}
	return out
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
