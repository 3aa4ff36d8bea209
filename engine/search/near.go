package search

import (
	"fmt"
	"slices"
	"strings"

	"atoll/store/record"
)

// maxRadius is how far, in cells along the widest axis, an elite still counts
// as near.
const maxRadius = 3

// inspirations takes elites near the parent, ring by ring of the Chebyshev
// distance between cells, then the rest of the elites, then those that have no
// coordinates yet. Each group is shuffled; none comes twice.
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
	for g, ids := range p.groups(c.Parent) {
		p.rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		take := ids[:min(want-len(out), len(ids))]
		if len(take) > 0 {
			why = append(why, groupName(g)+" "+names(take))
		}
		out = append(out, take...)
		if len(out) == want {
			break
		}
	}
	if len(out) == 0 {
		return nil, ""
	}
	return out, "beside it " + strings.Join(why, ", ")
}

// groups sorts all that may be shown: rings 1 to maxRadius (a holder of the
// parent's own cell counts to the first), the other elites, the pool.
func (p *picker) groups(parent record.CandidateID) [maxRadius + 2][]record.CandidateID {
	var out [maxRadius + 2][]record.CandidateID
	home, placed := p.view.Archive.CellOf(parent)
	dims := p.view.Archive.Shape().Dims()
	for _, h := range p.holders {
		if h.ID == parent {
			continue
		}
		g := maxRadius
		if placed {
			g = min(max(distance(dims, home, h.Cell), 1)-1, maxRadius)
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

// distance is the Chebyshev distance of two cells of a row-major grid.
func distance(dims []int, a, b int) int {
	d := 0
	for i := len(dims) - 1; i >= 0; i-- {
		x := a%dims[i] - b%dims[i]
		d = max(d, x, -x)
		a, b = a/dims[i], b/dims[i]
	}
	return d
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
