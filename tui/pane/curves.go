package pane

import (
	"image"
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// curvesPane draws the histories: best and mean on the dashboard, QD score and
// coverage below them where there is room; or one metric of the best, with the
// objective below it.
type curvesPane struct {
	base
	byTime  bool
	quarter bool
	scale   curveScale
	metrics bestMetrics
	width   int  // of the last body
	off     bool // the mean has left the chart
	pics    []Picture
}

// curveScale is how the axes of the curves are divided.
type curveScale int

const (
	scaleLinear curveScale = iota
	scaleLogY
	scaleLogX
	scaleLogs
	scales
)

func (s curveScale) x() bool { return s == scaleLogX || s == scaleLogs }
func (s curveScale) y() bool { return s == scaleLogY || s == scaleLogs }

func (s curveScale) String() string {
	return [...]string{"", "log y", "log x", "log x and y"}[s]
}

// fit leaves out the logarithm of values that have none.
func (s curveScale) fit(values []float64) curveScale {
	switch {
	case !s.y() || positive(values):
		return s
	case s.x():
		return scaleLogX
	}
	return scaleLinear
}

func newCurves(d *Shared) *curvesPane { return &curvesPane{base: base{d: d, id: Curves}} }

func (p *curvesPane) Scopes() []keys.Scope { return []keys.Scope{keys.InCurves, keys.InList} }

func (p *curvesPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "time", Keys: []string{"t"}, Title: "over time", Doc: "in place of how many were measured", In: []keys.Scope{keys.InCurves}, Bar: 35, Run: p.toggleTime},
		{ID: "recent", Keys: []string{"v"}, Title: "stretch", Doc: "everything, or the last quarter", In: []keys.Scope{keys.InCurves}, Bar: 34, Run: p.cycleStretch},
		{ID: "curve-scale", Keys: []string{"m"}, Title: "scale", Doc: "linear, logarithmic values, logarithmic counts, both", In: []keys.Scope{keys.InCurves}, Bar: 33, Run: p.cycleScale},
		{ID: "next-metric", Keys: []string{"]"}, Title: "next metric", Doc: "of the best, for each that the evaluator reports; after the last the objective", In: []keys.Scope{keys.InCurves}, Bar: 36, Run: func() tea.Cmd { return p.cycleMetric(1) }},
		{ID: "previous-metric", Keys: []string{"["}, Title: "previous metric", In: []keys.Scope{keys.InCurves}, Run: func() tea.Cmd { return p.cycleMetric(-1) }},
	}
}

func (p *curvesPane) toggleTime() tea.Cmd {
	p.byTime = !p.byTime
	p.bump()
	return nil
}

func (p *curvesPane) cycleStretch() tea.Cmd {
	p.quarter = !p.quarter
	p.bump()
	return nil
}

// cycleScale goes on to the next scale; logarithms are left out where what is
// shown is not above zero.
func (p *curvesPane) cycleScale() tea.Cmd {
	values := p.values()
	p.scale = (p.scale.fit(values) + 1) % scales
	for p.scale.fit(values) != p.scale {
		p.scale = (p.scale + 1) % scales
	}
	p.bump()
	return nil
}

// values are what the upper chart shows.
func (p *curvesPane) values() []float64 {
	if p.metrics.at == 0 {
		return p.d.Snap.Curves.Best
	}
	return p.metrics.values(p.d.Snap)
}

// positive reports whether all values that are numbers have a logarithm.
func positive(v []float64) bool {
	for i := range v {
		if v[i] <= 0 {
			return false
		}
	}
	return len(v) > 0
}

