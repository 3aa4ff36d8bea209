package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scratchName is what the folders are called in which backups are put together, beside
// what becomes of them.
const scratchName = ".atoll-backup-"

// scratchLock is the file of such a folder that is locked as long as the backup is written.
const scratchLock = "lock"

// scratch makes a folder for a backup in a folder, and removes those that others left
// there when they were killed. end removes it again.
func scratch(in string, now time.Time) (dir string, end func() error, err error) {
	Sweep(in, now)
	for range 10 {
		if dir, err = os.MkdirTemp(in, scratchName+"*"); err != nil {
			return "", nil, err
		}
		var lock *os.File
		if lock, err = claim(dir, os.O_CREATE); err == nil {
			return dir, func() error { return errors.Join(clearAway(dir), lock.Close()) }, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	} // each was taken for one that was left
	return "", nil, fmt.Errorf("make a folder for the backup: %w", err)
}

// claim locks a folder, whose lock is there unless create is O_CREATE; fs.ErrNotExist where
// it is gone, or another has it.
func claim(dir string, create int) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR|create, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		mine, err := lock.Stat()
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if there, err := os.Stat(lock.Name()); err == nil && os.SameFile(mine, there) {
			return lock, nil
		}
	}
	return nil, errors.Join(fs.ErrNotExist, lock.Close())
}

// clearAway removes a folder, its lock last: what a kill leaves of it is known by that.
func clearAway(dir string) error {
	parts, err := os.ReadDir(dir)
	for _, p := range parts {
		if p.Name() != scratchLock {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, p.Name())))
		}
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// Sweep removes from a folder what backups left there that were killed. Those that are
// being written stay.
func Sweep(in string, now time.Time) {
	entries, err := os.ReadDir(in)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(in, e.Name())
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchName) {
			continue
		}
		if lock, err := claim(dir, 0); err == nil {
			_ = clearAway(dir)
			_ = lock.Close()
		} else if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Minute {
			_ = os.Remove(dir) // one that was never locked is empty
		}
	}
}
