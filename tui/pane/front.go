package pane

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// frontPane shows who is best in a way of its own: the front as a curve, and its
// candidates as a list to pick from.
type frontPane struct {
	base
	q     query
	front view.Front
	known bool // an answer came
	list  widget.List[record.CandidateID]
	rows  []*view.FrontMember
	text  string
	order widget.Order
	above int // lines above the list
}

func (p *frontPane) OfNow() bool { return true }

func (p *frontPane) Scopes() []keys.Scope { return []keys.Scope{keys.InCandidates, keys.InList} }

func (p *frontPane) Filter() (string, bool) { return p.text, true }
func (p *frontPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *frontPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }

func (p *frontPane) Click(_, y int) tea.Cmd {
	p.list.Click(y - 1 - p.above)
	p.bump()
	return nil
}

// Heads and Order are those of its table.
func (p *frontPane) Heads() []string      { t := p.table(); return t.Heads() }
func (p *frontPane) Order() *widget.Order { return &p.order }

func (p *frontPane) Title() (string, string) {
	right := ""
	if f := &p.front; p.known && f.Kept() {
		if len(f.Objectives) > 0 {
			right = fmt.Sprintf("%d on the front", f.On())
		}
		if len(f.Cases) > 0 {
			right = widget.Words(" · ", right, widget.Plural(len(f.Cases), "case", "cases"))
		}
	}
	return p.heading("", "Front"), p.d.St.Label.S(right)
}

func (p *frontPane) Selected() Selection {
	s := Nothing()
	if id, ok := p.list.At(); ok {
		s.Candidate, s.Job, s.Cell = id, record.JobID(id), p.d.Grid.CellOf(id)
	}
	return s
}

func (p *frontPane) Load() tea.Cmd {
	if p.d.Reader == nil {
		return nil
	}
	r := p.d.Reader
	return p.q.ask(p.d, p.id, "front", func(ctx context.Context) (any, error) { return r.Front(ctx) })
}

func (p *frontPane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if f, ok := m.val.(view.Front); ok && m.err == nil {
		p.front, p.known = f, true
	}
	p.bump()
}

func (p *frontPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case !p.known:
		return []string{" " + st.Label.S("loading")}
	case !p.front.Kept():
		return []string{
			" " + st.Label.S("nothing counts beside the objective here"),
			" " + st.Label.S("front.objectives of atoll.yaml names metrics that do, front.cases those that are one case each"),
			" " + st.Label.S(p.d.Told("`atoll front --by METRIC` tells it for any metric now")),
		}
	}
	p.arrange()
	t := p.table()
	table := func(h int) []string {
		return t.Lines(w, h, len(p.rows), p.list.Cur, p.list.Window, func(i int) *view.FrontMember { return p.rows[i] })
	}
	p.above = 0
	curve := min(h/2, 16)
	if len(p.front.Objectives) == 0 || curve < 6 {
		return table(h)
	}
	out := p.curve(w, curve)
	p.above = len(out)
	return append(out, table(h-len(out))...)
}

// arrange filters and sorts the rows; the cursor stays on its candidate.
func (p *frontPane) arrange() {
	t := p.table()
	var fit []*view.FrontMember
	for i := range p.front.Members {
		if m := &p.front.Members[i]; widget.Fits(p.text, CandidateName(m.ID), m.Intent, p.front.LeadText(m, len(p.front.Cases))) {
			fit = append(fit, m)
		}
	}
	p.rows = make([]*view.FrontMember, len(fit))
	ids := make([]record.CandidateID, len(fit))
	for to, from := range t.Sort(len(fit), func(i int) *view.FrontMember { return fit[i] }) {
		p.rows[to], ids[to] = fit[from], fit[from].ID
	}
	p.list.Set(ids)
}

