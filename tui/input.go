package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// finder is the filter line of a pane while it is typed in.
type finder struct {
	in   textinput.Model
	pane paneID
	old  string
}

// key routes a key: the interrupt first, then the dialog, then the filter
// line, then the key table.
func (a *app) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if b := a.keys.find([]scope{inAll}, name); b != nil && b.ID == "interrupt" {
		return b.Run(a)
	}
	if n := len(a.dialogs); n > 0 {
		return a.dialogs[n-1].key(a, k)
	}
	if a.find != nil {
		return a.typeFilter(k)
	}
	if len(a.rects()) == 1 && name != "q" { // below the floor only leaving works
		return nil
	}
	var scopes []scope
	if p := a.current(); p != nil {
		scopes = p.scopes()
	}
	b := a.keys.find(append(scopes[:len(scopes):len(scopes)], inAll), name)
	if b == nil {
		return nil
	}
	return a.run(b)
}

// run does what a binding says, or tells why it cannot.
func (a *app) run(b *binding) tea.Cmd {
	if why := a.off(b); why != "" {
		return a.warn(b.Title + ": " + why)
	}
	return b.Run(a)
}

// off returns why a binding does nothing now, "" when it works.
func (a *app) off(b *binding) string {
	if b.Decides {
		switch {
		case a.d.opt.ReadOnly:
			return "this console is read-only"
		case a.d.opt.Controller == nil:
			return "no experiment is attached"
		}
	}
	if b.Off != nil {
		return b.Off(a)
	}
	return ""
}

func (a *app) startFilter() tea.Cmd {
	p := a.current()
	text, _ := p.filter()
	a.find = &finder{in: newInput(text), pane: a.currentID(), old: text}
	return nil
}

func (a *app) typeFilter(k tea.KeyPressMsg) tea.Cmd {
	p := a.panes[a.find.pane]
	switch k.String() {
	case "esc":
		a.find = nil
		p.setFilter("")
		return a.shown()
	case "enter":
		a.find = nil
		return a.shown()
	case "up", "down":
		if k.String() == "up" {
			return p.move(up)
		}
		return p.move(down)
	}
	typed(&a.find.in, k)
	p.setFilter(a.find.in.Value())
	return a.shown()
}

func (a *app) paste(m tea.PasteMsg) tea.Cmd {
	switch n := len(a.dialogs); {
	case n > 0:
		a.dialogs[n-1].paste(m.Content)
	case a.find != nil:
		typed(&a.find.in, m)
		a.panes[a.find.pane].setFilter(a.find.in.Value())
	}
	return nil
}

// click focuses what is under the pointer and moves its cursor there.
func (a *app) click(m tea.Mouse) tea.Cmd {
	if n := len(a.dialogs); n > 0 {
		b := a.dialogs[n-1].view(a.d, a.w, a.h)
		x, y := a.dialogAt(b)
		return a.dialogs[n-1].click(a, m.X-x, m.Y-y)
	}
	if m.Button != tea.MouseLeft {
		return nil
	}
	for id, r := range a.rects() {
		p := a.panes[id]
		if p == nil || !r.contains(m.X, m.Y) {
			continue
		}
		if len(a.stack) == 0 {
			a.focus = id
		}
		return tea.Batch(p.click(m.X-r.X-1, m.Y-r.Y-1), a.shown())
	}
	return nil
}

// wheel scrolls what is under the pointer.
func (a *app) wheel(m tea.Mouse) tea.Cmd {
	by, mv := 3, wheelDown
	if m.Button == tea.MouseWheelUp {
		by, mv = -3, wheelUp
	}
	if n := len(a.dialogs); n > 0 {
		a.dialogs[n-1].wheel(by)
		return nil
	}
	for id, r := range a.rects() {
		if p := a.panes[id]; p != nil && r.contains(m.X, m.Y) {
			return tea.Batch(p.move(mv), a.shown())
		}
	}
	return nil
}
