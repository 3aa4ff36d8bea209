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
	if holders = thawed(p.holders); len(holders) > 0 {
		return holders, nil
	}
	if pool = p.pool(); len(pool) > 0 {
		return nil, pool
	}
	return p.holders, nil
}

// thawed leaves out who is frozen.
func thawed(hs []archive.Holder) []archive.Holder {
	return slices.DeleteFunc(slices.Clone(hs), func(h archive.Holder) bool { return h.Frozen })
}

// parentsBy are those that one way draws from: where an island follows an axis, who goes for the
// best is at home there.
func (p *picker) parentsBy(way string, all []archive.Holder) []archive.Holder {
	if p.view.Axis > 0 && (way == Rank || way == Exploit) {
		if home := thawed(p.home); len(home) > 0 {
			return home
		}
	}
	return all
}

// parent draws from the parents; where there are none it is the root. Way is how it
// was drawn where several ways take turns, else "".
func (p *picker) parent(f Fixed) (id record.CandidateID, way, why string) {
	x := p.rng.Float64() // the same numbers, whatever is fixed
	y := 0.0
	if p.view.Selection == Mixed {
		y = p.rng.Float64()
	}
	if f.Parent != record.NoCandidate {
		return f.Parent, "", "given by hand"
	}
	holders, pool := p.parents()
	switch {
	case len(pool) > 0:
		return pool[int(x*float64(len(pool)))], "", fmt.Sprintf("1 of the best %d before there is a map", len(pool))
	case len(holders) == 0:
		return p.view.Root, "", "the root, there is no other"
	}
	how := Share{Name: p.view.Selection, Share: 1}
	if p.view.Selection == Mixed {
		how = draws(p.shares(), y)
		way = how.Name
	}
	holders = p.parentsBy(how.Name, holders)
	chances := p.chances(how.Name, holders)
	i := at(chances, x)
	h := holders[i]
	if h.Frozen {
		return h.ID, "", "frozen, but there is no other"
	}
	sum := 0.0
	for _, c := range chances {
		sum += c
	}
	why = fmt.Sprintf("1 of %d elites, %s with chance %.2g", len(holders), selection(how.Name), chances[i]/sum)
	if way != "" {
		why = fmt.Sprintf("1 of %d elites, %s (%.0f %% of the draws) with chance %.2g", len(holders), selection(way), 100*how.Share, chances[i]/sum)
	}
	if b := p.view.Archive.BoostOf(h.Cell, p.view.Fold); b != 1 {
		why += fmt.Sprintf(", boosted x%g", b)
	}
	return h.ID, way, why
}

// parentOdds are the chances that parent goes by.
func (p *picker) parentOdds() map[record.CandidateID]float64 {
	out := map[record.CandidateID]float64{}
	holders, pool := p.parents()
	for _, id := range pool {
		out[id] += 1 / float64(len(pool))
	}
	for _, how := range p.shares() {
		from := p.parentsBy(how.Name, holders)
		weights := p.chances(how.Name, from)
		sum := 0.0
		for _, w := range weights {
			sum += w
		}
		for i, h := range from {
			out[h.ID] += how.Share * weights[i] / sum
		}
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