// curve draws the front over the objective and the first of what counts beside it, with the
// root and the candidate under the cursor.
func (p *frontPane) curve(w, h int) []string {
	st, f := p.d.St, &p.front
	at := func(m *view.FrontMember) float64 {
		return *p.d.Snap.Told(m.ID, &m.Objective, m.Claim).Number()
	}
	var on []*view.FrontMember
	for i := range f.Members {
		if f.Members[i].On {
			on = append(on, &f.Members[i])
		}
	}
	slices.SortStableFunc(on, func(a, b *view.FrontMember) int {
		switch x, y := at(a), at(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	name := plot.Clean(f.Objectives[0].Metric)
	line := plot.Series{Name: name, Style: st.Lines[0].SGR}
	for _, m := range on {
		line.X, line.Y = append(line.X, at(m)), append(line.Y, m.Values[0])
	}
	ch := plot.Chart{Series: []plot.Series{line}, XName: plot.Clean(p.d.Snap.Objective), Base: math.NaN(), Look: st.Look(p.d.Glyphs)}
	if len(f.Root) > 0 && !math.IsNaN(f.Root[0]) {
		ch.Base, ch.BaseAs = f.Root[0], "root"
	}
	if i := p.list.Cur; i < len(p.rows) {
		ch.Marks = []plot.ChartMark{{X: at(p.rows[i]), Text: CandidateName(p.rows[i].ID)}}
	}
	return ch.Render(w, h)
}

func (p *frontPane) table() widget.Table[*view.FrontMember] {
	type row = *view.FrontMember
	st, g, f := p.d.St, &p.d.Snap.Grid, &p.front
	value := p.d.toldWidth(11)
	cols := []widget.Column[row]{
		{Head: "id", W: widget.IDWidth(int64(p.newest())), Rank: 100, Cell: func(m row) (widget.Style, string) { return st.Ident, CandidateName(m.ID) }},
		{Head: "value", W: value, Right: true, Rank: 95, Cell: func(m row) (widget.Style, string) {
			return p.d.valueStyle(m.ID, &m.Objective, m.Claim), p.d.told(m.ID, &m.Objective, m.Claim, value)
		}},
	}
	for i, o := range f.Objectives {
		head := []rune(plot.Clean(o.Metric))
		cols = append(cols, widget.Column[row]{Head: string(head[:min(len(head), 20)]), W: 21, Right: true, Rank: 90 - i, Cell: func(m row) (widget.Style, string) { return st.Plain, f.Beside(m, i) }})
	}
	if len(f.Objectives) > 0 && len(f.Cases) > 0 {
		cols = append(cols, widget.Column[row]{Head: "on it", W: 7, Rank: 40, Cell: func(m row) (widget.Style, string) { return st.Label, widget.Unless(!m.On, "yes") }})
	}
	if len(f.Cases) > 0 {
		cols = append(cols, widget.Column[row]{Head: "best in", W: 24, Rank: 70, Cell: func(m row) (widget.Style, string) { return st.Plain, strings.TrimPrefix(f.LeadText(m, 2), "-") }})
	}
	cols = append(cols,
		widget.Column[row]{Head: "niche", W: nicheWidth(g), Rank: 60, Cell: func(m row) (widget.Style, string) {
			if m.Holds {
				return st.Ident, Niche(g, m.Cell)
			}
			return st.Label, Niche(g, m.Cell)
		}},
		widget.Column[row]{Head: "elite", W: 7, Rank: 50, Cell: func(m row) (widget.Style, string) { return st.Label, widget.Unless(!m.Holds, "yes") }},
		widget.Column[row]{Head: "intent", Min: 16, Rank: 45, Cell: func(m row) (widget.Style, string) { return st.Label, m.Intent }},
	)
	return widget.Table[row]{St: st, Order: p.order, Mark: func(m row) bool { return p.d.marked(m.ID) }, Note: func(m row) string { return m.Intent }, Columns: cols}
}

func (p *frontPane) newest() (id record.CandidateID) {
	for i := range p.front.Members {
		id = max(id, p.front.Members[i].ID)
	}
	return id
}
