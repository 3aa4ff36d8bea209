package suitetest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// memoryDir is where Linux keeps files in memory.
const memoryDir = "/dev/shm"

// roomy is how much memory must be free for the files of tests.
const roomy = 4 << 30

// InMemory runs the tests of a package with their temporary folders in memory, and
// returns the exit code: tests make and remove many small files, and what a disk
// takes to find room for each is a quarter of the time that the kernel works for
// them. That is so every day, where nobody set TMPDIR and memory has room for files
// and runs programs; at the other levels tests use a disk, as people do.
func InMemory(run func() int) int {
	if os.Getenv("TMPDIR") != "" || IsFull() || !hasRoom(memoryDir) {
		return run()
	}
	removeLeft(memoryDir)
	dir, release, err := claimIn(memoryDir)
	if err != nil {
		return run()
	}
	if err := os.Setenv("TMPDIR", dir); err != nil {
		panic(err)
	}
	code := run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "remove what tests kept in memory:", err)
	}
	release()
	return code
}

// hasRoom reports a folder in which programs can be run and much can be kept.
func hasRoom(dir string) bool {
	const noExec = 0x8 // ST_NOEXEC of statfs(2)
	var fs syscall.Statfs_t
	return syscall.Statfs(dir, &fs) == nil && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) >= roomy
}

// claimed begins the names of folders that InMemory makes. Whoever uses one holds its
// lock, which ends with the process.
const claimed = "atoll-tests-"

// claimIn makes a folder and locks it until release.
func claimIn(dir string) (path string, release func(), err error) {
	if path, err = os.MkdirTemp(dir, claimed); err != nil {
		return "", nil, err
	}
	f, err := os.Open(path)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err == nil {
		err = os.Chmod(path, 0o777|os.ModeSticky) // as /tmp: some tests run programs as nobody
	}
	if err != nil {
		_ = os.RemoveAll(path)
		return "", nil, err
	}
	return path, func() { _ = f.Close() }, nil
}

// removeLeft removes folders of tests that were killed: nobody holds their lock, and
// they are not so young that their maker may be about to take it.
func removeLeft(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, claimed+"*")) // the pattern is whole
	for _, path := range left {
		f, err := os.Open(path)
		if err != nil {
			continue // another user's, or gone
		}
		info, err := f.Stat()
		if err == nil && time.Since(info.ModTime()) > time.Minute && syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(path)
		}
		_ = f.Close()
	}
}
