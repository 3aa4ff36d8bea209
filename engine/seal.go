package engine

import (
	"fmt"
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
	to, err := SealedPath(stateDir, dir)
	if err != nil {
		return "", err
	}
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

// SealedPath is the path of the copy that [SealEvaluator] makes of a folder as it is
// now. Nothing is written.
func SealedPath(stateDir, dir string) (string, error) {
	name, err := SealName(dir)
	return filepath.Join(stateDir, doctor.EvaluatorName, name), err
}

// SealName is the name of the copy that [SealEvaluator] makes of a folder as it is
// now: another name means other contents.
func SealName(dir string) (string, error) {
	sum, err := eval.SumModes(dir)
	if err != nil {
		return "", fmt.Errorf("read the evaluator directory %s: %w", dir, err)
	}
	return sum[:16], nil
}
