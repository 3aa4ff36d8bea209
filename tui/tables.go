package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine"
	"atoll/store/record"
)

// failuresPane groups what failed alike, with what would help.
type failuresPane struct {
	base
	list list[int]
	text string
}

func (p *failuresPane) scopes() []scope        { return []scope{inJobs, inList} }
func (p *failuresPane) filter() (string, bool) { return p.text, true }
func (p *failuresPane) setFilter(t string)     { p.text = t; p.bump() }
func (p *failuresPane) move(m motion) tea.Cmd  { p.list.move(m); p.bump(); return nil }
func (p *failuresPane) click(_, y int) tea.Cmd { p.list.click((y - 1) / 2); p.bump(); return nil }

func (p *failuresPane) title() (string, string) {
	return p.heading("6", "Failures"), p.d.st.Label.S(plural(p.d.snap.Jobs.Failed, "failed job", "failed jobs"))
}

func (p *failuresPane) sel() selection {
	s := nothing()
	if i, ok := p.list.at(); ok && i < len(p.d.snap.Failures) {
		s.job, s.state = p.d.snap.Failures[i].Sample, record.Failed
	}
	return s
}

func (p *failuresPane) body(w, h int, focus bool) []string {
	st, groups := p.d.st, p.d.snap.Failures
	var ids []int
	for i := range groups {
		if fits(p.text, string(groups[i].Class), groups[i].Reason, groups[i].Cure) {
			ids = append(ids, i)
		}
	}
	p.list.set(ids)
	if len(ids) == 0 {
		return []string{" " + st.Label.S("nothing failed")}
	}
	var head line
	head.gap(1).right(st.Label, "count", 6).gap(2).fit(st.Label, "class", 12).fit(st.Label, "sample", 9).add(st.Label, "reason, and what would help")
	out := []string{head.String()}
	from, to := p.list.window(max(1, (h-1)/2))
	for i := from; i < to; i++ {
		g := &groups[ids[i]]
		var a, b line
		a.gap(1).right(st.Strong, fmt.Sprint(g.Count), 6).gap(2).fit(st.Bad, string(g.Class), 12).fit(st.Ident, g.Sample.String(), 9)
		a.fit(st.Plain, g.Reason, w-a.w)
		b.gap(30).fit(st.Label, g.Cure, w-30)
		row := a.String()
		if i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row, b.String())
	}
	return out
}

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
	rows []engine.Yield
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
		var head line
		head.gap(1).fit(st.Strong, g.name, 20).right(st.Label, "weight", 8).right(st.Label, "tries", 8).right(st.Label, "scored", 8).right(st.Label, "niches", 8).right(st.Label, "yield", 8).right(st.Label, "best", 6).right(st.Label, "cost", 10)
		out = append(out, head.String())
		for i := range g.rows {
			row := p.row(&g.rows[i], w)
			if g.name+" "+g.rows[i].Name == cur {
				at = len(out)
				row = pick(st.Selected, row, w)
			}
			out = append(out, row)
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

func (p *yieldsPane) row(y *engine.Yield, w int) string {
	st := p.d.st
	yield := "-"
	share := 0.0
	if y.Tries > 0 {
		share = float64(y.Improved) / float64(y.Tries)
		yield = fmt.Sprintf("%.1f %%", 100*share)
	}
	var l line
	l.gap(1).fit(st.Plain, y.Name, 20).right(st.Label, fmt.Sprintf("%.2g", y.Weight), 8).right(st.Plain, fmt.Sprint(y.Tries), 8).right(st.Plain, fmt.Sprint(y.Scored), 8).right(st.Plain, fmt.Sprint(y.Improved), 8)
	l.right(st.Strong, yield, 8).right(st.Plain, fmt.Sprint(y.Best), 6)
	cost := "-"
	if y.CostUSD != nil {
		cost = money(y.CostUSD)
	}
	l.right(st.Label, cost, 10).gap(2)
	if y.Frozen {
		l.add(st.Accent, "frozen ")
	}
	if y.Boost > 0 && y.Boost != 1 {
		l.add(st.Accent, fmt.Sprintf("x%g ", y.Boost))
	}
	if room := w - l.w - 1; room >= 10 {
		l.raw(st.Lines[0].wrap(repeat("▪", int(share*float64(min(room, 40))+0.5))))
	}
	return l.String()
}

// decisionsPane lists what people decided, newest first.
type decisionsPane struct {
	base
	list list[record.Seq]
	text string
	rows []*record.Decision
}

func (p *decisionsPane) scopes() []scope        { return []scope{inDecisions, inList} }
func (p *decisionsPane) filter() (string, bool) { return p.text, true }
func (p *decisionsPane) setFilter(t string)     { p.text = t; p.bump() }
func (p *decisionsPane) move(m motion) tea.Cmd  { p.list.move(m); p.bump(); return nil }
func (p *decisionsPane) click(_, y int) tea.Cmd { p.list.click(y - 1); p.bump(); return nil }
func (p *decisionsPane) title() (string, string) {
	return p.heading("9", "Decisions"), p.d.st.Label.S("newest first; u takes the last one back")
}

func (p *decisionsPane) sel() selection {
	s := nothing()
	if p.list.cur < len(p.rows) {
		d := p.rows[p.list.cur]
		s.cand, s.job, s.cell = d.Candidate, d.Job, d.Cell
	}
	return s
}

func (p *decisionsPane) body(w, h int, focus bool) []string {
	st := p.d.st
	var ids []record.Seq
	p.rows = p.rows[:0]
	taken := map[record.Seq]bool{}
	for i := range p.d.snap.Decisions {
		d := &p.d.snap.Decisions[i]
		if d.Undoes > 0 && d.Verb == record.Undo {
			taken[d.Undoes] = true
		}
		if fits(p.text, string(d.Verb), d.Who, d.Text, candidateName(d.Candidate)) {
			p.rows = append(p.rows, d)
			ids = append(ids, d.Seq)
		}
	}
	p.list.set(ids)
	var head line
	head.gap(1).fit(st.Label, "when", 10).fit(st.Label, "who", 12).fit(st.Label, "what", 12).fit(st.Label, "on", 16).add(st.Label, "why")
	out := []string{head.String()}
	if len(ids) == 0 {
		return append(out, " "+st.Label.S("nobody decided anything yet"))
	}
	from, to := p.list.window(h - 1)
	for i := from; i < to; i++ {
		row := p.row(p.rows[i], taken[p.rows[i].Seq], w)
		if i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (p *decisionsPane) row(d *record.Decision, taken bool, w int) string {
	st := p.d.st
	on := ""
	switch {
	case d.Candidate >= 0:
		on = words(" ", candidateName(d.Candidate), niche(&p.d.snap.Grid, d.Cell))
	case d.Job >= 0:
		on = d.Job.String()
	case d.Cell >= 0:
		on = niche(&p.d.snap.Grid, d.Cell)
	}
	verb := string(d.Verb)
	if d.Verb == record.Boost || d.Verb == record.Prioritise {
		verb += fmt.Sprintf(" %g", d.Value)
	}
	text := d.Text
	if taken {
		text = words(" · ", "undone", text)
	}
	var l line
	l.gap(1).fit(st.Label, clock(millis(d.At)), 10).fit(st.Label, d.Who, 12).fit(st.state(string(d.Verb)), verb, 12).fit(st.Ident, on, 16)
	return l.fit(st.Plain, text, w-l.w).String()
}