func (p *curvesPane) Title() (string, string) {
	s, st := p.d.Snap, p.d.St
	left, how := p.heading("3", "Fitness"), ""
	if p.quarter {
		how += " " + st.Accent.S("last quarter")
	}
	if scale := p.scale.fit(p.values()); scale != scaleLinear {
		how += " " + st.Accent.S(scale.String())
	}
	if p.metrics.at != 0 {
		return p.metricTitle(left, how)
	}
	left += how
	var l widget.Line
	if n := len(s.Curves.X); n > 0 {
		best := widget.Number(last(s.Curves.Best))
		if s.Noisy { // the line ends with what was held out last, maybe of another
			best = p.d.told(s.Best.ID, &s.Best.Objective, &s.Best.Claim, evidenceWidth)
			if s.Best.ID == record.Root {
				best = "the root " + best
			}
		}
		mean := " · mean " + widget.Unless(!s.Noisy, "of elites ") // what may be luck is no better best
		l.Add(st.Label, p.way(left, best)).Add(st.Lines[0], best)
		for _, f := range [...][2]string{{mean, widget.Number(last(s.Curves.Mean)) + widget.Unless(!p.off, ", off the chart") + p.deciding()}, {" · QD ", plot.Short(last(s.Curves.QD)) + p.deciding()}} {
			if p.d.mapped() && plot.Width(left)+l.W+len(f[0]+f[1])+6 <= p.width { // before there are niches neither has a meaning
				l.Add(st.Label, f[0]).Add(st.Plain, f[1])
			}
		}
	}
	return left, l.String()
}

// way is what stands before the best in a title: which way is better is worth more than
// the word for it.
func (p *curvesPane) way(left, best string) string {
	if p.d.lower("so") == "" {
		return "best "
	}
	for _, text := range [...]string{"lower is better · best ", "minimize · best "} {
		if p.width == 0 || plot.Width(left+text+best)+titleEdges <= p.width {
			return text
		}
	}
	return "minimize · "
}

// titleEdges is what the two sides of a title take between them and at their ends.
const titleEdges = 6

func (p *curvesPane) Body(w, h int, focus bool) []string {
	p.width, p.pics, p.off = w, nil, false
	c := &p.d.Snap.Curves
	if p.d.Snap.Loading && len(c.X) == 0 {
		return p.word("loading", w, h)
	}
	x := p.xs(c)
	if p.metrics.at != 0 {
		return p.metricBody(c, x, w, h)
	}
	if h < 20 || !p.d.mapped() {
		return p.objective(c, x, w, h)
	}
	h1 := h * 5 / 9
	h2 := (h - h1 - 2) / 2
	out := p.objective(c, x, w, h1)
	out = append(out, widget.Rule+p.d.St.Label.S("QD score"+p.deciding()))
	out = append(out, p.single(c.QD, x, 2, w, h2)...)
	out = append(out, widget.Rule+p.d.St.Label.S("Coverage, %"))
	share := make([]float64, len(c.Coverage))
	for i, v := range c.Coverage {
		share[i] = 100 * v
	}
	return append(out, p.single(share, x, 3, w, h-h1-2-h2)...)
}

// deciding is the word for what is drawn of samples that decided.
func (p *curvesPane) deciding() string { return widget.Unless(!p.d.Snap.Noisy, " "+p.d.ofDeciding()) }

// word is a body of one word in its middle.
func (p *curvesPane) word(text string, w, h int) []string {
	out := make([]string, h)
	if h > 0 {
		out[h/2] = plot.FitRight(p.d.St.Label.S(text), (w+plot.Width(text))/2)
	}
	return out
}

// xs returns the axis: scored candidates, or minutes since the first.
func (p *curvesPane) xs(c *view.Curves) []float64 {
	x := make([]float64, len(c.X))
	for i := range c.X {
		x[i] = float64(c.X[i])
		if i < len(c.At) {
			x[i] = p.x(c, c.X[i], c.At[i])
		}
	}
	return x
}

// x is where something lies on the axis that happened after n candidates were measured.
func (p *curvesPane) x(c *view.Curves, n int, at record.Millis) float64 {
	if p.byTime && len(c.At) > 0 {
		return float64(at-c.At[0]) / float64(time.Minute/time.Millisecond)
	}
	return float64(n)
}

func (p *curvesPane) marks(c *view.Curves) []plot.ChartMark {
	var out []plot.ChartMark
	for _, m := range c.Marks {
		out = append(out, plot.ChartMark{X: p.x(c, m.X, m.At), Text: m.Text})
	}
	return out
}

