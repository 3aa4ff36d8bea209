package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// lineagePane is the family tree of a candidate: its ancestors from the root
// down, then its descendants.
type lineagePane struct {
	base
	cand record.CandidateID
	q    query
	fam  *view.Lineage
	list list[record.CandidateID]
	rows map[record.CandidateID]treeRow
}

type treeRow struct {
	lead string
	node *view.LineageNode
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
	return left, st.Label.S(fmt.Sprintf("%s, %s", plural(len(p.fam.Ancestors)-1, "step from the root", "steps from the root"), plural(len(p.fam.Descendants)+p.fam.More, "descendant", "descendants")) + st.Accent.S(" · * a fifth of the gain"))
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
	p.list.click(y - 1)
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
	if v, ok := m.val.(view.Lineage); ok && m.err == nil {
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
	kids := map[record.CandidateID][]*view.LineageNode{}
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
	t := p.table(w)
	ids := p.list.ids
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) treeRow { return p.rows[ids[i]] })
}

// breakthrough is the gain from which a step is marked: a fifth of what the
// line of ancestors gained, 0 where it gained nothing.
func (p *lineagePane) breakthrough() float64 {
	line := p.fam.Ancestors
	if len(line) < 2 || line[0].Objective == nil || line[len(line)-1].Objective == nil {
		return 0
	}
	return p.d.gain(*line[len(line)-1].Objective, *line[0].Objective) / 5
}

func (p *lineagePane) table(w int) table[treeRow] {
	st, g := p.d.st, &p.d.snap.Grid
	lead := 0
	for _, r := range p.rows {
		lead = max(lead, plot.Width(r.lead)+2+idWidth(int64(r.node.ID)))
	}
	big := p.breakthrough()
	about := func(r treeRow) string {
		var with []string
		for _, k := range r.node.Parents {
			if k.Role == record.RoleCrossover {
				with = append(with, "× "+candidateName(k.ID))
			}
		}
		return words(" ", strings.Join(with, " "), r.node.Intent)
	}
	return table[treeRow]{st: st, note: about, columns: []column[treeRow]{
		{head: "candidate", w: max(10, min(lead, w/3)), rank: 100, cell: func(r treeRow) (style, string) {
			if r.node.ID == p.cand {
				return st.Accent, r.lead + "● " + candidateName(r.node.ID)
			}
			return st.Ident, r.lead + "○ " + candidateName(r.node.ID)
		}},
		{head: "operator", w: 11, rank: 60, cell: func(r treeRow) (style, string) { return st.Plain, string(r.node.Operator) }},
		{head: "value", w: 9, right: true, rank: 90, cell: func(r treeRow) (style, string) { return st.Strong, optional(r.node.Objective) }},
		{head: "on parent", w: 11, right: true, rank: 80, cell: func(r treeRow) (style, string) {
			if r.node.Delta == nil {
				return st.Label, ""
			}
			if big > 0 && *r.node.Delta >= big {
				return st.Accent, "* " + brief(*r.node.Delta)
			}
			return gainStyle(st, *r.node.Delta), brief(*r.node.Delta)
		}},
		{head: "status", w: 10, rank: 40, cell: func(r treeRow) (style, string) { return st.state(string(r.node.Status)), string(r.node.Status) }},
		{head: "niche", w: nicheWidth(g), rank: 50, cell: func(r treeRow) (style, string) { return st.Ident, niche(g, r.node.Cell) }},
		{head: "intent", min: 16, rank: 45, cell: func(r treeRow) (style, string) { return st.Label, about(r) }},
	}}
}
