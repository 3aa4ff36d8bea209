package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"atoll/store/record"
)

// AddJobs queues jobs under the numbers that the caller gave them. A number
// that exists already is left as it is. Only what describes the work is taken
// over: state, attempt, usage and times begin anew, and only an evaluate job
// keeps its Candidate.
func (db *DB) AddJobs(ctx context.Context, jobs []record.Job) error {
	for i := range jobs {
		if err := checkJob(&jobs[i]); err != nil {
			return doing("queue jobs", err)
		}
	}
	return db.write(ctx, "queue jobs", func(t *tx) error {
		for i := range jobs {
			if err := t.addJob(&jobs[i]); err != nil {
				return fmt.Errorf("job %s: %w", jobs[i].ID, err)
			}
		}
		return nil
	})
}

func checkJob(j *record.Job) error {
	switch {
	case j.ID < 0:
		return fmt.Errorf("job number %d: %w", j.ID, ErrInvalid)
	case j.Kind != record.Make && j.Kind != record.Evaluate && j.Kind != record.Assist:
		return fmt.Errorf("job %s has the kind %q: %w", j.ID, j.Kind, ErrInvalid)
	case j.Kind == record.Evaluate && j.Candidate < 0:
		return fmt.Errorf("job %s evaluates nothing: %w", j.ID, ErrInvalid)
	}
	return nil
}

func (t *tx) addJob(j *record.Job) error {
	cand := record.NoCandidate
	if j.Kind == record.Evaluate {
		cand = j.Candidate
	}
	n, err := t.exec(sqlJobInsert, j.Experiment, j.ID, j.Kind, j.Priority, firstLane(j.Kind), j.Purpose, j.Island, j.Parent,
		joinIDs(j.Inspirations), j.Operator, j.Agent, j.Target, j.Goal, cand, j.RetryOf, j.Repeat, j.Samples, t.now, j.Why)
	if err != nil || n == 0 {
		return err
	}
	t.ledger(j.Experiment).jobs.count(j.Kind, record.Queued, 1)
	_, err = t.log(j.Experiment, record.LogJob, j.ID, cand, nil)
	return err
}

func joinIDs(ids []record.CandidateID) string {
	b := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}

func splitIDs(s string) []record.CandidateID {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	ids := make([]record.CandidateID, len(parts))
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			n = int64(record.NoCandidate)
		}
		ids[i] = record.CandidateID(n)
	}
	return ids
}

func scanJob(r *row) record.Job {
	return record.Job{
		Experiment: record.ExperimentID(r.int()), ID: record.JobID(r.int()), Kind: record.JobKind(r.text()),
		State: record.JobState(r.text()), Priority: r.num(), Purpose: record.Purpose(r.text()), Island: r.text(),
		Parent: record.CandidateID(r.int()), Inspirations: splitIDs(r.text()), Operator: record.Operator(r.text()),
		Agent: r.text(), Target: r.text(), Goal: r.text(), Candidate: record.CandidateID(r.int()),
		Duplicate: record.CandidateID(r.int()), RetryOf: record.JobID(r.int()), Repeat: r.num(), Samples: r.num(),
		HeldAt: record.JobState(r.text()), Approved: r.bool(), Attempt: r.num(), Class: record.Class(r.text()),
		Reason: r.text(), Usage: scanSpent(r).usage(),
		EditMS: r.int(), EvalMS: r.int(), OwnMS: r.float(), Created: record.Millis(r.int()),
		Started: record.Millis(r.int()), Ended: record.Millis(r.int()), LeaseUntil: record.Millis(r.int()), Why: r.text(), Machine: r.text(),
	}
}

func scanSpent(r *row) spent {
	return spent{
		requests: r.int(), in: r.int(), out: r.int(), cost: r.int(),
		priced: r.int(), unpriced: r.int(), unmeter: r.int(),
	}
}

// Job returns one job, or [ErrNotFound].
func (db *DB) Job(ctx context.Context, exp record.ExperimentID, id record.JobID) (record.Job, error) {
	return single(ctx, db, "read job "+id.String(), sqlJob, []any{exp, id}, scanJob)
}

// defaultLimit is how many rows a list returns that named no limit.
const defaultLimit = 200

// JobFilter selects jobs; a zero field selects all.
type JobFilter struct {
	States   []record.JobState
	Kind     record.JobKind
	Operator record.Operator
	Agent    string
	Target   string
	Text     string       // in number, words, reason and intent, without regard to case
	Before   record.JobID // only lower numbers; 0 = from the newest
	Limit    int          // default 200
}

// Jobs lists jobs, newest first.
func (db *DB) Jobs(ctx context.Context, exp record.ExperimentID, f JobFilter) ([]record.Job, error) {
	before := int64(f.Before)
	if before == 0 {
		before = math.MaxInt64
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	args := []any{exp, before, f.Kind, f.Operator, f.Agent, f.Target, asciiLower(f.Text), limit}
	if len(f.States) == 0 {
		return list(ctx, db, "list jobs", sqlJobs, args, scanJob)
	}
	var all []record.Job
	for i, s := range f.States {
		if slices.Contains(f.States[:i], s) {
			continue
		}
		part, err := list(ctx, db, "list jobs", sqlJobsIn, append(args[:8:8], s), scanJob)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID > all[j].ID })
	return all[:min(limit, len(all))], nil
}

// Held lists at most limit jobs that wait for a person, oldest first.
func (db *DB) Held(ctx context.Context, exp record.ExperimentID, limit int) ([]record.Job, error) {
	return list(ctx, db, "list held jobs", sqlJobsHeld, []any{exp, limit}, scanJob)
}

// asciiLower folds case as SQLite's lower does.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// NextJobID returns the lowest number above all jobs; 0 in an experiment
// without jobs, the number of the job that measures the root.
func (db *DB) NextJobID(ctx context.Context, exp record.ExperimentID) (record.JobID, error) {
	next := record.JobID(0)
	err := db.read(ctx, func(c *conn) error {
		_, err := c.one(ctx, sqlJobLast, []any{exp}, func(r *row) { next = record.JobID(r.int()) + 1 })
		return err
	})
	return next, doing("find the next job number", err)
}
