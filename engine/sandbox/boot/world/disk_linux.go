package world

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/tree"
)

// Surveyor returns a function that adds up what lies in the folder of the run beyond
// what was copied there, and the number of the file system that it lies on. The sum is at
// least the limit where there is more than is worth counting. The function is for one
// goroutine.
func (w *World) Surveyor() (written func() int64, device uint64) {
	var st syscall.Stat_t
	_ = syscall.Lstat(w.job.Stage, &st)
	scale := &tree.Scale{Force: true}
	return func() int64 {
		scale.Most = w.copied + w.job.Limits.Disk
		dir, err := kernel.OpenDir(kernel.AtFdCwd, w.job.Stage)
		if err != nil {
			return 0
		}
		defer syscall.Close(dir)
		size, _, err := scale.Weigh(dir)
		if err == tree.ErrTooMuch {
			return max(size-w.copied, w.job.Limits.Disk)
		}
		return size - w.copied
	}, st.Dev
}

// Full reports that nothing more can be written where file systems of a limited size
// are mounted.
func (w *World) Full() bool {
	var fs syscall.Statfs_t
	return syscall.Fstatfs(w.data, &fs) == nil && (fs.Bavail == 0 || fs.Ffree == 0) || w.copyFull()
}

// copyFull reports that as much was written to a copied tree as the limit allows:
// it lies on a file system of its own, which is larger by the copy.
func (w *World) copyFull() bool {
	if !w.report.Copied {
		return false
	}
	fd, err := kernel.OpenDir(kernel.AtFdCwd, w.tree)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	var fs syscall.Statfs_t
	return syscall.Fstatfs(fd, &fs) == nil && int64(fs.Blocks-fs.Bfree)*fs.Bsize-w.copied >= w.job.Limits.Disk
}

// Clean removes the private folder when no supervisor will.
func (w *World) Clean() {
	if w.job.Rung != 1 {
		_ = tree.RemoveAll(w.job.Stage)
	}
}
