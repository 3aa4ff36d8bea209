package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"atoll/store/record"
)

// insertCandidate writes a new candidate and whom it descends from.
func (t *tx) insertCandidate(exp record.ExperimentID, c *record.Candidate) error {
	_, err := t.exec(sqlCandidateInsert, exp, c.ID, c.Job, c.Commit, c.Tree, c.Parent(), packParents(c.Parents), c.Operator,
		c.Agent, c.Target, c.Intent, c.Added, c.Removed, c.Files, c.Status, c.Version, c.Created)
	if err != nil {
		return err
	}
	for _, p := range c.Parents {
		if p.Role == record.RoleInspiration {
			continue
		}
		if _, err := t.exec(sqlDescentInsert, exp, p.ID, c.ID, p.Role); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) insertSample(exp record.ExperimentID, cand record.CandidateID, job record.JobID, s *packedSample) error {
	if cand < 0 {
		return fmt.Errorf("samples of no candidate: %w", ErrInvalid)
	}
	at := s.At
	if at == 0 {
		at = t.now
	}
	_, err := t.exec(sqlSampleInsert, exp, cand, s.Version, job, s.Repeat, s.HeldOut, s.Objective, s.WallMS, at, s.metrics, s.Load, s.Machine)
	return err
}

func scanCandidate(r *row) record.Candidate {
	return record.Candidate{
		Experiment: record.ExperimentID(r.int()), ID: record.CandidateID(r.int()), Job: record.JobID(r.int()),
		Commit: r.hash(), Tree: r.hash(), Parents: unpackParents(r.text()), Operator: record.Operator(r.text()),
		Agent: r.text(), Target: r.text(), Intent: r.text(), Added: r.num(), Removed: r.num(), Files: r.num(),
		Status: record.Status(r.text()), Class: record.Class(r.text()), Reason: r.text(),
		Objective: r.maybe(), MAD: r.float(), Samples: r.num(), Claimed: r.maybe(), ClaimedSamples: r.num(),
		Version: r.num(), Measures: unpackFloats(r.blob()), Pinned: r.bool(),
		Created: record.Millis(r.int()), Scored: record.Seq(r.int()), Dev: r.float(), ClaimedDev: r.float(),
	}
}

// Candidate returns one candidate with its metrics, or [ErrNotFound].
func (db *DB) Candidate(ctx context.Context, exp record.ExperimentID, id record.CandidateID) (record.Candidate, error) {
	return db.candidate(ctx, "read candidate "+id.String(), sqlCandidate, exp, id)
}

// CandidateByTree returns the candidate that makes a job that comes to its tree a
// duplicate (see [DB.Made]), or [ErrNotFound].
func (db *DB) CandidateByTree(ctx context.Context, exp record.ExperimentID, job record.JobID, tree record.Hash) (record.Candidate, error) {
	return db.candidate(ctx, "find the tree "+tree.Short(), sqlCandidateByTree, exp, tree, job)
}

// CandidateByCommit returns the candidate of a commit, or [ErrNotFound].
func (db *DB) CandidateByCommit(ctx context.Context, exp record.ExperimentID, commit record.Hash) (record.Candidate, error) {
	return db.candidate(ctx, "find the commit "+commit.Short(), sqlCandidateByCommit, exp, commit)
}

func (db *DB) candidate(ctx context.Context, what string, q statement, exp record.ExperimentID, key ...any) (record.Candidate, error) {
	var c record.Candidate
	err := db.read(ctx, func(r *conn) error {
		ok, err := r.one(ctx, q, append([]any{exp}, key...), func(r *row) { c = scanCandidate(r) })
		if err == nil && !ok {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		c.Metrics, err = r.metrics(ctx, exp, c.ID)
		return err
	})
	return c, doing(what, err)
}

func (c *conn) metrics(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]record.Metric, error) {
	var data []byte
	if _, err := c.one(ctx, sqlMetric, []any{exp, id}, func(r *row) { data = r.blob() }); err != nil {
		return nil, err
	}
	return unpackMetrics(data)
}

// Metrics returns the medians of all metrics of a candidate, nil when it was
// not measured.
func (db *DB) Metrics(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]record.Metric, error) {
	var m []record.Metric
	err := db.read(ctx, func(c *conn) (err error) {
		m, err = c.metrics(ctx, exp, id)
		return err
	})
	return m, doing("read the metrics of "+id.String(), err)
}

