package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"atoll/tui/pane"
	"atoll/tui/widget"
)

// finder is the filter line: what a list keeps, or a text is searched for.
type finder struct {
	*router
	open bool // it is typed in
	in   textinput.Model
	pane pane.ID // whose it is while it is typed in
}

// start opens the line for the pane that has the keys.
func (f *finder) start() tea.Cmd {
	text, _ := f.Current().Filter()
	f.open, f.in, f.pane = true, widget.NewInput(text), f.at.current()
	return nil
}

// key takes a key while the line is open. The cursor of the list moves under it.
func (f *finder) key(k tea.KeyPressMsg) tea.Cmd {
	p := f.panes.ByID[f.pane]
	switch k.String() {
	case "esc":
		f.open = false
		p.SetFilter("")
		return f.shown()
	case "enter":
		f.open = false
		return f.shown()
	case "up":
		return p.Move(widget.Up)
	case "down":
		return p.Move(widget.Down)
	}
	f.typed(k)
	return f.shown()
}

// typed takes a key or pasted text into the line.
func (f *finder) typed(m tea.Msg) {
	widget.Typed(&f.in, m)
	f.panes.ByID[f.pane].SetFilter(f.in.Value())
}

// clear takes the filter from the pane that has the keys.
func (f *finder) clear() tea.Cmd {
	f.Current().SetFilter("")
	return f.shown()
}

// none says why there is no filter to clear.
func (f *finder) none() string {
	if text, _ := f.Current().Filter(); text == "" {
		return "nothing is filtered"
	}
	return ""
}
