package pane

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// details tell the niche under the cursor in words: what the colours say must
// be readable too.
func (p *nichesPane) details(w int, two bool) []string {
	g, st := &p.d.Snap.Grid, p.d.St
	cell := p.cell()
	c := p.d.Grid.At(cell)
	var l widget.Line
	l.Gap(1).Add(st.Ident, Niche(g, cell))
	if c == nil || c.Elite < 0 {
		l.Add(st.Label, " empty")
		if c != nil && c.Tries > 0 {
			l.Add(st.Label, fmt.Sprintf(" · %s", widget.Plural(c.Tries, "try", "tries")))
		}
		if c != nil {
			for _, t := range p.d.states(c) {
				l.Add(st.Label, " · "+t)
			}
		}
		out := []string{l.String()}
		if two {
			out = append(out, " "+st.Label.S(p.bounds(cell, w-1)))
		}
		return out
	}
	l.Gap(1).Add(st.Ident, CandidateName(c.Elite)).Gap(1).Add(p.d.valueStyle(c.Elite, &c.Objective, c.Claim), p.d.toldCell(c, w-l.W))
	tell := append(p.coloured(c), p.d.states(c)...)
	states := len(tell)
	marked := plot.Width(widget.Words(" · ", tell...)) + 3
	if p.d.isNew(c) { // which nobody decided
		tell = append(tell, markNew.String())
	}
	if root := p.d.Snap.Root; root.ID >= 0 && c.Elite != record.Root && !p.d.Snap.Noisy {
		diff := level(p.d.gain(c.Objective, root.Objective), root.Objective)
		col := st.Good
		if diff < 0 {
			col = st.Bad
		}
		if l.W+plot.Width(widget.Signed(diff))+9+marked <= w { // what was decided counts more
			l.Gap(1).Add(col, widget.Signed(diff)).Add(st.Label, " on root")
		}
	}
	tell = append(tell, widget.Plural(c.Tries, "try", "tries"))
	var rest []string // what the first line has no room for
	for i, t := range tell {
		if l.W+plot.Width(t)+3 > w {
			rest = tell[i:]
			break
		}
		l.Add(st.Label, " · ").Add(st.Plain, t)
	}
	out := []string{l.String()}
	if two {
		if len(rest) > len(tell)-states { // a state is among them
			return append(out, " "+st.Plain.S(widget.CutParts(rest, w-1)))
		}
		if all := p.stacked(); len(all) > 1 {
			return append(out, " "+st.Label.S(widget.CutParts(p.others(all, cell), w-1)))
		}
		out = append(out, " "+st.Label.S(p.bounds(cell, w-1)))
	}
	return out
}

// coloured tells what the colours of a niche say where that is not its value.
func (p *nichesPane) coloured(c *view.Cell) []string {
	switch p.layer {
	case layerSpread:
		return []string{fmt.Sprintf("spread %s of %s", plot.Short(c.MAD), widget.Plural(c.Samples, "sample", "samples"))}
	case layerOdds:
		switch {
		case p.d.Past:
			return []string{"odds are told of now alone"}
		case p.odds.Cells == nil:
			return []string{"reading its odds"}
		}
		return []string{fmt.Sprintf("drawn %s %% of the time", share(100*p.odds.Cells[c.Index]))}
	case layerCuriosity:
		return []string{fmt.Sprintf("%d of %s took a niche", c.Improved, widget.Plural(c.Children, "edit", "edits"))}
	case layerAge:
		return []string{"taken " + widget.Ago(p.d.Now().Sub(widget.Millis(c.Since)))}
	}
	return nil
}

