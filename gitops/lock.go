package gitops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lockKind is how a file is locked: for readers together or for one writer.
type lockKind int

const (
	shared    lockKind = unix.LOCK_SH
	exclusive lockKind = unix.LOCK_EX
)

// errBusy reports a lock that somebody else has.
var errBusy = errors.New("locked by another process")

// lockPoll is how often a lock is asked for that another process holds.
const lockPoll = 10 * time.Millisecond

// lockFile opens path, makes it if needed, and waits until it is locked. The
// lock ends with unlock, or with the process.
func lockFile(ctx context.Context, path string, kind lockKind) (*os.File, error) {
	for {
		f, err := tryLockFile(path, kind)
		if !errors.Is(err, errBusy) {
			return f, err
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
}

// unlock gives the lock back and closes its file. Closing alone would leave the lock
// to a process that is being started just now: between fork and exec it has the
// file too (flock(2)).
func unlock(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	_ = f.Close()
}

// pause waits one poll.
func pause(ctx context.Context) error {
	t := time.NewTimer(lockPoll)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// tryLockFile is lockFile without waiting: errBusy. A file that was removed by
// its last holder between open and lock is opened anew.
func tryLockFile(path string, kind lockKind) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if err := relock(f, kind); err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(mine, now) {
			return f, nil
		}
		unlock(f)
	}
}

// relockWhenFree is relock with waiting.
func relockWhenFree(ctx context.Context, f *os.File, kind lockKind) error {
	for {
		err := relock(f, kind)
		if !errors.Is(err, errBusy) {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// relock changes the kind of lock on an open file without waiting. On errBusy
// the old lock is gone too.
func relock(f *os.File, kind lockKind) error {
	for {
		err := unix.Flock(int(f.Fd()), int(kind)|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		}
		return fmt.Errorf("lock %s: %w", filepath.Base(f.Name()), err)
	}
}
