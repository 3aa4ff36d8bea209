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

// earlyLock is what it is called until it is locked.
const earlyLock = "lock.new"

// scratch makes a folder for a backup in a folder, and removes those that others left
// there when they were killed. end removes it again.
func scratch(in string, now time.Time) (dir string, end func() error, err error) {
	Sweep(in, now)
	if dir, err = os.MkdirTemp(in, scratchName+"*"); err != nil {
		return "", nil, err
	}
	lock, err := lockFirst(dir)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("lock the folder for the backup: %w", err), os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(clearAway(dir), lock.Close()) }, nil
}

// lockFirst locks a new folder. Its lock has that name once it is locked, so that nobody takes the folder for one that was left.
func lockFirst(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, earlyLock), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		err = os.Rename(lock.Name(), filepath.Join(dir, scratchLock))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// claim locks a folder that was left; fs.ErrNotExist where its lock is gone, or another has it.
func claim(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, scratchLock), os.O_RDWR, 0o600)
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
		if lock, err := claim(dir); err == nil {
			_ = clearAway(dir)
			_ = lock.Close()
		} else if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > time.Minute {
			_ = os.Remove(filepath.Join(dir, earlyLock))
			_ = os.Remove(dir) // one that was never locked has nothing else in it
		}
	}
}
