package search

import (
	"fmt"

	"atoll/store/record"
)

// Front is the way in which a parent was drawn that is best in a way of its own.
const Front = "front"

// Frontier is a candidate that no other one beats in all that counts, or that leads a case.
// It need not hold a niche.
type Frontier struct {
	ID     record.CandidateID
	Cell   int // where it lies, -1 = nowhere
	Weight float64
	Frozen bool // it, or the holder of its niche: it is no parent
}

// frontier draws the parent from the front in its share of the jobs, else by draw. Where
// nothing counts beside the objective it takes no number.
func (p *picker) frontier(f Fixed, draw func(Fixed) (record.CandidateID, string, string)) (id record.CandidateID, way, why string) {
	id, way, why = draw(f)
	if len(p.view.Front) == 0 || !(p.view.FrontShare > 0) {
		return id, way, why
	}
	x, y := p.rng.Float64(), p.rng.Float64()
	weights, sum, free := p.frontWeights()
	if f.Parent != record.NoCandidate || x >= p.view.FrontShare || free == 0 {
		return id, way, why
	}
	i := at(weights, y)
	m := p.view.Front[i]
	why = fmt.Sprintf("1 of %d on the front (%.0f %% of the draws) with chance %.2g", free, 100*p.view.FrontShare, weights[i]/sum)
	if b := p.view.Archive.BoostOf(m.Cell, p.view.Fold); b != 1 {
		why += fmt.Sprintf(", boosted x%g", b)
	}
	return m.ID, Front, why
}

// frontWeights are those of the front, boosts included, their sum, and how many may be drawn.
func (p *picker) frontWeights() (weights []float64, sum float64, free int) {
	weights = make([]float64, len(p.view.Front))
	for i, m := range p.view.Front {
		if m.Frozen || !(m.Weight > 0) {
			continue
		}
		weights[i] = m.Weight * p.view.Archive.BoostOf(m.Cell, p.view.Fold)
		sum += weights[i]
		free++
	}
	return weights, sum, free
}

// frontOdds are the chances of parents with those of the front.
func (p *picker) frontOdds(other map[record.CandidateID]float64) map[record.CandidateID]float64 {
	weights, sum, free := p.frontWeights()
	share := p.view.FrontShare
	if free == 0 || !(share > 0) {
		return other
	}
	for id := range other {
		other[id] *= 1 - share
	}
	for i, m := range p.view.Front {
		if weights[i] > 0 {
			other[m.ID] += share * weights[i] / sum
		}
	}
	return other
}
