package tui

import (
	tea "charm.land/bubbletea/v2"
)

// notesPane is the goal with its constraints, and the lessons for later
// prompts.
type notesPane struct {
	base
	view scroll
	text string
}

func (p *notesPane) scopes() []scope        { return []scope{inNotes, inList} }
func (p *notesPane) filter() (string, bool) { return p.text, true }
func (p *notesPane) setFilter(t string)     { p.text = t; p.bump() }
func (p *notesPane) move(m motion) tea.Cmd  { p.view.move(m); p.bump(); return nil }
func (p *notesPane) title() (string, string) {
	return p.heading("8", "Goal and notes"), p.d.st.Label.S(plural(len(p.d.snap.Notes), "note", "notes"))
}

func (p *notesPane) body(w, h int, focus bool) []string {
	st, s := p.d.st, p.d.snap
	var out []string
	para := func(indent int, col style, text string) {
		for _, l := range wrapText(text, w-indent-2) {
			out = append(out, repeat(" ", indent)+col.S(l))
		}
	}
	head := func(t string) { out = append(out, "", " "+st.Label.S(t)) }
	head("goal")
	if s.Settings.Goal == "" {
		para(3, st.Label, "no goal is set; agents see the objective alone")
	}
	for _, l := range splitLines(s.Settings.Goal) {
		para(3, st.Plain, l)
	}
	for _, part := range []struct {
		name  string
		items []string
	}{{"constraints", s.Settings.Constraints}, {"acceptance", s.Settings.Acceptance}} {
		if len(part.items) > 0 {
			head(part.name)
			for _, c := range part.items {
				para(3, st.Plain, "· "+c)
			}
		}
	}
	for _, kind := range []string{"direction", "long", "short", "failure"} {
		p.kind(kind, head, para)
	}
	p.view.set(len(out), h)
	return out[p.view.off:min(len(out), p.view.off+h)]
}

// kind lists the notes of one kind.
func (p *notesPane) kind(kind string, head func(string), para func(int, style, string)) {
	st := p.d.st
	first := true
	for _, n := range p.d.snap.Notes {
		if n.Kind != kind || n.Gone || !fits(p.text, n.Text, n.Target, n.Author) {
			continue
		}
		if first {
			head(noteKinds(kind))
			first = false
		}
		para(3, st.Plain, "· "+words(": ", n.Target, n.Text))
		para(5, st.Label, words(", ", n.Author, clock(millis(n.At))))
	}
}

func noteKinds(kind string) string {
	switch kind {
	case "long":
		return "long-term notes"
	case "short":
		return "short-term notes"
	case "failure":
		return "lessons from failures"
	}
	return "directions"
}

// goalText is what the editor opens.
func (p *notesPane) goalText() string { return p.d.snap.Settings.Goal }
