package store

import (
	"context"

	"atoll/store/record"
)

// FoldRow is a row of the log as the fold takes it.
type FoldRow struct {
	record.LogRow
	// Cand has the present columns of the candidate of a made, held, end or
	// sample row; nil when the row has none.
	Cand *FoldCandidate
	// Work has the present columns of the job of a held, end or sample row, else
	// nil. Inspirations, goal and what concerns leases are not filled in.
	Work *record.Job
}

// FoldCandidate is what the fold needs of a candidate.
type FoldCandidate struct {
	ID             record.CandidateID
	Parent         record.CandidateID // the one that was edited
	Commit, Tree   record.Hash
	Operator       record.Operator
	Agent, Target  string
	Status         record.Status
	Class          record.Class
	Reason         string // of the candidate
	Objective      *float64
	MAD            float64
	Samples        int
	Claimed        *float64
	ClaimedSamples int
	Version        int
	Measures       []float64
	Created        record.Millis
	Added, Removed int
	Pinned         bool
	State          record.JobState // of the row's job; empty in a made row
	Usage          record.Usage    // of the row's job
}

// JobBrief returns the job of the row with the end that the row tells; without
// one (State is empty), as it is now. Of a row without columns of a job it
// returns the number alone.
func (r *FoldRow) JobBrief(end record.EndData) record.Job {
	j := record.Job{
		Experiment: r.Experiment, ID: r.Job, Candidate: r.Candidate,
		Parent: record.NoCandidate, Duplicate: record.NoCandidate,
	}
	if r.Work != nil {
		j = *r.Work
	}
	if end.State != "" {
		j.State, j.Class, j.Reason = end.State, end.Class, end.Reason
	}
	return j
}

// FoldLog calls fn for the rows after a position, in order, until there are no
// more. Rows that only tell how a job got on (job, lease, stage) are left out,
// so the last position may be below [DB.LastSeq]. An error of fn ends the stream
// and is returned. Pointers in a row are the callee's to keep.
func (db *DB) FoldLog(ctx context.Context, exp record.ExperimentID, after record.Seq, fn func(FoldRow) error) error {
	for {
		part, err := db.foldPart(ctx, exp, after)
		if err != nil {
			return err
		}
		for i := range part {
			if err := fn(part[i]); err != nil {
				return err
			}
		}
		if len(part) < chunk {
			return nil
		}
		after = part[len(part)-1].Seq
	}
}

func (db *DB) foldPart(ctx context.Context, exp record.ExperimentID, after record.Seq) ([]FoldRow, error) {
	var part []FoldRow
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlFold, []any{exp, after, chunk}, func(r *row) error {
			part = append(part, scanFold(r, exp))
			return nil
		})
	})
	return part, doing("fold the log", err)
}

// The columns of a fold row: the log's, then the job's, then the candidate's.
const (
	foldJobAt  = 6
	foldCandAt = 34
)

func scanFold(r *row, exp record.ExperimentID) FoldRow {
	f := FoldRow{LogRow: scanLog(r)}
	f.Experiment = exp
	if r.values[foldJobAt] != nil {
		f.Work = scanFoldJob(r, exp)
	}
	r.next = foldCandAt
	if r.values[foldCandAt] != nil {
		f.Cand = scanFoldCandidate(r)
		if f.Work != nil {
			f.Cand.State, f.Cand.Usage = f.Work.State, f.Work.Usage
		}
	}
	return f
}

func scanFoldJob(r *row, exp record.ExperimentID) *record.Job {
	return &record.Job{
		Experiment: exp, ID: record.JobID(r.int()), Kind: record.JobKind(r.text()), State: record.JobState(r.text()),
		Purpose: record.Purpose(r.text()), Island: r.text(), Parent: record.CandidateID(r.int()),
		Operator: record.Operator(r.text()), Agent: r.text(), Target: r.text(), Candidate: record.CandidateID(r.int()),
		Duplicate: record.CandidateID(r.int()), RetryOf: record.JobID(r.int()), Attempt: r.num(),
		Class: record.Class(r.text()), Reason: r.text(), Usage: scanSpent(r).usage(),
		EditMS: r.int(), EvalMS: r.int(), OwnMS: r.float(), Created: record.Millis(r.int()),
		Started: record.Millis(r.int()), Ended: record.Millis(r.int()),
	}
}

func scanFoldCandidate(r *row) *FoldCandidate {
	return &FoldCandidate{
		ID: record.CandidateID(r.int()), Parent: record.CandidateID(r.int()), Commit: r.hash(), Tree: r.hash(),
		Operator: record.Operator(r.text()), Agent: r.text(), Target: r.text(), Status: record.Status(r.text()),
		Class: record.Class(r.text()), Reason: r.text(), Objective: r.maybe(), MAD: r.float(), Samples: r.num(),
		Claimed: r.maybe(), ClaimedSamples: r.num(), Version: r.num(), Measures: unpackFloats(r.blob()),
		Created: record.Millis(r.int()), Added: r.num(), Removed: r.num(), Pinned: r.bool(),
	}
}
