package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"atoll/gitops"
	"atoll/store"
)

// Restore makes the state directory dir of a backup. A directory that holds
// anything is refused with ErrTaken; a file that is damaged, of any part, with
// ErrFormat; then nothing is left.
func Restore(ctx context.Context, path, dir string) (Manifest, error) {
	m, err := restore(ctx, path, dir)
	if err != nil {
		return m, fmt.Errorf("restore %s: %w", path, err)
	}
	return m, nil
}

func restore(ctx context.Context, path, dir string) (m Manifest, err error) {
	if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
		return m, fmt.Errorf("%s: %w; choose another folder with --state", dir, ErrTaken)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return m, err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".restore-*")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(part)) }()
	if m, err = extract(ctx, path, part); err != nil {
		return m, err
	}
	if err := build(ctx, part, &m); err != nil {
		return m, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty one
		return m, err
	}
	return m, os.Rename(part, dir)
}

// extract unpacks the parts that the manifest names, and no others, and compares
// each with its sum.
func extract(ctx context.Context, path, dir string) (Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Manifest{}, err
	}
	defer f.Close()
	t := tar.NewReader(bufio.NewReader(f))
	m, err := readManifest(t)
	if err != nil {
		return m, err
	}
	for _, p := range m.Parts {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		if err := p.check(); err != nil {
			return m, err
		}
		head, err := t.Next()
		if err != nil || head.Name != p.Name || head.Typeflag != tar.TypeReg || head.Size != p.Size {
			return m, fmt.Errorf("%w: %s is not where the manifest has it", ErrFormat, p.Name)
		}
		if err := p.extract(t, filepath.Join(dir, filepath.FromSlash(p.Name))); err != nil {
			return m, err
		}
	}
	return m, nil
}

// check refuses names that a backup never has, and those that lead out of the folder
// that they begin with.
func (p *Part) check() error {
	known := p.Name == databaseName || p.Name == bundleName || p.Name == shallowName || strings.HasPrefix(p.Name, evaluators+"/")
	if !known || path.Clean(p.Name) != p.Name || !filepath.IsLocal(filepath.FromSlash(p.Name)) || strings.ContainsRune(p.Name, 0) {
		return fmt.Errorf("%w: it has a part %q", ErrFormat, p.Name)
	}
	return nil
}

func (p *Part) extract(from io.Reader, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: it has %s twice", ErrFormat, p.Name)
	}
	if err != nil {
		return err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), from)
	if err := errors.Join(err, out.Chmod(fs.FileMode(p.Mode)&0o777|0o600), out.Close()); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: %s ends too early", ErrFormat, p.Name)
		}
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
		return fmt.Errorf("%w: %s is damaged", ErrFormat, p.Name)
	}
	return nil
}

// build makes database and object store of their parts and holds them against
// each other.
func build(ctx context.Context, dir string, m *Manifest) (err error) {
	file := filepath.Join(dir, "atoll.db")
	if err := unsqueeze(filepath.Join(dir, databaseName), file); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	db, err := store.Open(ctx, file, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Integrity(ctx); err != nil {
		return err
	}
	cache := filepath.Join(dir, ".cache")
	repo, err := gitops.Open(ctx, gitops.Options{Dir: filepath.Join(dir, "store.git"), Cache: cache, Fsync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, repo.Close(), os.RemoveAll(cache)) }()
	if err := unbundle(ctx, dir, repo); err != nil {
		return err
	}
	for _, exp := range m.Experiments {
		commits, err := m.commitsOf(ctx, db, &exp)
		if err != nil {
			return err
		}
		if err := repo.Anchor(ctx, exp.ID, commits); err != nil { // which looks whether they are there
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	if len(m.Experiments) > 0 { // else there is no object yet
		if err := repo.Fsck(ctx, m.Lost...); err != nil {
			return fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	for _, name := range []string{databaseName, bundleName, shallowName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func unbundle(ctx context.Context, dir string, repo *gitops.Repo) error {
	bundle := filepath.Join(dir, bundleName)
	if _, err := os.Stat(bundle); errors.Is(err, fs.ErrNotExist) {
		return nil // no experiment yet
	}
	shallow, err := os.ReadFile(filepath.Join(dir, shallowName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return repo.Unbundle(ctx, bundle, shallow)
}

func unsqueeze(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := gzip.NewReader(bufio.NewReader(in))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, z)
	return errors.Join(err, z.Close(), out.Sync(), out.Close())
}
