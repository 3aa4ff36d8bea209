package store

import (
	"context"
	"fmt"
	"math"

	"atoll/store/record"
)

// FoldLog calls fn for the rows after a position, in order, until there are no
// more. Rows that only tell how a job got on are left out: job, lease, stage,
// and made when the job is already held or ended, for the row of that follows.
// The last row it gives is that of [DB.LastSeq]. An error of fn ends the stream
// and is returned. Pointers in a row are the callee's to keep.
func (db *DB) FoldLog(ctx context.Context, exp record.ExperimentID, after record.Seq, fn func(record.FoldRow) error) error {
	part, err := db.foldPart(ctx, exp, after)
	for err == nil && len(part) > 0 {
		next := db.foldAhead(ctx, exp, part)
		for i := range part {
			if err = fn(part[i]); err != nil {
				break
			}
		}
		ahead := <-next
		if err != nil {
			return err
		}
		part, err = ahead.rows, ahead.err
	}
	return err
}

type foldAhead struct {
	rows []record.FoldRow
	err  error
}

// foldAhead reads the part after a full one while that one is folded. It always
// sends one answer.
func (db *DB) foldAhead(ctx context.Context, exp record.ExperimentID, part []record.FoldRow) <-chan foldAhead {
	next := make(chan foldAhead, 1)
	if len(part) < chunk {
		next <- foldAhead{}
		return next
	}
	go func() {
		rows, err := db.foldPart(ctx, exp, part[len(part)-1].Seq)
		next <- foldAhead{rows, err}
	}()
	return next
}

func (db *DB) foldPart(ctx context.Context, exp record.ExperimentID, after record.Seq) ([]record.FoldRow, error) {
	f := folder{exp: exp}
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlFold, []any{exp, after, chunk}, func(r *row) error {
			out := f.scan(r)
			f.rows = append(f.rows, out)
			return numbered(&out)
		})
	})
	return f.rows, doing("fold the log", err)
}

// folder reads one part of the log.
type folder struct {
	exp   record.ExperimentID
	rows  []record.FoldRow
	jobs  slab[record.Job]
	cands slab[record.FoldCandidate]
}

// slab hands out values from blocks that grow with the demand.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) take() *T {
	if len(s.free) == 0 {
		s.size = min(max(4, 2*s.size), 256)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// The columns of a fold row: the log's, who made it, the job's, the candidate's.
const (
	foldJobAt  = 10
	foldCandAt = 27
)

// numbered refuses a row whose numbers no store ever gave: they are used to count by, and
// bytes of the file may have changed without anybody noticing.
func numbered(row *record.FoldRow) error {
	least, most := row.Candidate, row.Candidate
	if j := row.Work; j != nil {
		least, most = min(least, j.Parent, j.Duplicate), max(most, j.Parent, j.Duplicate)
	}
	if c := row.Cand; c != nil {
		least, most = min(least, c.Parent), max(most, c.Parent)
	}
	if least < record.NoCandidate || most > math.MaxInt32 {
		return fmt.Errorf("row %d of the log names candidates from %d to %d: %w", row.Seq, int64(least), int64(most), ErrDamaged)
	}
	return nil
}

func (f *folder) scan(r *row) record.FoldRow {
	out := record.FoldRow{LogRow: scanLog(r)}
	out.Experiment = f.exp
	job, cand := r.values[foldJobAt] != nil, r.values[foldCandAt] != nil
	if !job && !cand {
		return out
	}
	operator, agent, target := record.Operator(r.text()), r.text(), r.text()
	parent := record.CandidateID(r.int())
	if job {
		j := f.jobs.take()
		scanFoldJob(r, j)
		j.Experiment, j.ID, j.Candidate = f.exp, out.Job, out.Candidate
		j.Parent = record.NoCandidate
		if j.Kind == record.Make || !cand {
			j.Operator, j.Agent, j.Target, j.Parent = operator, agent, target, parent
		}
		out.Work = j
	}
	if cand {
		r.next = foldCandAt
		c := f.cands.take()
		scanFoldCandidate(r, c)
		if out.Work != nil {
			c.State, c.Usage = out.Work.State, out.Work.Usage
		}
		c.ID, c.Operator, c.Agent, c.Target, c.Parent = out.Candidate, operator, agent, target, parent
		out.Cand = c
	}
	return out
}

func scanFoldJob(r *row, j *record.Job) {
	j.Kind, j.State = record.JobKind(r.text()), record.JobState(r.text())
	j.Purpose, j.Island = record.Purpose(r.text()), r.text()
	j.Duplicate = record.CandidateID(r.int())
	j.Class, j.Reason = record.Class(r.text()), r.text()
	j.Usage = record.Usage{Requests: r.num(), InputTokens: r.int(), OutputTokens: r.int()}
	if n, ok := r.value().(int64); ok {
		usd := fromNano(n)
		j.Usage.CostUSD = &usd
	}
	j.Usage.Unmetered = r.bool()
	j.EditMS, j.EvalMS, j.OwnMS = r.int(), r.int(), r.float()
	j.Started, j.Ended = record.Millis(r.int()), record.Millis(r.int())
}

func scanFoldCandidate(r *row, c *record.FoldCandidate) {
	c.Status, c.Commit, c.Tree = record.Status(r.text()), r.hash(), r.hash()
	c.Class, c.Reason = record.Class(r.text()), r.text()
	c.Objective, c.MAD, c.Samples = r.maybe(), r.float(), r.num()
	c.Claimed, c.ClaimedSamples, c.Version = r.maybe(), r.num(), r.num()
	c.Measures, c.Created, c.Added, c.Removed = unpackFloats(r.blob()), record.Millis(r.int()), r.num(), r.num()
	c.Dev, c.ClaimedDev = r.float(), r.float()
	c.Then = applyValue(c, r.blob())
}