// MetricsOf returns the medians of all metrics of some candidates; one that was
// not measured is not in the answer.
func (db *DB) MetricsOf(ctx context.Context, exp record.ExperimentID, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, doing("read metrics", err)
	}
	out := make(map[record.CandidateID][]record.Metric, len(ids))
	err = db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlMetricsOf, []any{exp, string(list)}, func(r *row) error {
			id := record.CandidateID(r.int())
			m, err := unpackMetrics(r.blob())
			out[id] = m
			return err
		})
	})
	return out, doing("read metrics", err)
}

// SamplesOf returns the measurements of a candidate by objective version, job
// and repeat.
func (db *DB) SamplesOf(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]record.Sample, error) {
	var all []record.Sample
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlSamples, []any{exp, id}, func(r *row) error {
			s := record.Sample{
				Candidate: record.CandidateID(r.int()), Job: record.JobID(r.int()), Version: r.num(), Repeat: r.num(),
				HeldOut: r.bool(), Objective: r.float(), WallMS: r.int(), At: record.Millis(r.int()), Load: r.maybe(), Machine: r.text(),
			}
			m, err := unpackMetrics(r.blob())
			s.Metrics = m
			all = append(all, s)
			return err
		})
	})
	return all, doing("read the samples of "+id.String(), err)
}

// CandidateFilter selects candidates; a zero field selects all. An elite is
// stored as scored.
type CandidateFilter struct {
	Status record.Status
	Text   string             // in number, words, intent and reason, or the beginning of the commit
	Before record.CandidateID // only lower numbers, newest first; 0 = from the newest
	After  record.CandidateID // not 0: only higher numbers, oldest first; NoCandidate = from the root
	Limit  int                // default 200
}

