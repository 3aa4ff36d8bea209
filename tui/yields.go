package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/plot"
)

// yieldsPane compares operators, agents and targets.
type yieldsPane struct {
	base
	list list[string] // "operator tune", "target solve"
}

func (p *yieldsPane) scopes() []scope       { return []scope{inTargets, inList} }
func (p *yieldsPane) move(m motion) tea.Cmd { p.list.move(m); p.bump(); return nil }
func (p *yieldsPane) title() (string, string) {
	return p.heading("7", "Yields"), p.d.st.Label.S("share of tries that took a niche")
}

func (p *yieldsPane) groups() []yieldGroup {
	s := p.d.snap
	return []yieldGroup{{"Operators", s.Operators}, {"Agents", s.Agents}, {"Targets", s.Targets}}
}

type yieldGroup struct {
	name string
	rows []view.Yield
}

func (p *yieldsPane) sel() selection {
	s := nothing()
	if id, ok := p.list.at(); ok && len(id) > 8 && id[:8] == "Targets " {
		s.target = id[8:]
	}
	return s
}

func (p *yieldsPane) body(w, h int, focus bool) []string {
	st := p.d.st
	var ids, out []string
	for _, g := range p.groups() {
		for i := range g.rows {
			ids = append(ids, g.name+" "+g.rows[i].Name)
		}
	}
	p.list.set(ids)
	cur, _ := p.list.at()
	at := 0
	for _, g := range p.groups() {
		if len(g.rows) == 0 {
			continue
		}
		t := p.table(g.name, w)
		all := func(int) (int, int) { return 0, len(g.rows) }
		here := -1
		for i := range g.rows {
			if g.name+" "+g.rows[i].Name == cur {
				here, at = i, len(out)+1+i
			}
		}
		out = append(out, t.lines(w, h, len(g.rows), here, all, func(i int) *view.Yield { return &g.rows[i] })...)
		if c := p.d.snap.Shadow; g.name == "Agents" && c.Compared > 0 {
			out = append(out, " "+st.Label.S(plot.Fit(plot.Clean(c.Text()), w-2)))
		}
		out = append(out, "")
	}
	if len(out) == 0 {
		return []string{" " + st.Label.S("nothing was tried yet")}
	}
	if from := at - h + 2; from > 0 {
		out = out[from:]
	}
	return out
}

func (p *yieldsPane) table(name string, w int) table[*view.Yield] {
	type row = *view.Yield
	st := p.d.st
	share := func(y row) float64 {
		if y.Tries == 0 {
			return 0
		}
		return float64(y.Improved) / float64(y.Tries)
	}
	count := func(n func(y row) int) func(y row) (style, string) {
		return func(y row) (style, string) { return st.Plain, fmt.Sprint(n(y)) }
	}
	marks := 0 // cells, where a person did something
	for _, g := range p.groups() {
		for i := range g.rows {
			marks = max(marks, plot.Width(yieldMarks(&g.rows[i]))+1)
		}
	}
	return table[row]{st: st, columns: []column[row]{
		{head: name, w: 20, rank: 100, cell: func(y row) (style, string) { return st.Plain, y.Name }},
		{head: "weight", w: 8, right: true, rank: 50, cell: func(y row) (style, string) { return st.Label, fmt.Sprintf("%.2g", y.Weight) }},
		{head: "tries", w: 8, right: true, rank: 80, cell: count(func(y row) int { return y.Tries })},
		{head: "scored", w: 8, right: true, rank: 30, cell: count(func(y row) int { return y.Scored })},
		{head: "niches", w: 8, right: true, rank: 60, cell: count(func(y row) int { return y.Improved })},
		{head: "yield", w: 8, right: true, rank: 90, cell: func(y row) (style, string) {
			if y.Tries == 0 {
				return st.Strong, "-"
			}
			return st.Strong, fmt.Sprintf("%.1f %%", 100*share(y))
		}},
		{head: "best", w: 6, right: true, rank: 40, cell: count(func(y row) int { return y.Best })},
		{head: "cost", w: 10, right: true, rank: 45, cell: func(y row) (style, string) {
			if y.CostUSD == nil {
				return st.Label, "-"
			}
			return st.Label, money(y.CostUSD)
		}},
		{w: marks, min: 1, rank: 70, cell: func(y row) (style, string) { return st.Accent, yieldMarks(y) }},
		{min: 12, rank: 20, cell: func(y row) (style, string) {
			return st.Lines[0], repeat("▪", int(share(y)*float64(min(40, max(12, w-95)))+0.5))
		}},
	}}
}

// yieldMarks says what a person did to a target.
func yieldMarks(y *view.Yield) string {
	var out []string
	if y.Frozen {
		out = append(out, "frozen")
	}
	if y.Boost > 0 && y.Boost != 1 {
		out = append(out, fmt.Sprintf("x%g", y.Boost))
	}
	return strings.Join(out, " ")
}
