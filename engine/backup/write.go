package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// Source is what a backup copies.
type Source struct {
	Dir  string // the state directory
	DB   *store.DB
	Repo *gitops.Repo

	// Only copies one experiment and the folders below evaluators that are named; 0
	// copies all.
	Only       record.ExperimentID
	Evaluators []string
}

// Write makes a backup in a new file. One that exists is refused with ErrTaken, and with
// [store.ErrDamaged] a database of which a page is not what was written. A failure leaves
// nothing.
func Write(ctx context.Context, src Source, path, program string, now time.Time) (Manifest, error) {
	m, err := write(ctx, src, path, program, now)
	if err != nil {
		return m, fmt.Errorf("write the backup %s: %w", path, err)
	}
	return m, nil
}

func write(ctx context.Context, src Source, path, program string, now time.Time) (m Manifest, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w: choose another name or remove it", ErrTaken)
	}
	dir, end, err := scratch(filepath.Dir(path), now)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, end()) }()
	m = Manifest{Format: format, Program: program, Made: now.UTC().Format(time.RFC3339)}
	var files []string // of the parts, in order
	add := func(name, file string) error {
		part, err := measure(name, file)
		if err != nil {
			return err
		}
		m.Parts, files = append(m.Parts, part), append(files, file)
		return nil
	}
	copied := filepath.Join(dir, "atoll.db")
	if _, err := src.DB.CheckSeal(ctx); err != nil { // beside a run there are no sums
		return m, fmt.Errorf("%w: `atoll repair --from` an earlier one", err)
	}
	if err := src.DB.Backup(ctx, copied); err != nil {
		return m, err
	}
	if src.Only != 0 {
		if err := store.KeepOnly(ctx, copied, src.Only); err != nil {
			return m, err
		}
	}
	held, err := m.listCandidates(ctx, copied)
	if err != nil {
		return m, err
	}
	if err := errors.Join(squeeze(copied, filepath.Join(dir, databaseName)), add(databaseName, filepath.Join(dir, databaseName))); err != nil {
		return m, err
	}
	if len(held) > 0 {
		bundle := filepath.Join(dir, bundleName)
		shallow, lost, err := src.Repo.BundleAll(ctx, bundle, held)
		for c, objects := range lost {
			m.Lacking = append(m.Lacking, c)
			m.Lost = append(m.Lost, objects...)
		}
		slices.SortFunc(m.Lacking, func(a, b record.Hash) int { return slices.Compare(a[:], b[:]) })
		slices.SortFunc(m.Lost, func(a, b record.Hash) int { return slices.Compare(a[:], b[:]) })
		m.Lost = slices.Compact(m.Lost)
		if err == nil {
			err = add(bundleName, bundle)
		}
		if err == nil && len(shallow) > 0 {
			file := filepath.Join(dir, shallowName)
			err = errors.Join(os.WriteFile(file, shallow, 0o600), add(shallowName, file))
		}
		if err != nil {
			return m, err
		}
	}
	if err := eachFile(src.Dir, evaluators, func(name, file string) error {
		if !src.wants(name) {
			return nil
		}
		return add(name, file)
	}); err != nil {
		return m, err
	}
	whole := filepath.Join(dir, "whole")
	if err := join(ctx, whole, &m, files); err != nil {
		return m, err
	}
	// Link refuses a name that was taken meanwhile; Rename would replace it.
	err = os.Link(whole, path)
	if errors.Is(err, fs.ErrExist) {
		return m, fmt.Errorf("%w: choose another name or remove it", ErrTaken)
	}
	if err != nil {
		err = os.Rename(whole, path) // no hard links here
	}
	return m, err
}

// wants reports whether a file below evaluators belongs to what is copied.
func (s *Source) wants(name string) bool {
	if s.Only == 0 {
		return true
	}
	folder, _, _ := strings.Cut(strings.TrimPrefix(name, evaluators+"/"), "/")
	return slices.Contains(s.Evaluators, strings.TrimSuffix(folder, filepath.Ext(folder)))
}

// listCandidates notes the experiments of a copy of the database and returns the
// commits that it names, each under the branch that the bundle has for it.
func (m *Manifest) listCandidates(ctx context.Context, path string) (held map[string]record.Hash, err error) {
	db, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	list, err := db.Experiments(ctx)
	if err != nil {
		return nil, err
	}
	held = map[string]record.Hash{}
	for _, exp := range list {
		e := Experiment{ID: exp.ID, Name: exp.Name, Root: exp.RootCommit}
		held[fmt.Sprintf("%d/root", exp.ID)] = exp.RootCommit
		if err := db.EachCommit(ctx, exp.ID, func(id record.CandidateID, commit record.Hash) error {
			held[fmt.Sprintf("%d/%s", exp.ID, id)] = commit
			e.Candidates++
			return nil
		}); err != nil {
			return nil, err
		}
		m.Experiments = append(m.Experiments, e)
	}
	return held, nil
}

// measure describes a file as a part.
func measure(name, file string) (Part, error) {
	f, err := os.Open(file)
	if err != nil {
		return Part{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Part{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	return Part{Name: name, Mode: int64(info.Mode().Perm()), Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

func squeeze(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	_, err = io.Copy(z, in)
	return errors.Join(err, z.Close(), out.Close())
}

// eachFile calls add for every plain file below a folder of the state directory,
// in order of their names.
func eachFile(state, folder string, add func(name, file string) error) error {
	err := filepath.WalkDir(filepath.Join(state, folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(state, path)
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(rel), path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// join writes the archive and has it on the disk before it returns.
func join(ctx context.Context, path string, m *Manifest, files []string) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	t := tar.NewWriter(w)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: manifestName, Mode: 0o600, Size: int64(len(text)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	if _, err := t.Write(text); err != nil {
		return err
	}
	for i, part := range m.Parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := put(t, part, files[i]); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return errors.Join(t.Close(), w.Flush(), f.Sync())
}

func put(t *tar.Writer, part Part, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := t.WriteHeader(&tar.Header{Name: part.Name, Mode: part.Mode, Size: part.Size, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(t, in)
	return err
}
