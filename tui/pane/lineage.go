package pane

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// lineagePane is the family of a candidate as a graph: its line from the root
// down, what branches off, and the crossovers between them. As a second choice
// it shows the lines of all that hold a niche.
type lineagePane struct {
	base
	cand   record.CandidateID
	all    bool // the lines of all elites
	q      query
	fam    *view.Lineage
	tree   *family
	list   widget.List[record.CandidateID]
	lo, hi float64 // of the values shown
	big    float64 // the gain of a breakthrough
	order  widget.Order
	laid   widget.Order // how the rows lie; by a column they are no tree
}

func newLineage(d *Shared) *lineagePane {
	return &lineagePane{base: base{d: d, id: Lineage}, cand: record.NoCandidate}
}

func (p *lineagePane) Set(id record.CandidateID) {
	if id != p.cand || p.all {
		p.cand, p.all = id, false
		p.forget()
	}
	p.bump()
}

func (p *lineagePane) forget() {
	p.fam, p.tree = nil, nil
	p.list = widget.List[record.CandidateID]{}
}

func (p *lineagePane) OfNow() bool { return true }

func (p *lineagePane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InLineage, keys.InCandidates, keys.InList}
}

func (p *lineagePane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InLineage}
	return []*keys.Binding{
		{ID: "fold-branch", Keys: []string{"left", "h"}, Title: "fold", Doc: "what comes of it; again: of its parent", In: in, Off: p.empty, Run: p.foldHere},
		{ID: "unfold-branch", Keys: []string{"right", "l"}, Title: "unfold", In: in, Off: p.empty, Run: p.unfoldHere},
		{ID: "fold-branches", Keys: []string{"v"}, Title: "fold branches", Doc: "all that leave the line of the candidate; again: unfold", In: in, Bar: 76, Off: p.empty, Run: p.foldBranches},
		{ID: "next-breakthrough", Keys: []string{"]"}, Title: "next breakthrough", In: in, Bar: 77, Off: p.empty, Run: func() tea.Cmd { return p.breakthrough(1) }},
		{ID: "previous-breakthrough", Keys: []string{"["}, Title: "breakthrough before", In: in, Off: p.empty, Run: func() tea.Cmd { return p.breakthrough(-1) }},
		{ID: "other-parent", Keys: []string{"%"}, Title: "to the other parent", Doc: "of a crossover", In: in, Off: p.noMate, Run: p.toMate},
		{ID: "to-focus", Keys: []string{"."}, Title: "to the candidate", Doc: "whose lineage this is", In: in, Off: p.empty, Run: p.toFocus},
		{ID: "whole-family", Keys: []string{"m"}, Title: "all lines", Says: p.other, Doc: "of all that hold a niche, or of this candidate alone", In: in, Bar: 75, Off: p.hasKeys, Run: p.toggleAll},
	}
}

func (p *lineagePane) hasKeys() string {
	if p.d.Host.Current() != Pane(p) {
		return "only in a lineage"
	}
	return ""
}

// other is what the key of all lines shows now.
func (p *lineagePane) other() string {
	if p.all {
		return "this candidate's line"
	}
	return "all lines"
}

func (p *lineagePane) empty() string {
	if p.hasKeys() != "" || p.tree == nil || len(p.tree.rows) == 0 {
		return "no lineage is shown"
	}
	return ""
}

func (p *lineagePane) noMate() string {
	if why := p.empty(); why != "" {
		return why
	}
	if len(mates(p.row().node)) == 0 {
		return "it has one parent alone"
	}
	return ""
}

