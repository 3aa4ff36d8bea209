package front

import (
	"cmp"
	"math"

	"atoll/store/record"
)

// Leaders are the best of each case. Of several that are equally good in a case the one that
// is best overall leads it, then the one with the lower number.
type Leaders struct {
	first []Leader
}

// Leader is who leads a case.
type Leader struct {
	ID      record.CandidateID // NoCandidate: nobody was measured in it
	Value   float64            // in the case
	Overall float64
}

func (l Leader) behind(other Leader) bool {
	return l.ID == record.NoCandidate || cmp.Or(cmp.Compare(other.Value, l.Value), cmp.Compare(other.Overall, l.Overall), cmp.Compare(l.ID, other.ID)) > 0
}

// NewLeaders returns those of n cases, which nobody leads yet.
func NewLeaders(n int) *Leaders {
	l := &Leaders{first: make([]Leader, n)}
	for i := range l.first {
		l.first[i].ID = record.NoCandidate
	}
	return l
}

// Add has a candidate lead the cases in which it is the best. Its values are those of the
// cases, in their order; one that is not a number is missing.
func (l *Leaders) Add(e Entry, overall float64) {
	for i, v := range e.Values[:min(len(e.Values), len(l.first))] {
		if c := (Leader{e.ID, v, overall}); !math.IsNaN(v) && l.first[i].behind(c) {
			l.first[i] = c
		}
	}
}

// Of returns who leads a case.
func (l *Leaders) Of(i int) Leader { return l.first[i] }

// Len is the number of cases.
func (l *Leaders) Len() int { return len(l.first) }

// Counts tells how many cases each candidate leads that leads any.
func (l *Leaders) Counts() map[record.CandidateID]int {
	out := map[record.CandidateID]int{}
	for _, c := range l.first {
		if c.ID != record.NoCandidate {
			out[c.ID]++
		}
	}
	return out
}