// share writes a part of a hundred with two digits.
func share(v float64) string {
	switch {
	case v >= 10:
		return fmt.Sprintf("%.0f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// states tell in words what the marks of a niche say that people and jobs gave it.
func (d *Shared) states(c *view.Cell) []string {
	var tell []string
	if c.Elite >= 0 && d.marked(c.Elite) {
		tell = append(tell, markMarked.String())
	}
	if c.Frozen {
		tell = append(tell, "frozen")
	}
	if c.Boost > 0 && c.Boost != 1 {
		tell = append(tell, fmt.Sprintf("boost x%g", c.Boost))
	}
	if c.Waiting > 0 {
		tell = append(tell, fmt.Sprintf("%d waiting", c.Waiting))
	}
	if c.Running > 0 {
		tell = append(tell, fmt.Sprintf("%d running", c.Running))
	}
	return tell
}

// others tells which of the elites behind a field is chosen, and the rest.
func (p *nichesPane) others(all []*view.Cell, cell int) []string {
	var parts []string
	at := 0
	for i, c := range all {
		if c.Index == cell {
			at = i + 1
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", Niche(&p.d.Snap.Grid, c.Index), CandidateName(c.Elite), p.d.toldCell(c, evidenceWidth)))
	}
	return append([]string{fmt.Sprintf("%d of %d here, [ ] choose", at, len(all))}, parts...)
}

// bounds tells the edges of a niche on every axis in w cells, with whole names where there is room, and the lower
// edges alone where it is short.
func (p *nichesPane) bounds(cell, w int) string {
	g := &p.d.Snap.Grid
	at := coords(g.Dims, cell)
	var names, spans, short []string
	var need []int
	room := w - 3*(len(at)-1)
	for i, n := range at {
		if i < len(g.Axes) && n+1 < len(g.Axes[i].Edges) {
			e := plot.Edges(g.Axes[i].Edges)
			name, span := g.Axes[i].Name, fmt.Sprintf(" %s–%s%s", e[n], e[n+1], p.units.after(g.Axes[i].Name))
			names, spans, need = append(names, name), append(spans, span), append(need, plot.Width(widget.AxisName(name, w)))
			short = append(short, widget.CutAxis(name, 12)+" "+e[n])
			room -= plot.Width(span)
		}
	}
	var parts []string
	for i, most := range fairly(need, room) {
		parts = append(parts, widget.CutAxis(names[i], max(8, most))+spans[i])
	}
	if t := strings.Join(parts, " · "); plot.Width(t) <= w {
		return t
	}
	return strings.Join(short, " · ")
}

// fairly shares room among those that need so much of it: who needs less than an equal part leaves the rest to the others.
func fairly(need []int, room int) []int {
	order := make([]int, len(need))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(need[a], need[b]) })
	out := make([]int, len(need))
	for k, i := range order {
		out[i] = min(need[i], room/(len(need)-k))
		room -= out[i]
	}
	return out
}

// axes tells the edges of a niche with the whole names of the axes.
func (p *nichesPane) axes(cell, w int) []string {
	g, st := &p.d.Snap.Grid, p.d.St
	at := coords(g.Dims, cell)
	var out []string
	for i, n := range at {
		if i >= len(g.Axes) || n+1 >= len(g.Axes[i].Edges) {
			continue
		}
		e := plot.Edges(g.Axes[i].Edges)
		for k, t := range widget.WrapText(g.Axes[i].Name, max(12, w-18)) {
			var l widget.Line
			if k == 0 {
				l.Col(st.Plain, e[n]+"–"+e[n+1], 16)
			} else {
				l.Gap(16)
			}
			out = append(out, l.Gap(1).Add(st.Label, t).String())
		}
	}
	return out
}

// show asks for the niche under the cursor when there is room to tell it.
func (p *nichesPane) Load() tea.Cmd {
	cell := p.cell()
	if p.d.Reader == nil {
		return nil
	}
	if p.d.Past { // what can be asked is of now
		return p.units.load(p.d, p.id)
	}
	r := p.d.Reader
	var odds tea.Cmd
	if p.layer == layerOdds {
		now := p.d.Snap.Settings
		odds = p.qOdds.ask(p.d, p.id, "odds", func(ctx context.Context) (any, error) { return r.Odds(ctx, now) })
	}
	units := p.units.load(p.d, p.id)
	if !p.wide || cell < 0 {
		return tea.Batch(odds, units)
	}
	return tea.Batch(odds, units, p.q.ask(p.d, p.id, fmt.Sprint("niche ", cell), func(ctx context.Context) (any, error) { return r.Niche(ctx, cell) }))
}

func (p *nichesPane) Take(m Loaded) {
	if v, ok := m.val.(view.Odds); ok && p.qOdds.accept(m) {
		p.odds = v
		p.bump()
		return
	}
	if p.units.take(m) {
		p.bump()
		return
	}
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(view.NicheDetail); ok && m.err == nil {
		p.detail = &v
	}
	p.bump()
}

// side is the column of a zoomed grid: elite, runners-up, history.
func (p *nichesPane) side(w, h int) []string {
	st, g := p.d.St, &p.d.Snap.Grid
	cell := p.cell()
	out := []string{"", st.Strong.S("niche ") + st.Ident.S(Niche(g, cell))}
	out = append(out, p.axes(cell, w)...)
	if all := p.stacked(); len(all) > 1 {
		out = append(out, "", st.Label.S(fmt.Sprintf("%d elites over the axes that are not shown", len(all))))
		for i, c := range all {
			if i == 6 {
				out = append(out, st.Label.S(fmt.Sprintf("and %d more", len(all)-i)))
				break
			}
			var l widget.Line
			l.Col(st.Ident, Niche(g, c.Index), nicheWidth(g)).Col(st.Ident, CandidateName(c.Elite), widget.IDWidth(int64(c.Elite))).Right(st.Plain, p.d.toldCell(c, p.d.toldWidth(10)), p.d.toldWidth(10))
			if row := l.String(); c.Index == cell {
				out = append(out, widget.Pick(st.Selected, row, min(w, l.W)))
			} else {
				out = append(out, row)
			}
		}
	}
	out = append(out, "")
	n := p.detail
	switch {
	case p.d.Past:
		for _, t := range widget.WrapText("its elite, runners-up and history are told of now: "+p.d.Key("past")+" leads back", w) {
			out = append(out, st.Label.S(t))
		}
		return out
	case p.q.err != nil:
		return append(out, st.Bad.S("cannot read it: "+p.q.err.Error()))
	case p.d.Reader == nil:
		return append(out, st.Label.S("no reader: only what the map shows"))
	case n == nil || n.Cell != cell:
		return append(out, st.Label.S("loading"))
	case n.Elite == nil:
		return append(out, st.Label.S("empty; "+widget.Plural(n.Tries, "try", "tries")))
	}
	out = append(out, candidateCard(p.d, n.Elite, w)...)
	out = append(out, "", st.Label.S(fmt.Sprintf("runners-up of %s", widget.Plural(n.Tries, "try", "tries"))))
	for i, c := range n.Runners {
		if i >= 5 && i >= (h-len(out)+i)/2 { // the history has as much
			break
		}
		out = append(out, runnerUp(p.d, &c, n, w))
	}
	past := st.Label.S(widget.Words(", ", "history", p.d.ofDeciding()))
	if len(n.History) > 1 { // newest first
		var line []float64
		for _, t := range slices.Backward(n.History) {
			line = append(line, t.Objective)
		}
		past += " " + st.Lines[0].Wrap(plot.Sparkline(oriented(p.d, line), min(len(line), 24), p.d.Glyphs))
	}
	out = append(out, "", past)
	for _, t := range n.History {
		if len(out) >= h {
			break
		}
		out = append(out, takeover(p.d, &t, w))
	}
	return out
}

func runnerUp(d *Shared, c *record.Candidate, n *view.NicheDetail, w int) string {
	st := d.St
	var l widget.Line
	l.Col(st.Ident, CandidateName(c.ID), widget.IDWidth(int64(c.ID))).Col(st.Plain, string(c.Operator), 11).Right(st.Plain, d.told(c.ID, c.Objective, n.Claims[c.ID], d.toldWidth(10)), d.toldWidth(10)).Gap(2)
	if elite := n.Elite; c.Objective != nil && elite.Candidate.Objective != nil && !d.Snap.Noisy {
		l.Right(st.Label, widget.Brief(level(d.gain(*c.Objective, *elite.Candidate.Objective), *c.Objective)), 8).Gap(2)
	}
	if w-l.W >= leastIntent { // a word or two of it tell nothing
		l.Fit(st.Label, c.Intent, w-l.W)
	}
	return l.String()
}

// leastIntent is the room from which what a candidate was meant to do is told in a row.
const leastIntent = 16

func takeover(d *Shared, t *view.Takeover, w int) string {
	st := d.St
	var l widget.Line
	at := when(d, t.At)
	if t.Candidate == record.Root {
		at = "start"
	}
	l.Col(st.Label, at, 10).Col(st.Ident, CandidateName(t.Candidate), widget.IDWidth(int64(t.Candidate))).Right(st.Plain, widget.Number(t.Objective), 10).Gap(2)
	if !math.IsNaN(t.Delta) && !d.Snap.Noisy {
		l.Col(st.Good, widget.Brief(level(t.Delta, t.Objective)), 9)
	}
	return l.Fit(st.Label, t.Why, w-l.W).String()
}
