package pane

import (
	"cmp"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// layer is what the colours of the grid tell.
type layer int

const (
	layerValue layer = iota
	layerAge
	layerTries
	layerSpread
	layerCuriosity
	layerOdds
	layers
)

func (l layer) String() string {
	return [...]string{"value", "age", "tries", "spread", "curiosity", "odds"}[l]
}

// long says where there is room what a layer tells.
func (l layer) long() string {
	return [...]string{"value", "age", "tries", "spread of the samples", "edits that took a niche", "odds of the next parent"}[l]
}

// nichesPane is the grid, a legend and the words about the niche under the
// cursor. Zoomed it adds the elite, its runners-up and the niche's history.
type nichesPane struct {
	base
	gridCursor
	width  int // of the last body
	layer  layer
	byRank bool
	geo    plot.Geometry
	x0, y0 int // where the map lies in the body
	q      query
	qOdds  query
	detail *view.NicheDetail
	odds   view.Odds // of the next parent, for the layer
	units  axisUnits
	wide   bool    // room for the columns of the niche
	small  bool    // the curves are not on the screen
	seenAt []spot  // the fields of the map as it was drawn last
	lo, hi float64 // the range of its colours
	pics   []Picture
}

// Pictures is the map.
func (p *nichesPane) Pictures() []Picture { return p.pics }

func newNiches(d *Shared) *nichesPane {
	return &nichesPane{base: base{d: d, id: Niches}, gridCursor: gridCursor{shared: d, view: firstAxes}}
}

func (p *nichesPane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InNiches, keys.InCandidates, keys.InList}
}

func (p *nichesPane) Timed() bool { return p.wide }

func (p *nichesPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "layer", Keys: []string{"v"}, Title: "layer", Doc: "value, age, tries, spread, curiosity, odds of being the next parent", In: []keys.Scope{keys.InNiches}, Bar: 35, Run: p.cycleLayer},
		{ID: "scale", Keys: []string{"m"}, Title: "scale", Doc: "linear or by rank", In: []keys.Scope{keys.InNiches}, Run: p.cycleScale},
		{ID: "best", Keys: []string{"."}, Title: "to the best", In: []keys.Scope{keys.InNiches}, Run: p.toBest},
		{ID: "axis-across", Keys: []string{"X"}, Title: "axis across", Doc: "the next one", In: []keys.Scope{keys.InNiches}, Off: p.twoAxes, Run: func() tea.Cmd { return p.cycleAxis(true) }},
		{ID: "axis-up", Keys: []string{"Y"}, Title: "axis up", Doc: "the next one", In: []keys.Scope{keys.InNiches}, Off: p.twoAxes, Run: func() tea.Cmd { return p.cycleAxis(false) }},
		{ID: "slices", Keys: []string{"A"}, Title: "slices", Doc: "the best over the axes that are not shown, or one slice of them", In: []keys.Scope{keys.InNiches}, Off: p.manyAxes, Run: p.toggleCut},
		{ID: "slice-axis", Keys: []string{"s"}, Title: "axis of slices", Doc: "the one that [ and ] step along", In: []keys.Scope{keys.InNiches}, Off: p.fourAxes, Run: p.cycleMoving},
		{ID: "slice-back", Keys: []string{"["}, Title: "slice back", Doc: "or the elite before, of those behind a field", In: []keys.Scope{keys.InNiches}, Off: p.manyAxes, Run: func() tea.Cmd { return p.slice(-1) }},
		{ID: "slice-on", Keys: []string{"]"}, Title: "slice on", Doc: "or the next elite, of those behind a field", In: []keys.Scope{keys.InNiches}, Off: p.manyAxes, Run: func() tea.Cmd { return p.slice(1) }},
	}
}

func (p *nichesPane) Title() (string, string) {
	g, st := &p.d.Snap.Grid, p.d.St
	left := p.heading("1", "Niches")
	if p.layer != layerValue {
		left += " " + st.Accent.S(p.layer.String())
	} else if p.byRank {
		left += " " + st.Accent.S("by rank")
	}
	if len(g.Axes) < 2 {
		return left, st.Label.S(measuredAs(p.d.Snap))
	}
	room := 24
	if p.width > 0 {
		room = max(10, min(room, (p.width-plot.Width(left)-14)/2))
	}
	right := st.Label.S("→ " + p.units.named(p.axis(p.view.x), room) + "  ↑ " + p.units.named(p.axis(p.view.y), room))
	if hidden := p.hiddenName(max(12, p.width-plot.Width(left)-plot.Width(right)-8)); hidden != "" {
		right += st.Label.S(" · ") + st.Plain.S(hidden)
	}
	if p.small && plot.Width(left)+plot.Width(right)+18 < p.width {
		if t := p.d.Trend(12); t != "" {
			right = t + " " + right
		}
	}
	return left, right
}

func (p *nichesPane) Place(at Placement) {
	p.wide, p.small = at.W >= 102 && at.H >= 20, !at.Curves && !at.Full
}

func (p *nichesPane) Remember(to *Memory) { to.Layer, to.ByRank = int(p.layer), p.byRank }

func (p *nichesPane) Recall(from Memory) {
	if l := layer(from.Layer); l >= 0 && l < layers {
		p.layer, p.byRank = l, from.ByRank
	}
}

