package store

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"atoll/store/record"
)

// CreateExperiment stores a new experiment with its settings and, as candidate
// 0 with the status made, its root. It returns the experiment with ID and
// Created set and its name made unique ("name-2"). State defaults to running. Its
// first jobs are queued in the same step; whose experiment they are need not be set.
func (db *DB) CreateExperiment(ctx context.Context, e record.Experiment, s record.Settings, first ...record.Job) (record.Experiment, error) {
	args, err := settingsArgs(s)
	if err != nil {
		return e, doing("create the experiment", err)
	}
	for i := range first {
		if err := checkJob(&first[i]); err != nil {
			return e, doing("create the experiment", err)
		}
	}
	out := e
	err = db.write(ctx, "create the experiment", func(t *tx) error {
		out = e
		if out.State == "" {
			out.State = record.ExperimentRunning
		}
		out.Created = t.now
		if out.Name, err = t.freeName(e.Name); err != nil {
			return err
		}
		id, err := t.conn.insert(sqlExperimentInsert, out.Name, e.Repository, e.Branch, e.RootCommit, e.RootTree, e.RootTime,
			int64(e.Seed), e.Strict, e.Lookahead, notNil(e.Config), e.EvalKey, e.Objective, out.State, e.Reason, out.Created)
		if err != nil {
			return err
		}
		out.ID = record.ExperimentID(id)
		if _, err := t.exec(sqlTotalNew, id); err != nil {
			return err
		}
		if _, err := t.exec(sqlSettingsPut, append([]any{id}, args...)...); err != nil {
			return err
		}
		root := record.Candidate{
			ID: record.Root, Commit: e.RootCommit, Tree: e.RootTree, Operator: record.OpSeed,
			Status: record.StatusMade, Version: e.Objective, Created: e.RootTime,
		}
		if err := t.insertCandidate(out.ID, &root); err != nil {
			return err
		}
		if _, err := t.log(out.ID, record.LogExperiment, record.NoJob, record.NoCandidate, nil); err != nil {
			return err
		}
		for _, job := range first {
			job.Experiment = out.ID
			if err := t.addJob(&job); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// freeName returns the name, or the first of name-2, name-3, ... that is free.
func (t *tx) freeName(name string) (string, error) {
	if name == "" {
		name = "experiment"
	}
	free := name
	for n := 2; ; n++ {
		taken, err := t.one(sqlExperimentNamed, []any{free}, func(*row) {})
		if err != nil || !taken {
			return free, err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func scanExperiment(r *row) record.Experiment {
	return record.Experiment{
		ID: record.ExperimentID(r.int()), Name: r.text(), Repository: r.text(), Branch: r.text(),
		RootCommit: r.hash(), RootTree: r.hash(), RootTime: record.Millis(r.int()), Seed: uint64(r.int()),
		Strict: r.bool(), Lookahead: r.num(), Config: r.blob(), EvalKey: r.text(), Objective: r.num(),
		State: record.ExperimentState(r.text()), Reason: r.text(), Created: record.Millis(r.int()),
	}
}

// Experiments returns all experiments of the store, oldest first.
func (db *DB) Experiments(ctx context.Context) ([]record.Experiment, error) {
	return list(ctx, db, "list the experiments", sqlExperiments, nil, scanExperiment)
}

// Experiment returns one experiment, or [ErrNotFound].
func (db *DB) Experiment(ctx context.Context, id record.ExperimentID) (record.Experiment, error) {
	return single(ctx, db, fmt.Sprintf("read experiment %d", id), sqlExperiment, []any{id}, scanExperiment)
}

// list reads all rows of a query.
func list[T any](ctx context.Context, db *DB, what string, q statement, args []any, scan func(*row) T) ([]T, error) {
	var all []T
	err := db.read(ctx, func(c *conn) error {
		return c.query(ctx, q, args, func(r *row) error {
			all = append(all, scan(r))
			return nil
		})
	})
	return all, doing(what, err)
}

// single reads the one row of a query, or [ErrNotFound].
func single[T any](ctx context.Context, db *DB, what string, q statement, args []any, scan func(*row) T) (T, error) {
	var one T
	err := db.read(ctx, func(c *conn) error {
		ok, err := c.one(ctx, q, args, func(r *row) { one = scan(r) })
		if err == nil && !ok {
			return ErrNotFound
		}
		return err
	})
	return one, doing(what, err)
}

// settingsArgs checks settings and returns the columns after the experiment.
func settingsArgs(s record.Settings) ([]any, error) {
	if !finite(s.MaxCostUSD) {
		return nil, fmt.Errorf("max_cost_usd: %w", ErrNotFinite)
	}
	data, err := encode("settings", s)
	if err != nil {
		return nil, err
	}
	cost := toNano(math.Min(s.MaxCostUSD, 1e9))
	if s.MaxCostUSD > 0 && cost == 0 {
		cost = 1
	}
	return []any{data, s.MaxJobs, s.MaxEvals, s.MaxTokens, cost, s.MaxWallMS}, nil
}

// Settings returns the present settings of an experiment.
func (db *DB) Settings(ctx context.Context, exp record.ExperimentID) (record.Settings, error) {
	var s record.Settings
	data, err := single(ctx, db, fmt.Sprintf("read the settings of experiment %d", exp), sqlSettings, []any{exp}, (*row).blob)
	if err == nil {
		err = doing("read the settings", json.Unmarshal(data, &s))
	}
	return s, err
}

// PutSettings replaces the settings and logs them. They hold from the next
// lease on.
func (db *DB) PutSettings(ctx context.Context, exp record.ExperimentID, s record.Settings) (record.Seq, error) {
	args, err := settingsArgs(s)
	if err != nil {
		return 0, doing("change the settings", err)
	}
	var seq record.Seq
	err = db.write(ctx, "change the settings", func(t *tx) error {
		if err := t.known(exp); err != nil {
			return err
		}
		if _, err := t.exec(sqlSettingsPut, append([]any{exp}, args...)...); err != nil {
			return err
		}
		t.ledger(exp).loaded = false
		seq, err = t.log(exp, record.LogSetting, record.NoJob, record.NoCandidate, args[0].([]byte))
		return err
	})
	return seq, err
}

// known refuses an experiment that does not exist.
func (t *tx) known(exp record.ExperimentID) error {
	ok, err := t.one(sqlTotal, []any{exp}, func(*row) {})
	if err == nil && !ok {
		return notFound("experiment %d", exp)
	}
	return err
}

// PutState changes what the engine may do, and logs it.
func (db *DB) PutState(ctx context.Context, exp record.ExperimentID, state record.ExperimentState, reason string) (record.Seq, error) {
	data, err := encode("state", record.StateData{State: state, Reason: reason})
	if err != nil {
		return 0, err
	}
	var seq record.Seq
	err = db.write(ctx, fmt.Sprintf("set experiment %d %s", exp, state), func(t *tx) error {
		if err := t.must(notFound("experiment %d", exp), sqlExperimentState, exp, state, reason); err != nil {
			return err
		}
		seq, err = t.log(exp, record.LogState, record.NoJob, record.NoCandidate, data)
		return err
	})
	return seq, err
}

// Meta returns a small fact of an experiment, such as the seal of its
// evaluator, and whether there is one.
func (db *DB) Meta(ctx context.Context, exp record.ExperimentID, key string) (value string, ok bool, err error) {
	err = db.read(ctx, func(c *conn) error {
		ok, err = c.one(ctx, sqlMeta, []any{exp, key}, func(r *row) { value = r.text() })
		return err
	})
	return value, ok, doing("read "+key, err)
}

// PutMeta keeps a small fact. It is not logged.
func (db *DB) PutMeta(ctx context.Context, exp record.ExperimentID, key, value string) error {
	return db.write(ctx, "write the note "+key, func(t *tx) error {
		_, err := t.exec(sqlMetaPut, exp, key, value)
		return err
	})
}

// SwapMeta keeps a small fact in the place of the one that the caller knows, ""
// where there is none, and further facts with it; false: it is another one now, and
// nothing was written.
func (db *DB) SwapMeta(ctx context.Context, exp record.ExperimentID, key, known, value string, more map[string]string) (swapped bool, err error) {
	err = db.write(ctx, "keep "+key, func(t *tx) error {
		now := ""
		if _, err := t.one(sqlMeta, []any{exp, key}, func(r *row) { now = r.text() }); err != nil {
			return err
		}
		if swapped = now == known; !swapped {
			return nil
		}
		if _, err := t.exec(sqlMetaPut, exp, key, value); err != nil {
			return err
		}
		for k, v := range more {
			if _, err := t.exec(sqlMetaPut, exp, k, v); err != nil {
				return err
			}
		}
		return nil
	})
	return swapped, err
}

// AddWall adds time with a running engine, in milliseconds.
func (db *DB) AddWall(ctx context.Context, exp record.ExperimentID, ms int64) error {
	return db.write(ctx, "count the wall time", func(t *tx) error {
		if err := t.known(exp); err != nil {
			return err
		}
		t.ledger(exp).delta.wall += ms
		return nil
	})
}
