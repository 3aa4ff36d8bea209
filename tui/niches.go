package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// layer is what the colours of the grid tell.
type layer int

const (
	layerValue layer = iota
	layerAge
	layerTries
	layerSpread
	layerCuriosity
	layers
)

func (l layer) String() string {
	return [...]string{"value", "age", "attempts", "spread", "curiosity"}[l]
}

// nichesPane is the grid, a legend and the words about the niche under the
// cursor. Zoomed it adds the elite, its runners-up and the niche's history.
type nichesPane struct {
	base
	at      []int // cursor, one index per axis
	seen    bool  // the person moved the cursor; until then it follows the best
	view    axes
	width   int // of the last body
	layer   layer
	byRank  bool
	geo     plot.Geometry
	x0, y0  int // where the map lies in the body
	q       query
	detail  *view.NicheDetail
	wide    bool // room for the columns of the niche
	small   bool // the curves are not on the screen
	gridDim [2]int
	seenAt  []spot  // the fields of the map as it was drawn last
	lo, hi  float64 // the range of its colours
}

func newNiches(d *desk) *nichesPane {
	return &nichesPane{base: base{d: d, id: paneNiches}, view: firstAxes}
}

func (p *nichesPane) scopes() []scope { return []scope{inNiches, inCandidates, inList} }
func (p *nichesPane) timed() bool     { return p.wide }

func (p *nichesPane) title() (string, string) {
	g, st := &p.d.snap.Grid, p.d.st
	left := p.heading("1", "Niches")
	if p.layer != layerValue {
		left += " " + st.Accent.S(p.layer.String())
	} else if p.byRank {
		left += " " + st.Accent.S("by rank")
	}
	if len(g.Axes) < 2 {
		return left, st.Label.S(p.d.snap.Objective)
	}
	right := st.Label.S(axisName(p.axis(p.view.x), 24) + " × " + axisName(p.axis(p.view.y), 24))
	if hidden := p.hiddenName(max(12, p.width-plot.Width(left)-plot.Width(right)-8)); hidden != "" {
		right += st.Label.S(" · ") + st.Plain.S(hidden)
	}
	if p.small && plot.Width(left)+plot.Width(right)+18 < p.width {
		if t := p.d.trend(12); t != "" {
			right = t + " " + right
		}
	}
	return left, right
}

// sync fits the cursor to the grid; at first it stands on the best.
func (p *nichesPane) sync() {
	g := &p.d.snap.Grid
	if len(p.at) != len(g.Dims) {
		p.at, p.view, p.seen = make([]int, len(g.Dims)), firstAxes, false
	}
	for i, n := range g.Dims {
		p.at[i] = max(0, min(p.at[i], n-1))
	}
	if best := coords(g.Dims, p.d.snap.Best.Cell); !p.seen && best != nil {
		copy(p.at, best)
	}
	p.gridDim = [2]int{p.dim(p.view.x), p.dim(p.view.y)}
}

func (p *nichesPane) dim(axis int) int {
	g := &p.d.snap.Grid
	switch {
	case axis < len(g.Dims):
		return g.Dims[axis]
	case len(g.Dims) > 0:
		return 1
	}
	return 0
}

func (p *nichesPane) pos(axis int) int {
	if axis < len(p.at) {
		return p.at[axis]
	}
	return 0
}

// cell returns the flat index under the cursor, -1 without a grid.
func (p *nichesPane) cell() int {
	p.sync()
	if len(p.at) == 0 {
		return -1
	}
	return flat(p.d.snap.Grid.Dims, p.at)
}

func (p *nichesPane) sel() selection {
	s := nothing()
	s.cell = p.cell()
	if c := p.d.grid.at(s.cell); c != nil && c.Elite >= 0 {
		s.cand, s.job = c.Elite, record.JobID(c.Elite)
	}
	return s
}

func (p *nichesPane) move(m motion) tea.Cmd {
	p.sync()
	p.seen = true
	defer p.stand()
	step := func(axis, by int) {
		if axis < len(p.at) {
			p.at[axis] = max(0, min(p.at[axis]+by, p.dim(axis)-1))
		}
	}
	switch m {
	case left:
		step(p.view.x, -1)
	case right:
		step(p.view.x, 1)
	case up:
		step(p.view.y, 1)
	case down:
		step(p.view.y, -1)
	case pageUp:
		step(p.view.y, max(1, p.dim(p.view.y)/4))
	case pageDown:
		step(p.view.y, -max(1, p.dim(p.view.y)/4))
	case rowStart:
		step(p.view.x, -p.dim(p.view.x))
	case rowEnd:
		step(p.view.x, p.dim(p.view.x))
	case top:
		step(p.view.y, p.dim(p.view.y))
	case bottom:
		step(p.view.y, -p.dim(p.view.y))
	}
	p.bump()
	return nil
}

