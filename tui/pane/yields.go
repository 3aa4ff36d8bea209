package pane

import (
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// yieldsPane compares operators, agents, targets and ways to draw parents.
type yieldsPane struct {
	base
	list  widget.List[string] // "operator tune", "target solve"
	order widget.Order        // within each group
}

func (p *yieldsPane) Scopes() []keys.Scope         { return []keys.Scope{keys.InTargets, keys.InList} }
func (p *yieldsPane) Move(m widget.Motion) tea.Cmd { p.list.Move(m); p.bump(); return nil }

func (p *yieldsPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "freeze-target", Keys: []string{"f"}, Title: "freeze the target", Doc: "again: release", In: []keys.Scope{keys.InTargets}, Decides: true, Bar: 60, Off: p.needTarget, Run: p.freeze},
		{ID: "boost-target", Keys: []string{"b"}, Title: "boost the target", In: []keys.Scope{keys.InTargets}, Decides: true, Bar: 59, Off: p.needTarget, Run: func() tea.Cmd { return p.boost(2) }},
		{ID: "boost-target-down", Keys: []string{"B"}, Title: "boost the target down", In: []keys.Scope{keys.InTargets}, Decides: true, Off: p.needTarget, Run: func() tea.Cmd { return p.boost(0.5) }},
	}
}

func (p *yieldsPane) Title() (string, string) {
	return p.heading("7", "Yields"), p.d.St.Label.S("share of tries that took a niche when measured")
}

func (p *yieldsPane) groups() []yieldGroup {
	s := p.d.Snap
	return []yieldGroup{{"Operators", s.Operators}, {"Agents", s.Agents}, {"Targets", s.Targets}, {"Parents", s.Ways}}
}

// sorted are the groups with their rows in the order that was chosen.
func (p *yieldsPane) sorted() []yieldGroup {
	groups := p.groups()
	for i, g := range groups {
		t := p.table(g.name, 0)
		rows := make([]view.Yield, len(g.rows))
		for to, from := range t.Sort(len(g.rows), func(k int) *view.Yield { return &g.rows[k] }) {
			rows[to] = g.rows[from]
		}
		groups[i].rows = rows
	}
	return groups
}

// Heads are those of the columns that all groups have.
func (p *yieldsPane) Heads() []string      { t := p.table("", 0); return t.Heads() }
func (p *yieldsPane) Order() *widget.Order { return &p.order }

type yieldGroup struct {
	name string
	rows []view.Yield
}

func (p *yieldsPane) Selected() Selection {
	s := Nothing()
	if id, ok := p.list.At(); ok && len(id) > 8 && id[:8] == "Targets " {
		s.target = id[8:]
	}
	return s
}

func (p *yieldsPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	var ids, out []string
	groups := p.sorted()
	for _, g := range groups {
		for i := range g.rows {
			ids = append(ids, g.name+" "+g.rows[i].Name)
		}
	}
	p.list.Set(ids)
	cur, _ := p.list.At()
	at := 0
	for _, g := range groups {
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
		out = append(out, t.Lines(w, h, len(g.rows), here, all, func(i int) *view.Yield { return &g.rows[i] })...)
		if c := p.d.Snap.Shadow; g.name == "Agents" && c.Compared > 0 {
			out = append(out, " "+st.Label.S(plot.Fit(plot.Clean(c.Text()), w-2)))
		}
		out = append(out, "")
	}
	if len(out) == 0 {
		return []string{" " + st.Label.S("nothing was tried yet")}
	}
	out = append(out, " "+st.Label.S("Cost and resources"))
	out = append(out, p.d.gaugeLines(w)...)
	if from := at - h + 2; from > 0 {
		out = out[from:]
	}
	return out
}

