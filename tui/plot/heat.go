package plot

import (
	"strings"
)

// HeatMap is a grid of values with its origin at the lower left. Cells is
// row-major from the bottom: cell (x, y) is Cells[y*Cols+x].
type HeatMap struct {
	Cols, Rows       int
	Cells            []HeatCell
	XEdges, YEdges   []string // bounds of the bins, Cols+1 and Rows+1; nil = none
	Cursor           bool
	CursorX, CursorY int
	Ramp             *Ramp
	Look             Look
}

// HeatCell is one niche. T is its value in [0,1]; Mark is a character of one
// cell's width or 0.
type HeatCell struct {
	Filled bool
	T      float64
	Mark   rune
}

// Look holds SGR parameters for all that is no value.
type Look struct {
	Faint  string // axes and empty cells
	Strong string // the cursor's ticks
	Accent string // marks that wait for a person
	Cursor string // reversed, for shade ramps
	Glyphs Glyphs
}

// Geometry says how a heat map lies in its rectangle. Zero means it does not
// fit at all.
type Geometry struct {
	W, H       int
	Left       int // cells before the grid
	CellW      int // columns of one niche
	CellH      int // rows of one niche; 0 = half a row
	OffX, OffY int // first niche shown, from the lower left
	Cols, Rows int // niches shown
	Lines      int // rows of text that the grid takes
	AxisX      bool
	AxisY      bool
	rows       int
}

// Dense reports whether two niches share a row of text.
func (g Geometry) Dense() bool { return g.CellH == 0 && g.CellW > 0 }

// At returns the niche under a cell of the screen.
func (g Geometry) At(px, py int) (x, y int, ok bool) {
	if g.CellW == 0 || px < g.Left || py < 0 || py >= g.Lines {
		return 0, 0, false
	}
	cx := (px - g.Left) / g.CellW
	if cx >= g.Cols {
		return 0, 0, false
	}
	var up int
	if g.Dense() {
		up = 2 * (g.Lines - 1 - py)
	} else {
		up = (g.Lines - 1 - py) / g.CellH
	}
	if up >= g.Rows {
		up = g.Rows - 1
	}
	return g.OffX + cx, g.OffY + up, true
}

const maxScale = 4

// Place decides how the map lies in w x h cells: as large as fits with axes,
// then without them, then two niches to a row of text, then a part of the grid
// around the cursor. Nothing is ever averaged.
func (m *HeatMap) Place(w, h int) Geometry {
	g := Geometry{W: w, H: h, rows: m.Rows}
	if m.Cols <= 0 || m.Rows <= 0 || w < 1 || h < 1 {
		return Geometry{W: w, H: h}
	}
	gut := m.gutter()
	axes := [][2]bool{{true, true}, {true, false}, {false, false}}
	for s := maxScale; s >= 1; s-- {
		for _, a := range axes {
			left, below := 0, 0
			if a[0] && gut > 0 {
				left = gut
			}
			if a[1] && m.XEdges != nil {
				below = 2
			}
			if s > 1 && (left == 0 && gut > 0 || below == 0 && m.XEdges != nil) {
				continue
			}
			if left+2*s*m.Cols <= w && below+s*m.Rows <= h {
				g.Left, g.CellW, g.CellH = left, 2*s, s
				g.Cols, g.Rows, g.Lines = m.Cols, m.Rows, s*m.Rows
				g.AxisX, g.AxisY = below > 0, left > 0
				return g
			}
		}
	}
	return m.placeSmall(g, gut)
}

// placeSmall is dense mode, or one column and row for each niche where
// characters carry the value, both with a viewport.
func (m *HeatMap) placeSmall(g Geometry, gut int) Geometry {
	g.CellW = 1
	if m.Ramp.Shade() {
		g.CellH = 1
	}
	lines := func(rows int) int {
		if g.CellH == 0 {
			return (rows + 1) / 2
		}
		return rows
	}
	if gut > 0 && gut+min(m.Cols, 12) <= g.W {
		g.Left, g.AxisY = gut, true
	}
	below := 0
	if m.XEdges != nil && g.H >= min(lines(m.Rows), 6)+2 {
		below, g.AxisX = 2, true
	}
	g.Cols = min(m.Cols, g.W-g.Left)
	g.Lines = min(lines(m.Rows), g.H-below)
	g.Rows = g.Lines
	if g.CellH == 0 {
		g.Rows = min(2*g.Lines, m.Rows)
	}
	if g.Cols < 1 || g.Lines < 1 {
		return Geometry{W: g.W, H: g.H}
	}
	g.OffX = clamp(m.CursorX-g.Cols/2, 0, m.Cols-g.Cols)
	g.OffY = clamp(m.CursorY-g.Rows/2, 0, m.Rows-g.Rows)
	if g.CellH == 0 && g.OffY%2 == 1 { // keep pairs of rows together
		g.OffY = min(g.OffY+1, m.Rows-g.Rows)
	}
	return g
}

func clamp(v, lo, hi int) int { return max(lo, min(v, max(lo, hi))) }

// gutter is the width of the labels on the y axis and its line.
func (m *HeatMap) gutter() int {
	w := 0
	for _, s := range m.YEdges {
		w = max(w, Width(s))
	}
	if w == 0 {
		return 0
	}
	return w + 1
}

