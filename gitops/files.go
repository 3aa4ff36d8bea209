package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5"
)

// renameTries bounds how often a new object may meet git removing the empty
// directory it was about to move to.
const renameTries = 20

// files is the file system go-git writes objects to. A repack that removes
// directories at the same time does no harm, and with fsync what is written
// survives a power cut: a temporary file reaches the disk before it gets its
// name, and the name before Rename returns.
type files struct {
	billy.Filesystem
	dir   string
	fsync bool
}

// TempFile makes a file whose Close waits for the disk if it has to.
func (s files) TempFile(dir, prefix string) (billy.File, error) {
	f, err := s.Filesystem.TempFile(dir, prefix)
	if err != nil || !s.fsync {
		return f, err
	}
	return syncedFile{f}, nil
}

// Rename moves a file, making the directory as often as it takes.
func (s files) Rename(from, to string) error {
	from, to = filepath.Join(s.dir, from), filepath.Join(s.dir, to)
	made := false
	err := os.Rename(from, to)
	for i := 0; i < renameTries && errors.Is(err, fs.ErrNotExist); i++ {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		made = true
		err = os.Rename(from, to)
	}
	if err != nil || !s.fsync {
		return err
	}
	if err := syncDir(filepath.Dir(to)); err != nil || !made {
		return err
	}
	return syncDir(filepath.Dir(filepath.Dir(to)))
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
