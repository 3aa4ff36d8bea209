package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/tui/plot"
)

// axes says how a grid of any number of dimensions lies on a screen of two.
// The hidden axes are either folded, so that a field shows the best elite over
// all of them, or cut at the slice on which the cursor stands.
type axes struct {
	x, y int
	cut  bool
	move int // hidden axis along which slices are stepped
}

var firstAxes = axes{x: 0, y: 1}

func (p *nichesPane) axis(i int) string {
	if i < len(p.d.snap.Grid.Axes) {
		return p.d.snap.Grid.Axes[i].Name
	}
	return ""
}

// hidden lists the axes that are not shown.
func (p *nichesPane) hidden() []int {
	var out []int
	for i := range p.d.snap.Grid.Dims {
		if i != p.view.x && i != p.view.y {
			out = append(out, i)
		}
	}
	return out
}

// moving is the hidden axis along which slices are stepped, -1 without one.
func (p *nichesPane) moving() int {
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
func (p *nichesPane) hiddenName(w int) string {
	g := &p.d.snap.Grid
	var names, parts, short []string
	for _, i := range p.hidden() {
		if i >= len(p.at) {
			continue
		}
		name := axisName(p.axis(i), 16)
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
		tries = []string{strings.Join(parts, ", "), strings.Join(short, ", "), cutWords(strings.Join(short, ", "), w)}
	}
	for _, t := range tries {
		if plot.Width(t) <= w {
			return t
		}
	}
	return tries[len(tries)-1]
}

// cycleAxis shows the next hidden axis across or up; of two axes the places
// change.
func (p *nichesPane) cycleAxis(across bool) tea.Cmd {
	p.sync()
	n, v := len(p.d.snap.Grid.Dims), &p.view
	this, other := &v.x, &v.y
	if !across {
		this, other = other, this
	}
	if n == 2 {
		*this, *other = *other, *this
	} else if *this = (*this + 1) % n; *this == *other {
		*this = (*this + 1) % n
	}
	p.stand()
	p.bump()
	return p.show()
}

// toggleCut changes between the best over the hidden axes and one slice.
func (p *nichesPane) toggleCut() tea.Cmd {
	p.sync()
	p.view.cut = !p.view.cut
	p.stand()
	p.bump()
	return p.show()
}

// cycleMoving chooses the hidden axis that slices are stepped along.
func (p *nichesPane) cycleMoving() tea.Cmd {
	h := p.hidden()
	for k, i := range h {
		if i == p.moving() {
			p.view.move = h[(k+1)%len(h)]
			break
		}
	}
	p.bump()
	return nil
}

// slice steps along a hidden axis, or through the elites of the field while
// the hidden axes are folded.
func (p *nichesPane) slice(by int) tea.Cmd {
	p.sync()
	p.seen = true
	if p.view.cut {
		if i := p.moving(); i >= 0 {
			p.at[i] = (p.at[i] + by + p.dim(i)) % p.dim(i)
		}
	} else if all := p.elites(); len(all) > 0 {
		next := 0
		for k, c := range all {
			if c.Index == flat(p.d.snap.Grid.Dims, p.at) {
				next = (k + by + len(all)) % len(all)
			}
		}
		copy(p.at, coords(p.d.snap.Grid.Dims, all[next].Index))
	}
	p.bump()
	return p.show()
}

// stand moves the cursor to the best elite of its field while the hidden axes
// are folded.
func (p *nichesPane) stand() {
	if p.view.cut || len(p.hidden()) == 0 {
		return
	}
	if all := p.elites(); len(all) > 0 {
		copy(p.at, coords(p.d.snap.Grid.Dims, all[0].Index))
	}
}

// elites are those of the field under the cursor over the hidden axes, best
// first.
func (p *nichesPane) elites() []*view.Cell {
	g := &p.d.snap.Grid
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

// strides are what one step along each axis adds to a flat index.
func strides(dims []int) []int {
	out := make([]int, len(dims))
	n := 1
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = n
		n *= max(dims[i], 1)
	}
	return out
}

// field returns where a cell lies on the map, row by row from below.
func (p *nichesPane) field(step []int, cell int) int {
	g := &p.d.snap.Grid
	pos := func(axis int) int {
		if axis >= len(step) {
			return 0
		}
		return cell / step[axis] % max(g.Dims[axis], 1)
	}
	return pos(p.view.y)*p.gridDim[0] + pos(p.view.x)
}

// shows reports whether a cell lies on the map: all do unless slices are cut.
func (p *nichesPane) shows(step []int, cell int) bool {
	if !p.view.cut {
		return true
	}
	for i, n := range p.d.snap.Grid.Dims {
		if i != p.view.x && i != p.view.y && cell/step[i]%max(n, 1) != p.at[i] {
			return false
		}
	}
	return true
}