func (p *lineagePane) Title() (string, string) {
	st := p.d.St
	left := st.Strong.S("Lineage of ") + st.Ident.S(CandidateName(p.cand))
	if p.all {
		left = st.Strong.S("Lineage of all elites")
	}
	if p.fam == nil {
		return left, ""
	}
	if line := toldLine(p.d.Snap, p.fam.Ancestors); len(line) > 1 {
		left += " " + st.Lines[0].Wrap(plot.Sparkline(line, min(len(line), 24), p.d.Glyphs))
	}
	steps := widget.Plural(len(p.fam.Ancestors)-1, "step from the root", "steps from the root") + ", "
	if p.all {
		steps = ""
	}
	return left, st.Label.S(steps+widget.Plural(len(p.fam.Descendants)+p.fam.More, "descendant", "descendants")) + st.Accent.S(" · * a fifth of the gain")
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
	if p.all {
		return p.q.ask(p.d, p.id, "lines of all", func(ctx context.Context) (any, error) { return r.Survivors(ctx) })
	}
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

// plant orders the tree anew; what was folded stays so.
func (p *lineagePane) plant() {
	old := p.tree
	focus := p.cand
	if p.all {
		focus = p.d.Snap.Best.ID
	}
	p.tree = newFamily(p.fam, focus, func(a, b float64) bool { return p.d.gain(a, b) > 0 })
	if old != nil {
		p.tree.folded = old.folded
	}
	p.lo, p.hi = math.Inf(1), math.Inf(-1)
	first, last := math.NaN(), math.NaN()
	for _, n := range p.tree.nodes {
		if n.Objective != nil {
			p.lo, p.hi = math.Min(p.lo, *n.Objective), math.Max(p.hi, *n.Objective)
		}
	}
	if top := p.tree.nodes[p.tree.top]; top != nil && top.Objective != nil {
		first = *top.Objective
	}
	for _, n := range p.tree.nodes {
		if n.Objective != nil && (p.all || p.tree.path[n.ID]) && (math.IsNaN(last) || p.d.gain(*n.Objective, last) > 0) {
			last = *n.Objective
		}
	}
	p.big = p.d.gain(last, first) / 5
	p.lay()
}

// lay makes the rows; the cursor stays on its candidate, or on the one that hides
// it now.
func (p *lineagePane) lay() {
	p.laid = p.order
	if p.tree.lay(14); p.order.By != "" {
		p.tree.flat()
		t, rows := p.table(80), slices.Clone(p.tree.rows)
		for to, from := range t.Sort(len(rows), func(i int) *familyRow { return &rows[i] }) {
			p.tree.rows[to] = rows[from]
		}
	}
	ids := make([]record.CandidateID, len(p.tree.rows))
	for i := range p.tree.rows {
		ids[i] = p.tree.rows[i].node.ID
	}
	at, ok := p.list.At()
	p.list.Set(ids)
	for ; ok && at >= 0 && !p.list.Seek(at); at = parentOf(p.tree.nodes[at]) {
		if p.tree.nodes[at] == nil {
			break
		}
	}
	p.list.Clamp()
}

func (p *lineagePane) row() *familyRow { return &p.tree.rows[p.list.Cur] }

func (p *lineagePane) foldHere() tea.Cmd {
	n := p.row().node
	if p.tree.folded[n.ID] || len(p.tree.kids[n.ID]) == 0 { // nothing to fold here: the one above
		if up := parentOf(n); p.tree.nodes[up] != nil {
			p.list.Seek(up)
		}
	} else {
		p.tree.folded[n.ID] = true
		p.lay()
	}
	p.bump()
	return nil
}

func (p *lineagePane) unfoldHere() tea.Cmd {
	delete(p.tree.folded, p.row().node.ID)
	p.lay()
	p.bump()
	return nil
}

// foldBranches folds all that leaves the line of the candidate; when nothing is
// left to fold it unfolds everything.
func (p *lineagePane) foldBranches() tea.Cmd {
	changed := false
	for id, kids := range p.tree.kids {
		if f := p.tree; len(kids) > 0 && !f.path[id] && f.path[parentOf(f.nodes[id])] && !f.folded[id] {
			f.folded[id], changed = true, true
		}
	}
	if !changed {
		clear(p.tree.folded)
	}
	p.lay()
	p.bump()
	return nil
}

func (p *lineagePane) isBreakthrough(n *view.LineageNode) bool {
	return p.big > 0 && n.Delta != nil && *n.Delta >= p.big
}

func (p *lineagePane) breakthrough(by int) tea.Cmd {
	for i := p.list.Cur + by; i >= 0 && i < len(p.tree.rows); i += by {
		if p.isBreakthrough(p.tree.rows[i].node) {
			p.list.Cur = i
			p.bump()
			return nil
		}
	}
	return p.d.Host.Say("no breakthrough "+map[int]string{1: "below", -1: "above"}[by], false)
}

// toMate goes to the other parent: here, or in a lineage of its own.
func (p *lineagePane) toMate() tea.Cmd {
	id := mates(p.row().node)[0]
	if p.list.Seek(id) {
		p.bump()
		return nil
	}
	p.Set(id)
	return p.Load()
}

func (p *lineagePane) toFocus() tea.Cmd {
	for id := p.cand; p.tree.nodes[id] != nil; id = parentOf(p.tree.nodes[id]) {
		if up := parentOf(p.tree.nodes[id]); up >= 0 {
			delete(p.tree.folded, up)
		}
	}
	p.lay()
	p.list.Seek(p.cand)
	p.bump()
	return nil
}

func (p *lineagePane) toggleAll() tea.Cmd {
	p.all = !p.all
	p.forget()
	p.bump()
	return p.Load()
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
	if p.laid != p.order {
		p.lay()
	}
	t := p.table(w)
	return t.Lines(w, h, len(p.tree.rows), p.list.Cur, p.list.Window, func(i int) *familyRow { return &p.tree.rows[i] })
}

// bar is the place of a value between the worst and the best that are shown.
func (p *lineagePane) bar(n *view.LineageNode, w int) string {
	if n.Objective == nil || !(p.hi > p.lo) {
		return ""
	}
	t := (*n.Objective - p.lo) / (p.hi - p.lo)
	if p.d.Snap.Direction == "minimize" {
		t = 1 - t
	}
	full, _ := plot.Bar(math.Max(t, 0.05), w, p.d.Glyphs)
	return full
}

func (p *lineagePane) table(w int) widget.Table[*familyRow] {
	type row = *familyRow
	st, g := p.d.St, &p.d.Snap.Grid
	lead := 0
	for i := range p.tree.rows {
		r := &p.tree.rows[i]
		lead = max(lead, plot.Width(r.lead)+2+widget.IDWidth(int64(r.node.ID))+plot.Width(foldText(r)))
	}
	about := func(r row) string {
		var with []string
		for _, k := range mates(r.node) {
			with = append(with, "× "+CandidateName(k))
		}
		return widget.Words(" ", strings.Join(with, " "), r.node.Intent)
	}
	arcs := slices.ContainsFunc(p.tree.rows, func(r familyRow) bool { return strings.TrimSpace(r.arcs) != "" })
	value := p.d.toldWidth(11)
	cols := []widget.Column[row]{
		{Head: "candidate", W: max(10, min(lead, w/3)), Rank: 100, Cell: func(r row) (widget.Style, string) {
			mark, col := "○ ", st.Ident
			switch {
			case r.node.ID == p.cand && !p.all:
				mark, col = "● ", st.Accent
			case p.tree.path[r.node.ID] || p.d.Grid.CellOf(r.node.ID) >= 0:
				mark = "● "
			}
			if r.hidden > 0 {
				mark = "▸ "
			}
			return col, r.lead + mark + CandidateName(r.node.ID) + foldText(r)
		}},
		{Head: "×", W: arcLanes + 1, Rank: 70, Cell: func(r row) (widget.Style, string) { return st.Warn, r.arcs }},
		{Head: "operator", W: 11, Rank: 60, Cell: func(r row) (widget.Style, string) { return st.Plain, string(r.node.Operator) }},
		{Head: "value", W: value, Right: true, Rank: 90, Cell: func(r row) (widget.Style, string) {
			if r.node.Objective == nil && w < 100 { // there is no column of the status
				return st.State(string(r.node.Status)), string(r.node.Status)
			}
			return p.d.valueStyle(r.node.ID, r.node.Objective, r.node.Claim), p.d.told(r.node.ID, r.node.Objective, r.node.Claim, value)
		}},
		{Head: p.d.ofDeciding(), W: 11, Rank: 55, Cell: func(r row) (widget.Style, string) {
			if len(r.below) > 1 {
				return st.Lines[2], plot.Sparkline(r.below, min(len(r.below), 10), p.d.Glyphs)
			}
			return st.Lines[0], p.bar(r.node, 10)
		}},
		{Head: "on parent", W: 11, Right: true, Rank: 80, Cell: func(r row) (widget.Style, string) {
			if r.node.Delta == nil || r.node.Objective == nil {
				return st.Label, ""
			}
			delta := level(*r.node.Delta, *r.node.Objective)
			if p.isBreakthrough(r.node) {
				return st.Accent, "* " + widget.Brief(delta)
			}
			return gainStyle(st, delta), widget.Brief(delta)
		}},
		{Head: "status", W: 10, Rank: 40, Cell: func(r row) (widget.Style, string) { return st.State(string(r.node.Status)), string(r.node.Status) }},
		{Head: "niche", W: nicheWidth(g), Rank: 50, Cell: func(r row) (widget.Style, string) { return st.Ident, Niche(g, r.node.Cell) }},
		{Head: "intent", Min: 16, Rank: 45, Cell: func(r row) (widget.Style, string) { return st.Label, about(r) }},
	}
	if !arcs {
		cols = slices.Delete(cols, 1, 2)
	}
	return widget.Table[row]{St: st, Order: p.order, Mark: func(r row) bool { return p.d.marked(r.node.ID) }, Note: about, Columns: cols}
}

// Heads and Order are those of the table; ordered by a column it is no tree.
func (p *lineagePane) Heads() []string {
	if p.tree == nil {
		return nil
	}
	t := p.table(80)
	return t.Heads()
}

func (p *lineagePane) Order() *widget.Order { return &p.order }

// foldText says how many candidates are folded away.
func foldText(r *familyRow) string {
	if r.hidden == 0 {
		return ""
	}
	return fmt.Sprintf(" +%d", r.hidden)
}
