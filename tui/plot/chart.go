package plot

import (
	"math"
	"strings"
)

// Series is one line of a chart. X rises; what is not finite leaves a gap.
type Series struct {
	Name  string // written at the right end of the line
	X, Y  []float64
	Step  bool   // hold each value until the next: best so far
	Style string // SGR parameters
}

// Chart draws series over a number axis. The last series is the most
// important: it is drawn on top.
type Chart struct {
	Series []Series
	Base   float64 // a level to compare with; NaN = none
	BaseAs string  // its name
	XName  string
	XTick  func(v float64) string // nil: Short
	Marks  []ChartMark
	WholeX bool // x counts things: no tick between two of them
	LogX   bool // powers of ten at equal distances; what is not above zero leaves a gap
	LogY   bool
	Low    float64 // fixed bounds of y; both NaN or both 0 = from the data
	High   float64
	Look   Look
}

// ChartMark is an event at an x.
type ChartMark struct {
	X    float64
	Text string
}

type frame struct {
	left, w, h     int // gutter and size of the plot in characters
	x0, x1, y0, y1 float64
	yTick          []float64
	right          int
	chart          *Chart
	hasBase        bool
}

// Render draws the chart in w x h cells: the plot, one line of axis.
func (c *Chart) Render(w, h int) []string {
	if c.LogX || c.LogY {
		c = c.logarithms()
	}
	f, ok := c.frame(w, h)
	if !ok {
		out := blank(w, h)
		if h > 0 && w > 0 {
			out[h/2] = center("no data yet", w, c.Look.Faint)
		}
		return out
	}
	cv := newCanvas(f.w, f.h, c.Look.Glyphs)
	for i := range c.Series {
		f.draw(cv, &c.Series[i])
	}
	out := make([]string, 0, h)
	tags := f.tags()
	for y := range f.h {
		out = append(out, f.row(cv, y, tags[y]))
	}
	if len(out) < h {
		out = append(out, f.axis())
	}
	for len(out) < h {
		out = append(out, strings.Repeat(" ", w))
	}
	return out
}

// frame computes ranges, gutter and room. It fails when nothing can be drawn.
func (c *Chart) frame(w, h int) (*frame, bool) {
	f := &frame{chart: c, x0: math.Inf(1), x1: math.Inf(-1), y0: math.Inf(1), y1: math.Inf(-1)}
	for _, s := range c.Series {
		for i := range min(len(s.X), len(s.Y)) {
			if !finite(s.X[i]) || !finite(s.Y[i]) {
				continue
			}
			f.x0, f.x1 = math.Min(f.x0, s.X[i]), math.Max(f.x1, s.X[i])
			f.y0, f.y1 = math.Min(f.y0, s.Y[i]), math.Max(f.y1, s.Y[i])
		}
	}
	if f.x0 > f.x1 || w < 12 || h < 2 {
		return nil, false
	}
	if f.hasBase = finite(c.Base) && c.BaseAs != ""; f.hasBase {
		f.y0, f.y1 = math.Min(f.y0, c.Base), math.Max(f.y1, c.Base)
	}
	if c.Low < c.High {
		f.y0, f.y1 = c.Low, c.High
	}
	const most = math.MaxFloat64 / 4 // differences stay finite
	f.y0, f.y1 = math.Max(f.y0, -most), math.Min(f.y1, most)
	f.x0, f.x1 = math.Max(f.x0, -most), math.Min(f.x1, most)
	if !(f.y1 > f.y0) {
		pad := math.Max(math.Abs(f.y0)*0.05, 1e-9)
		f.y0, f.y1 = f.y0-pad, f.y1+pad
	}
	if !(f.x1 > f.x0) {
		f.x1 = f.x0 + math.Max(1, math.Abs(f.x0)*1e-9)
	}
	f.h = h - 1
	f.ticks()
	for _, v := range f.yTick {
		f.left = max(f.left, Width(f.yLabel(v))+1)
	}
	if f.hasBase {
		f.left = max(f.left, Width(f.yLabel(c.Base))+1)
	}
	f.left = max(f.left, 3)
	for _, s := range c.Series {
		if s.Name != "" {
			f.right = max(f.right, Width(Clean(s.Name))+1)
		}
	}
	if f.right > (w-f.left)/3 {
		f.right = 0
	}
	f.w = w - f.left - f.right
	return f, f.w >= 4
}

