package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
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
func (p *failuresPane) click(_, y int) tea.Cmd { p.list.click(y - 1); p.bump(); return nil }

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
	type row = *view.FailureGroup
	t := table[row]{st: st, note: func(g row) string { return words(". To do: ", g.Reason, g.Cure) }, columns: []column[row]{
		{head: "count", w: 6, right: true, rank: 90, cell: func(g row) (style, string) { return st.Strong, fmt.Sprint(g.Count) }},
		{head: "class", w: 11, rank: 80, cell: func(g row) (style, string) { return st.Bad, string(g.Class) }},
		{head: "sample", w: 9, rank: 60, cell: func(g row) (style, string) { return st.Ident, g.Sample.String() }},
		{head: "reason", min: 24, rank: 100, cell: func(g row) (style, string) { return st.Plain, g.Reason }},
		{head: " what would help", w: 54, rank: 10, cell: func(g row) (style, string) { return st.Label, " " + g.Cure }},
	}}
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) row { return &groups[ids[i]] })
}
