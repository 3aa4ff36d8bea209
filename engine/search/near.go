package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/archive"
	"atoll/store/record"
)

// maxRadius is how far, in cells along the widest axis, an elite still counts
// as near.
const maxRadius = 3

// inspirations takes elites near the parent, ring by ring of the
// distance between cells, then the rest of the elites, then those that have no
// coordinates yet. Each group is shuffled; none comes twice. In every second job that
// merges two candidates the first is one from another road; see mate. An agent that reads
// what it is shown gets the better ones of a group first, and the last from afar: of the shown it
// learns what is possible, while the offline agent takes of all what they have of their own.
func (p *picker) inspirations(f Fixed, c Choice) ([]record.CandidateID, string) {
	if f.Inspirations != nil {
		return slices.Clone(f.Inspirations), ""
	}
	want := max(p.view.Inspirations, mates(c.Operator))
	if want <= 0 {
		return nil, ""
	}
	var out []record.CandidateID
	var why []string
	if mates(c.Operator) > 0 {
		if id, chance, how := p.mate(c.Parent); id != record.NoCandidate {
			out, why = []record.CandidateID{id}, []string{fmt.Sprintf("%s %s, with chance %.2g", id, how, chance)}
		}
	}
	var last []record.CandidateID
	reads := c.Agent != "" && c.Agent != evolver
	if reads && want-len(out) >= readerLeast {
		if id := p.far(c.Parent, out); id != record.NoCandidate {
			last, want = []record.CandidateID{id}, want-1
		}
	}
	var value map[record.CandidateID]float64
	if reads {
		value = p.values()
	}
	for g, ids := range p.groups(c.Parent) {
		ids = slices.DeleteFunc(ids, func(id record.CandidateID) bool { return slices.Contains(out, id) || slices.Contains(last, id) })
		if reads {
			p.byValue(ids, value, want-len(out))
		} else {
			p.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		}
		take := ids[:min(want-len(out), len(ids))]
		if len(take) > 0 {
			why = append(why, groupName(g)+" "+names(take))
		}
		out = append(out, take...)
		if len(out) == want {
			break
		}
	}
	if len(last) > 0 {
		out, why = append(out, last...), append(why, "for its distance and value "+names(last))
	}
	if len(out) == 0 {
		return nil, ""
	}
	return out, "beside it " + strings.Join(why, ", ")
}

// readerLeast is of how many inspirations on one is drawn from afar.
const readerLeast = 2

// values are the objectives of all that may be shown.
func (p *picker) values() map[record.CandidateID]float64 {
	value := make(map[record.CandidateID]float64, len(p.holders))
	for _, h := range p.holders {
		value[h.ID] = h.Objective
	}
	for _, e := range p.view.Archive.Pool(poolMost) {
		value[e.ID] = e.Objective
	}
	return value
}

// byValue brings candidates into an order in which each of the first places, so many as are
// wanted, is drawn by 1/(1+r), r being the rank of those left.
func (p *picker) byValue(ids []record.CandidateID, value map[record.CandidateID]float64, wanted int) {
	slices.SortFunc(ids, func(a, b record.CandidateID) int { return cmp.Or(cmp.Compare(value[b], value[a]), cmp.Compare(a, b)) })
	for i := range min(wanted, len(ids)) {
		weights := make([]float64, len(ids)-i)
		for r := range weights {
			weights[r] = 1 / float64(1+r)
		}
		at := i + draw(p.rng, weights)
		drawn := ids[at]
		copy(ids[i+1:at+1], ids[i:at])
		ids[i] = drawn
	}
}

// far draws an elite by the number of steps from the niche of a parent to its own times
// 1/(1+r), r being its rank among all; NoCandidate where the parent has no place or
// there is no other.
func (p *picker) far(parent record.CandidateID, but []record.CandidateID) record.CandidateID {
	home, placed := p.view.Archive.CellOf(parent)
	if !placed {
		return record.NoCandidate
	}
	ranked := slices.Clone(p.holders)
	slices.SortFunc(ranked, func(a, b archive.Holder) int {
		return cmp.Or(cmp.Compare(b.Objective, a.Objective), cmp.Compare(a.ID, b.ID))
	})
	dims := p.view.Archive.Shape().Dims()
	w := make([]float64, len(ranked))
	for r, h := range ranked {
		if h.ID != parent && !slices.Contains(but, h.ID) {
			w[r] = float64(steps(dims, home, h.Cell)) / float64(1+r)
		}
	}
	if i := draw(p.rng, w); i >= 0 {
		return ranked[i].ID
	}
	return record.NoCandidate
}

// apart is how often a candidate is merged with one drawn by how far its niche is,
// instead of with a neighbour.
const apart = 0.5

// mate draws whom to merge a parent with: what a distant niche has was found on another
// road, and may complete it. Its chance is in proportion to the number of steps from niche to niche.
// NoCandidate: a neighbour. Of an island where axes are named it is in half of all cases the
// leader of another one.
func (p *picker) mate(parent record.CandidateID) (id record.CandidateID, chance float64, how string) {
	x, y := p.rng.Float64(), p.rng.Float64()
	if n := len(p.view.Leaders); n > 0 && p.rng.Float64() < exchange {
		if id := p.view.Leaders[int(y*float64(n))]; id != parent {
			return id, exchange / float64(n), "from the head of another island"
		}
	}
	home, placed := p.view.Archive.CellOf(parent)
	if !placed || x >= apart {
		return record.NoCandidate, 0, ""
	}
	dims := p.view.Archive.Shape().Dims()
	w, sum := make([]float64, len(p.holders)), 0.0
	for i, h := range p.holders {
		if h.ID != parent {
			w[i] = float64(steps(dims, home, h.Cell))
			sum += w[i]
		}
	}
	if sum == 0 {
		return record.NoCandidate, 0, ""
	}
	i := at(w, y)
	return p.holders[i].ID, apart * w[i] / sum, "for what it has of its own"
}

// steps is the number of steps along the axes from one cell of a row-major grid to another.
func steps(dims []int, a, b int) int {
	n := 0
	for i := len(dims) - 1; i >= 0; i-- {
		x := a%dims[i] - b%dims[i]
		n += max(x, -x)
		a, b = a/dims[i], b/dims[i]
	}
	return n
}

// groups sorts all that may be shown: rings 1 to maxRadius (a holder of the
// parent's own cell counts to the first), the other elites, the pool.
func (p *picker) groups(parent record.CandidateID) [maxRadius + 2][]record.CandidateID {
	var out [maxRadius + 2][]record.CandidateID
	home, placed := p.view.Archive.CellOf(parent)
	shape := p.view.Archive.Shape()
	for _, h := range p.holders {
		if h.ID == parent {
			continue
		}
		g := maxRadius
		if placed {
			g = min(max(shape.Distance(home, h.Cell), 1)-1, maxRadius)
		}
		out[g] = append(out[g], h.ID)
	}
	for _, e := range p.view.Archive.Pool(poolMost) {
		if e.ID != parent {
			out[maxRadius+1] = append(out[maxRadius+1], e.ID)
		}
	}
	return out
}

func groupName(g int) string {
	switch {
	case g < maxRadius:
		return fmt.Sprintf("at distance %d", g+1)
	case g == maxRadius:
		return "from afar"
	}
	return "without a place"
}

func names(ids []record.CandidateID) string {
	s := make([]string, len(ids))
	for i, id := range ids {
		s[i] = id.String()
	}
	return strings.Join(s, " ")
}
