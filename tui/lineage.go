package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine"
	"atoll/store/record"
	"atoll/tui/plot"
)

// lineagePane is the family tree of a candidate: its ancestors from the root
// down, then its descendants.
type lineagePane struct {
	base
	cand record.CandidateID
	q    query
	fam  *engine.Lineage
	list list[record.CandidateID]
	rows map[record.CandidateID]treeRow
}

type treeRow struct {
	lead string
	node *engine.LineageNode
}

func newLineage(d *desk) *lineagePane {
	return &lineagePane{base: base{d: d, id: paneLineage}, cand: record.NoCandidate}
}

func (p *lineagePane) set(id record.CandidateID) {
	if id != p.cand {
		p.cand, p.fam = id, nil
		p.list = list[record.CandidateID]{}
	}
	p.bump()
}

func (p *lineagePane) scopes() []scope { return []scope{inCandidates, inList} }

func (p *lineagePane) title() (string, string) {
	st := p.d.st
	left := st.Strong.S("Lineage of ") + st.Ident.S(candidateName(p.cand))
	if p.fam == nil {
		return left, ""
	}
	return left, st.Label.S(fmt.Sprintf("%s, %s", plural(len(p.fam.Ancestors)-1, "step from the root", "steps from the root"), plural(len(p.fam.Descendants)+p.fam.More, "descendant", "descendants")))
}

func (p *lineagePane) sel() selection {
	s := nothing()
	if id, ok := p.list.at(); ok {
		s.cand, s.job, s.cell = id, record.JobID(id), p.d.grid.cellOf(id)
	}
	return s
}

func (p *lineagePane) move(m motion) tea.Cmd {
	p.list.move(m)
	p.bump()
	return nil
}

func (p *lineagePane) click(x, y int) tea.Cmd {
	p.list.click(y)
	p.bump()
	return nil
}

func (p *lineagePane) show() tea.Cmd {
	if p.cand < 0 || p.d.opt.Reader == nil {
		return nil
	}
	r, id := p.d.opt.Reader, p.cand
	return p.q.ask(p.d, p.id, fmt.Sprint("lineage ", id), func(ctx context.Context) (any, error) { return r.Lineage(ctx, id) })
}

func (p *lineagePane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(engine.Lineage); ok && m.err == nil {
		first := p.fam == nil
		p.fam = &v
		p.plant()
		if first {
			p.list.seek(p.cand)
		}
	}
	p.bump()
}

// plant orders the tree: the line of ancestors, then children below their
// parents.
func (p *lineagePane) plant() {
	p.rows = map[record.CandidateID]treeRow{}
	var ids []record.CandidateID
	for i := range p.fam.Ancestors {
		n := &p.fam.Ancestors[i]
		ids = append(ids, n.ID)
		p.rows[n.ID] = treeRow{"│ ", n}
	}
	kids := map[record.CandidateID][]*engine.LineageNode{}
	for i := range p.fam.Descendants {
		n := &p.fam.Descendants[i]
		for _, r := range n.Parents {
			if r.Role == record.RoleParent {
				kids[r.ID] = append(kids[r.ID], n)
			}
		}
	}
	var grow func(id record.CandidateID, lead string, depth int)
	grow = func(id record.CandidateID, lead string, depth int) {
		for i, n := range kids[id] {
			if _, twice := p.rows[n.ID]; twice {
				continue
			}
			branch, below := "├─", "│ "
			if i == len(kids[id])-1 {
				branch, below = "└─", "  "
			}
			ids = append(ids, n.ID)
			p.rows[n.ID] = treeRow{lead + branch, n}
			if depth < 40 {
				grow(n.ID, lead+below, depth+1)
			}
		}
	}
	grow(p.fam.Focus, "  ", 0)
	p.list.set(ids)
}

func (p *lineagePane) body(w, h int, focus bool) []string {
	st := p.d.st
	switch {
	case p.d.opt.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case p.fam == nil:
		return []string{" " + st.Label.S("loading")}
	}
	var out []string
	from, to := p.list.window(h)
	for i := from; i < to; i++ {
		id := p.list.ids[i]
		row := p.row(p.rows[id], w)
		if i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (p *lineagePane) row(r treeRow, w int) string {
	st := p.d.st
	n := r.node
	var l line
	mark := "○"
	if n.ID == p.cand {
		mark = "●"
	}
	lead := r.lead
	if plot.Width(lead) > w/2 {
		lead = plot.Fit(lead, w/2)
	}
	l.gap(1).raw(st.Border.wrap(lead))
	if n.ID == p.cand {
		l.add(st.Accent, mark)
	} else {
		l.add(st.state(string(n.Status)), mark)
	}
	l.gap(1).fit(st.Ident, candidateName(n.ID), idWidth(int64(n.ID))).fit(st.Plain, string(n.Operator), 11).right(st.Strong, optional(n.Objective), 9).gap(1)
	if n.Delta != nil {
		l.right(gainStyle(st, *n.Delta), brief(*n.Delta), 9)
	} else {
		l.gap(9)
	}
	l.gap(2).fit(st.state(string(n.Status)), string(n.Status), 10).fit(st.Ident, niche(&p.d.snap.Grid, n.Cell), 8)
	for _, r := range n.Parents {
		if r.Role == record.RoleCrossover && l.w < w-20 {
			l.add(st.Label, "× ").add(st.Ident, candidateName(r.ID)).gap(1)
		}
	}
	return l.fit(st.Label, n.Intent, w-l.w).String()
}
