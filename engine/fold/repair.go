package fold

import (
	"math/rand/v2"
	"slices"

	"atoll/store/record"
)

// brokenCap is how many failed candidates wait for a repair, brokenTries how
// often each is tried.
const (
	brokenCap   = 16
	brokenTries = 2
)

// brokenOne is a candidate that failed in a way that an edit could mend.
type brokenOne struct {
	id    record.CandidateID
	tries int // repairs that ended
}

// repairs are failed candidates that an edit could mend, oldest first.
type repairs []brokenOne

// failed keeps a failed candidate for repair.
func (r *repairs) failed(id record.CandidateID, class record.Class) {
	switch class {
	case record.ClassBuild, record.ClassTest, record.ClassCrash, record.ClassTimeout, record.ClassMetric, record.ClassMemory, record.ClassOutput:
	default:
		return
	}
	if slices.ContainsFunc(*r, func(b brokenOne) bool { return b.id == id }) {
		return
	}
	if *r = append(*r, brokenOne{id: id}); len(*r) > brokenCap {
		*r = slices.Delete(*r, 0, 1)
	}
}

// ended counts a repair that ended, however it did.
func (r *repairs) ended(op record.Operator, parent record.CandidateID) {
	if op != record.OpRepair {
		return
	}
	i := slices.IndexFunc(*r, func(b brokenOne) bool { return b.id == parent })
	if i < 0 {
		return
	}
	if (*r)[i].tries++; (*r)[i].tries >= brokenTries {
		*r = slices.Delete(*r, i, i+1)
	}
}

// ToRepair draws one of the failed candidates, and returns its parent beside
// it.
func (o *outcomes) ToRepair(rng *rand.Rand) (failed, working record.CandidateID, ok bool) {
	if len(o.repairs) == 0 {
		return record.NoCandidate, record.NoCandidate, false
	}
	m := o.Candidate(o.repairs[rng.IntN(len(o.repairs))].id)
	if m == nil || o.Candidate(m.Parent()) == nil {
		return record.NoCandidate, record.NoCandidate, false
	}
	return m.ID(), m.Parent(), true
}
