package tui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/widget"
)

// escape leaves the nearest transient state.
func (a *app) escape() tea.Cmd {
	here := a.Current()
	if text, ok := here.Filter(); ok && text != "" && (!sticky(here) || text == a.jobOfLog) {
		return a.find.clear()
	}
	if (a.reel.still || a.reel.open) && len(a.at.stack) == 0 && a.at.zoom == zoomNormal {
		return a.reel.pause()
	}
	a.at.back()
	return a.shown()
}

// sticky reports whether a filter stays when the person leaves the pane: that of
// a list does, what was searched in a text does not.
func sticky(p pane.Pane) bool { return slices.Contains(p.Scopes(), keys.InList) }

// match steps through the finds of a text.
func (a *app) match(by int) tea.Cmd {
	if s, ok := a.Current().(pane.Searcher); ok && !s.Match(by) {
		return a.Warn("nothing to search for; / starts a search")
	}
	return nil
}

// openSelected opens what the cursor stands on.
func (a *app) openSelected() tea.Cmd {
	s := a.Current().Selected()
	switch id := a.at.current(); {
	case id == pane.Review && a.at.screen() != pane.Review:
		return a.open(pane.Review)
	case id == pane.Curves && a.at.screen() == pane.None, id == pane.Yields && a.at.screen() == pane.None:
		return a.open(id)
	case (id == pane.Jobs || id == pane.Log || id == pane.Failures || id == pane.Decisions) && s.Job >= 0:
		return a.openJob(s.Job)
	case id == pane.Settings:
		return a.run(a.keys.Get("change"))
	case id == pane.Notes:
		return a.run(a.keys.Get("goal"))
	case s.Candidate >= 0:
		return a.openCandidate(s.Candidate)
	case s.Job >= 0:
		return a.openJob(s.Job)
	}
	return nil
}

// help lists what works here. Enter runs a line.
func (a *app) help() tea.Cmd {
	scopes := a.reel.scopes(a.Current())
	var items []widget.Item
	for _, s := range append(scopes[:len(scopes):len(scopes)], keys.InAll) {
		for _, b := range a.keys.Active([]keys.Scope{s}) {
			if !slices.ContainsFunc(items, func(it widget.Item) bool {
				return it.Title == b.Title && it.Key == keys.KeyNames(reaching(a.keys, scopes, b))
			}) {
				items = append(items, itemOf(a, b, string(s)))
			}
		}
	}
	return a.Ask(widget.NewMenu("Keys here", items))
}

// reaching are the keys of an action that do it in some scopes: none that a more
// special action takes.
func reaching(table *keys.Table, scopes []keys.Scope, b *keys.Binding) (here []string) {
	scopes = append(scopes[:len(scopes):len(scopes)], keys.InAll)
	for _, k := range b.Keys {
		if table.Find(scopes, k) == b {
			here = append(here, k)
		}
	}
	return here
}

func itemOf(a *app, b *keys.Binding, group string) widget.Item {
	return widget.Item{Group: group, Key: keys.KeyNames(reaching(a.keys, a.reel.scopes(a.Current()), b)), Title: b.Now(len(a.d.Marks)), Note: b.Doc, Off: a.off(b), Run: func() tea.Cmd { return a.run(b) }}
}

// palette finds every action and screen by a few letters, and objects by
// number: c128, #341.
func (a *app) palette() tea.Cmd {
	scopes := a.reel.scopes(a.Current())
	var items []widget.Item
	for _, b := range a.keys.Active(append(scopes[:len(scopes):len(scopes)], keys.InAll)) {
		if b.Hidden {
			continue
		}
		it := itemOf(a, b, "")
		it.Title = b.ID
		says := b.Title
		if b.Says != nil {
			says = b.Says()
		}
		it.Note = widget.Words(": ", says, b.Doc)
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(x, y widget.Item) int { // what works comes first
		return cmp.Compare(min(len(x.Off), 1), min(len(y.Off), 1))
	})
	m := widget.NewMenu("Command", items)
	m.Own = a.ownCommand
	return a.Ask(m)
}
