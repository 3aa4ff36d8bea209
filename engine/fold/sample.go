package fold

import (
	"hash/fnv"
	"sort"

	"atoll/store/record"
)

// reservoir keeps a uniform sample of candidates for the fits of the learned
// space. Each candidate has a fixed random rank drawn from the experiment's
// seed and the lowest ranks are kept, so the sample does not depend on the
// order of arrival (bottom-k sampling, Cohen & Kaplan 2007).
type reservoir struct {
	seed  uint64
	cap   int
	ids   []record.CandidateID // ascending rank
	ranks []uint64
}

func newReservoir(seed uint64, size int) *reservoir {
	if size <= 0 {
		size = 4096
	}
	return &reservoir{seed: seed, cap: size}
}

// offer adds a candidate and reports whether it is kept; dropped is the
// candidate that left for it, or NoCandidate.
func (r *reservoir) offer(id record.CandidateID) (kept bool, dropped record.CandidateID) {
	rank := r.rank(id)
	i := sort.Search(len(r.ranks), func(i int) bool { return r.ranks[i] >= rank })
	if i < len(r.ids) && r.ids[i] == id {
		return true, record.NoCandidate
	}
	if i >= r.cap {
		return false, record.NoCandidate
	}
	r.ids = append(r.ids, 0)
	r.ranks = append(r.ranks, 0)
	copy(r.ids[i+1:], r.ids[i:])
	copy(r.ranks[i+1:], r.ranks[i:])
	r.ids[i], r.ranks[i] = id, rank
	dropped = record.NoCandidate
	if len(r.ids) > r.cap {
		dropped = r.ids[r.cap]
		r.ids, r.ranks = r.ids[:r.cap], r.ranks[:r.cap]
	}
	return true, dropped
}

func (r *reservoir) rank(id record.CandidateID) uint64 {
	h := fnv.New64a()
	var b [16]byte
	for i := range 8 {
		b[i] = byte(r.seed >> (8 * i))
		b[8+i] = byte(uint64(id) >> (8 * i))
	}
	_, _ = h.Write(b[:])
	// FNV alone is weak in its high bits for short keys: finish as splitmix64 does.
	x := h.Sum64()
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// SampleIDs are the candidates of the sample by their rank; not to be changed.
func (l *learned) SampleIDs() []record.CandidateID { return l.Sample.ids }
