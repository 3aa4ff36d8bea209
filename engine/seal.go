package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/engine/doctor"
	"atoll/engine/eval"
)

// SealEvaluator copies an evaluator directory into the state directory, so
// that what measures cannot change under a running experiment, and returns the
// copy's path. An empty dir stays empty.
func SealEvaluator(stateDir, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	name, err := SealName(dir)
	if err != nil {
		return "", err
	}
	to := filepath.Join(stateDir, "evaluators", name)
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	part := to + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	if err := os.CopyFS(part, os.DirFS(dir)); err != nil {
		return "", fmt.Errorf("copy the evaluator directory %s: %w", dir, err)
	}
	copied, err := eval.SumDir(part)
	if err == nil { // doctor compares the copy with it
		err = os.WriteFile(to+doctor.SumExt, []byte(copied+"\n"), 0o600)
	}
	if err != nil {
		return "", err
	}
	return to, os.Rename(part, to)
}

// SealName is the name of the copy that [SealEvaluator] makes of a folder as it is
// now: another name means other contents.
func SealName(dir string) (string, error) {
	sum, err := hashDir(dir)
	if err != nil {
		return "", fmt.Errorf("read the evaluator directory %s: %w", dir, err)
	}
	return sum[:16], nil
}

// hashDir returns a SHA-256 over the names, modes and contents of a folder.
func hashDir(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %o\n", rel, info.Mode())
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(h, f)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
