package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// layFile writes a file in one step: one of that name is whole. Until then it has a
// name of the given pattern, as git calls what it may clear away. With fsync it
// survives a power cut.
func layFile(name, pattern string, data []byte, mode fs.FileMode, fsync bool) error {
	dir := filepath.Dir(name)
	f, made, err := createIn(dir, pattern)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil && fsync {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if !fsync {
		return nil
	}
	if err := syncDir(dir); err != nil || !made {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// createTries bounds how often a new file may meet git removing the empty
// directory that it is made in.
const createTries = 20

// createIn makes a file in dir, and dir if it is not there.
func createIn(dir, pattern string) (f *os.File, made bool, err error) {
	for range createTries {
		if f, err = os.CreateTemp(dir, pattern); !errors.Is(err, fs.ErrNotExist) {
			return f, made, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, made, err
		}
		made = true
	}
	return nil, made, err
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
