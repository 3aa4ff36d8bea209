package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"atoll/store/record"
)

func scanLog(r *row) record.LogRow {
	row := record.LogRow{
		Seq: record.Seq(r.int()), At: record.Millis(r.int()), Kind: record.LogKind(r.text()),
		Job: record.JobID(r.int()), Candidate: record.CandidateID(r.int()),
	}
	if b := r.blob(); b != nil {
		row.Data = b
	}
	return row
}

// Log returns the rows of all kinds after a position, oldest first; limit 0
// means 1,000.
func (db *DB) Log(ctx context.Context, exp record.ExperimentID, after record.Seq, limit int) ([]record.LogRow, error) {
	if limit <= 0 {
		limit = 1000
	}
	return db.bothParts(ctx, exp, limit, sqlLog, after, limit)
}

// Tail returns the last n rows of all kinds, oldest first.
func (db *DB) Tail(ctx context.Context, exp record.ExperimentID, n int) ([]record.LogRow, error) {
	return db.bothParts(ctx, exp, -max(n, 0), sqlLogTail, max(n, 0))
}

// bothParts reads the rows that the fold reads and the others, and merges them
// in order: the first keep of them, or the last ones if it is below zero. Both
// are read in one snapshot, so that no row is passed over.
func (db *DB) bothParts(ctx context.Context, exp record.ExperimentID, keep int, q statement, args ...any) ([]record.LogRow, error) {
	var rows []record.LogRow
	err := db.read(ctx, func(c *conn) error {
		return c.snapshot(func() error {
			for _, fold := range []bool{false, true} {
				err := c.query(ctx, q, append([]any{exp, fold}, args...), func(r *row) error {
					l := scanLog(r)
					l.Experiment = exp
					rows = append(rows, l)
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	slices.SortFunc(rows, func(a, b record.LogRow) int { return cmp.Compare(a.Seq, b.Seq) })
	if keep < 0 {
		return rows[max(0, len(rows)+keep):], doing("read the log", err)
	}
	return rows[:min(keep, len(rows))], doing("read the log", err)
}

// LastSeq returns the position of the last row that [DB.FoldLog] gives, 0 when
// there is none: who has folded up to it is up to date.
func (db *DB) LastSeq(ctx context.Context, exp record.ExperimentID) (record.Seq, error) {
	var seq record.Seq
	err := db.read(ctx, func(c *conn) error {
		_, err := c.one(ctx, sqlLogLast, []any{exp}, func(r *row) { seq = record.Seq(r.int()) })
		return err
	})
	return seq, doing("read the log", err)
}

// AppendDecision appends an intervention; the loop carries it out when it reads
// the row. Seq and At are given here.
func (db *DB) AppendDecision(ctx context.Context, exp record.ExperimentID, d record.Decision) (record.Seq, error) {
	return db.AppendDecisions(ctx, exp, d)
}

// AppendDecisions appends interventions that were made by one act, all or none,
// and returns the position of the last. When there are several, Group ties them
// together.
func (db *DB) AppendDecisions(ctx context.Context, exp record.ExperimentID, ds ...record.Decision) (record.Seq, error) {
	return db.appendDecisions(ctx, exp, nil, ds)
}

// AppendDecisionsBehind appends as AppendDecisions does what was decided on what the
// log said up to a position: where somebody decided behind it, nothing is written and
// the error is [ErrLost].
func (db *DB) AppendDecisionsBehind(ctx context.Context, exp record.ExperimentID, seen record.Seq, ds ...record.Decision) (record.Seq, error) {
	return db.appendDecisions(ctx, exp, &seen, ds)
}

func (db *DB) appendDecisions(ctx context.Context, exp record.ExperimentID, seen *record.Seq, ds []record.Decision) (record.Seq, error) {
	if len(ds) == 0 {
		return 0, doing("record a decision", ErrInvalid)
	}
	what := "record the decision to " + string(ds[0].Verb)
	for _, d := range ds {
		if !finite(d.Value) || d.Inverse != nil && !finite(d.Inverse.Value) {
			return 0, doing(what, ErrNotFinite)
		}
	}
	var seq record.Seq
	err := db.write(ctx, what, func(t *tx) error {
		if err := t.known(exp); err != nil {
			return err
		}
		if seen != nil {
			if late, err := t.conn.one(ctx, sqlDecidedBehind, []any{int64(exp), int64(*seen)}, func(*row) {}); err != nil || late {
				return cmp.Or(err, ErrLost)
			}
		}
		group := record.Seq(0)
		for _, d := range ds {
			var err error
			if seq, err = t.nextSeq(); err != nil {
				return err
			}
			if len(ds) > 1 && group == 0 {
				group = seq
			}
			d.Seq, d.At, d.Group = 0, 0, group
			data, err := encode("decision", d)
			if err != nil {
				return err
			}
			if err := t.logAt(seq, exp, record.LogDecision, d.Job, d.Candidate, data); err != nil {
				return err
			}
		}
		return nil
	})
	return seq, err
}

type loggedDecision struct {
	seq  record.Seq
	at   record.Millis
	data []byte
}

func scanDecision(r *row) loggedDecision {
	return loggedDecision{record.Seq(r.int()), record.Millis(r.int()), r.blob()}
}

func (l loggedDecision) decode() (record.Decision, error) {
	var d record.Decision
	if err := json.Unmarshal(l.data, &d); err != nil {
		return d, fmt.Errorf("decision %d: %w (%v)", l.seq, ErrDamaged, err)
	}
	d.Seq, d.At = l.seq, l.at
	return d, nil
}

// Decision returns the decision at a position of the log, or [ErrNotFound].
func (db *DB) Decision(ctx context.Context, exp record.ExperimentID, seq record.Seq) (record.Decision, error) {
	l, err := single(ctx, db, fmt.Sprintf("read decision %d", seq), sqlDecision, []any{exp, seq}, scanDecision)
	if err != nil {
		return record.Decision{}, err
	}
	return l.decode()
}

// Decisions returns the newest decisions, newest first; limit 0 means 200.
func (db *DB) Decisions(ctx context.Context, exp record.ExperimentID, limit int) ([]record.Decision, error) {
	if limit <= 0 {
		limit = defaultLimit
	}
	logged, err := list(ctx, db, "read the decisions", sqlDecisions, []any{exp, limit}, scanDecision)
	if err != nil {
		return nil, err
	}
	all := make([]record.Decision, len(logged))
	for i, l := range logged {
		if all[i], err = l.decode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
