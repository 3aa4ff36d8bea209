package store

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/store/record"
)

// Release lets a held job pass, approved: its next attempt goes on behind the
// point where it was held. A job that had ended before it was held again
// ([DB.Recall]) goes back to that end, one that still runs goes on. Errors:
// [ErrLost] when it does not wait for a person.
func (db *DB) Release(ctx context.Context, exp record.ExperimentID, id record.JobID) error {
	return db.write(ctx, "approve job "+id.String(), func(t *tx) error {
		f, err := t.fence(exp, id)
		switch {
		case err != nil:
			return err
		case f.recalled():
			return t.approve(exp, id, f, true)
		case f.was != "":
			return t.endAsBefore(exp, id, f)
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

// approve gives a running job its approval, or takes it away.
func (t *tx) approve(exp record.ExperimentID, id record.JobID, f fence, yes bool) error {
	if err := t.must(ErrLost, sqlJobApproved, exp, id, yes); err != nil {
		return err
	}
	status, why := record.StatusMade, ""
	if !yes {
		status, why = record.StatusHeld, f.heldFor
	}
	_, err := t.exec(sqlCandidateStatus, exp, f.candidate, status, record.ClassNone, why)
	return err
}

// endAsBefore gives a job that was held again the end that it had.
func (t *tx) endAsBefore(exp record.ExperimentID, id record.JobID, f fence) error {
	var was record.EndData
	if err := json.Unmarshal([]byte(f.was), &was); err != nil {
		return fmt.Errorf("read how job %s had ended: %w (%v)", id, ErrDamaged, err)
	}
	if err := t.must(ErrLost, sqlJobBack, exp, id, was.State, was.Class, was.Reason); err != nil {
		return err
	}
	if _, err := t.exec(sqlCandidateStatus, exp, f.candidate, statusOf(was.State), was.Class, was.Reason); err != nil {
		return err
	}
	t.moved(exp, f.kind, record.Held, was.State)
	return t.logStage(exp, id, f.candidate, was.State)
}

// Recall takes the approval of a held job back: it waits for a person again,
// for the reason it was held for. A job in the queue is held where it was held
// before. One that runs goes on, and is held before its niche when it was
// measured, or where it was held when its attempt breaks off. One that has ended
// is held before its niche and keeps what was measured. Errors: [ErrLost] when
// it was not approved.
func (db *DB) Recall(ctx context.Context, exp record.ExperimentID, id record.JobID) error {
	return db.write(ctx, "hold job "+id.String()+" again", func(t *tx) error {
		f, err := t.fence(exp, id)
		switch {
		case err != nil:
			return err
		case f.kind != record.Make || f.heldAt == "" || !f.approved || f.candidate < 0:
			return ErrLost
		case f.state.Running():
			return t.approve(exp, id, f, false)
		case !f.state.Ended():
			return t.recall(exp, id, f, f.heldAt, "")
		}
		was, err := encode("end", record.EndData{State: f.state, Class: f.class, Reason: f.reason})
		if err != nil {
			return err
		}
		at := f.heldAt
		if statusOf(f.state) == record.StatusScored {
			at = record.Evaluating
		}
		return t.recall(exp, id, f, at, string(was))
	})
}

// recall holds a job again; was is the JSON of the end that it had, "" if none.
func (t *tx) recall(exp record.ExperimentID, id record.JobID, f fence, at record.JobState, was string) error {
	if err := t.must(ErrLost, sqlJobRecall, exp, id, f.state, at, was); err != nil {
		return err
	}
	if _, err := t.exec(sqlCandidateStatus, exp, f.candidate, record.StatusHeld, record.ClassNone, f.heldFor); err != nil {
		return err
	}
	t.forfeit(exp, f)
	t.moved(exp, f.kind, f.state, record.Held)
	return t.logHeld(0, exp, id, f.candidate, f.heldFor)
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

// Reopen takes back the rejection or cancellation of a job that waited: it is
// held again where it was, for the reason it was held for, or queued again.
// Errors: [ErrLost] when a person did not end it.
func (db *DB) Reopen(ctx context.Context, exp record.ExperimentID, id record.JobID) error {
	return db.write(ctx, "reopen job "+id.String(), func(t *tx) error {
		f, err := t.fence(exp, id)
		if err != nil {
			return err
		}
		byPerson := f.candidate >= 0 &&
			(f.state == record.Rejected && f.class == record.ClassReview || f.state == record.Cancelled && f.heldAt != "")
		if !byPerson {
			return ErrLost
		}
		to, status, why := record.Held, record.StatusHeld, f.heldFor
		if f.approved || f.heldAt == "" {
			to, status, why = record.Queued, record.StatusMade, ""
		}
		if err := t.must(ErrLost, sqlJobReopen, exp, id, f.state, to, f.lane(f.approved)); err != nil {
			return err
		}
		if _, err := t.exec(sqlCandidateStatus, exp, f.candidate, status, record.ClassNone, why); err != nil {
			return err
		}
		t.moved(exp, f.kind, f.state, to)
		if to == record.Queued {
			return t.logStage(exp, id, f.candidate, to)
		}
		return t.logHeld(0, exp, id, f.candidate, f.heldFor)
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