func (p *curvesPane) chart() plot.Chart {
	name := "measured"
	if p.byTime {
		name = "minutes"
	}
	return plot.Chart{XName: name, WholeX: !p.byTime, Base: math.NaN(), LogX: p.scale.x(), LogY: p.scale.y(), Look: p.d.St.Look(p.d.Glyphs)}
}

func (p *curvesPane) from(n int) int {
	if p.quarter {
		return n * 3 / 4
	}
	return 0
}

func (p *curvesPane) objective(c *view.Curves, x []float64, w, h int) []string {
	ch := p.chart()
	ch.LogY = p.scale.fit(c.Best).y()
	st := p.d.St
	from := p.from(len(x))
	cut := func(v []float64) []float64 { return v[min(from, len(v)):] }
	if p.d.mapped() {
		mean := near(cut(c.Mean), cut(c.Best), p.rootValue())
		p.off = len(mean) > 0 && math.IsNaN(last(mean)) // its name would stand at a height that it has no more
		ch.Series = append(ch.Series, plot.Series{Name: widget.Unless(p.off, "mean"+p.deciding()), X: x[from:], Y: mean, Style: st.Lines[1].SGR})
	}
	ch.Series = append(ch.Series, plot.Series{Name: "best", X: x[from:], Y: cut(c.Best), Step: true, Style: st.Lines[0].SGR})
	if r := p.d.Snap.Root; r.ID >= 0 {
		ch.Base, ch.BaseAs = p.rootValue(), "root"
	}
	ch.Marks = p.marks(c)
	if at := ch.Area(w, h); !at.Empty() {
		p.pics = []Picture{{At: at, Draw: func(cw, high int) image.Image { return ch.Picture(w, h, cw, high) }}}
	}
	return ch.Render(w, h)
}

// Pictures are the lines of the objective.
func (p *curvesPane) Pictures() []Picture { return p.pics }

// rootValue is the line of the root, NaN before it was measured.
func (p *curvesPane) rootValue() float64 {
	r := &p.d.Snap.Root
	if r.ID < 0 {
		return math.NaN()
	}
	return *p.d.Snap.Told(record.Root, &r.Objective, &r.Claim).Number()
}

// near leaves out the means that would squeeze the best into a flat line: those
// further from it than three times what the search has gained.
func near(mean, best []float64, root float64) []float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range best {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	if !math.IsNaN(root) {
		lo, hi = math.Min(lo, root), math.Max(hi, root)
	}
	span := 3 * (hi - lo)
	if !(span > 0) {
		return mean
	}
	out := make([]float64, len(mean))
	for i, v := range mean {
		out[i] = v
		if v < lo-span || v > hi+span {
			out[i] = math.NaN()
		}
	}
	return out
}

func (p *curvesPane) single(y, x []float64, color, w, h int) []string {
	ch := p.chart()
	from := p.from(len(x))
	ch.Series = []plot.Series{{Name: plot.Short(last(y)), X: x[from:], Y: y[min(from, len(y)):], Step: true, Style: p.d.St.Lines[color].SGR}}
	return ch.Render(w, h)
}

// mapped reports whether candidates have niches: the mean of the elites and the
// QD score are about those.
func (d *Shared) mapped() bool { return d.Snap.Grid.Filled > 0 }

// lower returns the text where the objective is minimised.
func (d *Shared) lower(text string) string {
	return widget.Unless(d.Snap.Direction != "minimize", text)
}

// measuredAs names what values are: the metric, or its ratio to the root's.
func measuredAs(s *view.Snapshot) string {
	if s.Paired {
		return s.Objective + " to root's"
	}
	return s.Objective
}

// Trend is a one-line history for small screens.
func (d *Shared) Trend(w int) string {
	c := &d.Snap.Curves
	if len(c.Best) < 2 || w < 5 {
		return ""
	}
	return d.St.Lines[0].Wrap(plot.Sparkline(oriented(d, c.Best), w, d.Glyphs))
}

// oriented turns values so that higher is better.
func oriented(d *Shared, v []float64) []float64 {
	if d.Snap.Direction != "minimize" {
		return v
	}
	out := make([]float64, len(v))
	for i := range v {
		out[i] = -v[i]
	}
	return out
}
