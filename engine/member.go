package engine

import (
	"iter"
	"slices"

	"atoll/store"
	"atoll/store/record"
)

// member is what the fold keeps of one candidate. There may be hundreds of
// thousands, so it is small: what only few have is in deeds, its coordinates
// are in the archive, and everything else is in the store.
type member struct {
	created  record.Millis
	obj      float64 // in the evaluator's own direction
	num      int32   // candidate number
	from     int32   // that of the parent
	samples  int32
	deeds    int32  // 1 + the row of its deeds, 0 for most
	making   uint16 // of members.makings
	counted  bool   // measured under some objective version
	scored   bool   // obj is a value of the present objective version
	rejected bool
}

// making is how candidates came to be and what became of them.
type making struct {
	op     record.Operator
	agent  string
	status record.Status
}

// deeds are what few candidates have: those that took a niche, and those that
// were measured more than once.
type deeds struct {
	mad       float64
	claimed   float64 // the mean of claimedN held-out samples
	claimedN  int
	wonAt     int // scored candidates when it took its niche, 0 = never
	since     record.Millis
	measuring record.JobID // the open evaluate job of it, 0 = none
	strikes   int          // evaluate jobs of it that failed in a row
}

func (m *member) id() record.CandidateID { return record.CandidateID(m.num) }

func (m *member) parent() record.CandidateID { return record.CandidateID(m.from) }

// job is the make job of the candidate: they share their number.
func (m *member) job() record.JobID { return record.JobID(m.num) }

// members are all candidates of a fold in the order in which they came.
type members struct {
	rows    rows[member]
	at      []int32 // row + 1 by candidate number, 0 = a job that made none
	deeds   rows[deeds]
	makings []making // each once
}

// did returns a copy of what a candidate did.
func (l *members) did(m *member) deeds {
	if m.deeds == 0 {
		return deeds{}
	}
	return *l.deeds.at(int(m.deeds - 1))
}

// do returns what a candidate did, to be changed.
func (l *members) do(m *member) *deeds {
	if m.deeds == 0 {
		m.deeds = int32(l.deeds.add() + 1)
	}
	return l.deeds.at(int(m.deeds - 1))
}

// get returns what is known of a candidate, nil for none.
func (l *members) get(id record.CandidateID) *member {
	if id < 0 || int(id) >= len(l.at) {
		return nil
	}
	if row := l.at[id]; row > 0 {
		return l.rows.at(int(row - 1))
	}
	return nil
}

// last is the highest number that a candidate has; -1 where there is none.
func (l *members) last() record.CandidateID { return record.CandidateID(len(l.at) - 1) }

// put returns the member of a candidate, new or known, with its columns as they
// are now.
func (l *members) put(c *store.FoldCandidate) *member {
	m := l.get(c.ID)
	if m == nil {
		row := l.rows.add()
		for int(c.ID) >= len(l.at) {
			l.at = append(l.at, 0)
		}
		l.at[c.ID] = int32(row + 1)
		m = l.rows.at(row)
		m.num = int32(c.ID)
	}
	m.from, m.created, m.samples = int32(c.Parent), c.Created, int32(c.Samples)
	m.making = l.making(making{c.Operator, c.Agent, c.Status})
	if c.MAD != 0 || c.Claimed != nil || m.deeds != 0 {
		d := l.do(m)
		d.mad, d.claimed, d.claimedN = c.MAD, 0, 0
		if c.Claimed != nil {
			d.claimed, d.claimedN = *c.Claimed, c.ClaimedSamples
		}
	}
	if c.Objective != nil {
		m.obj = *c.Objective
	}
	return m
}

// making returns the number of a making, a new one if there is none like it.
func (l *members) making(m making) uint16 {
	i := slices.Index(l.makings, m)
	if i < 0 {
		i = len(l.makings)
		l.makings = append(l.makings, m)
	}
	return uint16(i)
}

// made returns how a candidate came to be and what became of it.
func (s *State) made(m *member) making { return s.members.makings[m.making] }

// measured visits the measured candidates in the order of the fold.
func (s *State) measured() iter.Seq[record.CandidateID] {
	return func(yield func(record.CandidateID) bool) {
		for _, num := range s.order {
			if !yield(record.CandidateID(num)) {
				return
			}
		}
	}
}

// member returns what is known of a candidate, nil for none.
func (s *State) member(id record.CandidateID) *member { return s.members.get(id) }

// did returns a copy of what a candidate did.
func (s *State) did(m *member) deeds { return s.members.did(m) }

// do returns what a candidate did, to be changed.
func (s *State) do(m *member) *deeds { return s.members.do(m) }

// claim is the mean of the held-out samples of a candidate; nil where there is
// none.
func (s *State) claim(m *member) *float64 {
	d := s.did(m)
	if d.claimedN == 0 {
		return nil
	}
	return &d.claimed
}
