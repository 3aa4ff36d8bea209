// Package retention drops what an experiment need not keep for ever.
//
// Three nouns. A [Policy] says what may go, by age. What is protected keeps everything,
// however old: the root, elites, the best, frozen and pinned candidates, and all that
// they descend from ([Protected]). A [Report] says what went, or would.
//
// Rows, values, samples and commits stay: they are what the archive is folded from. A
// candidate without its files could not come back when a niche's holder is rejected, or
// when a new map finds it a niche of its own.
package retention

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"atoll/engine/fold"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Policy says what may go.
type Policy struct {
	Evidence time.Duration // age of the texts of jobs; below 0 = all are kept
	Now      time.Time
	DryRun   bool // only say what would go
	// Alone: nobody else runs an engine here, so that the file of the database can be
	// written anew.
	Alone bool
}

// Report says what went, or would go.
type Report struct {
	DryRun     bool  `json:"dry_run"`
	Protected  int   `json:"protected"`  // candidates that keep everything
	Texts      int   `json:"texts"`      // that were dropped
	TextBytes  int64 `json:"text_bytes"` // in the database
	TextsKept  int   `json:"texts_kept"`
	Before     int64 `json:"bytes_before"` // of the state directory
	After      int64 `json:"bytes_after"`
	Vacuumed   bool  `json:"vacuumed"` // the room in the database was given back
	Candidates int   `json:"candidates"`
}

// Source is what is looked through.
type Source struct {
	Dir  string // the state directory
	DB   *store.DB
	Repo *gitops.Repo
	Exp  record.ExperimentID
}

// Collect drops what a policy lets go of one experiment, and has what is left take less
// room.
func Collect(ctx context.Context, src Source, p Policy) (Report, error) {
	r := Report{DryRun: p.DryRun}
	st, err := fold.LoadState(ctx, src.DB, src.Exp)
	if err != nil {
		return r, err
	}
	keep, err := Protected(ctx, src.DB, st)
	if err != nil {
		return r, err
	}
	r.Protected = len(keep)
	if r.Before, err = SizeOf(src.Dir); err != nil {
		return r, err
	}
	var drop []int64
	oldest := record.Millis(p.Now.Add(-p.Evidence).UnixMilli())
	seen := map[record.CandidateID]bool{}
	err = src.DB.EachText(ctx, src.Exp, func(t store.KeptText) error {
		if p.Evidence < 0 || t.Ended == 0 || t.Ended > oldest || keep[t.Candidate] {
			r.TextsKept++
			return nil
		}
		seen[t.Candidate] = true
		drop = append(drop, t.ID)
		r.TextBytes += t.Bytes
		return nil
	})
	r.Texts, r.Candidates = len(drop), len(seen)
	r.After = r.Before
	if err != nil || p.DryRun {
		return r, err
	}
	if err := src.DB.DropTexts(ctx, drop); err != nil {
		return r, err
	}
	if err := src.Repo.Compact(ctx); err != nil && !errors.Is(err, gitops.ErrNoStore) {
		return r, err
	}
	if p.Alone {
		if err := src.DB.Vacuum(ctx); err != nil {
			return r, err
		}
		r.Vacuumed = true
	}
	r.After, err = SizeOf(src.Dir)
	return r, err
}

// Protected returns the candidates that keep everything.
func Protected(ctx context.Context, db *store.DB, st *fold.State) (map[record.CandidateID]bool, error) {
	open := append(st.Decided.Pinned(), record.Root)
	for _, id := range []record.CandidateID{st.Best, st.Snapshot().Best.ID} { // who leads, and who is told as the best
		if id != record.NoCandidate {
			open = append(open, id)
		}
	}
	if a := st.Archive(); a != nil {
		for _, e := range a.Elites() {
			open = append(open, e.ID)
		}
		open = append(open, a.Frozen()...)
	}
	keep := map[record.CandidateID]bool{}
	for len(open) > 0 {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		if keep[id] {
			continue
		}
		keep[id] = true
		c, err := db.Candidate(ctx, st.Exp.ID, id)
		if errors.Is(err, store.ErrNotFound) {
			continue // the root, before it was measured
		}
		if err != nil {
			return nil, fmt.Errorf("read what %s descends from: %w", id, err)
		}
		for _, p := range c.Parents {
			if p.Role != record.RoleInspiration {
				open = append(open, p.ID)
			}
		}
	}
	return keep, nil
}

// SizeOf adds up the files of a folder. What goes away meanwhile counts for nothing.
func SizeOf(dir string) (int64, error) {
	size := int64(0)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size, err
}
