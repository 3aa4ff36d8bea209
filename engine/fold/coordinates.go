package fold

import (
	"slices"

	"atoll/engine/archive"
	"atoll/store/record"
)

// coordinates are where candidates lie in one map, by number.
type coordinates struct {
	axes   int
	has    []bool
	points []float64 // a point for each number
}

func newCoordinates(shape archive.Shape) *coordinates { return &coordinates{axes: len(shape.Axes)} }

func (p *coordinates) put(id record.CandidateID, point []float64) {
	if more := int(id) + 1 - len(p.has); more > 0 {
		p.has = append(p.has, make([]bool, more)...)
		p.points = append(p.points, make([]float64, more*p.axes)...)
	}
	p.has[id] = true
	copy(p.points[int(id)*p.axes:], point[:p.axes])
}

// get returns a copy of the coordinates of a candidate, nil for none.
func (p *coordinates) get(id record.CandidateID) []float64 {
	if p == nil || id < 0 || int(id) >= len(p.has) || !p.has[id] {
		return nil
	}
	return slices.Clone(p.points[int(id)*p.axes : (int(id)+1)*p.axes])
}
