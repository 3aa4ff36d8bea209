package plot

import "strings"

// yAxis draws the label and the line at the left of one row of text: the upper
// bound at the top, the lower one at the bottom, the cursor's bin where it is.
func (m *HeatMap) yAxis(p *painter, g Geometry, line int) {
	label, style, at := "", m.Look.Faint, m.Look.Number
	tick := false
	row := g.bottom(m.CursorY - g.OffY) // where its lower bound is
	switch {
	case line == 0:
		label, tick = edge(m.YEdges, g.OffY+g.Rows), true
	case line == g.Lines-1 && (!m.Cursor || m.CursorY != g.OffY): // else the cursor's label says it
		label, tick = edge(m.YEdges, g.OffY), true
	}
	if m.Cursor && line == row {
		label, tick, style, at = edge(m.YEdges, m.CursorY), true, m.Look.Strong, m.Look.Strong
	}
	p.put(at, FitRight(label, g.Left-1))
	switch {
	case m.Look.Glyphs == ASCII && tick:
		p.put(style, "+")
	case m.Look.Glyphs == ASCII:
		p.put(m.Look.Faint, "|")
	case tick:
		p.put(style, "┤")
	default:
		p.put(m.Look.Faint, "│")
	}
}

func (m *HeatMap) xAxis(g Geometry) string {
	corner, dash, tick := "└", "─", "┬"
	if m.Look.Glyphs == ASCII {
		corner, dash, tick = "+", "-", "+"
	}
	n := g.Cols * g.CellW
	marks := map[int]bool{0: true, g.Cols / 2 * g.CellW: true, n - 1: true}
	cur := -1
	if m.Cursor {
		cur = (m.CursorX - g.OffX) * g.CellW // where its lower bound is
		marks[cur] = true
	}
	var p painter
	if g.Left > 0 {
		p.put(m.Look.Faint, strings.Repeat(" ", g.Left-1)+corner)
	}
	for i := range n {
		style, ch := m.Look.Faint, dash
		if marks[i] {
			ch = tick
		}
		if i == cur {
			style = m.Look.Strong
		}
		p.put(style, ch)
	}
	p.put("", strings.Repeat(" ", max(0, g.W-g.Left-n)))
	return p.line()
}

// xLabels writes the bounds under the axis; the cursor's bin comes first, the
// others where they have room.
func (m *HeatMap) xLabels(g Geometry) string {
	n := g.Cols * g.CellW
	room := g.W - g.Left
	line := []rune(strings.Repeat(" ", max(room, 0)))
	used := make([]bool, len(line))
	var from, to int
	place := func(label string, at int, strong bool) {
		rs := []rune(label)
		at = clamp(at, 0, max(0, len(line)-len(rs)))
		for i := max(0, at-1); i < min(len(line), at+len(rs)+1); i++ {
			if used[i] {
				return
			}
		}
		for i, r := range rs {
			if at+i < len(line) {
				line[at+i], used[at+i] = r, true
			}
		}
		if strong {
			from, to = at, min(at+len(rs), len(line))
		}
	}
	if m.Cursor {
		place(edge(m.XEdges, m.CursorX), (m.CursorX-g.OffX)*g.CellW, true)
	}
	last := edge(m.XEdges, g.OffX+g.Cols)
	place(edge(m.XEdges, g.OffX), 0, false)
	place(last, n-len([]rune(last)), false)
	if g.CellW > 0 {
		place(edge(m.XEdges, g.OffX+g.Cols/2), g.Cols/2*g.CellW, false)
	}
	if name := []rune(m.XName); len(name) > 0 {
		if at := n - len([]rune(last)) - 2 - len(name); at > g.Cols/2*g.CellW {
			place(m.XName, at, false)
		} else if at := n + 2; at+len(name) <= len(line) {
			place(m.XName, at, false)
		}
	}
	var p painter
	p.put("", strings.Repeat(" ", g.Left))
	p.put(m.Look.Number, string(line[:from]))
	p.put(m.Look.Strong, string(line[from:to]))
	p.put(m.Look.Number, string(line[to:]))
	return p.line()
}

func edge(edges []string, i int) string {
	if i < 0 || i >= len(edges) {
		return ""
	}
	return edges[i]
}
