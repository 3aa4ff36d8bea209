package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// seal is what the evaluator directory held when it was looked at: a digest of
// names, kinds and content, and a cheap print of names, sizes and times that
// tells whether the content has to be read again.
type seal struct {
	digest string
	print  string
}

// sealDir reads a directory. Python's byte code caches and git's own folder are
// left out: the first follow from the sources, which Python compares, and come
// and go as people try their evaluator; the second is no part of what runs.
func sealDir(dir string) (seal, error) {
	return readSeal(dir, true)
}

func readSeal(dir string, content bool) (seal, error) {
	sum, print := sha256.New(), sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != dir && (d.Name() == ".git" || d.Name() == "__pycache__") {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(print, "%q %o %d %d\n", rel, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if !content {
			return nil
		}
		return addToSeal(sum, rel, name, info)
	})
	if err != nil {
		return seal{}, fmt.Errorf("read the evaluator directory %s: %w", dir, err)
	}
	s := seal{print: hex.EncodeToString(print.Sum(nil))}
	if content {
		s.digest = hex.EncodeToString(sum.Sum(nil))
	}
	return s, nil
}

func addToSeal(sum hash.Hash, rel, name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "link %q %q\n", filepath.ToSlash(rel), target)
		// What the link leads to outside the folder is part of it too.
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	one := sha256.New()
	if _, err := io.Copy(one, f); err != nil {
		return err
	}
	fmt.Fprintf(sum, "file %q %v %x\n", filepath.ToSlash(rel), info.Mode().Perm()&0o111 != 0, one.Sum(nil))
	return nil
}

// Verify reports whether the evaluator directory still holds what it held when
// the evaluator was made. The error wraps [ErrChanged] when it does not, and
// says what to do. Content is read only when a name, size or time differs.
func (e *Evaluator) Verify() error {
	if e.o.Dir == "" {
		return nil
	}
	quick, err := readSeal(e.o.Dir, false)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	e.mu.Lock()
	same := quick.print == e.seal.print
	e.mu.Unlock()
	if same {
		return nil
	}
	full, err := sealDir(e.o.Dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if full.digest != e.seal.digest {
		return fmt.Errorf("%w: files in %s differ from those the experiment began with: restore them, or begin a new objective version", ErrChanged, e.o.Dir)
	}
	e.seal.print = full.print
	return nil
}

// key hashes everything that affects a measurement.
func (e *Evaluator) key() (string, error) {
	o := &e.o
	k := struct {
		Format         int
		Command        []string
		Adapter        string
		AdapterOptions map[string]string
		Shims          string
		Output         string
		Objective      string
		Direction      string
		Stages         []Stage
		Timeout        int64
		Protected      []string
		Hidden         []string
		Env            []string
		CPU            int64
		Memory         int64
		Procs          int
		Paired         bool
		Repeats        int
		Dir            string
	}{
		Format: 1, Command: o.Command, Adapter: o.Adapter, AdapterOptions: o.AdapterOptions,
		Output: o.Output, Objective: o.Objective, Direction: o.Direction, Stages: o.Stages,
		Timeout: int64(o.Timeout), Protected: sorted(o.Protected), Hidden: sorted(o.Hidden),
		Env: e.userEnv(), CPU: int64(o.Limits.CPU), Memory: o.Limits.Memory, Procs: o.Limits.Procs,
		Paired: o.Paired, Repeats: o.Repeats, Dir: e.seal.digest,
	}
	if o.Adapter != "" {
		k.Shims = shimDigest(o.Turns())
	}
	text, err := json.Marshal(k)
	if err != nil {
		return "", fmt.Errorf("hash the evaluator's settings: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func sorted(list []string) []string {
	s := slices.Clone(list)
	slices.Sort(s)
	return s
}
