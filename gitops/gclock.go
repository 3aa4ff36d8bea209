package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"atoll/store/whole"
)

// gcLockLasts is how long git takes a gc.pid that was not touched for the mark of a
// gc that runs (builtin/gc.c, lock_repo_for_gc).
const gcLockLasts = 12 * time.Hour

// gcLock is the file by which git gc tells that it is at work.
func (r *Repo) gcLock() string { return filepath.Join(r.dir, "gc.pid") }

// HoldGC keeps git gc from the store until [Repo.FreeGC], or the end of the process:
// it takes gc's own lock. Otherwise `git gc --prune=now` would drop what was written a
// moment ago and no ref leads to yet. A gc that runs is waited for. The lock lasts half
// a day; calling again renews it.
func (r *Repo) HoldGC(ctx context.Context) error {
	if !r.exists() {
		return nil
	}
	mine, err := gcMark(os.Getpid())
	if err != nil {
		return fmt.Errorf("keep git gc away: %w", err)
	}
	for r.gcRuns(mine) {
		if err := pause(ctx); err != nil {
			return fmt.Errorf("wait for the git gc that holds %s: %w", r.gcLock(), err)
		}
	}
	if err := whole.Write(r.gcLock(), whole.Options{Mode: 0o644, Pattern: "gc.pid.*.tmp"}, whole.Bytes(mine)); err != nil {
		return fmt.Errorf("keep git gc away: %w", err)
	}
	return nil
}

// FreeGC lets git gc work on the store again, if it is this process that kept it away.
func (r *Repo) FreeGC() error {
	mine, err := gcMark(os.Getpid())
	if err != nil {
		return fmt.Errorf("let git gc work again: %w", err)
	}
	if data, err := os.ReadFile(r.gcLock()); err != nil || !bytes.Equal(data, mine) {
		return nil
	}
	if err := os.Remove(r.gcLock()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("let git gc work again: %w", err)
	}
	return nil
}

// gcMark is what gc.pid holds while a process of this machine has it.
func gcMark(pid int) ([]byte, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%d %s", pid, host), nil
}

// gcRuns reports whether another process has the lock, by git's own rules: it is not
// old, and its process lives or is another machine's.
func (r *Repo) gcRuns(mine []byte) bool {
	data, err := os.ReadFile(r.gcLock())
	if err != nil || bytes.Equal(data, mine) {
		return false
	}
	if fi, err := os.Stat(r.gcLock()); err != nil || time.Since(fi.ModTime()) > gcLockLasts {
		return false
	}
	id, host, _ := strings.Cut(string(data), " ")
	pid, err := strconv.Atoi(id)
	if err != nil || pid <= 0 {
		return false
	}
	if here, err := os.Hostname(); err != nil || here != strings.TrimSpace(host) {
		return true
	}
	err = unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
