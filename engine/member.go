package engine

import (
	"atoll/engine/column"
	"atoll/store"
	"atoll/store/record"
)

// member is what the fold keeps of one candidate. There may be hundreds of
// thousands, so it is small: what only few have is in deeds, its coordinates
// are in the archive, and everything else is in the store.
type member struct {
	id, parent record.CandidateID
	created    record.Millis
	obj        float64 // in the evaluator's own direction
	made       *making // shared by all that were made alike
	deeds      *deeds  // nil for most
	commit     record.Hash
	samples    int32
	counted    bool // measured under some objective version
	scored     bool // obj is a value of the present objective version
	rejected   bool
}

// making is how a candidate came to be and what became of it.
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

// job is the make job of the candidate: they share their number.
func (m *member) job() record.JobID { return record.JobID(m.id) }

// did returns a copy of what the candidate did.
func (m *member) did() deeds {
	if m.deeds == nil {
		return deeds{}
	}
	return *m.deeds
}

// do returns what the candidate did, to be changed.
func (m *member) do() *deeds {
	if m.deeds == nil {
		m.deeds = &deeds{}
	}
	return m.deeds
}

// claim is the mean of the held-out samples; nil where there is none.
func (m *member) claim() *float64 {
	if m.deeds == nil || m.deeds.claimedN == 0 {
		return nil
	}
	v := m.deeds.claimed
	return &v
}

// members are all candidates of a fold in the order in which they came.
type members struct {
	rows column.Column[member]
	at   column.Column[int32] // row + 1 by candidate number, 0 = a job that made none
	made map[making]*making
}

// get returns what is known of a candidate, nil for none. The pointer stays
// valid.
func (l *members) get(id record.CandidateID) *member {
	if id < 0 || int(id) >= l.at.Len() {
		return nil
	}
	if row := *l.at.At(int(id)); row > 0 {
		return l.rows.At(int(row - 1))
	}
	return nil
}

// last is the highest number that a candidate has; -1 where there is none.
func (l *members) last() record.CandidateID { return record.CandidateID(l.at.Len() - 1) }

// put returns the member of a candidate, new or known, with its columns as they
// are now.
func (l *members) put(c *store.FoldCandidate) *member {
	m := l.get(c.ID)
	if m == nil {
		row := l.rows.Add()
		l.at.Grow(int(c.ID) + 1)
		*l.at.At(int(c.ID)) = int32(row + 1)
		m = l.rows.At(row)
		m.id = c.ID
	}
	m.parent, m.commit, m.created, m.samples = c.Parent, c.Commit, c.Created, int32(c.Samples)
	m.made = l.making(making{c.Operator, c.Agent, c.Status})
	if c.MAD != 0 || c.Claimed != nil || m.deeds != nil {
		d := m.do()
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

func (l *members) making(m making) *making {
	if l.made == nil {
		l.made = map[making]*making{}
	}
	shared := l.made[m]
	if shared == nil {
		shared = &m
		l.made[m] = shared
	}
	return shared
}

// member returns what is known of a candidate, nil for none.
func (s *State) member(id record.CandidateID) *member { return s.members.get(id) }
