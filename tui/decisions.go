package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
)

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
	t := p.table(taken)
	if len(ids) == 0 {
		return append(t.lines(w, 1, 0, 0, p.list.window, nil), " "+st.Label.S("nobody decided anything yet"))
	}
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) *record.Decision { return p.rows[i] })
}

func (p *decisionsPane) table(taken map[record.Seq]bool) table[*record.Decision] {
	type row = *record.Decision
	st := p.d.st
	why := func(d row) string {
		if taken[d.Seq] {
			return words(" · ", "undone", d.Text)
		}
		return d.Text
	}
	return table[row]{st: st, note: why, columns: []column[row]{
		{head: "when", w: 10, rank: 60, cell: func(d row) (style, string) { return st.Label, clock(millis(d.At)) }},
		{head: "who", w: 12, rank: 50, cell: func(d row) (style, string) { return st.Label, d.Who }},
		{head: "what", w: 12, rank: 100, cell: func(d row) (style, string) {
			verb := string(d.Verb)
			if d.Verb == record.Boost || d.Verb == record.Prioritise {
				verb += fmt.Sprintf(" %g", d.Value)
			}
			return st.state(string(d.Verb)), verb
		}},
		{head: "on", w: 16, rank: 90, cell: func(d row) (style, string) { return st.Ident, p.object(d) }},
		{head: "why", min: 14, rank: 80, cell: func(d row) (style, string) { return st.Plain, why(d) }},
	}}
}

// object names what a decision is about.
func (p *decisionsPane) object(d *record.Decision) string {
	switch {
	case d.Candidate >= 0:
		return words(" ", candidateName(d.Candidate), niche(&p.d.snap.Grid, d.Cell))
	case d.Job >= 0:
		return d.Job.String()
	case d.Cell >= 0:
		return niche(&p.d.snap.Grid, d.Cell)
	}
	return ""
}
