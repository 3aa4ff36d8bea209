package front

import (
	"cmp"
	"math"
	"slices"

	"atoll/store/record"
)

// Entry is a candidate with its values, larger being better.
type Entry struct {
	ID     record.CandidateID
	Values []float64
}

// whole reports whether no value is missing.
func (e *Entry) whole() bool {
	return len(e.Values) > 0 && !slices.ContainsFunc(e.Values, math.IsNaN)
}

// Set is a Pareto front. Values are compared in steps: two in the same multiple of the step
// are alike, and of several that are alike in everything the one with the higher first value
// is kept, then the one with the lower number.
type Set struct {
	steps   []float64
	members []member
}

type member struct {
	Entry
	rungs []float64 // values in steps
}

// NewSet returns an empty front over as many values as there are steps, each at least 0; 0
// compares values as they are.
func NewSet(steps []float64) *Set { return &Set{steps: slices.Clone(steps)} }

// Add takes a candidate in if it belongs to the front, and reports that; those that it is at
// least as good as leave. It keeps the values.
func (s *Set) Add(e Entry) bool {
	if !e.whole() || len(e.Values) != len(s.steps) {
		return false
	}
	m := member{e, s.rungs(e.Values)}
	for i := range s.members {
		if s.members[i].beats(&m) {
			return false
		}
	}
	s.members = append(slices.DeleteFunc(s.members, func(old member) bool { return m.beats(&old) }), m)
	return true
}

// beats reports whether there is no place beside m for other.
func (m *member) beats(other *member) bool {
	alike := true
	for i, x := range m.rungs {
		if x < other.rungs[i] {
			return false
		}
		alike = alike && x == other.rungs[i]
	}
	return !alike || cmp.Or(cmp.Compare(other.Values[0], m.Values[0]), cmp.Compare(m.ID, other.ID)) < 0
}

func (s *Set) rungs(values []float64) []float64 {
	out := slices.Clone(values)
	for i, step := range s.steps {
		if step > 0 && !math.IsInf(out[i], 0) {
			out[i] = math.Floor(out[i]/step + 1e-9) // a value that is a multiple begins its own step
		}
	}
	return out
}

// Members lists the front by the first value, the best first, then by number.
func (s *Set) Members() []Entry {
	out := make([]Entry, len(s.members))
	for i := range s.members {
		out[i] = s.members[i].Entry
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Values[0], a.Values[0]), cmp.Compare(a.ID, b.ID))
	})
	return out
}
