package plot

import "strings"

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
