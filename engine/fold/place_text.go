package fold

import (
	"fmt"
	"strconv"
	"strings"

	"atoll/engine/archive"
	"atoll/store/record"
)

// openShown is how many empty niches are named to an agent.
const openShown = 4

// PlaceText says where a candidate lies in the archive and what that means on each axis, as
// in "niche (3,7): lines 120 to 140, calls 8 and above", "" where it has no place.
func (a *standings) PlaceText(id record.CandidateID) string {
	cell, ok := a.cellOf(id)
	if !ok {
		return ""
	}
	text := "niche " + a.CellName(cell)
	shape := a.shape()
	if shape.Regions != nil {
		return text
	}
	var spans []string
	for axis, bin := range shape.Coords(cell) {
		spans = append(spans, spanText(shape, a.Learned, axis, bin))
	}
	return text + ": " + strings.Join(spans, ", ")
}

// OpenText names empty niches one step from that of a candidate, at most four, by the axis
// on which they differ from it; "" where there are none, or cells are no grid.
func OpenText(s *State, id record.CandidateID) string {
	a := s.standings
	cell, ok := a.cellOf(id)
	if !ok {
		return ""
	}
	shape := a.shape()
	if shape.Regions != nil {
		return ""
	}
	home, dims := shape.Coords(cell), shape.Dims()
	var open []string
	for axis, width := len(dims)-1, 1; axis >= 0; axis-- {
		for _, step := range []int{-1, 1} {
			to := home[axis] + step
			if to < 0 || to >= dims[axis] || len(open) == openShown {
				continue
			}
			if _, held := a.arch.Holder(cell + step*width); !held {
				open = append(open, spanText(shape, a.Learned, axis, to))
			}
		}
		width *= dims[axis]
	}
	return strings.Join(open, "; ")
}

// spanText is a bin of an axis in words: the values of a named one, the step of a learned one,
// whose values mean nothing to a reader.
func spanText(shape archive.Shape, learned bool, axis, bin int) string {
	name, last := shape.Axes[axis].Name, shape.Dims()[axis]-1
	if learned {
		return fmt.Sprintf("%s step %d of 0 to %d", name, bin, last)
	}
	edges := shape.EdgesOf(axis)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	switch {
	case last == 0:
		return name + " of any value"
	case bin == 0:
		return name + " below " + number(edges[1])
	case bin == last:
		return name + " " + number(edges[last]) + " and above"
	}
	return fmt.Sprintf("%s %s to %s", name, number(edges[bin]), number(edges[bin+1]))
}
