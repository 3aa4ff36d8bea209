package pane

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// decisionsPane lists what people decided, newest first.
type decisionsPane struct {
	base
	list  widget.List[record.Seq]
	text  string
	rows  []*record.Decision
	order widget.Order
}

func (p *decisionsPane) Scopes() []keys.Scope         { return []keys.Scope{keys.InDecisions, keys.InList} }
func (p *decisionsPane) Filter() (string, bool)       { return p.text, true }
func (p *decisionsPane) SetFilter(t string)           { p.text = t; p.bump() }
func (p *decisionsPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }
func (p *decisionsPane) Click(_, y int) tea.Cmd       { p.list.Click(y - 1); p.bump(); return nil }
func (p *decisionsPane) Title() (string, string) {
	return p.heading("9", "Decisions"), p.d.St.Label.S(p.order.Says("newest first") + "; " + p.d.Key("undo") + " takes the last one back")
}

func (p *decisionsPane) Selected() Selection {
	s := Nothing()
	if p.list.Cur < len(p.rows) {
		d := p.rows[p.list.Cur]
		s.Candidate, s.Job, s.Cell = d.Candidate, d.Job, d.Cell
	}
	return s
}

func (p *decisionsPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	var rows []*record.Decision
	taken := takenBack(p.d.Snap.Decisions)
	for i := range p.d.Snap.Decisions {
		d := &p.d.Snap.Decisions[i]
		if widget.Fits(p.text, string(d.Verb), d.Who, d.Text, CandidateName(d.Candidate)) {
			rows = append(rows, d)
		}
	}
	t := p.table(taken)
	ids := make([]record.Seq, len(rows))
	p.rows = make([]*record.Decision, len(rows))
	for to, from := range t.Sort(len(rows), func(i int) *record.Decision { return rows[i] }) {
		p.rows[to], ids[to] = rows[from], rows[from].Seq
	}
	p.list.Set(ids)
	if len(ids) == 0 {
		return append(t.Lines(w, 1, 0, 0, p.list.Window, nil), " "+st.Label.S("nobody decided anything yet"), " "+st.Label.S("what you freeze, boost, approve, reject or set stands here"))
	}
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) *record.Decision { return p.rows[i] })
}

// Heads and Order are those of its table.
func (p *decisionsPane) Heads() []string      { t := p.table(nil); return t.Heads() }
func (p *decisionsPane) Order() *widget.Order { return &p.order }

// fate is what became of a decision, or what it did to another.
type fate string

// The fates of decisions.
const (
	undone    fate = "undone"
	undoes    fate = "undo"
	doneAgain fate = "done again"
)

// takenBack tells which decisions were undone, which undid them and which did
// them again. What undoes a decision that is undone already does it again, and
// can be undone itself.
func takenBack(newestFirst []record.Decision) map[record.Seq]fate {
	out := map[record.Seq]fate{}
	for _, d := range slices.Backward(newestFirst) {
		switch {
		case d.Undoes == 0:
		case out[d.Undoes] == undone:
			out[d.Seq] = doneAgain
		default:
			out[d.Seq], out[d.Undoes] = undoes, undone
		}
	}
	return out
}

func (p *decisionsPane) table(taken map[record.Seq]fate) widget.Table[*record.Decision] {
	type row = *record.Decision
	st := p.d.St
	why := func(d row) string {
		if taken[d.Seq] == undoes {
			return d.Text
		}
		return widget.Words(" · ", string(taken[d.Seq]), d.Text)
	}
	return widget.Table[row]{St: st, Order: p.order, Note: why, Columns: []widget.Column[row]{
		{Head: "when", W: 10, Rank: 60, Cell: func(d row) (widget.Style, string) { return st.Label, widget.Clock(widget.Millis(d.At)) }},
		{Head: "who", W: 6, Rank: 50, Cell: func(d row) (widget.Style, string) { return st.Label, d.Who }},
		{Head: "what", W: 12, Rank: 100, Cell: func(d row) (widget.Style, string) {
			verb := string(d.Verb)
			if taken[d.Seq] == undoes {
				return st.Label, string(undoes)
			}
			if d.Verb == record.Boost || d.Verb == record.Prioritise {
				verb += fmt.Sprintf(" %g", d.Value)
			}
			return st.State(string(d.Verb)), verb
		}},
		{Head: "on", W: 16, Rank: 90, Cell: func(d row) (widget.Style, string) { return st.Ident, p.object(d) }},
		{Head: "why", Min: 14, Rank: 80, Cell: func(d row) (widget.Style, string) { return st.Plain, why(d) }},
	}}
}

// object names what a decision is about.
func (p *decisionsPane) object(d *record.Decision) string {
	switch {
	case d.Candidate >= 0:
		cell := d.Cell
		if cell < 0 && (d.Verb == record.Freeze || d.Verb == record.Release) { // it is kept wherever it lies
			cell = p.d.Grid.CellOf(d.Candidate)
		}
		return widget.Words(" ", CandidateName(d.Candidate), Niche(&p.d.Snap.Grid, cell))
	case d.Job >= 0:
		return d.Job.String()
	case d.Cell >= 0:
		return Niche(&p.d.Snap.Grid, d.Cell)
	}
	return ""
}