func (p *nichesPane) click(x, y int) tea.Cmd {
	if cx, cy, ok := p.geo.At(x-p.x0, y-p.y0); ok {
		p.sync()
		p.seen = true
		for axis, v := range map[int]int{p.view.x: cx, p.view.y: cy} {
			if axis < len(p.at) {
				p.at[axis] = v
			}
		}
		p.stand()
		p.bump()
	}
	return nil
}

func (p *nichesPane) cycleLayer() tea.Cmd {
	p.layer = (p.layer + 1) % layers
	p.bump()
	return nil
}

func (p *nichesPane) cycleScale() tea.Cmd {
	p.byRank = !p.byRank
	p.bump()
	return nil
}

func (p *nichesPane) toBest() tea.Cmd {
	if at := coords(p.d.snap.Grid.Dims, p.d.snap.Best.Cell); at != nil {
		p.sync()
		copy(p.at, at)
		p.seen = false // and follows it
		p.bump()
	}
	return p.show()
}

// body draws the map with its legend and details; wide screens get the
// columns of the niche beside it.
func (p *nichesPane) body(w, h int, focus bool) []string {
	p.width = w
	p.sync()
	g := &p.d.snap.Grid
	if g.Total == 0 || len(g.Dims) == 0 || g.NeedFit > 0 && g.Filled == 0 {
		p.geo = plot.Geometry{}
		return p.empty(w, h)
	}
	if p.wide {
		side := max(44, w*2/5)
		return beside(p.mapLines(w-side-2, h), p.side(side, h), w-side-2, 2)
	}
	return p.mapLines(w, h)
}

// beside joins two columns with a gap.
func beside(a, b []string, wa, gap int) []string {
	n := max(len(a), len(b))
	out := make([]string, n)
	pad := strings.Repeat(" ", gap)
	for i := range n {
		var l, r string
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			r = b[i]
		}
		out[i] = plot.Fit(l, wa) + pad + r
	}
	return out
}

func (p *nichesPane) empty(w, h int) []string {
	st, s := p.d.st, p.d.snap
	text := "no niches yet"
	switch {
	case s.Loading:
		text = loading(s)
	case s.Grid.NeedFit > 0:
		text = fmt.Sprintf("the map is drawn after %d candidates; %d so far", s.Grid.NeedFit, s.Grid.Unplaced)
	}
	out := make([]string, h)
	put := func(y int, t string, width int) {
		if y >= 0 && y < h {
			out[y] = strings.Repeat(" ", max(0, (w-width)/2)) + t
		}
	}
	t := plot.Fit(text, min(len(text), w))
	put(h/2, st.Label.S(t), len(t))
	if need := s.Grid.NeedFit; need > 0 && !s.Loading {
		n := min(30, w-4)
		full, rest := plot.Bar(float64(s.Grid.Unplaced)/float64(need), n, p.d.glyphs)
		put(h/2+1, st.Lines[0].wrap(full)+st.Border.wrap(rest), n)
	}
	return out
}

// mapLines is the heat map over legend and details.
func (p *nichesPane) mapLines(w, h int) []string {
	m := p.heat()
	extra, mh := p.room(m, w, h)
	used := p.geo.Lines
	if p.geo.AxisX {
		used += 2
	}
	p.x0 = max(0, (w-p.geo.Left-p.geo.Cols*p.geo.CellW)/2-p.geo.Left/2)
	p.y0 = max(0, (mh-used)/2)
	p.geo.W, p.geo.H = w-p.x0, used
	grid := m.Render(p.geo)
	var out []string
	for range p.y0 {
		out = append(out, "")
	}
	pad := strings.Repeat(" ", p.x0)
	for _, l := range grid[:min(used, len(grid))] {
		out = append(out, pad+l)
	}
	if extra == 4 {
		out = append(out, "")
	}
	if extra > 1 {
		out = append(out, p.legend(w))
	}
	return append(out, p.details(w, extra == 4)...)
}

// room places the map and says how many lines of words stay below it: a gap,
// the legend and two lines of details, or the legend and one where that lets
// the niches be larger, or one line alone where they would be tiny.
func (p *nichesPane) room(m *plot.HeatMap, w, h int) (extra, mh int) {
	best := plot.Geometry{}
	for _, e := range [...]int{4, 2, 1} {
		if e == 4 && h < 14 || e == 2 && h < 7 {
			continue
		}
		g := m.Place(w-1, max(1, h-e))
		if larger := g.CellW*g.CellH > best.CellW*best.CellH; extra == 0 || larger && (e > 1 || best.CellH < 2) {
			best, extra, mh = g, e, max(1, h-e)
		}
	}
	p.geo = best
	return extra, mh
}