// ticks chooses the numbers at the left.
func (f *frame) ticks() {
	if c := f.chart; !c.LogY && !(c.Low < c.High) {
		if from, to, ticks := levels(f.y0, f.y1, f.h); ticks != nil {
			f.y0, f.y1, f.yTick = from, to, ticks
			return
		}
	}
	f.yTick = ticksOf(f.chart.LogY)(f.y0, f.y1, max(2, f.h/3))
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func center(s string, w int, style string) string {
	s = Fit(s, min(Width(s), w))
	pad := (w - Width(s)) / 2
	var p painter
	p.put("", strings.Repeat(" ", pad))
	p.put(style, s)
	p.put("", strings.Repeat(" ", w-pad-Width(s)))
	return p.line()
}

func (f *frame) dotX(cv *canvas, x float64) int {
	dw, _ := cv.dots()
	return int(math.Round(share(x, f.x0, f.x1) * float64(dw-1)))
}

func (f *frame) dotY(cv *canvas, y float64) int {
	_, dh := cv.dots()
	return int(math.Round((1 - share(y, f.y0, f.y1)) * float64(dh-1)))
}

// share returns where v lies between lo and hi, in [0,1].
func share(v, lo, hi float64) float64 {
	t := (v - lo) / (hi - lo)
	if math.IsNaN(t) {
		return 0
	}
	return math.Max(0, math.Min(1, t))
}

// draw reduces a series to the first, lowest, highest and last value of each
// column of dots, so that no spike is lost, and joins the columns.
func (f *frame) draw(cv *canvas, s *Series) {
	n := min(len(s.X), len(s.Y))
	prevX, prevY := -1, 0
	for i := 0; i < n; {
		if !finite(s.X[i]) || !finite(s.Y[i]) {
			prevX = -1
			i++
			continue
		}
		x := f.dotX(cv, s.X[i])
		first, lo, hi, last := s.Y[i], s.Y[i], s.Y[i], s.Y[i]
		for i++; i < n && finite(s.Y[i]) && finite(s.X[i]) && f.dotX(cv, s.X[i]) == x; i++ {
			lo, hi, last = math.Min(lo, s.Y[i]), math.Max(hi, s.Y[i]), s.Y[i]
		}
		y := f.dotY(cv, first)
		if prevX >= 0 {
			if s.Step {
				cv.line(prevX, prevY, x, prevY, s.Style)
				cv.line(x, prevY, x, y, s.Style)
			} else {
				cv.line(prevX, prevY, x, y, s.Style)
			}
		}
		cv.line(x, f.dotY(cv, lo), x, f.dotY(cv, hi), s.Style)
		prevX, prevY = x, f.dotY(cv, last)
	}
}

type tag struct{ text, style string }

// tags puts the names of the series beside their last value; of two that want
// one row the later series wins and the other moves away by a row.
func (f *frame) tags() []tag {
	out := make([]tag, f.h)
	if f.right == 0 {
		return out
	}
	for i := len(f.chart.Series) - 1; i >= 0; i-- {
		s := f.chart.Series[i]
		n := min(len(s.X), len(s.Y))
		for n > 0 && !finite(s.Y[n-1]) {
			n--
		}
		if n == 0 || s.Name == "" {
			continue
		}
		row := f.rowOf(s.Y[n-1])
		for _, d := range []int{0, 1, -1, 2, -2} {
			if r := row + d; r >= 0 && r < f.h && out[r].text == "" {
				out[r] = tag{" " + Clean(s.Name), s.Style}
				break
			}
		}
	}
	return out
}

func (f *frame) rowOf(v float64) int {
	return int((1-share(v, f.y0, f.y1))*float64(f.h-1) + 0.5)
}

func (f *frame) row(cv *canvas, y int, t tag) string {
	var p painter
	look := f.chart.Look
	label, line := "", "│"
	for _, v := range f.yTick {
		if f.rowOf(v) == y {
			label, line = f.yLabel(v), "┤"
			break
		}
	}
	if label == "" && f.hasBase && f.rowOf(f.chart.Base) == y {
		label, line = f.yLabel(f.chart.Base), "┤"
	}
	if look.Glyphs == ASCII {
		line = "|"
	}
	p.put(look.Number, FitRight(label, f.left-1))
	p.put(look.Faint, line)
	base := f.hasBase && f.rowOf(f.chart.Base) == y
	name, at := []rune(Clean(f.chart.BaseAs)), -1
	if base {
		at = clear(cv, y, len(name))
	}
	dash := '╌'
	switch look.Glyphs {
	case ASCII:
		dash = '-'
	case Blocks:
		dash = '─'
	}
	for x := range f.w {
		ch, style := cv.char(x, y)
		switch {
		case ch != 0:
			p.put(style, string(ch))
		case at >= 0 && x >= at && x < at+len(name):
			p.put(look.Number, string(name[x-at]))
		case base:
			p.put(look.Faint, string(dash))
		default:
			p.put("", " ")
		}
	}
	p.put(t.style, Fit(t.text, f.right))
	return p.line()
}

// clear returns where n characters of a row, and one on either side, are free
// of lines; -1 where nothing is.
func clear(cv *canvas, y, n int) int {
	run := 0
	for x := range cv.w {
		if run++; cv.bits[y*cv.w+x] != 0 {
			run = 0
		}
		if run == n+2 {
			return x - n
		}
	}
	return -1
}

// axis is the bottom line: rounded numbers in the line itself, the name of the
// axis at its end.
func (f *frame) axis() string {
	look := f.chart.Look
	tick := f.chart.XTick
	if tick == nil {
		tick = Short
	}
	dash, corner := "─", "└"
	if look.Glyphs == ASCII {
		dash, corner = "-", "+"
	}
	n := f.w + f.right
	line := make([]string, n)
	for i := range line {
		line[i] = dash
	}
	put := func(s string, at int) bool {
		rs := []rune(s)
		if at < 0 || at+len(rs) > n {
			return false
		}
		for i := max(-at, -1); i <= min(len(rs), n-1-at); i++ { // apart from what is there
			if line[at+i] != dash {
				return false
			}
		}
		for i, r := range rs {
			line[at+i] = string(r)
		}
		return true
	}
	if name := Clean(f.chart.XName); name != "" && n > 3*Width(name) {
		put(" "+name+" ", n-Width(name)-3)
	}
	f.numbers(put, tick, n)
	f.marks(line, dash)
	var p painter
	p.put(look.Faint, strings.Repeat(" ", f.left-1)+corner)
	for _, c := range line {
		if c == dash || c == f.mark() {
			p.put(look.Faint, c)
		} else {
			p.put(look.Number, c)
		}
	}
	return p.line()
}

// mark is the sign of a mark on the axis.
func (f *frame) mark() string {
	if f.chart.Look.Glyphs == ASCII {
		return "^"
	}
	return "┴"
}

// marks are drawn where the line of an axis is free, a cell away from what is written
// in it; one that has no room stands beside the number.
func (f *frame) marks(line []string, dash string) {
	sym := f.mark()
	free := func(at int) bool { return at < 0 || at >= len(line) || line[at] == dash || line[at] == sym }
	for _, m := range f.chart.Marks {
		if m.X < f.x0 || m.X > f.x1 {
			continue
		}
		at := int(share(m.X, f.x0, f.x1) * float64(f.w-1))
		for _, by := range []int{0, -1, 1, -2, 2, -3, 3} {
			if i := at + by; i >= 0 && i < len(line) && free(i) && free(i-1) && free(i+1) {
				line[i] = sym
				break
			}
		}
	}
}

// numbers are put into the line of an axis of n cells.
func (f *frame) numbers(put func(s string, at int) bool, tick func(float64) string, n int) {
	for _, v := range ticksOf(f.chart.LogX)(f.x0, f.x1, max(1, f.w/9)) {
		if f.chart.WholeX && !f.chart.LogX && v != math.Round(v) {
			continue
		}
		s := tick(v)
		if f.chart.LogX {
			s = tick(math.Pow(10, v))
		}
		put(s, clamp(int(share(v, f.x0, f.x1)*float64(f.w-1))-len(s)/2, 0, n))
	}
}
