package front

import (
	"cmp"
	"slices"
)

// Area is what the members of a front over two objectives dominate of the plane, from a
// reference point that all of it is measured against: larger is better. Who is behind
// the point in either value adds nothing (Zitzler and Thiele 1998, where it is called the hypervolume).
func Area(members []Entry, ref [2]float64) float64 {
	list := slices.DeleteFunc(slices.Clone(members), func(e Entry) bool {
		return len(e.Values) != 2 || !(e.Values[0] > ref[0]) || !(e.Values[1] > ref[1])
	})
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(b.Values[0], a.Values[0]) })
	sum, high := 0.0, ref[1]
	for _, e := range list {
		if e.Values[1] > high {
			sum += (e.Values[0] - ref[0]) * (e.Values[1] - high)
			high = e.Values[1]
		}
	}
	return sum
}
