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

func (m *HeatMap) cell(x, y int) *HeatCell {
	if i := y*m.Cols + x; x < m.Cols && y < m.Rows && i < len(m.Cells) {
		return &m.Cells[i]
	}
	return &HeatCell{}
}

// textLine draws one row of text. Where both halves belong to one niche the
// cell is drawn whole, else as a half block.
func (m *HeatMap) textLine(p *painter, g Geometry, line int) {
	top, topOK := g.half(2 * line)
	low, _ := g.half(2*line + 1)
	at := line - m.markLine(g, low) // 0 is the row of words, 1 the one below
	for x := g.OffX; x < g.OffX+g.Cols; x++ {
		y := g.OffY + low
		if top != low || !topOK {
			m.twoCells(p, g, x, g.OffY+top, y, topOK)
			continue
		}
		c := m.cell(x, y)
		switch {
		case m.Cursor && x == m.CursorX && y == m.CursorY:
			m.cursorCell(p, g, c, at)
		case !c.Filled:
			m.emptyCell(p, g, c, at)
		default:
			m.filledCell(p, g, c, at)
		}
	}
}

// markLine returns the row of text nearest to the middle of a niche row that
// belongs to it alone; in dense mode the row it shares.
func (m *HeatMap) markLine(g Geometry, row int) int {
	from := 2*g.Lines - (row+1)*g.CellH // half rows from above
	to := from + g.CellH                // exclusive
	first, last := (from+1)/2, to/2-1   // whole rows of text
	if first > last {
		return from / 2
	}
	return (first + last) / 2
}

// words are what stands on the first two rows of a niche in w cells: its value, and
// its marks beside it or below. Where room is short the marks go first. Less is how
// much of value and marks is not told.
func (m *HeatMap) words(g Geometry, c *HeatCell, w int) (rows [2]string, less int) {
	value, marks := "", cutMarks(c.Marks, w)
	less = Width(c.Marks) - Width(marks)
	if m.Value != nil && c.Filled && w >= leastValue {
		value = m.Value(c.V, w-1)
	}
	if m.Value != nil && c.Filled && value == "" {
		less++
	}
	switch two := g.CellH >= 4 && g.CellH%2 == 0; {
	case value == "":
		rows[0] = marks
	case two:
		rows[0], rows[1] = value, marks
	case marks == "":
		rows[0] = value
	case Width(value)+1+Width(marks) <= w:
		rows[0] = value + " " + marks
	case Width(value)+Width(marks) <= w:
		rows[0] = value + marks
	default:
		rows[0] = marks
		less++
	}
	return rows, less
}

// row is what stands on row at of a niche in w cells.
func (m *HeatMap) row(g Geometry, c *HeatCell, w, at int) string {
	rows, _ := m.words(g, c, w)
	if at < 0 || at > 1 {
		return ""
	}
	if marks := cutMarks(c.Marks, w); strings.HasSuffix(rows[at], marks) {
		m.drew(marks)
	}
	return rows[at]
}

// drew notes marks that are seen.
func (m *HeatMap) drew(marks string) {
	for _, r := range marks {
		if !strings.ContainsRune(m.drawn, r) {
			m.drawn += string(r)
		}
	}
}

// Drawn returns the marks that the last Render had room for, each once: a legend
// tells no others.
func (m *HeatMap) Drawn() string { return m.drawn }

// leastValue is the width from which a value says more than its colour.
const leastValue = 5

// cutMarks keeps the first marks that fit.
func cutMarks(marks string, w int) string {
	rs := []rune(marks)
	return string(rs[:min(len(rs), max(w, 0))])
}

func (m *HeatMap) emptyCell(p *painter, g Geometry, c *HeatCell, row int) {
	text, style := "", m.Look.Faint
	if row == 0 {
		if text = "·"; m.Look.Glyphs == ASCII {
			text = "'"
		}
	}
	if t := m.row(g, c, g.CellW, row); t != "" {
		text, style = t, m.Look.Accent
	}
	at := (g.CellW - Width(text)) / 2
	p.put(m.Look.Faint, strings.Repeat(" ", at))
	p.put(style, text)
	p.put(m.Look.Faint, strings.Repeat(" ", g.CellW-at-Width(text)))
}

