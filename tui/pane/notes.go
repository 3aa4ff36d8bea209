package pane

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// notesPane is the goal with its constraints, and the lessons for later
// prompts. A cursor goes from note to note; above the first one it is nowhere.
type notesPane struct {
	base
	view widget.Scroll
	text string
	cur  int64 // the note under the cursor, 0 = none
	at   []noteLines
}

// noteLines are the lines of the text that a note takes, the last one excluded.
type noteLines struct {
	note     record.Note
	from, to int
}

func (p *notesPane) Scopes() []keys.Scope   { return []keys.Scope{keys.InNotes, keys.InList} }
func (p *notesPane) Filter() (string, bool) { return p.text, true }
func (p *notesPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *notesPane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InNotes, keys.InSteering}
	return []*keys.Binding{
		{ID: "goal", Keys: []string{"e"}, Title: "edit the goal", Doc: "in $EDITOR, or here when there is none", In: []keys.Scope{keys.InNotes}, Decides: true, Bar: 60, Run: p.editGoal},
		{ID: "note", Keys: []string{"n"}, Title: "new note", Doc: "a lesson for later prompts", In: in, Decides: true, Bar: 59, Run: p.newNote},
		{ID: "change-note", Keys: []string{"E"}, Title: "change the note", Doc: "what later prompts say", In: in, Decides: true, Bar: 58, Off: p.needNote, Run: p.changeNote},
		{ID: "drop-note", Keys: []string{"X"}, Title: "drop the note", Doc: "no later prompt carries it", In: in, Decides: true, Off: p.needNote, Run: p.dropNote},
	}
}

func (p *notesPane) Move(m widget.Motion) tea.Cmd {
	p.bump()
	i := p.index()
	switch m {
	case widget.Up:
		i--
	case widget.Down:
		i++
	case widget.Top:
		i = -1
	case widget.Bottom:
		i = len(p.at) - 1
	default:
		p.view.Move(m)
		return nil
	}
	if i < 0 || i >= len(p.at) { // the text goes on where there is no note
		p.view.Move(m)
		if i < 0 {
			p.cur = 0
		}
		return nil
	}
	n := p.at[i]
	p.cur = n.note.ID
	p.view.Off = max(min(p.view.Off, n.from), n.to-p.view.H)
	return nil
}

func (p *notesPane) Click(_, y int) tea.Cmd {
	line := p.view.Off + y
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

// noter is a pane whose cursor can stand on a note.
type noter interface{ noteAt() (record.Note, bool) }

// picked is the note under the cursor of the pane that has the keys.
func (p *notesPane) picked() (record.Note, bool) {
	if at, ok := p.d.Host.Current().(noter); ok {
		return at.noteAt()
	}
	return record.Note{}, false
}

// noteAt is the note under the cursor.
func (p *notesPane) noteAt() (record.Note, bool) {
	i := p.index()
	if i < 0 {
		return record.Note{}, false
	}
	return p.at[i].note, true
}

func (p *notesPane) Title() (string, string) {
	return p.heading("8", "Goal and notes"), p.d.St.Label.S(widget.Plural(len(p.d.Snap.Notes), "note", "notes"))
}

func (p *notesPane) Body(w, h int, focus bool) []string {
	st, s := p.d.St, p.d.Snap
	var out []string
	para := func(indent int, col widget.Style, text string) {
		for _, l := range widget.WrapText(text, w-indent-2) {
			out = append(out, widget.Repeat(" ", indent)+col.S(l))
		}
	}
	head := func(t string) { out = append(out, "", " "+st.Label.S(t)) }
	head("goal")
	if s.Settings.Goal == "" {
		para(3, st.Label, "no goal is set; agents see the objective alone")
	}
	for _, l := range widget.SplitLines(s.Settings.Goal) {
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
	p.view.Set(len(out), h)
	return out[p.view.Off:min(len(out), p.view.Off+h)]
}

// kind lists the notes of one kind.
func (p *notesPane) kind(kind string, out *[]string, head func(string), para func(int, widget.Style, string)) {
	st := p.d.St
	first := true
	for _, n := range p.d.Snap.Notes {
		if n.Kind != kind || n.Gone || !widget.Fits(p.text, n.Text, n.Target, n.Author) {
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
		para(3, col, "· "+widget.Words(": ", n.Target, n.Text))
		para(5, st.Label, widget.Words(", ", n.Author, widget.Clock(widget.Millis(n.At))))
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

func (p *notesPane) needNote() string {
	if _, ok := p.picked(); !ok {
		return "no note is selected; down goes to the first"
	}
	return ""
}

func (p *notesPane) editGoal() tea.Cmd {
	old := p.d.Snap.Settings.Goal
	return p.d.Host.Edit("Goal", "What the agents are to reach. With EDITOR set it opens there.", old, func(text string) tea.Cmd {
		if text == strings.TrimSpace(old) {
			return p.d.Host.Say("the goal is as it was", false)
		}
		return p.d.Host.Decide("the goal changed", true, Setting("goal", text))
	})
}

func (p *notesPane) newNote() tea.Cmd {
	q := widget.NewPrompt("New note", "A lesson that later prompts carry.", "", func(text string) tea.Cmd {
		d := Decision(record.WriteNote)
		d.Text = text
		d.Args, _ = json.Marshal(map[string]string{"kind": "long", "target": ""})
		return p.d.Host.Decide("noted", true, d)
	})
	q.Check = widget.NotEmpty("write something")
	return p.d.Host.Ask(q)
}

// changeNote and dropNote act on the note under the cursor.
func (p *notesPane) changeNote() tea.Cmd {
	n, _ := p.picked()
	q := widget.NewPrompt("Change the note", "What later prompts carry.", n.Text, func(text string) tea.Cmd {
		n.Text = text
		return p.d.Host.Decide("the note is changed", true, onNote(n))
	})
	q.Check = widget.NotEmpty("write something, or drop it with X")
	return p.d.Host.Ask(q)
}

func (p *notesPane) dropNote() tea.Cmd {
	n, _ := p.picked()
	n.Gone = true
	return p.d.Host.Decide("the note is dropped", true, onNote(n))
}

func onNote(n record.Note) record.Decision {
	d := Decision(record.WriteNote)
	d.Text = n.Text
	d.Args, _ = json.Marshal(n) // plain data
	return d
}
