package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine"
	"atoll/store/record"
)

// candidatesPane lists all candidates, newest or best first.
type candidatesPane struct {
	base
	q     query
	all   []record.Candidate
	index map[record.CandidateID]*record.Candidate
	list  list[record.CandidateID]
	text  string
	best  bool
}

func newCandidates(d *desk) *candidatesPane {
	return &candidatesPane{base: base{d: d, id: paneCandidates}}
}

func (p *candidatesPane) scopes() []scope        { return []scope{inCandidates, inJobs, inList} }
func (p *candidatesPane) filter() (string, bool) { return p.text, true }
func (p *candidatesPane) setFilter(t string)     { p.text = t; p.bump() }

func (p *candidatesPane) pinned() bool {
	c := p.index[p.sel().cand]
	return c != nil && c.Pinned
}

func (p *candidatesPane) title() (string, string) {
	order := "newest first"
	if p.best {
		order = "best first"
	}
	return p.heading("", "Candidates"), p.d.st.Label.S(fmt.Sprintf("%s · %d shown", order, len(p.list.ids)))
}

func (p *candidatesPane) cycleOrder() tea.Cmd {
	p.best = !p.best
	p.list = list[record.CandidateID]{}
	p.bump()
	return p.show()
}

func (p *candidatesPane) sel() selection {
	s := nothing()
	if id, ok := p.list.at(); ok {
		s.cand, s.job, s.cell = id, record.JobID(id), p.d.grid.cellOf(id)
	}
	return s
}

func (p *candidatesPane) move(m motion) tea.Cmd {
	p.list.move(m)
	p.bump()
	return nil
}

func (p *candidatesPane) click(x, y int) tea.Cmd {
	p.list.click(y - 1)
	p.bump()
	return nil
}

func (p *candidatesPane) show() tea.Cmd {
	if p.d.opt.Reader == nil {
		return nil
	}
	r, query := p.d.opt.Reader, engine.CandidateQuery{Best: p.best, Limit: 1000}
	return p.q.ask(p.d, p.id, fmt.Sprint("candidates ", p.best), func(ctx context.Context) (any, error) { return r.Candidates(ctx, query) })
}

func (p *candidatesPane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]record.Candidate); ok && m.err == nil {
		p.all = v
	}
	p.bump()
}

func (p *candidatesPane) body(w, h int, focus bool) []string {
	st := p.d.st
	switch {
	case p.d.opt.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case !p.q.done && len(p.all) == 0:
		return []string{" " + st.Label.S("loading")}
	}
	p.index = map[record.CandidateID]*record.Candidate{}
	var ids []record.CandidateID
	for i := range p.all {
		c := &p.all[i]
		if fits(p.text, candidateName(c.ID), string(c.Operator), c.Agent, string(c.Status), string(c.Class), c.Reason, c.Intent, c.Target, c.Commit.Short()) {
			ids = append(ids, c.ID)
			p.index[c.ID] = c
		}
	}
	p.list.set(ids)
	var head line
	head.gap(1).fit(st.Label, "id", 7).fit(st.Label, "commit", 9).fit(st.Label, "status", 10).fit(st.Label, "niche", 8).right(st.Label, "value", 9).gap(2).fit(st.Label, "operator", 11).fit(st.Label, "parent", 8).fit(st.Label, "change", 11).add(st.Label, "intent")
	out := []string{head.String()}
	if len(ids) == 0 {
		return append(out, " "+st.Label.S("no candidate fits"))
	}
	from, to := p.list.window(h - 1)
	for i := from; i < to; i++ {
		row := p.row(p.index[ids[i]], w)
		if i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (p *candidatesPane) row(c *record.Candidate, w int) string {
	st := p.d.st
	cell := p.d.grid.cellOf(c.ID)
	status := c.Status
	if cell >= 0 {
		status = record.StatusElite
	}
	var l line
	mark := " "
	if p.d.marked(c.ID) {
		mark = "▸"
	}
	l.add(st.Marked, mark).fit(st.Ident, candidateName(c.ID), idWidth(int64(c.ID))).fit(st.Label, c.Commit.Short(), 9).fit(st.state(string(status)), string(status), 10).fit(st.Ident, niche(&p.d.snap.Grid, cell), 8)
	l.right(st.Strong, optional(c.Objective)+pastMark(p.d, c), 9).gap(2).fit(st.Plain, string(c.Operator), 11).fit(st.Ident, candidateName(c.Parent()), 8).fit(st.Label, change(c.Added, c.Removed), 11)
	text := c.Intent
	if c.Reason != "" {
		text = words(" ", string(c.Class), c.Reason)
	}
	return l.fit(st.Label, text, w-l.w).String()
}
