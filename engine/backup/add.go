package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"atoll/store"
	"atoll/store/record"
)

// Added is an experiment that was taken in: what it was in the file, and what it is
// now.
type Added struct {
	Was Experiment        `json:"was"`
	Is  record.Experiment `json:"is"`
}

// Add takes the experiments of a backup in beside those that are there, also while an
// engine runs on them. Every part is compared with its sum, and each candidate's
// commit must be there with its files, before the first row is written; what fails
// leaves objects that nothing leads to, and no row. The error of a file that is
// damaged is ErrFormat.
func Add(ctx context.Context, path string, to Source) ([]Added, error) {
	list, err := addAll(ctx, path, to)
	if err != nil {
		return list, fmt.Errorf("take in %s: %w", path, err)
	}
	return list, nil
}

func addAll(ctx context.Context, path string, to Source) (list []Added, err error) {
	dir, err := os.MkdirTemp(to.Dir, ".import-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m, err := extract(ctx, path, dir)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "atoll.db")
	if err := unsqueeze(filepath.Join(dir, databaseName), file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	commits, err := look(ctx, file, &m)
	if err != nil {
		return nil, err
	}
	if err := unbundle(ctx, dir, to.Repo); err != nil {
		return nil, err
	}
	for i, exp := range m.Experiments {
		lost, err := to.Repo.Losses(ctx, commits[i])
		if err != nil {
			return nil, err
		}
		if len(lost) > 0 {
			return nil, fmt.Errorf("%w: %d commits of %s are not whole", ErrFormat, len(lost), exp.Name)
		}
	}
	if err := adoptEvaluators(dir, to.Dir); err != nil {
		return nil, err
	}
	for i, exp := range m.Experiments {
		is, err := to.DB.Adopt(ctx, file, exp.ID)
		if err != nil {
			return list, err
		}
		if err := to.Repo.Anchor(ctx, is.ID, commits[i]); err != nil {
			return list, err
		}
		list = append(list, Added{exp, is})
	}
	return list, nil
}

// look opens the database of a backup, which brings an older layout up to date, and
// returns the commits of each of its experiments.
func look(ctx context.Context, file string, m *Manifest) (commits [][]record.Hash, err error) {
	db, err := store.Open(ctx, file, store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Integrity(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	for _, exp := range m.Experiments {
		list, err := m.commitsOf(ctx, db, &exp)
		if err != nil {
			return nil, err
		}
		commits = append(commits, list)
	}
	return commits, nil
}

// commitsOf are the root and the commits of all candidates, but for those that are lost.
func (m *Manifest) commitsOf(ctx context.Context, db *store.DB, exp *Experiment) ([]record.Hash, error) {
	commits := []record.Hash{exp.Root}
	err := db.EachCommit(ctx, exp.ID, func(_ record.CandidateID, commit record.Hash) error {
		commits = append(commits, commit)
		return nil
	})
	return slices.DeleteFunc(commits, func(c record.Hash) bool { return slices.Contains(m.Lost, c) }), err
}

// adoptEvaluators moves copies of evaluators to where they are kept, but for those
// that are there: their names are made of their contents.
func adoptEvaluators(from, to string) error {
	entries, err := os.ReadDir(filepath.Join(from, evaluators))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, evaluators), 0o700); err != nil {
		return err
	}
	slices.Reverse(entries) // the sum before the folder that it is of
	for _, e := range entries {
		target := filepath.Join(to, evaluators, e.Name())
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(from, evaluators, e.Name()), target); err != nil {
			return err
		}
	}
	return nil
}
