package world

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/tree"
)

// Written adds up what lies in the folder of the run beyond what was copied there.
func (w *World) Written() int64 {
	dir, err := kernel.OpenDir(kernel.AtFdCwd, w.job.Stage)
	if err != nil {
		return 0
	}
	defer syscall.Close(dir)
	size, _, _ := tree.TreeSize(dir)
	return size - w.copied
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