func (p *nichesPane) Selected() Selection {
	s := Nothing()
	s.Cell = p.cell()
	if c := p.d.Grid.At(s.Cell); c != nil && c.Elite >= 0 {
		s.Candidate, s.Job = c.Elite, record.JobID(c.Elite)
	}
	return s
}

func (p *nichesPane) Move(m widget.Motion) tea.Cmd {
	p.sync()
	p.seen = true
	defer p.stand()
	step := func(axis, by int) {
		if axis < len(p.at) {
			p.at[axis] = max(0, min(p.at[axis]+by, p.dim(axis)-1))
		}
	}
	switch m {
	case widget.Left:
		step(p.view.x, -1)
	case widget.Right:
		step(p.view.x, 1)
	case widget.Up:
		step(p.view.y, 1)
	case widget.Down:
		step(p.view.y, -1)
	case widget.PageUp:
		step(p.view.y, max(1, p.dim(p.view.y)/4))
	case widget.PageDown:
		step(p.view.y, -max(1, p.dim(p.view.y)/4))
	case widget.RowStart:
		step(p.view.x, -p.dim(p.view.x))
	case widget.RowEnd:
		step(p.view.x, p.dim(p.view.x))
	case widget.Top:
		step(p.view.y, p.dim(p.view.y))
	case widget.Bottom:
		step(p.view.y, -p.dim(p.view.y))
	}
	p.bump()
	return nil
}

func (p *nichesPane) Click(x, y int) tea.Cmd {
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
	return p.Load()
}

func (p *nichesPane) cycleScale() tea.Cmd {
	p.byRank = !p.byRank
	p.bump()
	return nil
}

func (p *nichesPane) toBest() tea.Cmd {
	if at := coords(p.d.Snap.Grid.Dims, p.d.Snap.Best.Cell); at != nil {
		p.sync()
		copy(p.at, at)
		p.seen = false // and follows it
		p.bump()
	}
	return p.Load()
}

// Body draws the map with its legend and details; wide screens get the
// columns of the niche beside it.
func (p *nichesPane) Body(w, h int, focus bool) []string {
	p.width, p.pics = w, nil
	p.sync()
	g := &p.d.Snap.Grid
	if g.Total == 0 || len(g.Dims) == 0 || g.NeedFit > 0 && g.Filled == 0 {
		p.geo = plot.Geometry{}
		return p.empty(w, h)
	}
	m := p.heat()
	if p.wide {
		side := p.sideWidth(m, w, h)
		return widget.Beside(p.mapLines(m, w-side-2, h), p.side(side, h), w-side-2, 2)
	}
	return p.mapLines(m, w, h)
}

// sideWidth is the width of the columns of the niche: a third of the screen, and more
// where the map has no use for the rest.
func (p *nichesPane) sideWidth(m *plot.HeatMap, w, h int) int {
	side := max(44, min(w/3+4, 72))
	_, _ = p.room(m, w-side-2, h)
	spare := w - side - 2 - p.geo.Left - p.geo.Cols*p.geo.CellW - 4
	return max(side, min(side+spare, mostSide))
}

// mostSide is the width that the texts of a niche are read in.
const mostSide = 120

func (p *nichesPane) empty(w, h int) []string {
	st, s := p.d.St, p.d.Snap
	text := cmp.Or(s.Grid.Undrawn(), "no niches yet")
	if s.Loading {
		text = Loading(s)
	}
	out := make([]string, h)
	put := func(y int, t string, width int) {
		if y >= 0 && y < h {
			out[y] = strings.Repeat(" ", max(0, (w-width)/2)) + t
		}
	}
	told := widget.WrapText(text, max(8, w-2))
	for i, t := range told {
		put(h/2+i, st.Label.S(t), plot.Width(t))
	}
	if need := s.Grid.NeedFit; need > 0 && !s.Grid.FromFirst && !s.Loading {
		n := min(30, w-4)
		full, rest := plot.Bar(float64(s.Grid.Unplaced)/float64(need), n, p.d.Glyphs)
		put(h/2+len(told), st.Lines[0].Wrap(full)+st.Border.Wrap(rest), n)
	}
	return out
}

// mapLines is the heat map over legend and details.
func (p *nichesPane) mapLines(m *plot.HeatMap, w, h int) []string {
	extra, mh := p.room(m, w, h)
	used := p.geo.Lines
	if p.geo.AxisX {
		used += 2
	}
	p.x0 = max(0, (w-p.geo.Left-p.geo.Cols*p.geo.CellW)/2-p.geo.Left/2)
	p.y0 = max(0, (mh-used)/2)
	p.geo.W, p.geo.H = w-p.x0, used
	grid := m.Render(p.geo)
	if geo := p.geo; geo.CellW > 0 {
		at := image.Pt(p.x0+geo.Left, p.y0)
		p.pics = []Picture{{At: image.Rectangle{at, at.Add(image.Pt(geo.Cols*geo.CellW, geo.Lines))}, Draw: func(cw, ch int) image.Image { return m.Picture(geo, cw, ch) }}}
	}
	var out []string
	for range p.y0 {
		out = append(out, "")
	}
	pad := strings.Repeat(" ", p.x0)
	for _, l := range grid[:min(used, len(grid))] {
		out = append(out, pad+l)
	}
	if extra > 1 {
		out = append(out, p.legend(w, extra == 4, m.Drawn())...)
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
