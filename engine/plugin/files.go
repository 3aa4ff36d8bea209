package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// maxFiles and maxFileBytes bound what a plug-in consists of.
const (
	maxFiles     = 2000
	maxFileBytes = 256 << 20
)

// sums returns the sha256 of every file of a folder, by path, but those of the
// manifest and its signature. Anything but plain files and folders is refused.
func sums(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFiles, err)
	}
	defer root.Close()
	out := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "__pycache__" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || path == ManifestName || path == SignatureName:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder", path)
		case len(out) == maxFiles:
			return fmt.Errorf("there are more than %d files", maxFiles)
		}
		sum, err := sumOf(root, path)
		out[filepath.ToSlash(path)] = sum
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFiles, err)
	}
	return out, nil
}

func sumOf(root *os.Root, path string) (string, error) {
	f, err := root.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxFileBytes+1))
	if err == nil && n > maxFileBytes {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFileBytes)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// compare says how the files of a folder differ from a manifest. The error is an
// ErrFiles.
func (m *Manifest) compare(have map[string]string) error {
	for _, path := range sortedKeys(m.Files) {
		switch sum, ok := have[path]; {
		case !ok:
			return fmt.Errorf("%w: %s is missing", ErrFiles, path)
		case sum != m.Files[path]:
			return fmt.Errorf("%w: %s was changed: its sha256 is %s, the manifest says %s", ErrFiles, path, sum[:12], m.Files[path][:12])
		}
	}
	for _, path := range sortedKeys(have) {
		if _, ok := m.Files[path]; !ok {
			return fmt.Errorf("%w: %s is not in the manifest", ErrFiles, path)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
