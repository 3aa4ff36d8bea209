package tui

import (
	"context"
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// details tell the niche under the cursor in words: what the colours say must
// be readable too.
func (p *nichesPane) details(w int, two bool) []string {
	g, st := &p.d.snap.Grid, p.d.st
	cell := p.cell()
	c := p.d.grid.at(cell)
	var l line
	l.gap(1).add(st.Ident, niche(g, cell))
	if c == nil || c.Elite < 0 {
		l.add(st.Label, " empty")
		if c != nil && c.Tries > 0 {
			l.add(st.Label, fmt.Sprintf(" · %s", plural(c.Tries, "try", "tries")))
		}
		if c != nil && c.Waiting > 0 {
			l.add(st.Label, fmt.Sprintf(" · %d waiting", c.Waiting))
		}
		out := []string{l.String()}
		if two {
			out = append(out, " "+st.Label.S(p.bounds(cell, w-1)))
		}
		return out
	}
	l.gap(1).add(st.Ident, candidateName(c.Elite)).gap(1).add(st.Strong, number(c.Objective))
	if root := p.d.snap.Root; root.ID >= 0 && c.Elite != record.Root {
		diff := p.d.gain(c.Objective, root.Objective)
		col := st.Good
		if diff < 0 {
			col = st.Bad
		}
		l.gap(1).add(col, signed(diff)).add(st.Label, " on root")
	}
	var tell []string
	switch p.layer { // what the colours say
	case layerSpread:
		tell = append(tell, fmt.Sprintf("spread %s of %s", plot.Short(c.MAD), plural(c.Samples, "sample", "samples")))
	case layerCuriosity:
		tell = append(tell, fmt.Sprintf("%d of %s took a niche", c.Improved, plural(c.Children, "edit", "edits")))
	case layerAge:
		tell = append(tell, "taken "+ago(p.d.now().Sub(millis(c.Since))))
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
	tell = append(tell, plural(c.Tries, "try", "tries"))
	for _, t := range tell {
		if l.w+len(t)+3 <= w {
			l.add(st.Label, " · ").add(st.Plain, t)
		}
	}
	out := []string{l.String()}
	if two {
		if all := p.stacked(); len(all) > 1 {
			return append(out, " "+st.Label.S(cutParts(p.others(all, cell), w-1)))
		}
		out = append(out, " "+st.Label.S(p.bounds(cell, w-1)))
	}
	return out
}

// stacked are the elites behind the field under the cursor, best first; nil
// where the map shows every cell by itself.
func (p *nichesPane) stacked() []*view.Cell {
	if p.view.cut || len(p.hidden()) == 0 {
		return nil
	}
	return p.elites()
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
		parts = append(parts, fmt.Sprintf("%s %s %s", niche(&p.d.snap.Grid, c.Index), candidateName(c.Elite), number(c.Objective)))
	}
	return append([]string{fmt.Sprintf("%d of %d here, [ ] choose", at, len(all))}, parts...)
}

// cutParts joins the leading parts that fit w cells, at least the first.
func cutParts(parts []string, w int) string {
	out := ""
	for i, t := range parts {
		if i > 0 {
			t = " · " + t
			if plot.Width(out)+plot.Width(t) > w {
				break
			}
		}
		out += t
	}
	return out
}

// bounds tells the edges of a niche on every axis in w cells, the lower ones
// alone where room is short.
func (p *nichesPane) bounds(cell, w int) string {
	g := &p.d.snap.Grid
	at := coords(g.Dims, cell)
	var parts, short []string
	for i, n := range at {
		if i < len(g.Axes) && n+1 < len(g.Axes[i].Edges) {
			e := plot.Edges(g.Axes[i].Edges)
			parts = append(parts, fmt.Sprintf("%s %s–%s", axisName(g.Axes[i].Name, max(8, (w-3*len(at))/len(at)-plot.Width(e[n]+e[n+1])-2)), e[n], e[n+1]))
			short = append(short, axisName(g.Axes[i].Name, 12)+" "+e[n])
		}
	}
	if t := strings.Join(parts, " · "); plot.Width(t) <= w {
		return t
	}
	return strings.Join(short, " · ")
}

// axes tells the edges of a niche with the whole names of the axes.
func (p *nichesPane) axes(cell, w int) []string {
	g, st := &p.d.snap.Grid, p.d.st
	at := coords(g.Dims, cell)
	var out []string
	for i, n := range at {
		if i >= len(g.Axes) || n+1 >= len(g.Axes[i].Edges) {
			continue
		}
		e := plot.Edges(g.Axes[i].Edges)
		for k, t := range wrapText(g.Axes[i].Name, max(12, w-18)) {
			var l line
			if k == 0 {
				l.fit(st.Plain, e[n]+"–"+e[n+1], 16)
			} else {
				l.gap(16)
			}
			out = append(out, l.gap(1).add(st.Label, t).String())
		}
	}
	return out
}

// axisName shortens the name of a learned axis to w cells without cutting a
// word: what goes up along it, then what goes down.
func axisName(name string, w int) string {
	name = plot.Clean(name)
	if plot.Width(name) <= w {
		return name
	}
	up, down, both := strings.Cut(name, " -")
	if !both {
		return cutWords(name, w)
	}
	up = cutWords(up, max(w/2, w-plot.Width(down)-2))
	return up + " -" + cutWords(down, w-plot.Width(up)-2)
}

// cutWords keeps the leading words that fit w cells, at least one.
func cutWords(text string, w int) string {
	words := strings.Fields(text)
	out := ""
	for i, t := range words {
		if i > 0 && plot.Width(out)+1+plot.Width(t) > w {
			break
		}
		if i > 0 {
			out += " "
		}
		out += t
	}
	return plot.Fit(out, min(plot.Width(out), max(w, 1)))
}

// show asks for the niche under the cursor when there is room to tell it.
func (p *nichesPane) show() tea.Cmd {
	cell := p.cell()
	if !p.wide || cell < 0 || p.d.opt.Reader == nil {
		return nil
	}
	r := p.d.opt.Reader
	return p.q.ask(p.d, p.id, fmt.Sprint("niche ", cell), func(ctx context.Context) (any, error) { return r.Niche(ctx, cell) })
}

func (p *nichesPane) take(m loadedMsg) {
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
	st, g := p.d.st, &p.d.snap.Grid
	cell := p.cell()
	out := []string{"", st.Strong.S("niche ") + st.Ident.S(niche(g, cell))}
	out = append(out, p.axes(cell, w)...)
	if all := p.stacked(); len(all) > 1 {
		out = append(out, "", st.Label.S(fmt.Sprintf("%d elites over the axes that are not shown", len(all))))
		for i, c := range all {
			if i == 6 {
				out = append(out, st.Label.S(fmt.Sprintf("and %d more", len(all)-i)))
				break
			}
			var l line
			l.fit(st.Ident, niche(g, c.Index), 10).fit(st.Ident, candidateName(c.Elite), 7).right(st.Plain, number(c.Objective), 9)
			if row := l.String(); c.Index == cell {
				out = append(out, pick(st.Selected, row, min(w, 30)))
			} else {
				out = append(out, row)
			}
		}
	}
	out = append(out, "")
	n := p.detail
	switch {
	case p.q.err != nil:
		return append(out, st.Bad.S("cannot read it: "+p.q.err.Error()))
	case p.d.opt.Reader == nil:
		return append(out, st.Label.S("no reader: only what the map shows"))
	case n == nil || n.Cell != cell:
		return append(out, st.Label.S("loading"))
	case n.Elite == nil:
		return append(out, st.Label.S("empty; "+plural(n.Tries, "try", "tries")))
	}
	out = append(out, candidateCard(p.d, n.Elite, w)...)
	out = append(out, "", st.Label.S(fmt.Sprintf("runners-up of %s", plural(n.Tries, "try", "tries"))))
	for i, c := range n.Runners {
		if i == 5 {
			break
		}
		out = append(out, p.runner(&c, n.Elite, w))
	}
	out = append(out, "", st.Label.S("history"))
	for _, t := range n.History {
		if len(out) >= h {
			break
		}
		out = append(out, takeover(p.d, &t, w))
	}
	return out
}

func (p *nichesPane) runner(c *record.Candidate, elite *view.CandidateDetail, w int) string {
	st := p.d.st
	var l line
	l.fit(st.Ident, candidateName(c.ID), 7).fit(st.Plain, string(c.Operator), 11).right(st.Plain, optional(c.Objective), 9).gap(2)
	if c.Objective != nil && elite.Candidate.Objective != nil {
		l.right(st.Label, brief(p.d.gain(*c.Objective, *elite.Candidate.Objective)), 9).gap(2)
	}
	return l.fit(st.Label, c.Intent, w-l.w).String()
}

func takeover(d *desk, t *view.Takeover, w int) string {
	st := d.st
	var l line
	l.fit(st.Label, when(d, t.At), 10).fit(st.Ident, candidateName(t.Candidate), 7).right(st.Plain, number(t.Objective), 9).gap(2)
	if !math.IsNaN(t.Delta) {
		l.fit(st.Good, brief(t.Delta), 9)
	} else {
		l.gap(9)
	}
	return l.fit(st.Label, t.Why, w-l.w).String()
}
