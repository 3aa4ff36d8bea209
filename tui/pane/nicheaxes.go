package pane

import (
	tea "charm.land/bubbletea/v2"
)

// cycleAxis shows the next hidden axis across or up; of two axes the places
// change.
func (p *nichesPane) cycleAxis(across bool) tea.Cmd {
	p.sync()
	n, v := len(p.d.Snap.Grid.Dims), &p.view
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
	return p.Load()
}

// toggleCut changes between the best over the hidden axes and one slice.
func (p *nichesPane) toggleCut() tea.Cmd {
	p.sync()
	p.view.cut = !p.view.cut
	p.stand()
	p.bump()
	return p.Load()
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
			if c.Index == flat(p.d.Snap.Grid.Dims, p.at) {
				next = (k + by + len(all)) % len(all)
			}
		}
		copy(p.at, coords(p.d.Snap.Grid.Dims, all[next].Index))
	}
	p.bump()
	return p.Load()
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
