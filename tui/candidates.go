package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
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
	reach reach
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
	return p.heading("", "Candidates"), p.d.st.Label.S(words(" · ", order, p.reach.shown(len(p.list.ids))))
}

func (p *candidatesPane) cycleOrder() tea.Cmd {
	p.best = !p.best
	p.list, p.reach = list[record.CandidateID]{}, reach{}
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
	p.reach.moved(m)
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
	word, search := storeWord(p.text, record.StatusNames())
	elites := namesElites(p.text)
	limit := p.reach.rows(p.list.nearEnd(), search)
	r, query := p.d.opt.Reader, view.CandidateQuery{Best: p.best, Elites: elites, Text: word, Limit: limit}
	return p.q.askTyped(p.d, p.id, fmt.Sprint("candidates ", p.best, elites, limit, word), word != "", func(ctx context.Context) (any, error) { return r.Candidates(ctx, query) })
}

func (p *candidatesPane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]record.Candidate); ok && m.err == nil {
		p.all = v
		p.reach.note(len(v))
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
	if p.reach.laid() {
		p.list.move(bottom)
	}
	t := p.table()
	if len(ids) == 0 {
		return append(t.lines(w, 1, 0, 0, p.list.window, nil), " "+st.Label.S("no candidate fits"))
	}
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) *record.Candidate { return p.index[ids[i]] })
}

func (p *candidatesPane) table() table[*record.Candidate] {
	type row = *record.Candidate
	st, g := p.d.st, &p.d.snap.Grid
	return table[row]{st: st, mark: func(c row) bool { return p.d.marked(c.ID) }, note: candidateNote, columns: []column[row]{
		{head: "id", w: idWidth(int64(p.newest())), rank: 100, cell: func(c row) (style, string) { return st.Ident, candidateName(c.ID) }},
		{head: "commit", w: 9, rank: 20, cell: func(c row) (style, string) { return st.Label, c.Commit.Short() }},
		{head: "status", w: 10, rank: 80, cell: func(c row) (style, string) {
			status := c.Status
			if p.d.grid.cellOf(c.ID) >= 0 {
				status = record.StatusElite
			}
			return st.state(string(status)), string(status)
		}},
		{head: "niche", w: nicheWidth(g), rank: 70, cell: func(c row) (style, string) { return st.Ident, niche(g, p.d.grid.cellOf(c.ID)) }},
		{head: "value", w: 9, right: true, rank: 90, cell: func(c row) (style, string) { return st.Strong, optional(c.Objective) }},
		{head: "operator", w: 11, rank: 60, cell: func(c row) (style, string) { return st.Plain, string(c.Operator) }},
		{head: "parent", w: 8, rank: 50, cell: func(c row) (style, string) { return st.Ident, candidateName(c.Parent()) }},
		{head: "change", w: 11, rank: 30, cell: func(c row) (style, string) { return st.Label, change(c.Added, c.Removed) }},
		{head: "intent", min: 20, rank: 40, cell: func(c row) (style, string) { return st.Label, candidateNote(c) }},
	}}
}

func (p *candidatesPane) newest() (id record.CandidateID) {
	for i := range p.all {
		id = max(id, p.all[i].ID)
	}
	return id
}

// namesElites reports whether a filter asks for elites, at least by the beginning
// of the word.
func namesElites(filter string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(filter)), func(w string) bool {
		return len(w) > 2 && strings.HasPrefix(string(record.StatusElite), w)
	})
}

// candidateNote says why a candidate is no good, or what it is about.
func candidateNote(c *record.Candidate) string {
	if c.Reason != "" {
		return words(": ", string(c.Class), c.Reason)
	}
	return c.Intent
}
