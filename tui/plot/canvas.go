package plot

// canvas is a raster of dots behind characters: 2x4 dots a character in
// braille, 1x2 in half blocks, 1x1 in ASCII. A character has one colour; the
// last writer wins, so the most important series is drawn last.
type canvas struct {
	w, h   int // characters
	dx, dy int // dots a character
	bits   []uint8
	style  []string
	glyphs Glyphs
}

func newCanvas(w, h int, g Glyphs) *canvas {
	c := &canvas{w: w, h: h, dx: 2, dy: 4, glyphs: g}
	switch g {
	case Blocks:
		c.dx, c.dy = 1, 2
	case ASCII:
		c.dx, c.dy = 1, 1
	}
	c.bits = make([]uint8, w*h)
	c.style = make([]string, w*h)
	return c
}

func (c *canvas) dots() (w, h int) { return c.w * c.dx, c.h * c.dy }

// brailleBit is the bit of a dot at column x (0..1), row y (0..3) from above.
var brailleBit = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// set lights a dot; y counts from above. Dots outside are ignored.
func (c *canvas) set(x, y int, style string) {
	if x < 0 || y < 0 || x >= c.w*c.dx || y >= c.h*c.dy {
		return
	}
	i := (y/c.dy)*c.w + x/c.dx
	if c.glyphs == Braille {
		c.bits[i] |= brailleBit[y%4][x%2]
	} else {
		c.bits[i] |= 1 << (y % c.dy)
	}
	c.style[i] = style
}

// line draws from one dot to another (Bresenham).
func (c *canvas) line(x0, y0, x1, y1 int, style string) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := sign(x1-x0), sign(y1-y0)
	e := dx + dy
	for {
		c.set(x0, y0, style)
		if x0 == x1 && y0 == y1 {
			return
		}
		e2 := 2 * e
		if e2 >= dy {
			e += dy
			x0 += sx
		}
		if e2 <= dx {
			e += dx
			y0 += sy
		}
	}
}

// char returns what stands at a character, 0 when no dot is lit.
func (c *canvas) char(x, y int) (rune, string) {
	i := y*c.w + x
	b := c.bits[i]
	if b == 0 {
		return 0, ""
	}
	switch c.glyphs {
	case Blocks:
		return [4]rune{0, '▀', '▄', '█'}[b], c.style[i]
	case ASCII:
		return '*', c.style[i]
	}
	return rune(0x2800 + int(b)), c.style[i]
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

func sign(v int) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
