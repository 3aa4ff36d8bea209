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
	XName            string   // of the axis across, written under it where there is room
	Cursor           bool
	CursorX, CursorY int
	Ramp             *Ramp
	Look             Look
	// Value writes what a niche holds in at most w cells, "" where that says
	// nothing; nil = values are never written.
	Value func(v float64, w int) string
	drawn string // marks that Render had room for
}

// HeatCell is one niche. T is where its value lies in [0,1], V what is written
// of it; Marks are characters of one cell's width each, the most important first.
type HeatCell struct {
	Filled bool
	T, V   float64
	Marks  string
}

// Look holds SGR parameters for all that is no value.
type Look struct {
	Faint  string // lines of axes and empty cells
	Number string // what is written on an axis
	Strong string // the cursor's ticks
	Accent string // marks that wait for a person
	Cursor string // reversed, for shade ramps
	Glyphs Glyphs
}

// Geometry says how a heat map lies in its rectangle. Heights are counted in
// half rows of text, because half blocks make them: a niche of 3 columns and 3
// half rows looks about square. Zero means that the map does not fit at all.
type Geometry struct {
	W, H       int
	Left       int // cells before the grid
	CellW      int // columns of one niche
	CellH      int // half rows of one niche
	OffX, OffY int // first niche shown, from the lower left
	Cols, Rows int // niches shown
	Lines      int // rows of text that the grid takes
	AxisX      bool
	AxisY      bool
}

// Dense reports whether two niches share a row of text.
func (g Geometry) Dense() bool { return g.CellH == 1 }

// half returns which shown niche row, from below, has a half row of text; the
// half rows count from above. The second result is false above the grid.
func (g Geometry) half(h int) (row int, ok bool) {
	up := 2*g.Lines - 1 - h
	row = up / g.CellH
	return row, row < g.Rows
}

// bottom is the last row of text of a shown niche row, from below.
func (g Geometry) bottom(row int) int { return (2*g.Lines - row*g.CellH - 1) / 2 }

// At returns the niche under a cell of the screen.
func (g Geometry) At(px, py int) (x, y int, ok bool) {
	if g.CellW == 0 || px < g.Left || py < 0 || py >= g.Lines {
		return 0, 0, false
	}
	cx := (px - g.Left) / g.CellW
	if cx >= g.Cols {
		return 0, 0, false
	}
	row, in := g.half(2*py + 1)
	if !in {
		row = g.Rows - 1
	}
	return g.OffX + cx, g.OffY + row, true
}

const maxScale = 20

// Place decides how the map lies in w x h cells: as large as fits with axes,
// then without them, then two niches to a row of text, then a part of the grid
// around the cursor. Nothing is ever averaged.
func (m *HeatMap) Place(w, h int) Geometry {
	g := Geometry{W: w, H: h}
	if m.Cols <= 0 || m.Rows <= 0 || w < 1 || h < 1 {
		return g
	}
	gut := m.gutter()
	below := 0
	if m.XEdges != nil {
		below = 2
	}
	for s := maxScale; s >= 2; s-- {
		for _, a := range [][2]int{{gut, below}, {gut, 0}, {0, 0}} {
			if s > 2 && a != [2]int{gut, below} || a[0]+s*m.Cols > w {
				continue
			}
			tall := m.tall(s, h-a[1])
			if tall == 0 {
				continue
			}
			g.Left, g.CellW, g.CellH = a[0], s, tall
			g.Cols, g.Rows, g.Lines = m.Cols, m.Rows, (tall*m.Rows+1)/2
			g.AxisX, g.AxisY = a[1] > 0, a[0] > 0
			return g
		}
	}
	return m.placeSmall(g, gut)
}

// tall returns how many half rows a niche of w columns gets where h rows of
// text are free: between two thirds and one and a half of its width, so
// that the map fills its room and a niche still looks like a field; 0 = it
// does not fit. Whole rows are drawn cleaner, so an odd height gives way where
// little is lost by it; a shade ramp cannot split a row.
func (m *HeatMap) tall(w, h int) int {
	n := min(2*h/m.Rows, w*3/2)
	if n%2 == 1 && (n >= 5 || m.Ramp.Shade()) {
		n--
	}
	if n < 2 || 3*n < 2*w {
		return 0
	}
	return n
}

// placeSmall is dense mode, or one row for each niche where
// characters carry the value, both with a viewport.
func (m *HeatMap) placeSmall(g Geometry, gut int) Geometry {
	g.CellW, g.CellH = 1, 1
	if m.Ramp.Shade() {
		g.CellH = 2
	}
	lines := (g.CellH*m.Rows + 1) / 2
	if gut > 0 && gut+min(m.Cols, 12) <= g.W {
		g.Left, g.AxisY = gut, true
	}
	below := 0
	if m.XEdges != nil && g.H >= min(lines, 6)+2 {
		below, g.AxisX = 2, true
	}
	if fit := min(max(g.CellH+1, 3), (g.W-g.Left)/m.Cols); fit > 1 {
		g.CellW = fit
	}
	g.Cols = min(m.Cols, (g.W-g.Left)/g.CellW)
	g.Lines = min(lines, g.H-below)
	g.Rows = min(2*g.Lines/g.CellH, m.Rows)
	if g.Cols < 1 || g.Lines < 1 {
		return Geometry{W: g.W, H: g.H}
	}
	g.OffX = clamp(m.CursorX-g.Cols/2, 0, m.Cols-g.Cols)
	g.OffY = clamp(m.CursorY-g.Rows/2, 0, m.Rows-g.Rows)
	if g.CellH == 1 && g.OffY%2 == 1 { // keep pairs of rows together
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
	m.drawn = ""
	out := make([]string, 0, g.H)
	var p painter
	right := strings.Repeat(" ", max(0, g.W-g.Left-g.Cols*g.CellW))
	for line := range g.Lines {
		if g.AxisY {
			m.yAxis(&p, g, line)
		} else if g.Left > 0 {
			p.put("", strings.Repeat(" ", g.Left))
		}
		m.textLine(&p, g, line)
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
