package store

import (
	"context"
	"fmt"

	"atoll/store/record"
)

// Release queues a held job again, approved: its next attempt goes on behind
// the point where it was held. Errors: [ErrLost] when it is not held.
func (db *DB) Release(ctx context.Context, exp record.ExperimentID, id record.JobID) error {
	return db.write(ctx, "approve job "+id.String(), func(t *tx) error {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		if err := t.must(ErrLost, sqlJobRelease, exp, id, f.lane(true)); err != nil {
			return err
		}
		if _, err := t.exec(sqlCandidateStatus, exp, f.candidate, record.StatusMade, record.ClassNone, ""); err != nil {
			return err
		}
		t.moved(exp, f.kind, record.Held, record.Queued)
		return t.logStage(exp, id, f.candidate, record.Queued)
	})
}

// EndHeld ends a held or queued job without a lease: a person rejected or
// cancelled it. Errors: [ErrLost] when it is neither, [ErrInvalid] when a job of
// its kind has no such end.
func (db *DB) EndHeld(ctx context.Context, exp record.ExperimentID, id record.JobID, state record.JobState, class record.Class, reason string) error {
	return db.write(ctx, fmt.Sprintf("end job %s %s", id, state), func(t *tx) error {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		if f.state != record.Held && f.state != record.Queued {
			return ErrLost
		}
		if !endsIn(f.kind, state) || state == record.Duplicate || state == record.Placed || state == record.Scored {
			return fmt.Errorf("a %s job that is %s does not end %s: %w", f.kind, f.state, state, ErrInvalid)
		}
		return t.endUnleased(exp, id, f, state, class, reason)
	})
}

func (t *tx) endUnleased(exp record.ExperimentID, id record.JobID, f fence, state record.JobState, class record.Class, reason string) error {
	l := record.Lease{Job: record.Job{Experiment: exp, ID: id, Kind: f.kind}, Attempt: f.attempt}
	if f.kind == record.Make && f.attempt == 0 {
		t.ledger(exp).delta.begun++
	}
	_, err := t.end(l, f, Outcome{State: state, Class: class, Reason: reason}, nil)
	return err
}

// CancelQueued cancels a job that waits in the queue, and reports false when it
// does not wait there (any more).
func (db *DB) CancelQueued(ctx context.Context, exp record.ExperimentID, id record.JobID, reason string) (bool, error) {
	done := false
	err := db.write(ctx, "cancel job "+id.String(), func(t *tx) error {
		done = false
		f, err := t.fence(exp, id)
		if err != nil || f.state != record.Queued {
			return err
		}
		if err := t.endUnleased(exp, id, f, record.Cancelled, record.ClassReview, reason); err != nil {
			return err
		}
		done = true
		return nil
	})
	return done, err
}

// Reopen takes back the rejection or cancellation of a held job: it is held
// again where it was. Errors: [ErrLost] when a person did not end it.
func (db *DB) Reopen(ctx context.Context, exp record.ExperimentID, id record.JobID) error {
	return db.write(ctx, "reopen job "+id.String(), func(t *tx) error {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		byPerson := f.heldAt != "" && !f.approved && f.candidate >= 0 &&
			(f.state == record.Rejected && f.class == record.ClassReview || f.state == record.Cancelled)
		if !byPerson {
			return ErrLost
		}
		if err := t.must(ErrLost, sqlJobReopen, exp, id, f.state); err != nil {
			return err
		}
		if _, err := t.exec(sqlCandidateStatus, exp, f.candidate, record.StatusHeld, record.ClassNone, ""); err != nil {
			return err
		}
		t.moved(exp, f.kind, f.state, record.Held)
		_, err = t.log(exp, record.LogHeld, id, f.candidate, nil)
		return err
	})
}

// SetPriority changes the priority of a job that is queued or held. Errors:
// [ErrLost] when it is neither.
func (db *DB) SetPriority(ctx context.Context, exp record.ExperimentID, id record.JobID, priority int) error {
	return db.write(ctx, "prioritise job "+id.String(), func(t *tx) error {
		if _, err := t.fence(exp, id); err != nil {
			return err
		}
		return t.must(ErrLost, sqlJobPriority, exp, id, priority)
	})
}

// Place marks scored make jobs as placed: their candidates took a niche when
// they were folded. Jobs that are not scored are left as they are.
func (db *DB) Place(ctx context.Context, exp record.ExperimentID, ids ...record.JobID) error {
	return db.write(ctx, "mark jobs placed", func(t *tx) error {
		for _, id := range ids {
			n, err := t.exec(sqlJobPlace, exp, id)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			t.moved(exp, record.Make, record.Scored, record.Placed)
			if err := t.logStage(exp, id, record.CandidateID(id), record.Placed); err != nil {
				return err
			}
		}
		return nil
	})
}
