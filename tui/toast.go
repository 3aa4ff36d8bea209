package tui

import (
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
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

// toasts are the short messages over the screen.
type toasts struct {
	shown []toast
	last  int
	after func(d time.Duration, msg tea.Msg) tea.Cmd // a timer
	tell  func(level, text string)                   // the log
}

// add shows a message for a while. Warnings are not kept in the log.
func (t *toasts) add(text, level string, stay time.Duration) tea.Cmd {
	if level != "warn" {
		t.tell(level, text)
	}
	return t.show(text, level, stay)
}

// show is add for what the log has already.
func (t *toasts) show(text, level string, stay time.Duration) tea.Cmd {
	t.last++
	n := t.last
	t.shown = append(t.shown, toast{n, text, level != "info"})
	if len(t.shown) > maxToasts {
		t.shown = t.shown[1:]
	}
	return t.after(stay, toastMsg{n})
}

// failed tells an error. Of a decision that cannot be carried out only the reason is
// told: nothing broke, so the log has no part in it. Said puts a text as the console
// says it.
func (t *toasts) failed(said func(text string) string, err error) tea.Cmd {
	if errors.Is(err, view.ErrDecision) {
		return t.add(said(strings.TrimPrefix(err.Error(), view.ErrDecision.Error()+": ")), "warn", toastTime)
	}
	return t.add(said(err.Error()), "error", errorTime)
}

func (t *toasts) drop(n int) {
	for i, s := range t.shown {
		if s.n == n {
			t.shown = append(t.shown[:i], t.shown[i+1:]...)
			return
		}
	}
}

// undoable adds how to take something back.
func undoable(table *keys.Table, text string, undo bool) string {
	if undo {
		text += " · " + table.Key("undo") + " to undo"
	}
	return text
}

// lay puts the messages over the lower border of the panes, where they cover nothing of
// what they are about: the newest in full, to the left of right, and of those before it
// what fits beside it.
func (t *toasts) lay(st *widget.Styles, lines []string, right, y int) {
	for _, m := range slices.Backward(t.shown) {
		col := st.Key
		if m.bad {
			col = st.Bad
		}
		text := plot.Clean(m.text)
		w := min(plot.Width(text), right-4)
		if w < leastToast && w < plot.Width(text) {
			return
		}
		row := st.Border.Wrap("▌") + col.Wrap(plot.Fit(text, w)) + "  "
		right -= plot.Width(row)
		widget.Splice(lines, []string{row}, right, y)
	}
}

// leastToast is how much of an older message is worth its cells.
const leastToast = 12
