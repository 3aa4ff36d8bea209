package gitops

import (
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5"
)

// syncing is a file system on which what go-git writes survives a power cut:
// a temporary file reaches the disk before it gets its name, and the name
// before Rename returns.
type syncing struct {
	billy.Filesystem
	dir string
}

// TempFile makes a file whose Close waits for the disk.
func (s syncing) TempFile(dir, prefix string) (billy.File, error) {
	f, err := s.Filesystem.TempFile(dir, prefix)
	if err != nil {
		return nil, err
	}
	return syncedFile{f}, nil
}

// Rename moves a file and waits for both the new name and its directory.
func (s syncing) Rename(from, to string) error {
	target := filepath.Join(s.dir, to)
	_, err := os.Stat(filepath.Dir(target))
	fresh := os.IsNotExist(err)
	if err := s.Filesystem.Rename(from, to); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(target)); err != nil || !fresh {
		return err
	}
	return syncDir(filepath.Dir(filepath.Dir(target)))
}

type syncedFile struct{ billy.File }

// Close writes the file to the disk and closes it.
func (f syncedFile) Close() error {
	var err error
	if s, ok := f.File.(interface{ Sync() error }); ok {
		err = s.Sync()
	}
	if closeErr := f.File.Close(); err == nil {
		err = closeErr
	}
	return err
}

// syncDir writes the names in a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
