package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// toast is a short message over the screen. Each also goes to the log.
type toast struct {
	n    int
	text string
	bad  bool
}

const (
	toastTime = 2500 * time.Millisecond
	errorTime = 5 * time.Second
	maxToasts = 3
)

// say tells that something was done; undo adds how to take it back.
func (a *app) say(text string, undo bool) tea.Cmd {
	if undo {
		text += " · " + a.keys.key("undo") + " to undo"
	}
	return a.toast(text, "info", toastTime)
}

// warn tells why something was not done.
func (a *app) warn(text string) tea.Cmd { return a.toast(text, "warn", toastTime) }

// fail tells an error.
func (a *app) fail(err error) tea.Cmd { return a.toast(err.Error(), "error", errorTime) }

func (a *app) toast(text, level string, stay time.Duration) tea.Cmd {
	a.nToast++
	n := a.nToast
	a.toasts = append(a.toasts, toast{n, text, level != "info"})
	if len(a.toasts) > maxToasts {
		a.toasts = a.toasts[1:]
	}
	if level != "warn" {
		a.panes[paneLog].(*logPane).tell(level, text)
	}
	return a.after(stay, toastMsg{n})
}

func (a *app) dropToast(n int) {
	for i, t := range a.toasts {
		if t.n == n {
			a.toasts = append(a.toasts[:i], a.toasts[i+1:]...)
			return
		}
	}
}
