package behavior

import (
	"container/heap"
	"slices"

	"atoll/store/record"
)

// HistorySize is the usual capacity of a Reservoir.
const HistorySize = 4096

// Reservoir is the sample of commits that a space is fitted on: the distinct
// vectors with the smallest hash of vector and seed. So it is a function of the
// set of vectors, in whatever order they came. The root's is always in it.
type Reservoir struct {
	seed     uint64
	capacity int
	recent   int
	seen     map[uint64]int // fingerprint: index in kept, or dropped
	kept     ranked
	root     []float32
	latest   [][]float32 // ring, oldest at next
	next     int
}

const dropped = -1

type pick struct {
	rank   uint64
	print  uint64
	id     record.CandidateID // lowest with this vector
	vector []float32
}

// ranked is a heap with the largest rank on top, the first to go.
type ranked struct {
	picks []pick
	at    map[uint64]int // the seen of the reservoir
}

func (r ranked) Len() int           { return len(r.picks) }
func (r ranked) Less(i, j int) bool { return r.picks[i].rank > r.picks[j].rank }
func (r ranked) Swap(i, j int) {
	r.picks[i], r.picks[j] = r.picks[j], r.picks[i]
	r.at[r.picks[i].print], r.at[r.picks[j].print] = i, j
}

// Push is for container/heap.
func (r *ranked) Push(x any) {
	p := x.(pick)
	r.at[p.print] = len(r.picks)
	r.picks = append(r.picks, p)
}

// Pop is for container/heap.
func (r *ranked) Pop() any {
	last := len(r.picks) - 1
	p := r.picks[last]
	r.picks = r.picks[:last]
	r.at[p.print] = dropped
	return p
}

// NewReservoir returns an empty sample of at most capacity vectors besides the
// root's, at least 2.
func NewReservoir(seed uint64, capacity int) *Reservoir {
	seen := make(map[uint64]int)
	return &Reservoir{seed: seed, capacity: max(2, capacity), recent: 100, seen: seen, kept: ranked{at: seen}}
}

// Add offers the vector of an evaluated candidate and reports whether the
// sample changed. The vector is kept, not copied.
func (r *Reservoir) Add(id record.CandidateID, v []float32) bool {
	r.remember(v)
	if id == record.Root {
		r.root = v
	}
	h := fingerprint(v)
	if i, ok := r.seen[h]; ok {
		if i != dropped && id < r.kept.picks[i].id {
			r.kept.picks[i].id = id
		}
		return id == record.Root
	}
	p := pick{rank: mix(h ^ mix(r.seed+1)), print: h, id: id, vector: v}
	if len(r.kept.picks) >= r.capacity {
		if p.rank >= r.kept.picks[0].rank {
			r.seen[h] = dropped
			return id == record.Root
		}
		heap.Pop(&r.kept)
	}
	heap.Push(&r.kept, p)
	return true
}

func (r *Reservoir) remember(v []float32) {
	if len(r.latest) < r.recent {
		r.latest = append(r.latest, v)
		return
	}
	r.latest[r.next] = v
	r.next = (r.next + 1) % r.recent
}

// Distinct returns how many different vectors were offered.
func (r *Reservoir) Distinct() int { return len(r.seen) }

// Vectors returns the sample: the root's first, then by candidate number.
func (r *Reservoir) Vectors() [][]float32 {
	picks := slices.Clone(r.kept.picks)
	slices.SortFunc(picks, func(a, b pick) int { return int(a.id - b.id) })
	out := make([][]float32, 0, len(picks)+1)
	rootPrint := uint64(0)
	if r.root != nil {
		out, rootPrint = append(out, r.root), fingerprint(r.root)
	}
	for _, p := range picks {
		if r.root == nil || p.print != rootPrint {
			out = append(out, p.vector)
		}
	}
	return out
}

// Latest returns the last 100 vectors offered, oldest first, repeats included.
func (r *Reservoir) Latest() [][]float32 {
	return append(slices.Clone(r.latest[r.next:]), r.latest[:r.next]...)
}
