package tui

import (
	"atoll/tui/keys"
	"atoll/tui/widget"

	tea "charm.land/bubbletea/v2"
)

// key routes a key: the interrupt first, then the dialog, then the filter
// line, then the key table.
func (a *app) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	if b := a.keys.Find([]keys.Scope{keys.InAll}, name); b != nil && b.ID == "interrupt" {
		return b.Run()
	}
	if n := len(a.dialogs); n > 0 {
		return a.answered(a.dialogs[n-1].Key(k))
	}
	if a.find.open {
		return a.find.key(k)
	}
	if a.at.tooSmall() && name != "q" { // below the floor only leaving works
		return nil
	}
	scopes := a.reel.scopes(a.Current())
	b := a.keys.Find(append(scopes[:len(scopes):len(scopes)], keys.InAll), name)
	if b == nil {
		return nil
	}
	return a.run(b)
}

// answered does what the dialog on top answered.
func (a *app) answered(ans widget.Answer) tea.Cmd {
	if ans.Why != "" {
		return a.Warn(ans.Why)
	}
	if ans.Close {
		a.dialogs = a.dialogs[:len(a.dialogs)-1]
	}
	if ans.Run == nil {
		return nil
	}
	return ans.Run()
}

// run does what a binding says, or tells why it cannot.
func (a *app) run(b *keys.Binding) tea.Cmd {
	if why := a.off(b); why != "" {
		return a.Warn(b.Title + ": " + why)
	}
	return b.Run()
}

// off returns why a binding does nothing now, "" when it works.
func (a *app) off(b *keys.Binding) string {
	if b.Decides {
		switch {
		case a.reel.open:
			return "this is the past; " + a.keys.Key("past") + " goes back to now"
		case a.opt.ReadOnly:
			return "this console is read-only"
		case a.opt.Controller == nil:
			return "no experiment is attached"
		}
	}
	if b.Here && a.opt.Remote != nil {
		return "only at the machine of the experiment"
	}
	if b.Off != nil {
		return b.Off()
	}
	return ""
}

func (a *app) paste(m tea.PasteMsg) tea.Cmd {
	switch n := len(a.dialogs); {
	case n > 0:
		a.dialogs[n-1].Paste(m.Content)
	case a.find.open:
		a.find.typed(m)
	}
	return nil
}

// click focuses what is under the pointer and moves its cursor there.
func (a *app) click(m tea.Mouse) tea.Cmd {
	if n := len(a.dialogs); n > 0 {
		b := a.dialogs[n-1].View(a.d.St, a.at.w, a.at.h)
		x, y := dialogAt(b, a.at)
		return a.answered(a.dialogs[n-1].Click(m.X-x, m.Y-y))
	}
	if m.Button != tea.MouseLeft {
		return nil
	}
	for id, r := range a.at.rects() {
		p := a.panes.ByID[id]
		if p == nil || !r.contains(m.X, m.Y) {
			continue
		}
		if len(a.at.stack) == 0 {
			a.at.focus = id
		}
		return tea.Batch(p.Click(m.X-r.X-1, m.Y-r.Y-1), a.shown())
	}
	return nil
}

// wheel scrolls what is under the pointer.
func (a *app) wheel(m tea.Mouse) tea.Cmd {
	by, mv := 3, widget.WheelDown
	if m.Button == tea.MouseWheelUp {
		by, mv = -3, widget.WheelUp
	}
	if n := len(a.dialogs); n > 0 {
		a.dialogs[n-1].Wheel(by)
		return nil
	}
	for id, r := range a.at.rects() {
		if p := a.panes.ByID[id]; p != nil && r.contains(m.X, m.Y) {
			return tea.Batch(p.Move(mv), a.shown())
		}
	}
	return nil
}
