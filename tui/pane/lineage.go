package pane

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// lineagePane is the family tree of a candidate: its ancestors from the root
// down, then its descendants.
type lineagePane struct {
	base
	cand record.CandidateID
	q    query
	fam  *view.Lineage
	list widget.List[record.CandidateID]
	rows map[record.CandidateID]treeRow
}

type treeRow struct {
	lead string
	node *view.LineageNode
}

func newLineage(d *Shared) *lineagePane {
	return &lineagePane{base: base{d: d, id: Lineage}, cand: record.NoCandidate}
}

func (p *lineagePane) Set(id record.CandidateID) {
	if id != p.cand {
		p.cand, p.fam = id, nil
		p.list = widget.List[record.CandidateID]{}
	}
	p.bump()
}

func (p *lineagePane) Scopes() []keys.Scope { return []keys.Scope{keys.InCandidates, keys.InList} }

func (p *lineagePane) Title() (string, string) {
	st := p.d.St
	left := st.Strong.S("Lineage of ") + st.Ident.S(CandidateName(p.cand))
	if p.fam == nil {
		return left, ""
	}
	return left, st.Label.S(fmt.Sprintf("%s, %s", widget.Plural(len(p.fam.Ancestors)-1, "step from the root", "steps from the root"), widget.Plural(len(p.fam.Descendants)+p.fam.More, "descendant", "descendants")) + st.Accent.S(" · * a fifth of the gain"))
}

func (p *lineagePane) Selected() Selection {
	s := Nothing()
	if id, ok := p.list.At(); ok {
		s.Candidate, s.Job, s.Cell = id, record.JobID(id), p.d.Grid.CellOf(id)
	}
	return s
}

func (p *lineagePane) Move(m widget.Motion) tea.Cmd {
	p.list.Move(m)
	p.bump()
	return nil
}

func (p *lineagePane) Click(x, y int) tea.Cmd {
	p.list.Click(y - 1)
	p.bump()
	return nil
}

func (p *lineagePane) Load() tea.Cmd {
	if p.cand < 0 || p.d.Reader == nil {
		return nil
	}
	r, id := p.d.Reader, p.cand
	return p.q.ask(p.d, p.id, fmt.Sprint("lineage ", id), func(ctx context.Context) (any, error) { return r.Lineage(ctx, id) })
}

func (p *lineagePane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(view.Lineage); ok && m.err == nil {
		first := p.fam == nil
		p.fam = &v
		p.plant()
		if first {
			p.list.Seek(p.cand)
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
	p.list.Set(ids)
}

func (p *lineagePane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case p.fam == nil:
		return []string{" " + st.Label.S("loading")}
	}
	t := p.table(w)
	ids := p.list.IDs
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) treeRow { return p.rows[ids[i]] })
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

func (p *lineagePane) table(w int) widget.Table[treeRow] {
	st, g := p.d.St, &p.d.Snap.Grid
	lead := 0
	for _, r := range p.rows {
		lead = max(lead, plot.Width(r.lead)+2+widget.IDWidth(int64(r.node.ID)))
	}
	big := p.breakthrough()
	about := func(r treeRow) string {
		var with []string
		for _, k := range r.node.Parents {
			if k.Role == record.RoleCrossover {
				with = append(with, "× "+CandidateName(k.ID))
			}
		}
		return widget.Words(" ", strings.Join(with, " "), r.node.Intent)
	}
	return widget.Table[treeRow]{St: st, Note: about, Columns: []widget.Column[treeRow]{
		{Head: "candidate", W: max(10, min(lead, w/3)), Rank: 100, Cell: func(r treeRow) (widget.Style, string) {
			if r.node.ID == p.cand {
				return st.Accent, r.lead + "● " + CandidateName(r.node.ID)
			}
			return st.Ident, r.lead + "○ " + CandidateName(r.node.ID)
		}},
		{Head: "operator", W: 11, Rank: 60, Cell: func(r treeRow) (widget.Style, string) { return st.Plain, string(r.node.Operator) }},
		{Head: "value", W: 9, Right: true, Rank: 90, Cell: func(r treeRow) (widget.Style, string) { return st.Strong, widget.Optional(r.node.Objective) }},
		{Head: "on parent", W: 11, Right: true, Rank: 80, Cell: func(r treeRow) (widget.Style, string) {
			if r.node.Delta == nil {
				return st.Label, ""
			}
			if big > 0 && *r.node.Delta >= big {
				return st.Accent, "* " + widget.Brief(*r.node.Delta)
			}
			return gainStyle(st, *r.node.Delta), widget.Brief(*r.node.Delta)
		}},
		{Head: "status", W: 10, Rank: 40, Cell: func(r treeRow) (widget.Style, string) { return st.State(string(r.node.Status)), string(r.node.Status) }},
		{Head: "niche", W: nicheWidth(g), Rank: 50, Cell: func(r treeRow) (widget.Style, string) { return st.Ident, Niche(g, r.node.Cell) }},
		{Head: "intent", Min: 16, Rank: 45, Cell: func(r treeRow) (widget.Style, string) { return st.Label, about(r) }},
	}}
}