// Candidates lists candidates without their metrics: newest first, unless
// After is set.
func (db *DB) Candidates(ctx context.Context, exp record.ExperimentID, f CandidateFilter) ([]record.Candidate, error) {
	down, downIn, bound := sqlCandidatesDown, sqlCandidatesDownIn, int64(f.Before)
	if bound == 0 {
		bound = math.MaxInt64
	}
	if f.After != 0 {
		down, downIn, bound = sqlCandidatesUp, sqlCandidatesUpIn, int64(f.After)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	args := []any{exp, bound, asciiLower(f.Text), limit}
	if f.Status == "" {
		return list(ctx, db, "list candidates", down, args, scanCandidate)
	}
	status := f.Status
	if status == record.StatusElite {
		status = record.StatusScored
	}
	return list(ctx, db, "list candidates", downIn, append(args, status), scanCandidate)
}

// EachOption changes what EachCandidate reads.
type EachOption int

// WithMetrics makes EachCandidate fill in Candidate.Metrics.
const WithMetrics EachOption = 1

// chunk is how many rows a stream reads in one transaction.
const chunk = 2000

// EachCandidate calls fn for the candidates above after by number; NoCandidate
// begins with the root. The pointer is valid during the call. An error of fn
// ends the stream and is returned.
func (db *DB) EachCandidate(ctx context.Context, exp record.ExperimentID, after record.CandidateID, fn func(*record.Candidate) error, opts ...EachOption) error {
	for {
		part, err := list(ctx, db, "read candidates", sqlCandidatesEach, []any{exp, after, chunk}, scanCandidate)
		if err != nil || len(part) == 0 {
			return err
		}
		last := part[len(part)-1].ID
		if slices.Contains(opts, WithMetrics) {
			if err := db.addMetrics(ctx, exp, after, last, part); err != nil {
				return err
			}
		}
		for i := range part {
			if err := fn(&part[i]); err != nil {
				return err
			}
		}
		if len(part) < chunk {
			return nil
		}
		after = last
	}
}

// EachCommit calls fn for the commit of every candidate, by number. An error of fn ends the
// stream and is returned.
func (db *DB) EachCommit(ctx context.Context, exp record.ExperimentID, fn func(record.CandidateID, record.Hash) error) error {
	return eachOf(ctx, db, "read commits", sqlCandidatesCommit, exp, (*row).hash, fn)
}

// Commits lists the commits of all candidates, by number, in little more room than they take.
func (db *DB) Commits(ctx context.Context, exp record.ExperimentID) ([]record.Hash, error) {
	most, err := db.NextJobID(ctx, exp) // a candidate has the number of its job
	if err != nil {
		return nil, err
	}
	commits := make([]record.Hash, 0, most)
	err = db.EachCommit(ctx, exp, func(_ record.CandidateID, commit record.Hash) error {
		commits = append(commits, commit)
		return nil
	})
	return commits, err
}

// EachIntent calls fn for what every candidate is meant to be, by number. An error of fn
// ends the stream and is returned.
func (db *DB) EachIntent(ctx context.Context, exp record.ExperimentID, fn func(record.CandidateID, string) error) error {
	return eachOf(ctx, db, "read intents", sqlCandidatesIntent, exp, (*row).text, fn)
}

// eachOf calls fn for one column of every candidate, by number.
func eachOf[T any](ctx context.Context, db *DB, what string, q statement, exp record.ExperimentID, column func(*row) T, fn func(record.CandidateID, T) error) error {
	type made struct {
		id  record.CandidateID
		has T
	}
	scan := func(r *row) made { return made{record.CandidateID(r.int()), column(r)} }
	for after := record.NoCandidate; ; {
		part, err := list(ctx, db, what, q, []any{exp, after, chunk}, scan)
		if err != nil {
			return err
		}
		for _, c := range part {
			if err := fn(c.id, c.has); err != nil {
				return err
			}
			after = c.id
		}
		if len(part) < chunk {
			return nil
		}
	}
}

// addMetrics fills in the metrics of a part that is sorted by number.
func (db *DB) addMetrics(ctx context.Context, exp record.ExperimentID, after, last record.CandidateID, part []record.Candidate) error {
	i := 0
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, sqlMetricsEach, []any{exp, after, last}, func(r *row) error {
			id := record.CandidateID(r.int())
			for i < len(part) && part[i].ID < id {
				i++
			}
			if i == len(part) || part[i].ID != id {
				return nil
			}
			m, err := unpackMetrics(r.blob())
			part[i].Metrics = m
			return err
		})
	})
	return doing("read metrics", err)
}

// PutPinned protects a candidate from retention, or ends that.
func (db *DB) PutPinned(ctx context.Context, exp record.ExperimentID, id record.CandidateID, pinned bool) error {
	return db.write(ctx, "pin candidate "+id.String(), func(t *tx) error {
		return t.must(ErrNotFound, sqlCandidatePin, exp, id, pinned)
	})
}

// Children lists the candidates that were edited from this one or merged it in, by number.
// The root may have nearly all of an experiment.
func (db *DB) Children(ctx context.Context, exp record.ExperimentID, id record.CandidateID) ([]record.CandidateID, error) {
	return list(ctx, db, "read the children of "+id.String(), sqlChildren, []any{exp, id}, func(r *row) record.CandidateID { return record.CandidateID(r.int()) })
}

// Lineage returns the candidate, the one it was edited from, and so on: at most
// limit (0 = 1,000), without metrics.
func (db *DB) Lineage(ctx context.Context, exp record.ExperimentID, id record.CandidateID, limit int) ([]record.Candidate, error) {
	if limit <= 0 {
		limit = 1000
	}
	return list(ctx, db, "read the lineage of "+id.String(), sqlLineage, []any{exp, id, limit}, scanCandidate)
}
