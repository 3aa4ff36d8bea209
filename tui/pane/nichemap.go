package pane

import (
	"math"
	"strconv"
	"strings"

	"atoll/engine/view"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// heat builds the map of the two axes shown.
func (p *nichesPane) heat() *plot.HeatMap {
	g := &p.d.Snap.Grid
	nx, ny := p.gridDim[0], p.gridDim[1]
	m := &plot.HeatMap{
		Cols: nx, Rows: ny, Ramp: p.d.ramp, Look: p.d.St.Look(p.d.Glyphs),
		Cells: make([]plot.HeatCell, nx*ny), Cursor: true, CursorX: p.pos(p.view.x), CursorY: p.pos(p.view.y),
	}
	if x := p.view.x; x < len(g.Axes) && len(g.Axes[x].Edges) > 1 {
		m.XEdges = plot.Edges(g.Axes[x].Edges)
	}
	if y := p.view.y; y < len(g.Axes) && len(g.Axes[y].Edges) > 1 {
		m.YEdges = plot.Edges(g.Axes[y].Edges)
	}
	if len(g.Axes) > 1 {
		m.XName = p.units.named(p.axis(p.view.x), 24)
	}
	p.spots()
	if p.layer == layerValue {
		m.Value = p.valueText()
	}
	for i := range m.Cells {
		if s := p.seenAt[i]; s.cell != nil {
			m.Cells[i] = p.heatCell(s)
		}
	}
	return m
}

// valueText writes values with as many digits as in words, with fewer where room
// is short and all alike, or not at all where a tenth of the range of colours could
// not be told.
func (p *nichesPane) valueText() func(v float64, w int) string {
	span := p.hi - p.lo
	least, most := 0, 0
	if span > 0 && !math.IsInf(span, 0) {
		least = min(max(0, int(math.Ceil(-math.Log10(span/10)))), 6)
		most = min(max(0, int(math.Ceil(-math.Log10(span/100)))), 6)
	}
	whole := 0 // cells before the point
	for _, s := range p.seenAt {
		if s.cell != nil && s.cell.Elite >= 0 {
			v := *p.d.Snap.ToldCell(s.cell).Number()
			whole = max(whole, len(strconv.FormatFloat(math.Trunc(v), 'f', 0, 64)))
			if _, digits, ok := strings.Cut(widget.Number(v), "."); ok && !strings.Contains(digits, "e") {
				most = max(most, len(digits))
			}
		}
	}
	return func(v float64, w int) string {
		digits := max(0, min(most, w-whole-1))
		if t := strconv.FormatFloat(v, 'f', digits, 64); digits >= least && len(t) <= w {
			return t
		}
		return ""
	}
}

// spot is what one field of the map shows: the best elite of the cells behind
// it, the marks and tries of all.
type spot struct {
	cell  *view.Cell
	tries int
	marks uint // bits by their place in marks
}

// spots collects the fields of the map and the range of their colours.
func (p *nichesPane) spots() {
	g := &p.d.Snap.Grid
	step := strides(g.Dims)
	p.seenAt = append(p.seenAt[:0], make([]spot, p.gridDim[0]*p.gridDim[1])...)
	for i := range g.Cells {
		c := &g.Cells[i]
		if c.Index < 0 || c.Index >= len(p.d.Grid.cells) || !p.shows(step, c.Index) {
			continue
		}
		s := &p.seenAt[p.field(step, c.Index)]
		if s.cell == nil || c.Elite >= 0 && (s.cell.Elite < 0 || c.Adjusted > s.cell.Adjusted) {
			s.cell = c
		}
		s.tries += c.Tries
		s.marks |= p.marksOf(c)
	}
	p.lo, p.hi = p.d.Grid.lo, p.d.Grid.hi
	if p.layer == layerValue {
		return
	}
	p.lo, p.hi = math.Inf(1), math.Inf(-1)
	for _, s := range p.seenAt {
		if s.cell != nil && s.cell.Elite >= 0 {
			v := p.value(s)
			p.lo, p.hi = math.Min(p.lo, v), math.Max(p.hi, v)
		}
	}
}

// value is what a layer shows of a field.
func (p *nichesPane) value(s spot) float64 {
	switch p.layer {
	case layerAge:
		return float64(s.cell.Fold)
	case layerTries:
		return float64(s.tries)
	case layerSpread:
		return s.cell.MAD
	case layerOdds:
		if p.d.Past { // they are told of now
			return 0
		}
		return 100 * p.odds.Cells[s.cell.Index]
	case layerCuriosity:
		return s.cell.Curiosity()
	}
	return toldAdjusted(p.d.Snap, s.cell)
}

func (p *nichesPane) heatCell(s spot) plot.HeatCell {
	out := plot.HeatCell{Filled: s.cell.Elite >= 0, V: *p.d.Snap.ToldCell(s.cell).Number(), Marks: p.signs(s.marks)}
	v := p.value(s)
	switch {
	case p.layer == layerValue && p.byRank:
		out.T = p.d.Grid.rank(v)
	case !(p.hi > p.lo) || math.IsInf(p.hi-p.lo, 0):
		out.T = 1
	default:
		out.T = math.Max(0, math.Min(1, (v-p.lo)/(p.hi-p.lo)))
	}
	return out
}

// newFor is how many folded candidates a niche counts as new.
const newFor = 10

// mark is what a niche can be beside its value.
type mark int

// The marks, what a person did first: where there is room for one alone it is
// that, and the line below the map tells the rest.
const (
	markMarked mark = iota
	markFrozen
	markBoosted
	markLess
	markWaits
	markRuns
	markNew
	markKinds
)

// sign is the character of a mark.
func (m mark) sign(g plot.Glyphs) string {
	if m == markRuns && g != plot.Braille {
		return ">"
	}
	return [...]string{"x", "#", "+", "-", "?", "▸", "*"}[m]
}

func (m mark) String() string {
	return [...]string{"marked", "frozen", "boosted", "boosted down", "waits", "running", "new"}[m]
}

// marksOf are the marks of a niche, one bit for each.
func (p *nichesPane) marksOf(c *view.Cell) uint {
	var out uint
	for m, on := range [markKinds]bool{
		markMarked:  c.Elite >= 0 && p.d.marked(c.Elite),
		markFrozen:  c.Frozen,
		markBoosted: c.Boost > 1,
		markLess:    c.Boost > 0 && c.Boost < 1,
		markWaits:   c.Waiting > 0,
		markRuns:    c.Running > 0,
		markNew:     p.d.isNew(c),
	} {
		if on {
			out |= 1 << m
		}
	}
	return out
}

// isNew reports whether a niche was taken lately.
func (d *Shared) isNew(c *view.Cell) bool { return c.Elite > 0 && c.Fold > d.folded()-newFor }

// signs are the characters of marks, the first that matters most.
func (p *nichesPane) signs(set uint) string {
	out := ""
	for m := range markKinds {
		if set&(1<<m) != 0 {
			out += m.sign(p.d.Glyphs)
		}
	}
	return out
}

func (d *Shared) folded() int {
	if n := len(d.Snap.Curves.X); n > 0 {
		return d.Snap.Curves.X[n-1]
	}
	return 0
}

// legend is the ramp with its ends, and in words the marks that are drawn: beside it,
// or on a line above where there is one for them.
func (p *nichesPane) legend(w int, two bool, drawn string) []string {
	st := p.d.St
	lo, hi := p.ends()
	name := measuredAs(p.d.Snap)
	long := name + p.d.lower(", lower is better")
	name += p.d.lower(" ↓")
	if p.layer != layerValue {
		name, long = p.layer.String(), p.layer.long()
	} else if p.byRank {
		name, long = "rank of "+name, "rank of "+long
	}
	if p.layer == layerValue && p.d.Grid.open {
		name, long = name+", "+p.d.ofDeciding(), long+", "+p.d.ofDeciding()
	}
	// The ramp with its ends and the name come first, then the marks.
	least := plot.Width(lo+hi) + min(plot.Width(plot.Clean(name)), w/3) + leastRamp + 5
	var said, all widget.Line
	for m := range markKinds {
		if !strings.Contains(drawn, m.sign(p.d.Glyphs)) {
			continue
		}
		all.Gap(1+min(all.W, 1)).Add(st.Plain, m.sign(p.d.Glyphs)).Gap(1).Add(st.Label, m.String())
		if said.W+plot.Width(m.String())+4+least <= w {
			said.Gap(2).Add(st.Plain, m.sign(p.d.Glyphs)).Gap(1).Add(st.Label, m.String())
		}
	}
	var lines []string
	if two {
		if all.W != said.W-1 && all.W > 0 { // not all fit beside it
			said, lines = widget.Line{}, append(lines, plot.Fit(all.String(), w))
		} else {
			lines = append(lines, "")
		}
	}
	free := w - said.W - plot.Width(lo+hi) - 5
	if n := plot.Width(plot.Clean(long)); n+leastRamp <= free {
		name = long
	}
	words := min(plot.Width(plot.Clean(name)), max(0, free-leastRamp))
	var l widget.Line
	l.Gap(1).Add(st.Label, lo).Gap(1).Raw(p.d.ramp.Legend(max(leastRamp, min(20, w/4, free-words)))).Gap(1).Add(st.Plain, hi)
	return append(lines, l.Gap(2).Fit(st.Label, name, words).String()+said.String())
}

// leastRamp is how many cells the colours of the legend have at least.
const leastRamp = 4

// ends are the values at the ends of the ramp, in the evaluator's direction.
func (p *nichesPane) ends() (lo, hi string) {
	switch p.layer {
	case layerAge:
		return "old", "new"
	case layerTries, layerSpread, layerCuriosity, layerOdds:
		switch {
		case p.lo > p.hi:
			return "-", "-"
		case p.layer == layerOdds:
			return share(p.lo), share(p.hi) + " %"
		}
		return plot.Short(p.lo), plot.Short(p.hi)
	}
	if len(p.d.Grid.sorted) == 0 {
		return "-", "-"
	}
	sign := 1.0
	if p.d.Snap.Direction == "minimize" {
		sign = -1
	}
	lo, hi = plot.Short(sign*p.d.Grid.lo), plot.Short(sign*p.d.Grid.hi)
	if p.d.Grid.low {
		lo = "<" + lo
	}
	return lo, hi
}
