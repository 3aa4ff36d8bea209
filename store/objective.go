package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// NewObjective is a new objective version of an experiment.
type NewObjective struct {
	record.Objective
	Config  []byte // of the experiment from now on
	EvalKey string
	Jobs    []record.Job // that measure again, as AddJobs takes them
	Reason  string       // why the evaluate jobs that wait are cancelled
}

// PutObjective begins an objective version in one transaction: the experiment
// has its configuration and number, evaluate jobs that wait are cancelled,
// those that measure again are queued, and a row tells so. Errors: [ErrLost]
// unless Version is the one after the present.
func (db *DB) PutObjective(ctx context.Context, exp record.ExperimentID, o NewObjective) (record.Seq, error) {
	what := fmt.Sprintf("begin objective version %d", o.Version)
	for i := range o.Jobs {
		if err := checkJob(&o.Jobs[i]); err != nil {
			return 0, doing(what, err)
		}
	}
	data, err := encode("objective", o.Objective)
	if err != nil {
		return 0, doing(what, err)
	}
	var seq record.Seq
	err = db.write(ctx, what, func(t *tx) error {
		if err := t.must(ErrLost, sqlExperimentObjective, exp, o.Version, notNil(o.Config), o.EvalKey); err != nil {
			return err
		}
		if seq, err = t.log(exp, record.LogObjective, record.NoJob, record.NoCandidate, data); err != nil {
			return err
		}
		if err := t.cancelEvaluates(exp, o.Reason); err != nil {
			return err
		}
		for i := range o.Jobs {
			if err := t.addJob(&o.Jobs[i]); err != nil {
				return fmt.Errorf("job %s: %w", o.Jobs[i].ID, err)
			}
		}
		return nil
	})
	return seq, err
}

// cancelEvaluates ends the evaluate jobs that wait in the queue.
func (t *tx) cancelEvaluates(exp record.ExperimentID, reason string) error {
	var open []record.JobID
	err := t.conn.query(context.Background(), sqlJobsEvaluate, []any{exp}, func(r *row) error {
		open = append(open, record.JobID(r.int()))
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range open {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		if err := t.endUnleased(exp, id, f, record.Cancelled, record.ClassNone, reason); err != nil {
			return err
		}
	}
	return nil
}
