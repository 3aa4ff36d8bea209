package pane

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// failuresPane groups what failed alike, with what would help.
type failuresPane struct {
	base
	list  widget.List[int]
	text  string
	order widget.Order
}

func (p *failuresPane) Scopes() []keys.Scope         { return []keys.Scope{keys.InJobs, keys.InList} }
func (p *failuresPane) Filter() (string, bool)       { return p.text, true }
func (p *failuresPane) SetFilter(t string)           { p.text = t; p.bump() }
func (p *failuresPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }
func (p *failuresPane) Click(_, y int) tea.Cmd       { p.list.Click(y - 1); p.bump(); return nil }

func (p *failuresPane) Title() (string, string) {
	return p.heading("6", "Failures"), p.d.St.Label.S(widget.Plural(p.counted(), "failure", "failures"))
}

// counted is how many failures the list tells: those of measurements of what is there already
// are among them, and of candidates that the gate refused.
func (p *failuresPane) counted() (n int) {
	for i := range p.d.Snap.Failures {
		n += p.d.Snap.Failures[i].Count
	}
	return n
}

func (p *failuresPane) Selected() Selection {
	s := Nothing()
	if i, ok := p.list.At(); ok && i < len(p.d.Snap.Failures) {
		s.Job, s.State = p.d.Snap.Failures[i].Sample, record.Failed
	}
	return s
}

func (p *failuresPane) Body(w, h int, focus bool) []string {
	st, groups := p.d.St, p.d.Snap.Failures
	var ids []int
	for i := range groups {
		if widget.Fits(p.text, string(groups[i].Class), groups[i].Reason, groups[i].Cure) {
			ids = append(ids, i)
		}
	}
	if len(ids) == 0 {
		p.list.Set(ids)
		return []string{" " + st.Label.S("nothing failed")}
	}
	t := p.table()
	sorted := make([]int, len(ids))
	for to, from := range t.Sort(len(ids), func(i int) *view.FailureGroup { return &groups[ids[i]] }) {
		sorted[to] = ids[from]
	}
	ids = sorted
	p.list.Set(ids)
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) *view.FailureGroup { return &groups[ids[i]] })
}

// Heads and Order are those of its table.
func (p *failuresPane) Heads() []string      { t := p.table(); return t.Heads() }
func (p *failuresPane) Order() *widget.Order { return &p.order }

func (p *failuresPane) table() widget.Table[*view.FailureGroup] {
	st := p.d.St
	type row = *view.FailureGroup
	return widget.Table[row]{St: st, Order: p.order, Note: func(g row) string { return widget.Words(". To do: ", g.Reason, g.Cure) }, Columns: []widget.Column[row]{
		{Head: "count", W: 8, Right: true, Rank: 90, Cell: func(g row) (widget.Style, string) { return st.Strong, fmt.Sprint(g.Count) }},
		{Head: "class", W: 11, Rank: 80, Cell: func(g row) (widget.Style, string) { return st.Bad, string(g.Class) }},
		{Head: "over the run", W: courseCells + 1, Rank: 50, Cell: func(g row) (widget.Style, string) {
			return st.Bad, plot.Heights(figures(g.Course), min(len(g.Course), courseCells), p.d.Glyphs)
		}},
		{Head: "sample", W: 10, Rank: 60, Cell: func(g row) (widget.Style, string) { return st.Ident, g.Sample.String() }},
		{Head: "reason", Min: 24, Rank: 100, Cell: func(g row) (widget.Style, string) { return st.Plain, g.Reason }},
		{Head: "what would help", W: 54, Rank: 10, Cell: func(g row) (widget.Style, string) { return st.Label, g.Cure }},
	}}
}

// courseCells is how wide the whole run is told in a table.
const courseCells = 16

// figures are counts as the plots take them.
func figures(counts []int) []float64 {
	out := make([]float64, len(counts))
	for i, n := range counts {
		out[i] = float64(n)
	}
	return out
}
