package search

import (
	"fmt"
	"slices"

	"atoll/engine/archive"
	"atoll/store/record"
)

// parents are who a parent is drawn from: holders of niches that are not frozen; where
// there are none the pool; and without a pool the frozen holders.
func (p *picker) parents() (holders []archive.Holder, pool []record.CandidateID) {
	holders = slices.DeleteFunc(slices.Clone(p.holders), func(h archive.Holder) bool { return h.Frozen })
	if len(holders) > 0 {
		return holders, nil
	}
	if pool = p.pool(); len(pool) > 0 {
		return nil, pool
	}
	return p.holders, nil
}

// parent draws from the parents; where there are none it is the root.
func (p *picker) parent(f Fixed) (record.CandidateID, string) {
	x := p.rng.Float64() // always one number, whatever is fixed
	if f.Parent != record.NoCandidate {
		return f.Parent, "given by hand"
	}
	holders, pool := p.parents()
	switch {
	case len(pool) > 0:
		return pool[int(x*float64(len(pool)))], fmt.Sprintf("1 of the best %d before there is a map", len(pool))
	case len(holders) == 0:
		return p.view.Root, "the root, there is no other"
	}
	chances := p.chances(holders)
	i := at(chances, x)
	h := holders[i]
	if h.Frozen {
		return h.ID, "frozen, but there is no other"
	}
	sum := 0.0
	for _, c := range chances {
		sum += c
	}
	why := fmt.Sprintf("1 of %d elites, %s with chance %.2g", len(holders), p.selection(), chances[i]/sum)
	if b := p.view.Archive.BoostOf(h.Cell, p.view.Fold); b != 1 {
		why += fmt.Sprintf(", boosted x%g", b)
	}
	return h.ID, why
}

// parentOdds are the chances that parent goes by.
func (p *picker) parentOdds() map[record.CandidateID]float64 {
	out := map[record.CandidateID]float64{}
	holders, pool := p.parents()
	for _, id := range pool {
		out[id] += 1 / float64(len(pool))
	}
	sum := 0.0
	weights := p.chances(holders)
	for _, w := range weights {
		sum += w
	}
	for i, h := range holders {
		out[h.ID] += weights[i] / sum
	}
	if len(out) == 0 {
		out[p.view.Root] = 1
	}
	return out
}

// poolMost bounds how many candidates without coordinates a choice looks at: where
// no map comes there may be any number of them.
const poolMost = 512

// pool returns the better half of the candidates without coordinates, poolMost at
// most, frozen ones left out, and the root if it is among them.
func (p *picker) pool() []record.CandidateID {
	a := p.view.Archive
	var ids []record.CandidateID
	n, frozen := min((a.Unplaced()+1)/2, poolMost), len(a.Frozen())
	for _, e := range a.Pool(n + frozen) {
		if len(ids) < n && !a.IsFrozen(e.ID) {
			ids = append(ids, e.ID)
		}
	}
	if root := p.view.Root; a.Waits(root) && !a.IsFrozen(root) && !slices.Contains(ids, root) {
		ids = append(ids, root)
	}
	return ids
}

func (p *picker) selection() string {
	switch p.view.Selection {
	case Rank, Exploit, Curiosity:
		return "by " + p.view.Selection
	}
	return Uniform
}

// chances returns the weight of each elite, boosts included.
func (p *picker) chances(hs []archive.Holder) []float64 {
	w := make([]float64, len(hs))
	switch p.view.Selection {
	case Rank:
		order := make([]int, len(hs))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int {
			if hs[i].Objective != hs[j].Objective {
				if hs[i].Objective > hs[j].Objective {
					return -1
				}
				return 1
			}
			return int(hs[i].ID - hs[j].ID)
		})
		for rank, i := range order {
			w[i] = 1 / float64((1+rank)*(1+rank))
		}
	case Exploit:
		best := 0
		for i, h := range hs {
			w[i] = 1
			if h.Objective > hs[best].Objective {
				best = i
			}
		}
		w[best] = max(1, 4*float64(len(hs)-1))
	case Curiosity:
		for i, h := range hs {
			tries, improved := p.view.Stats.Parent(h.ID)
			w[i] = float64(1+improved) / float64(2+tries)
		}
	default:
		for i := range w {
			w[i] = 1
		}
	}
	if len(p.view.Archive.Boosts(p.view.Fold)) > 0 {
		for i, h := range hs {
			w[i] *= p.view.Archive.BoostOf(h.Cell, p.view.Fold)
		}
	}
	return w
}