// Render draws the map as g.H lines of g.W cells.
func (m *HeatMap) Render(g Geometry) []string {
	if g.CellW == 0 {
		return blank(g.W, g.H)
	}
	out := make([]string, 0, g.H)
	var p painter
	right := strings.Repeat(" ", max(0, g.W-g.Left-g.Cols*g.CellW))
	for line := range g.Lines {
		if g.AxisY {
			m.yAxis(&p, g, line)
		} else if g.Left > 0 {
			p.put("", strings.Repeat(" ", g.Left))
		}
		if g.Dense() {
			m.denseLine(&p, g, line)
		} else {
			m.cellLine(&p, g, line)
		}
		p.put("", right)
		out = append(out, p.line())
	}
	if g.AxisX {
		out = append(out, m.xAxis(g), m.xLabels(g))
	}
	for len(out) < g.H {
		out = append(out, strings.Repeat(" ", g.W))
	}
	return out[:g.H]
}

func (m *HeatMap) cell(x, y int) *HeatCell {
	if i := y*m.Cols + x; x < m.Cols && y < m.Rows && i < len(m.Cells) {
		return &m.Cells[i]
	}
	return &HeatCell{}
}

func (m *HeatMap) cellLine(p *painter, g Geometry, line int) {
	up := g.Lines - 1 - line
	y, sub := g.OffY+up/g.CellH, up%g.CellH
	middle := sub == (g.CellH-1)/2
	for x := g.OffX; x < g.OffX+g.Cols; x++ {
		c := m.cell(x, y)
		cursor := m.Cursor && x == m.CursorX && y == m.CursorY
		switch {
		case cursor:
			m.cursorCell(p, g, c, middle)
		case !c.Filled:
			m.emptyCell(p, g, c, middle)
		default:
			m.filledCell(p, g, c, middle)
		}
	}
}

func (m *HeatMap) emptyCell(p *painter, g Geometry, c *HeatCell, middle bool) {
	text, at := " ", (g.CellW-1)/2
	if middle {
		text = "·"
		if m.Look.Glyphs == ASCII {
			text = "'"
		}
	}
	if c.Mark != 0 && middle {
		p.put("", strings.Repeat(" ", at))
		p.put(m.Look.Accent, string(c.Mark))
	} else {
		p.put(m.Look.Faint, strings.Repeat(" ", at)+text)
	}
	p.put(m.Look.Faint, strings.Repeat(" ", g.CellW-at-1))
}

func (m *HeatMap) filledCell(p *painter, g Geometry, c *HeatCell, middle bool) {
	s := m.Ramp.at(c.T)
	fill := " "
	if m.Ramp.shade {
		fill = string(s.char)
	}
	if c.Mark == 0 || !middle {
		p.put(s.bg, strings.Repeat(fill, g.CellW))
		return
	}
	at := (g.CellW - 1) / 2
	if m.Ramp.shade && g.CellW > 1 {
		at++ // the value stays readable before the mark
	}
	p.put(s.bg, strings.Repeat(fill, at))
	p.put(sgr(s.bg, s.ink), string(c.Mark))
	p.put(s.bg, strings.Repeat(fill, g.CellW-at-1))
}

// cursorCell draws a bracket pair, reversed against the colour of the cell.
func (m *HeatMap) cursorCell(p *painter, g Geometry, c *HeatCell, middle bool) {
	style := "38;5;16;48;5;231"
	switch {
	case m.Ramp.shade:
		style = m.Look.Cursor
	case c.Filled && m.Ramp.at(c.T).luma > 0.5:
		style = "38;5;231;48;5;16"
	}
	if g.CellW == 1 {
		ch := "+"
		if c.Filled && m.Ramp.shade {
			ch = string(m.Ramp.at(c.T).char)
		}
		p.put(style, ch)
		return
	}
	inside := strings.Repeat(" ", g.CellW-2)
	if g.CellW > 2 {
		mark := " "
		if c.Mark != 0 && middle {
			mark = string(c.Mark)
		}
		at := (g.CellW - 3) / 2
		inside = strings.Repeat(" ", at) + mark + strings.Repeat(" ", g.CellW-3-at)
	}
	open, end := "[", "]"
	if g.CellH > 1 && m.Look.Glyphs != ASCII {
		open, end = "│", "│"
	}
	p.put(style, open)
	if g.CellW > 2 && c.Filled && !m.Ramp.shade {
		s := m.Ramp.at(c.T)
		p.put(sgr(s.bg, s.ink), inside)
	} else if g.CellW > 2 && c.Filled {
		fill := string(m.Ramp.at(c.T).char)
		p.put("", strings.ReplaceAll(inside, " ", fill))
	} else {
		p.put("", inside)
	}
	p.put(style, end)
}

// denseLine draws two niches per character: the foreground of an upper half
// block is the upper niche, the background the lower one.
func (m *HeatMap) denseLine(p *painter, g Geometry, line int) {
	low := g.OffY + 2*(g.Lines-1-line)
	for x := g.OffX; x < g.OffX+g.Cols; x++ {
		up, upOK := m.half(x, low+1)
		dn, dnOK := m.half(x, low)
		switch {
		case upOK && dnOK:
			p.put(sgr("38;"+up, "48;"+dn), "▀")
		case upOK:
			p.put("38;"+up, "▀")
		case dnOK:
			p.put("38;"+dn, "▄")
		default:
			p.put(m.Look.Faint, "·")
		}
	}
}

// half returns the colour of a niche in dense mode without its leading
// selector. The cursor is white, or black on a bright niche.
func (m *HeatMap) half(x, y int) (string, bool) {
	if x >= m.Cols || y >= m.Rows {
		return "", false
	}
	c := m.cell(x, y)
	if m.Cursor && x == m.CursorX && y == m.CursorY {
		if c.Filled && m.Ramp.at(c.T).luma > 0.5 {
			return "5;16", true
		}
		return "5;231", true
	}
	if !c.Filled {
		return "", false
	}
	return m.Ramp.at(c.T).fg[3:], true
}
