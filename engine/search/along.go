package search

import (
	"cmp"

	"atoll/engine/archive"
	"atoll/store/record"
)

// Along is the way of an island that follows an axis of the map: the farther from the root an
// elite lies along it, the more it is drawn, by 1/(1+r)^2, r being its rank from 0 by that
// distance and, of those as far, by objective. Islands that follow different axes come to different
// parts of a solution, which a crossover with the leader of another island brings together.
// Fontaine et al. 2020 draw such directions at random ("Covariance matrix adaptation for the
// rapid illumination of behavior space").
const Along = "along"

const (
	// alongShare is how often such an island draws along its axis.
	alongShare = 0.8
	// exchange is how often a crossover has the leader of another island for its donor.
	exchange = 0.5
)

// along gives the way along the axis its share, where the island follows one.
func (v *View) along(shares []Share) []Share {
	if v.Axis == 0 {
		return shares
	}
	for i := range shares {
		shares[i].Share *= 1 - alongShare
	}
	return append(shares, Share{Along, alongShare})
}

// ahead orders elites by how far along the axis of the island they are.
func (v *View) ahead(hs []archive.Holder) func(i, j int) int {
	far := v.distances(hs)
	return func(i, j int) int {
		return cmp.Or(cmp.Compare(far[j], far[i]), cmp.Compare(hs[j].Objective, hs[i].Objective), cmp.Compare(hs[i].ID, hs[j].ID))
	}
}

// distances are those from the root along the axis, in cells.
func (v *View) distances(hs []archive.Holder) []int {
	home := 0
	if cell, ok := v.Archive.CellOf(v.Root); ok {
		home = v.coordinate(cell)
	}
	far := make([]int, len(hs))
	for i, h := range hs {
		d := v.coordinate(h.Cell) - home
		far[i] = max(d, -d)
	}
	return far
}

// coordinate is that of a cell along the axis of the island.
func (v *View) coordinate(cell int) int { return v.Archive.Shape().Coords(cell)[v.Axis-1] }

// Leader is who leads an island that follows an axis: the first along it.
func Leader(v View) record.CandidateID {
	hs := v.Archive.Holders()
	if len(hs) == 0 {
		return record.NoCandidate
	}
	first, order := 0, v.ahead(hs)
	for i := range hs {
		if order(i, first) < 0 {
			first = i
		}
	}
	return hs[first].ID
}
