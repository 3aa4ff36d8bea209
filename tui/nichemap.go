package tui

import (
	"math"
	"strings"

	"atoll/engine"
	"atoll/tui/plot"
)

// heat builds the map of the two axes shown.
func (p *nichesPane) heat() *plot.HeatMap {
	g := &p.d.snap.Grid
	nx, ny := p.gridDim[0], p.gridDim[1]
	m := &plot.HeatMap{
		Cols: nx, Rows: ny, Ramp: p.d.ramp, Look: p.d.st.look(p.d.glyphs),
		Cells: make([]plot.HeatCell, nx*ny), Cursor: true, CursorX: p.pos(p.ax), CursorY: p.pos(p.ay),
	}
	if p.ax < len(g.Axes) && len(g.Axes[p.ax].Edges) > 1 {
		m.XEdges = plot.Edges(g.Axes[p.ax].Edges)
	}
	if p.ay < len(g.Axes) && len(g.Axes[p.ay].Edges) > 1 {
		m.YEdges = plot.Edges(g.Axes[p.ay].Edges)
	}
	lo, hi := p.span()
	at := append([]int(nil), p.at...)
	for y := range ny {
		for x := range nx {
			at[p.ax] = x
			if p.ay < len(at) {
				at[p.ay] = y
			}
			if c := p.d.grid.at(flat(g.Dims, at)); c != nil {
				m.Cells[y*nx+x] = p.heatCell(c, lo, hi)
			}
		}
	}
	return m
}

// span is the range of the colours in the present layer.
func (p *nichesPane) span() (lo, hi float64) {
	if p.layer == layerValue {
		return p.d.grid.lo, p.d.grid.hi
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, c := range p.d.grid.cells {
		if c != nil && c.Elite >= 0 {
			v := p.value(c)
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo, hi
}

// value is what a layer shows of a niche.
func (p *nichesPane) value(c *engine.Cell) float64 {
	switch p.layer {
	case layerAge:
		return float64(c.Fold)
	case layerTries:
		return float64(c.Tries)
	case layerSpread:
		return c.MAD
	}
	return c.Adjusted
}

func (p *nichesPane) heatCell(c *engine.Cell, lo, hi float64) plot.HeatCell {
	out := plot.HeatCell{Filled: c.Elite >= 0, Mark: p.markOf(c)}
	v := p.value(c)
	switch {
	case p.layer == layerValue && p.byRank:
		out.T = p.d.grid.rank(v)
	case !(hi > lo) || math.IsInf(hi-lo, 0):
		out.T = 1
	default:
		out.T = math.Max(0, math.Min(1, (v-lo)/(hi-lo)))
	}
	return out
}

// newFor is how many folded candidates a niche counts as new.
const newFor = 10

// markOf is the one character on a niche, the most urgent first.
func (p *nichesPane) markOf(c *engine.Cell) rune {
	switch {
	case c.Elite >= 0 && p.d.marked(c.Elite):
		return 'x'
	case c.Waiting > 0:
		return '?'
	case c.Running > 0:
		if p.d.glyphs == plot.Braille {
			return '▸'
		}
		return '>'
	case c.Frozen:
		return '#'
	case c.Boost > 1:
		return '+'
	case c.Boost > 0 && c.Boost < 1:
		return '-'
	case c.Elite > 0 && c.Fold > p.folded()-newFor:
		return '*'
	}
	return 0
}

func (p *nichesPane) folded() int {
	if n := len(p.d.snap.Curves.X); n > 0 {
		return p.d.snap.Curves.X[n-1]
	}
	return 0
}

// legend is the ramp with its ends, and the marks in words.
func (p *nichesPane) legend(w int) string {
	st := p.d.st
	lo, hi := p.ends()
	var l line
	l.gap(1).add(st.Label, lo).gap(1).raw(p.d.ramp.Legend(max(8, min(20, w/4)))).gap(1).add(st.Plain, hi)
	name := p.d.snap.Objective
	if p.layer != layerValue {
		name = p.layer.String()
	} else if p.byRank {
		name = "rank of " + name
	}
	if l.w+plot.Width(plot.Clean(name))+2 < w {
		l.gap(2).add(st.Label, name)
	}
	run := ">"
	if p.d.glyphs == plot.Braille {
		run = "▸"
	}
	for _, m := range [...]string{"# frozen", "+ boosted", run + " running", "? waits", "* new"} {
		if l.w+len([]rune(m))+3 > w {
			break
		}
		l.gap(2).add(st.Plain, m[:len(m)-len(strings.TrimLeft(m, "#+?*>▸"))]).add(st.Label, strings.TrimLeft(m, "#+?*>▸"))
	}
	return l.String()
}

// ends are the values at the ends of the ramp, in the evaluator's direction.
func (p *nichesPane) ends() (lo, hi string) {
	switch p.layer {
	case layerAge:
		return "old", "new"
	case layerTries, layerSpread:
		l, h := p.span()
		if l > h {
			return "-", "-"
		}
		return plot.Short(l), plot.Short(h)
	}
	if len(p.d.grid.sorted) == 0 {
		return "-", "-"
	}
	sign := 1.0
	if p.d.snap.Direction == "minimize" {
		sign = -1
	}
	lo, hi = plot.Short(sign*p.d.grid.lo), plot.Short(sign*p.d.grid.hi)
	if p.d.grid.low {
		lo = "<" + lo
	}
	return lo, hi
}