func (p *yieldsPane) table(name string, w int) widget.Table[*view.Yield] {
	type row = *view.Yield
	st := p.d.St
	share := func(y row) float64 {
		if y.Tries == 0 {
			return 0
		}
		return float64(y.Improved) / float64(y.Tries)
	}
	count := func(n func(y row) int) func(y row) (widget.Style, string) {
		return func(y row) (widget.Style, string) { return st.Plain, fmt.Sprint(n(y)) }
	}
	marks := 0 // cells, where a person did something
	for _, g := range p.groups() {
		for i := range g.rows {
			marks = max(marks, plot.Width(yieldMarks(&g.rows[i]))+1)
		}
	}
	return widget.Table[row]{St: st, Order: p.order, Columns: []widget.Column[row]{
		{Head: name, W: 20, Rank: 100, Cell: func(y row) (widget.Style, string) { return st.Plain, y.Name }},
		{Head: "weight", W: 8, Right: true, Rank: 50, Cell: func(y row) (widget.Style, string) { return st.Label, fmt.Sprintf("%.2g", y.Weight) }},
		{Head: "tries", W: 8, Right: true, Rank: 80, Cell: count(func(y row) int { return y.Tries })},
		{Head: "scored", W: 8, Right: true, Rank: 30, Cell: count(func(y row) int { return y.Scored })},
		{Head: "niches", W: 8, Right: true, Rank: 60, Cell: count(func(y row) int { return y.Improved })},
		{Head: "yield", W: 8, Right: true, Rank: 90, Cell: func(y row) (widget.Style, string) {
			if y.Tries == 0 {
				return st.Strong, "-"
			}
			return st.Strong, fmt.Sprintf("%.1f %%", 100*share(y))
		}},
		{Head: "lately", W: latelyBins + 2, Right: true, Rank: 42, Cell: func(y row) (widget.Style, string) {
			return st.Lines[0], p.d.lately(func(e *view.Ended) bool { return p.of(name, &e.Job) == y.Name }, placed)
		}},
		{Head: "best", W: 6, Right: true, Rank: 40, Cell: count(func(y row) int { return y.Best })},
		{Head: "cost", W: 10, Right: true, Rank: 45, Cell: func(y row) (widget.Style, string) {
			if y.CostUSD == nil {
				return st.Label, "-"
			}
			return st.Label, widget.Money(y.CostUSD)
		}},
		{W: marks, Min: 1, Rank: 70, Cell: func(y row) (widget.Style, string) { return st.Accent, yieldMarks(y) }},
		{Min: 12, Rank: 20, Cell: func(y row) (widget.Style, string) {
			return st.Lines[0], widget.Repeat("▪", int(share(y)*float64(min(40, max(12, w-95)))+0.5))
		}},
	}}
}

// of names the operator, agent or target of a job, or the way by which its parent was drawn.
func (p *yieldsPane) of(group string, j *record.Job) string {
	switch group {
	case "Operators":
		return string(j.Operator)
	case "Agents":
		return j.Agent
	case "Parents":
		return string(j.Purpose)
	}
	return j.Target
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

// freeze and boost act on a part of the repository; Args names it.
func (p *yieldsPane) freeze() tea.Cmd {
	name := p.Selected().target
	verb, said := record.Freeze, "frozen "
	if y := p.target(name); y != nil && y.Frozen {
		verb, said = record.Release, "released "
	}
	return p.d.Host.Decide(said+name, true, onTarget(verb, name, 0))
}

func (p *yieldsPane) boost(by float64) tea.Cmd {
	name := p.Selected().target
	now := 1.0
	if y := p.target(name); y != nil && y.Boost > 0 {
		now = y.Boost
	}
	factor := p.d.Boosted("target "+name, now, by)
	return p.d.Host.Decide(fmt.Sprintf("%s boosted x%g", name, factor), true, onTarget(record.Boost, name, factor))
}

func onTarget(v record.Verb, name string, value float64) record.Decision {
	d := Decision(v)
	d.Value = value
	d.Text = name
	d.Args, _ = json.Marshal(map[string]string{"target": name})
	return d
}

func (p *yieldsPane) target(name string) *view.Yield {
	for i := range p.d.Snap.Targets {
		if p.d.Snap.Targets[i].Name == name {
			return &p.d.Snap.Targets[i]
		}
	}
	return nil
}

func (p *yieldsPane) needTarget() string {
	if p.Selected().target == "" {
		return "no target is selected"
	}
	return ""
}
