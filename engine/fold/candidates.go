package fold

import (
	"iter"
	"slices"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// Candidate is what the fold keeps of one candidate. There may be hundreds of
// thousands, so it is small: what only few have is in Trials, its coordinates
// are in the archive, and everything else is in the store.
type Candidate struct {
	created   record.Millis
	Objective float64 // in the evaluator's own direction
	num       int32   // candidate number
	from      int32   // that of the parent
	Samples   int32
	trials    int32  // 1 + the row of its trials, 0 for most
	island    int32  // on which it was made, 0 = none of its own
	origin    uint16 // of candidates.origins
	counted   bool   // measured under some objective version
	Scored    bool   // Objective is a value of the present objective version
	Rejected  bool   // by a person
	withheld  bool   // its approval was taken back: it waits for a person again
	waited    bool   // it waited for a person at least once
	passed    bool   // a person let it pass where it waited last
}

// Origin is how candidates came to be and what became of them.
type Origin struct {
	op     record.Operator
	agent  string
	Status record.Status
}

// Trials are what few candidates have: those that took a niche, and those that
// were measured more than once.
type Trials struct {
	mad       float64
	dev       float64             // of the deciding samples
	HeldOut   evidence.Summary    // the held-out samples
	pooled    [2]evidence.Summary // what the noise of the experiment has of both
	wonAt     int                 // scored candidates when it took its niche, 0 = never
	since     record.Millis
	Measuring record.JobID // the open evaluate job of it, 0 = none
	Strikes   int          // evaluate jobs of it that failed in a row
}

// Out reports whether the candidate is out of the competition: rejected, or
// waiting for a person after its approval was taken back.
func (m *Candidate) Out() bool { return m.Rejected || m.withheld }

// Told reports whether the value of the candidate is told where values are listed: it
// is that of the present objective version, and no person still has to let it pass.
func (m *Candidate) Told() bool { return m.Scored && !m.withheld }

func (m *Candidate) ID() record.CandidateID { return record.CandidateID(m.num) }

func (m *Candidate) Parent() record.CandidateID { return record.CandidateID(m.from) }

// Job is the make job of the candidate: they share their number.
func (m *Candidate) Job() record.JobID { return record.JobID(m.num) }

// candidates are all candidates of a fold in the order in which they came.
type candidates struct {
	order   []int32                     // numbers of the measured ones, in the order of the fold
	Scored  int                         // how many those are, but for those that wait for a person again
	again   map[record.CandidateID]bool // measured ones that do
	rows    rows[Candidate]
	at      []int32 // row + 1 by candidate number, 0 = a job that made none
	trials  rows[Trials]
	origins []Origin // each once
}

// Trials returns a copy of what a candidate did.
func (l *candidates) Trials(m *Candidate) Trials {
	if m.trials == 0 {
		return Trials{}
	}
	return *l.trials.at(int(m.trials - 1))
}

// Track returns what a candidate did, to be changed.
func (l *candidates) Track(m *Candidate) *Trials {
	if m.trials == 0 {
		m.trials = int32(l.trials.add() + 1)
	}
	return l.trials.at(int(m.trials - 1))
}

// Candidate returns what is known of a candidate, nil for none.
func (l *candidates) Candidate(id record.CandidateID) *Candidate {
	if id < 0 || int(id) >= len(l.at) {
		return nil
	}
	if row := l.at[id]; row > 0 {
		return l.rows.at(int(row - 1))
	}
	return nil
}

// last is the highest number that a candidate has; -1 where there is none.
func (l *candidates) last() record.CandidateID { return record.CandidateID(len(l.at) - 1) }

// put returns the member of a candidate, new or known, with its columns as they
// are now.
func (l *candidates) put(c *record.FoldCandidate) *Candidate {
	m := l.Candidate(c.ID)
	if m == nil {
		row := l.rows.add()
		for int(c.ID) >= len(l.at) {
			l.at = append(l.at, 0)
		}
		l.at[c.ID] = int32(row + 1)
		m = l.rows.at(row)
		m.num = int32(c.ID)
	}
	m.from, m.created, m.Samples = int32(c.Parent), c.Created, int32(c.Samples)
	m.origin = l.origin(Origin{c.Operator, c.Agent, c.Status})
	if c.MAD != 0 || c.Claimed != nil || m.trials != 0 {
		d := l.Track(m)
		d.mad, d.dev, d.HeldOut = c.MAD, c.Dev, evidence.Summary{}
		if c.Claimed != nil {
			d.HeldOut = evidence.Summary{N: c.ClaimedSamples, Mean: *c.Claimed, Dev: c.ClaimedDev}
		}
	}
	if c.Objective != nil {
		m.Objective = *c.Objective
	}
	return m
}

// drop forgets a candidate that was made and never measured.
func (l *candidates) drop(id record.CandidateID) {
	if m := l.Candidate(id); m != nil && !m.counted {
		l.at[id] = 0
	}
}

// origin returns the number of an origin, a new one if there is none like it.
func (l *candidates) origin(m Origin) uint16 {
	i := slices.Index(l.origins, m)
	if i < 0 {
		i = len(l.origins)
		l.origins = append(l.origins, m)
	}
	return uint16(i)
}

// setStatus notes what a decision makes of a candidate before the store does.
func (l *candidates) setStatus(m *Candidate, now record.Status) {
	o := l.Origin(m)
	o.Status = now
	m.origin = l.origin(o)
}

// Origin returns how a candidate came to be and what became of it.
func (l *candidates) Origin(m *Candidate) Origin { return l.origins[m.origin] }

// measured visits the measured candidates in the order of the fold.
func (l *candidates) measured() iter.Seq[record.CandidateID] {
	return func(yield func(record.CandidateID) bool) {
		for _, num := range l.order {
			if !yield(record.CandidateID(num)) {
				return
			}
		}
	}
}

// claim is the mean of the held-out samples of a candidate; nil where there is
// none.
func (l *candidates) claim(m *Candidate) *float64 {
	d := l.Trials(m)
	if d.HeldOut.N == 0 {
		return nil
	}
	return &d.HeldOut.Mean
}

// waitsAgain takes a measured candidate out of those that count.
func (l *candidates) waitsAgain(m *Candidate) {
	if l.again == nil {
		l.again = map[record.CandidateID]bool{}
	}
	l.again[m.ID()] = true
	l.Scored--
}

// passesAgain counts one that waited again.
func (l *candidates) passesAgain(m *Candidate) {
	delete(l.again, m.ID())
	l.Scored++
}

// count takes a candidate into the order of measured ones and reports whether
// it is new there.
func (l *candidates) count(m *Candidate) bool {
	if m.counted {
		return false
	}
	m.counted = true
	l.Scored++
	l.order = append(l.order, m.num)
	return true
}
