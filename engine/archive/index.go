package archive

import (
	"iter"
	"maps"
	"slices"

	"atoll/store/record"
)

// index finds the slot of a candidate. Numbers of candidates are those of jobs,
// so most are small and dense: they index a list; the rest goes to a map.
type index struct {
	dense  []int32 // slot + 1, 0 = none
	sparse map[record.CandidateID]int32
	count  int
}

// slack is how far beyond twice the count of candidates a number may lie to
// count as dense.
const slack = 4096

func (x *index) get(id record.CandidateID) (int32, bool) {
	if id >= 0 && int64(id) < int64(len(x.dense)) {
		if at := x.dense[id]; at != 0 {
			return at - 1, true
		}
	}
	if x.sparse == nil {
		return 0, false
	}
	i, ok := x.sparse[id]
	return i, ok
}

func (x *index) put(id record.CandidateID, slot int32) {
	x.count++
	if id < 0 || int64(id) >= int64(2*x.count+slack) {
		if x.sparse == nil {
			x.sparse = map[record.CandidateID]int32{}
		}
		x.sparse[id] = slot
		return
	}
	for int(id) >= len(x.dense) {
		x.dense = append(x.dense, 0)
	}
	x.dense[id] = slot + 1
}

// byNumber visits all slots by the number of their candidate.
func (x *index) byNumber() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		rest := slices.Sorted(maps.Keys(x.sparse))
		for id := 0; id < len(x.dense) || len(rest) > 0; id++ {
			for len(rest) > 0 && (int64(rest[0]) <= int64(id) || id >= len(x.dense)) {
				if !yield(x.sparse[rest[0]]) {
					return
				}
				rest = rest[1:]
			}
			if id >= len(x.dense) {
				return
			}
			if at := x.dense[id]; at != 0 && !yield(at-1) {
				return
			}
		}
	}
}
