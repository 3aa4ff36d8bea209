package gitops

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// memoryDir is where a machine keeps files in memory, open to all its users.
const memoryDir = "/dev/shm"

// CacheDir chooses where the checkouts of the store in a state directory live: in
// memory where the machine has some for this user, else in the user's cache, else
// beside the store. In memory and in the user's cache they lie in one folder of
// this user that nobody else can look into, and only where that is so: another user
// who was there first is passed by. It is a cache: losing it costs time only.
func CacheDir(state string) string { return cacheDirIn(memoryDir, state) }

func cacheDirIn(memory, state string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(state))
	key := strconv.FormatUint(h.Sum64(), 36)
	own := filepath.Join(memory, "atoll-"+strconv.Itoa(os.Getuid()))
	if makePrivate(own) == nil {
		return filepath.Join(own, key)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		own = filepath.Join(cache, "atoll", "checkouts")
		if os.MkdirAll(filepath.Dir(own), 0o700) == nil && makePrivate(own) == nil {
			return filepath.Join(own, key)
		}
	}
	return filepath.Join(state, "checkouts")
}

// makePrivate makes a folder for this user alone, or finds that it is one.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := ours(dir); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%w: others may look into %s", ErrForeign, dir)
	}
	return err
}

// ours reports, by an error, a path that is no folder, that belongs to another
// user, or that another user may write. A symlink is not followed.
func ours(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is no folder", ErrForeign, dir)
	case !ok || int(st.Uid) != os.Getuid():
		return fmt.Errorf("%w: %s belongs to another user", ErrForeign, dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%w: others may write to %s", ErrForeign, dir)
	}
	return nil
}

// keep makes the folder of a cache, or takes one over that is this user's alone to
// write, and closes it to all others.
func keep(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := ours(dir); err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}
