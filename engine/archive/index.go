package archive

import (
	"slices"

	"atoll/store/record"
)

// index finds the slot of a candidate. Numbers of candidates are those of jobs,
// so most are small and dense: they index a slice; the rest goes to a map.
type index struct {
	dense  []int32 // slot + 1, 0 = none
	sparse map[record.CandidateID]int32
	count  int
}

// slack is how far beyond twice the count of candidates a number may lie to
// count as dense.
const slack = 4096

func (x *index) get(id record.CandidateID) (int32, bool) {
	if id >= 0 && int64(id) < int64(len(x.dense)) && x.dense[id] != 0 {
		return x.dense[id] - 1, true
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
	if n := int(id) + 1 - len(x.dense); n > 0 {
		x.dense = append(double(x.dense, n), make([]int32, n)...)
	}
	x.dense[id] = slot + 1
}

// double makes room for n more, at least doubling the room when it grows: the
// growth of append by a quarter copies a large archive four times as often.
func double[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, max(n, len(s)))
}
