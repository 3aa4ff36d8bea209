package pane

import (
	"fmt"
	"sort"
	"strings"

	"atoll/engine/view"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// gridCursor is a cursor in a grid of any number of dimensions, and how that
// grid lies on a screen of two.
type gridCursor struct {
	shared  *Shared
	at      []int // one index per axis
	seen    bool  // the person moved it; until then it follows the best
	view    axes
	gridDim [2]int // fields across and up
}

// axes says how a grid of any number of dimensions lies on a screen of two.
// The hidden axes are either folded, so that a field shows the best elite over
// all of them, or cut at the slice on which the cursor stands.
type axes struct {
	x, y int
	cut  bool
	move int // hidden axis along which slices are stepped
}

var firstAxes = axes{x: 0, y: 1}

// sync fits the cursor to the grid; at first it stands on the best.
func (p *gridCursor) sync() {
	g := &p.shared.Snap.Grid
	if len(p.at) != len(g.Dims) {
		p.at, p.view, p.seen = make([]int, len(g.Dims)), firstAxes, false
	}
	for i, n := range g.Dims {
		p.at[i] = max(0, min(p.at[i], n-1))
	}
	if best := coords(g.Dims, p.shared.Snap.Best.Cell); !p.seen && best != nil {
		copy(p.at, best)
	}
	p.gridDim = [2]int{p.dim(p.view.x), p.dim(p.view.y)}
}

func (p *gridCursor) dim(axis int) int {
	g := &p.shared.Snap.Grid
	switch {
	case axis < len(g.Dims):
		return g.Dims[axis]
	case len(g.Dims) > 0:
		return 1
	}
	return 0
}

func (p *gridCursor) pos(axis int) int {
	if axis < len(p.at) {
		return p.at[axis]
	}
	return 0
}

// cell returns the flat index under the cursor, -1 without a grid.
func (p *gridCursor) cell() int {
	p.sync()
	if len(p.at) == 0 {
		return -1
	}
	return flat(p.shared.Snap.Grid.Dims, p.at)
}

func (p *gridCursor) axis(i int) string {
	if i < len(p.shared.Snap.Grid.Axes) {
		return p.shared.Snap.Grid.Axes[i].Name
	}
	return ""
}

// hidden lists the axes that are not shown.
func (p *gridCursor) hidden() []int {
	var out []int
	for i := range p.shared.Snap.Grid.Dims {
		if i != p.view.x && i != p.view.y {
			out = append(out, i)
		}
	}
	return out
}

// moving is the hidden axis along which slices are stepped, -1 without one.
func (p *gridCursor) moving() int {
	h := p.hidden()
	for _, i := range h {
		if i == p.view.move {
			return i
		}
	}
	if len(h) > 0 {
		return h[0]
	}
	return -1
}

// hiddenName says in w cells what the map shows of the hidden axes.
func (p *gridCursor) hiddenName(w int) string {
	g := &p.shared.Snap.Grid
	var names, parts, short []string
	for _, i := range p.hidden() {
		if i >= len(p.at) {
			continue
		}
		name := widget.CutAxis(p.axis(i), 16)
		names = append(names, name)
		t := fmt.Sprintf("%s %d/%d", name, p.at[i]+1, g.Dims[i])
		short = append(short, t)
		if i < len(g.Axes) && p.at[i]+1 < len(g.Axes[i].Edges) {
			e := plot.Edges(g.Axes[i].Edges)
			t += " " + e[p.at[i]] + "–" + e[p.at[i]+1]
		}
		parts = append(parts, t)
	}
	if len(names) == 0 {
		return ""
	}
	tries := []string{"best over " + strings.Join(names, ", "), fmt.Sprintf("best over %d", len(names))}
	if p.view.cut {
		tries = []string{strings.Join(parts, ", "), strings.Join(short, ", "), widget.CutWords(strings.Join(short, ", "), w)}
	}
	for _, t := range tries {
		if plot.Width(t) <= w {
			return t
		}
	}
	return tries[len(tries)-1]
}

// elites are those of the field under the cursor over the hidden axes, best
// first.
func (p *gridCursor) elites() []*view.Cell {
	g := &p.shared.Snap.Grid
	step := strides(g.Dims)
	var out []*view.Cell
	for i := range g.Cells {
		c := &g.Cells[i]
		if c.Elite >= 0 && p.field(step, c.Index) == p.pos(p.view.y)*p.gridDim[0]+p.pos(p.view.x) {
			out = append(out, c)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Adjusted > out[j].Adjusted })
	return out
}

// stand moves the cursor to the best elite of its field while the hidden axes
// are folded.
func (p *gridCursor) stand() {
	if p.view.cut || len(p.hidden()) == 0 {
		return
	}
	if all := p.elites(); len(all) > 0 {
		copy(p.at, coords(p.shared.Snap.Grid.Dims, all[0].Index))
	}
}

// field returns where a cell lies on the map, row by row from below.
func (p *gridCursor) field(step []int, cell int) int {
	g := &p.shared.Snap.Grid
	pos := func(axis int) int {
		if axis >= len(step) {
			return 0
		}
		return cell / step[axis] % max(g.Dims[axis], 1)
	}
	return pos(p.view.y)*p.gridDim[0] + pos(p.view.x)
}

// shows reports whether a cell lies on the map: all do unless slices are cut.
func (p *gridCursor) shows(step []int, cell int) bool {
	if !p.view.cut {
		return true
	}
	for i, n := range p.shared.Snap.Grid.Dims {
		if i != p.view.x && i != p.view.y && cell/step[i]%max(n, 1) != p.at[i] {
			return false
		}
	}
	return true
}

// stacked are the elites behind the field under the cursor, best first; nil
// where the map shows every cell by itself.
func (p *gridCursor) stacked() []*view.Cell {
	if p.view.cut || len(p.hidden()) == 0 {
		return nil
	}
	return p.elites()
}

func (p *gridCursor) twoAxes() string {
	if len(p.shared.Snap.Grid.Dims) < 2 {
		return "the grid has one axis"
	}
	return ""
}

func (p *gridCursor) fourAxes() string {
	if len(p.shared.Snap.Grid.Dims) < 4 {
		return "one axis is hidden at most"
	}
	return ""
}

func (p *gridCursor) manyAxes() string {
	if len(p.shared.Snap.Grid.Dims) < 3 {
		return "the grid has no third axis"
	}
	return ""
}
