package doctor

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/kept"
	"atoll/store"
	"atoll/store/record"
)

// metaDigest is what the engine that ran last knew of its state when it ended.
const metaDigest = "digest"

// KeepDigest writes what a state is when the run that owns it ends, so that a
// check that folds the log later can tell whether the store says the same still.
func KeepDigest(ctx context.Context, db *store.DB, exp record.ExperimentID, d fold.Digest) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return db.PutMeta(ctx, exp, metaDigest, string(text))
}

// CheckFold folds the log of an experiment anew and says where the archive is not what
// follows from it.
func CheckFold(ctx context.Context, db *store.DB, exp record.ExperimentID) error {
	st, err := fold.LoadState(ctx, db, exp)
	if err != nil {
		return err
	}
	return checkFold(ctx, db, st)
}

// checkFold says of a state that was folded anew where the archive is not what
// follows from it: as it is now, and as the last engine had it, unless the log went
// on since.
func checkFold(ctx context.Context, db *store.DB, state *fold.State) error {
	if err := state.CheckArchive(); err != nil {
		return err
	}
	if err := checkValues(ctx, db, state); err != nil {
		return err
	}
	text, ok, err := db.Meta(ctx, state.Exp.ID, metaDigest)
	if err != nil || !ok {
		return err
	}
	var was fold.Digest
	if err := json.Unmarshal([]byte(text), &was); err != nil {
		return fmt.Errorf("read the digest of the last run: %w", err)
	}
	if _, err := was.Compare(state.Digest()); err != nil {
		return fmt.Errorf("%w: the store does not say any more what the last run saw", err)
	}
	return nil
}

// checkValues says which candidate has another value than the last row of the log that
// concerns it. A store that went on since the state was folded is left for the next time.
func checkValues(ctx context.Context, db *store.DB, state *fold.State) error {
	var differ error
	err := db.EachCandidate(ctx, state.Exp.ID, record.NoCandidate, func(c *record.Candidate) error {
		m := state.Candidate(c.ID)
		if differ == nil && m != nil && m.Scored && c.Objective != nil && (m.Objective != *c.Objective || int(m.Samples) != c.Samples) {
			differ = fmt.Errorf("%w: %s has the value %g of %d samples, and the log says %g of %d", fold.ErrDiverged, c.ID, *c.Objective, c.Samples, m.Objective, m.Samples)
		}
		return nil
	})
	if err != nil || differ == nil {
		return err
	}
	now, err := db.LastSeq(ctx, state.Exp.ID)
	if err != nil || now != state.Seq {
		return err
	}
	return differ
}

// CheckKept folds the log of an experiment anew and says where the fold that the last
// run kept for readers differs from it.
func CheckKept(ctx context.Context, db *store.DB, dir string, exp record.ExperimentID) error {
	st, err := fold.LoadState(ctx, db, exp)
	if err != nil {
		return err
	}
	return checkKept(ctx, db, dir, st)
}

// checkKept says of the fold that the last run kept for readers where it is not what a
// state that was folded anew is. None is kept of a small experiment.
func checkKept(ctx context.Context, db *store.DB, dir string, fresh *fold.State) error {
	st, _, err := kept.Open(ctx, dir, db, fresh.Exp.ID)
	if err != nil || st == nil {
		return err
	}
	if err := st.Follow(ctx, db); err != nil {
		return fmt.Errorf("go on from the kept fold: %w", err)
	}
	if _, err := fresh.Digest().Compare(st.Digest()); err != nil {
		return fmt.Errorf("the kept fold: %w", err)
	}
	return nil
}