func (m *HeatMap) filledCell(p *painter, g Geometry, c *HeatCell, row int) {
	if m.Ramp.shade {
		m.shadedCell(p, g, c, row)
		return
	}
	s := m.Ramp.at(c.T)
	text := m.row(g, c, g.CellW, row)
	n := Width(text)
	at := (g.CellW - n) / 2
	p.put(s.bg, strings.Repeat(" ", at))
	p.put(sgr(s.bg, s.ink), text)
	p.put(s.bg, strings.Repeat(" ", g.CellW-at-n))
}

// cursorCell draws a bracket pair, reversed against the colour of the cell; where
// value or marks need the room of the brackets, the whole cell reversed.
func (m *HeatMap) cursorCell(p *painter, g Geometry, c *HeatCell, row int) {
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
	room := g.CellW - 2
	_, inBrackets := m.words(g, c, room)
	if _, whole := m.words(g, c, g.CellW); whole < inBrackets {
		text := m.row(g, c, g.CellW, row)
		at := (g.CellW - Width(text)) / 2
		p.put(style, strings.Repeat(" ", at)+text+strings.Repeat(" ", g.CellW-at-Width(text)))
		return
	}
	text := m.row(g, c, room, row)
	at := (room - Width(text)) / 2
	inside := strings.Repeat(" ", at) + text + strings.Repeat(" ", room-at-Width(text))
	p.put(style, "[")
	switch s := m.Ramp.at(c.T); {
	case room == 0 || !c.Filled:
		p.put("", inside)
	case m.Ramp.shade:
		p.put("", setOff(text, room, 0, s.char, m.worded(c, text)))
	default:
		p.put(sgr(s.bg, s.ink), inside)
	}
	p.put(style, "]")
}

// twoCells draws parts of two niches in each character: the foreground of an
// upper half block is the upper niche, the background the lower one.
// In dense mode the marks of the upper niche stand at the left, those of the lower
// one at the right.
func (m *HeatMap) twoCells(p *painter, g Geometry, x, yTop, yLow int, topOK bool) {
	if g.Dense() && m.markedCells(p, g, x, yTop, yLow, topOK) {
		return
	}
	m.halves(p, g, g.CellW, x, yTop, yLow, topOK)
}

// markedCells draws two niches of one row of text of which either has marks, and
// reports whether one had.
func (m *HeatMap) markedCells(p *painter, g Geometry, x, yTop, yLow int, topOK bool) bool {
	up, low := "", m.cell(x, yLow).Marks
	if topOK {
		up = m.cell(x, yTop).Marks
	}
	if up == "" && low == "" {
		return false
	}
	low = cutMarks(low, g.CellW-min(Width(up), max(1, g.CellW/2)))
	up = cutMarks(up, g.CellW-Width(low))
	m.drew(up + low)
	p.put(m.markStyle(x, yTop), up)
	if n := g.CellW - Width(up) - Width(low); n > 0 {
		m.halves(p, g, n, x, yTop, yLow, topOK)
	}
	p.put(m.markStyle(x, yLow), low)
	return true
}

// markStyle is that of marks alone: on the colour of their niche.
func (m *HeatMap) markStyle(x, y int) string {
	c := m.cell(x, y)
	switch {
	case m.Cursor && x == m.CursorX && y == m.CursorY:
		return "38;5;16;48;5;231"
	case c.Filled:
		s := m.Ramp.at(c.T)
		return sgr(s.bg, s.ink)
	}
	return m.Look.Accent
}

// halves draws n characters of two niches.
func (m *HeatMap) halves(p *painter, g Geometry, n, x, yTop, yLow int, topOK bool) {
	up, upOK := "", false
	if topOK {
		up, upOK = m.halfColour(x, yTop)
	}
	dn, dnOK := m.halfColour(x, yLow)
	switch {
	case upOK && dnOK:
		p.put(sgr("38;"+up, "48;"+dn), strings.Repeat("▀", n))
	case upOK:
		p.put("38;"+up, strings.Repeat("▀", n))
	case dnOK:
		p.put("38;"+dn, strings.Repeat("▄", n))
	case g.Dense():
		p.put(m.Look.Faint, "·"+strings.Repeat(" ", n-1))
	default:
		p.put("", strings.Repeat(" ", n))
	}
}

// halfColour returns the colour of a niche without its leading selector. In
// dense mode the cursor is white, or black on a bright niche.
func (m *HeatMap) halfColour(x, y int) (string, bool) {
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
