package plot

import "strings"

// shadedCell draws a niche whose characters carry its value.
func (m *HeatMap) shadedCell(p *painter, g Geometry, c *HeatCell, row int) {
	room := g.CellW
	if room > 1 && Width(c.Marks) < room {
		room-- // the shade stays readable before the marks
	}
	text := m.row(g, c, room, row)
	least := 0
	if room < g.CellW && text != "" {
		least = 1
	}
	p.put("", setOff(text, g.CellW, least, m.Ramp.at(c.T).char, m.worded(c, text)))
}

// worded reports whether the text of a row tells the value of a niche, not its marks
// alone.
func (m *HeatMap) worded(c *HeatCell, text string) bool {
	return text != "" && text != cutMarks(c.Marks, Width(text))
}

// setOff puts text into the middle of w cells of a shade, with at least so many before
// it. Between a value and the shade are blanks, for which the shade gives way: digits
// beside other characters are not read as a number.
func setOff(text string, w, least int, shade rune, value bool) string {
	free := w - Width(text)
	at := max(min(least, free), free/2)
	before, after := []rune(strings.Repeat(string(shade), at)), []rune(strings.Repeat(string(shade), free-at))
	if value && at > 0 {
		before[at-1] = ' '
	}
	if value && len(after) > 0 {
		after[0] = ' '
	}
	return string(before) + text + string(after)
}
