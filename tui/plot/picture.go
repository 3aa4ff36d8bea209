package plot

import (
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Picture draws the niches of a map as an image of cw x ch pixels a cell, for
// g.Cols*g.CellW x g.Lines cells: what terminals with graphics show in place of
// them. Nothing is drawn where a niche is empty but a dot.
func (m *HeatMap) Picture(g Geometry, cw, ch int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, g.Cols*g.CellW*cw, g.Lines*ch))
	high := float64(ch*g.CellH) / 2 // of a niche
	for y := range g.Rows {
		low := int(float64(g.Lines*ch) - float64(y)*high)
		top := int(float64(g.Lines*ch) - float64(y+1)*high)
		for x := range g.Cols {
			r := image.Rect(x*g.CellW*cw, max(top, 0), (x+1)*g.CellW*cw-1, low-1)
			m.field(img, r, g.OffX+x, g.OffY+y)
		}
	}
	return img
}

// field draws one niche.
func (m *HeatMap) field(img *image.RGBA, r image.Rectangle, x, y int) {
	c, faint := m.cell(x, y), rgb(m.Look.Faint)
	words, on := faint, c.Marks
	middle := r.Min.Add(r.Size().Div(2))
	if c.Filled {
		s := m.Ramp.at(c.T)
		fill(img, r, rgb(s.bg))
		words = rgb(s.ink)
		if m.Value != nil && r.Dx() >= 7*leastValue {
			on = strings.TrimSpace(m.Value(c.V, r.Dx()/7-1-len(c.Marks)) + " " + c.Marks)
		}
	} else if on == "" {
		fill(img, image.Rectangle{middle.Sub(image.Pt(1, 1)), middle.Add(image.Pt(1, 1))}, faint)
	} else {
		words = rgb(m.Look.Accent)
	}
	letters(img, middle, on, words)
	if m.Cursor && x == m.CursorX && y == m.CursorY {
		for i, col := range []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}} {
			outline(img, r.Inset(2-i), col)
		}
	}
}

// Area is where the lines lie in a chart of w x h cells, empty where there is
// nothing to draw.
func (c *Chart) Area(w, h int) image.Rectangle {
	if c.LogX || c.LogY {
		c = c.logarithms()
	}
	f, ok := c.frame(w, h)
	if !ok {
		return image.Rectangle{}
	}
	return image.Rect(f.left, 0, f.left+f.w, f.h)
}

// Picture draws the lines of a chart of w x h cells as an image of cw x ch pixels a
// cell, which covers its [Chart.Area]; nil where that is empty.
func (c *Chart) Picture(w, h, cw, ch int) image.Image {
	if c.LogX || c.LogY {
		c = c.logarithms()
	}
	f, ok := c.frame(w, h)
	if !ok {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, f.w*cw, f.h*ch))
	px := func(x, y float64) (float64, float64) { // as cells have it: the middle of the first and last row
		return share(x, f.x0, f.x1) * float64(f.w*cw-1), float64(ch)/2 + (1-share(y, f.y0, f.y1))*float64((f.h-1)*ch)
	}
	if f.hasBase {
		_, y := px(f.x0, c.Base)
		faint := rgb(c.Look.Faint)
		for x := 0; x < f.w*cw; x += 8 {
			stroke(out, float64(x), y, float64(x+4), y, 0.6, faint)
		}
		at := int(y) + 9
		if at > f.h*ch-6 { // below it is no room
			at = int(y) - 9
		}
		letters(out, image.Pt(f.w*cw-4*len(c.BaseAs)-4, at), c.BaseAs, faint)
	}
	for _, s := range c.Series {
		col := rgb(s.Style)
		n := min(len(s.X), len(s.Y))
		for i := 1; i < n; i++ {
			if !finite(s.X[i-1]) || !finite(s.Y[i-1]) || !finite(s.X[i]) || !finite(s.Y[i]) {
				continue
			}
			x0, y0 := px(s.X[i-1], s.Y[i-1])
			x1, y1 := px(s.X[i], s.Y[i])
			if s.Step {
				stroke(out, x0, y0, x1, y0, 1, col)
				stroke(out, x1, y0, x1, y1, 1, col)
				continue
			}
			stroke(out, x0, y0, x1, y1, 1, col)
		}
	}
	return out
}

// stroke draws a line with round ends, r pixels to either side, its edge smooth.
func stroke(img *image.RGBA, x0, y0, x1, y1, r float64, c color.RGBA) {
	b := image.Rect(int(math.Min(x0, x1)-r-1), int(math.Min(y0, y1)-r-1), int(math.Max(x0, x1)+r+2), int(math.Max(y0, y1)+r+2)).Intersect(img.Rect)
	dx, dy := x1-x0, y1-y0
	long := dx*dx + dy*dy
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			t := 0.0
			if long > 0 {
				t = math.Max(0, math.Min(1, ((float64(x)-x0)*dx+(float64(y)-y0)*dy)/long))
			}
			d := math.Hypot(float64(x)-x0-t*dx, float64(y)-y0-t*dy)
			if a := uint8(255 * math.Max(0, math.Min(1, r+0.5-d))); a > img.RGBAAt(x, y).A || a == 255 {
				img.SetRGBA(x, y, faded(c, a))
			}
		}
	}
}

// faded is a colour of so much weight, multiplied as images have it.
func faded(c color.RGBA, a uint8) color.RGBA {
	by := func(v uint8) uint8 { return uint8(int(v) * int(a) / 255) }
	return color.RGBA{by(c.R), by(c.G), by(c.B), a}
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}

func outline(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	fill(img, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+1), c)
	fill(img, image.Rect(r.Min.X, r.Max.Y-1, r.Max.X, r.Max.Y), c)
	fill(img, image.Rect(r.Min.X, r.Min.Y, r.Min.X+1, r.Max.Y), c)
	fill(img, image.Rect(r.Max.X-1, r.Min.Y, r.Max.X, r.Max.Y), c)
}

// letters writes a text around a point.
func letters(img *image.RGBA, at image.Point, text string, c color.RGBA) {
	text = strings.ReplaceAll(text, "▸", ">") // the font is plain
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(at.X-7*len(text)/2, at.Y+4)}
	d.DrawString(text)
}

// rgb reads the first colour among SGR parameters, of 24 bits or one of 256; grey
// where there is none.
func rgb(sgr string) color.RGBA {
	p := strings.Split(sgr, ";")
	for i := 0; i+2 < len(p); i++ {
		if p[i] != "38" && p[i] != "48" {
			continue
		}
		n := make([]int, 0, 4)
		for _, s := range p[i+1 : min(len(p), i+5)] {
			v, _ := strconv.Atoi(s) // an empty one is 0
			n = append(n, v)
		}
		switch {
		case n[0] == 2 && len(n) == 4:
			return color.RGBA{uint8(n[1]), uint8(n[2]), uint8(n[3]), 255}
		case n[0] == 5 && n[1] >= 16:
			r, g, b, _ := xterm(n[1]).RGBA()
			return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
		}
	}
	return color.RGBA{128, 128, 128, 255}
}
