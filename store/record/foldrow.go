package record

// FoldRow is a row of the log as the fold takes it.
type FoldRow struct {
	LogRow
	// Cand has the columns of the candidate of a made, held, end or sample row; nil
	// when the row has none, as after a failed edit. Its values (objective to
	// measures) are those of when the row was written where Then is true, and all
	// else is as it is now.
	Cand *FoldCandidate
	// Work has the present columns of the job of a held, end or sample row, else
	// nil: what it was, how it stands and what it cost. Not filled in are what
	// concerns queue and lease, goal, inspirations, retries, samples, and the time
	// it was created; nor, for a job that measured a candidate, who made that one.
	Work *Job
}

// FoldCandidate is what the fold needs of a candidate.
type FoldCandidate struct {
	ID              CandidateID
	Parent          CandidateID // the one that was edited
	Commit, Tree    Hash
	Operator        Operator
	Agent, Target   string
	Status          Status
	Class           Class
	Reason          string // of the candidate
	Objective       *float64
	MAD             float64
	Samples         int
	Claimed         *float64
	ClaimedSamples  int
	Dev, ClaimedDev float64
	Version         int
	Measures        []float64
	Then            bool // objective to measures are as of the row; else as they are now
	Created         Millis
	Added, Removed  int
	State           JobState // of the row's job; empty in a made row
	Usage           Usage    // of the row's job
}

// JobBrief returns the job of the row with the end that the row tells; without
// one (State is empty), as it is now. Of a row without columns of a job it
// returns the number alone.
func (r *FoldRow) JobBrief(end EndData) Job {
	j := Job{
		Experiment: r.Experiment, ID: r.Job, Candidate: r.Candidate,
		Parent: NoCandidate, Duplicate: NoCandidate,
	}
	if r.Work != nil {
		j = *r.Work
	}
	if end.State != "" {
		j.State, j.Class, j.Reason = end.State, end.Class, end.Reason
	}
	return j
}
