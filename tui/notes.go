package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
)

// notesPane is the goal with its constraints, and the lessons for later
// prompts. A cursor goes from note to note; above the first one it is nowhere.
type notesPane struct {
	base
	view scroll
	text string
	cur  int64 // the note under the cursor, 0 = none
	at   []noteLines
}

// noteLines are the lines of the text that a note takes, the last one excluded.
type noteLines struct {
	note     record.Note
	from, to int
}

func (p *notesPane) scopes() []scope        { return []scope{inNotes, inList} }
func (p *notesPane) filter() (string, bool) { return p.text, true }
func (p *notesPane) setFilter(t string)     { p.text = t; p.bump() }

func (p *notesPane) move(m motion) tea.Cmd {
	p.bump()
	i := p.index()
	switch m {
	case up:
		i--
	case down:
		i++
	case top:
		i = -1
	case bottom:
		i = len(p.at) - 1
	default:
		p.view.move(m)
		return nil
	}
	if i < 0 || i >= len(p.at) { // the text goes on where there is no note
		p.view.move(m)
		if i < 0 {
			p.cur = 0
		}
		return nil
	}
	n := p.at[i]
	p.cur = n.note.ID
	p.view.off = max(min(p.view.off, n.from), n.to-p.view.h)
	return nil
}

func (p *notesPane) click(_, y int) tea.Cmd {
	line := p.view.off + y
	for _, n := range p.at {
		if line >= n.from && line < n.to {
			p.cur = n.note.ID
			p.bump()
		}
	}
	return nil
}

// index is where the cursor is among the notes, -1 = nowhere.
func (p *notesPane) index() int {
	return slices.IndexFunc(p.at, func(n noteLines) bool { return n.note.ID == p.cur })
}

// note is the one under the cursor.
func (p *notesPane) note() (record.Note, bool) {
	i := p.index()
	if i < 0 {
		return record.Note{}, false
	}
	return p.at[i].note, true
}

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
	p.at = p.at[:0]
	for _, kind := range []string{"direction", "long", "short", "failure"} {
		p.kind(kind, &out, head, para)
	}
	p.view.set(len(out), h)
	return out[p.view.off:min(len(out), p.view.off+h)]
}

// kind lists the notes of one kind.
func (p *notesPane) kind(kind string, out *[]string, head func(string), para func(int, style, string)) {
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
		col := st.Plain
		if n.ID == p.cur {
			col = st.Selected
		}
		from := len(*out)
		para(3, col, "· "+words(": ", n.Target, n.Text))
		para(5, st.Label, words(", ", n.Author, clock(millis(n.At))))
		p.at = append(p.at, noteLines{n, from, len(*out)})
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
