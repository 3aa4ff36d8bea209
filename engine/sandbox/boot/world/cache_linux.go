package world

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// maxCacheCopy is the size above which a cache is used in place, read-only,
// where it cannot be overlaid.
const maxCacheCopy = 256 << 20

// layCache lays a warm cache for the command to write, and another layer of it
// for candidate code, whose writes stay apart from the command's.
func (w *World) layCache(i int, m wire.Mount) error {
	lower, err := kernel.OpenDir(kernel.AtFdCwd, m.Host)
	if err != nil {
		return err
	}
	n := strconv.Itoa(i)
	for _, name := range []string{"cu" + n, "cw" + n, "vu" + n, "vw" + n} {
		if err := kernel.Mkdirat(w.data, name, 0o755); err != nil {
			return err
		}
	}
	for _, dir := range []string{m.At, wire.ViewDir + "/" + n, candidatePath(m.At)} {
		if err := w.dirs.make(dir); err != nil {
			return err
		}
		w.dirs.covered(dir)
	}
	w.lowers[i] = lower
	err = w.overlay(lower, "cu"+n, "cw"+n, w.at(m.At))
	if err != nil {
		return w.layCacheCopy(lower, m, wire.ViewDir+"/"+n)
	}
	if w.job.Launcher == "" {
		return nil
	}
	return w.overlay(lower, "vu"+n, "vw"+n, w.at(wire.ViewDir)+"/"+n)
}

// layCacheCopy does without overlay: the command writes a copy of the cache while
// that is small, and candidate code reads the cache itself.
func (w *World) layCacheCopy(lower int, m wire.Mount, view string) error {
	size, _, err := tree.TreeSize(lower)
	if err != nil {
		return err
	}
	switch {
	case size > maxCacheCopy && m.Partial:
		err = newestTo(w.job.Limits.Disk, lower, w.at(m.At))
	case size > maxCacheCopy:
		err = w.bind(kernel.AtFdCwd, m.Host, m.At, true, kernel.AttrNosuid|kernel.AttrNodev)
	default:
		_, err = copyTo(w.job.Limits.Disk, lower, w.at(m.At))
	}
	if err != nil || w.job.Launcher == "" {
		return err
	}
	return w.bind(kernel.AtFdCwd, m.Host, view, true, kernel.AttrNosuid|kernel.AttrNodev)
}

// newestTo mounts a file system at a path and copies the newest files of lower there.
func newestTo(disk int64, lower int, at string) error {
	if disk <= 0 {
		disk = 1 << 40
	}
	opts := "mode=755,size=" + strconv.FormatInt(maxCacheCopy+disk, 10)
	if err := syscall.Mount("atoll-copy", at, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return err
	}
	dst, err := kernel.OpenDir(kernel.AtFdCwd, at)
	if err != nil {
		return err
	}
	defer syscall.Close(dst)
	_, err = tree.CopyNewest(lower, dst, maxCacheCopy)
	return err
}

// candidatePath is where candidate code sees a cache: those in the command's home
// are in its own home, all others at the same place.
func candidatePath(at string) string {
	if rest, ok := text.After(at, wire.ScratchDir+"/home/"); ok {
		return wire.ScratchDir + "/" + wire.CandidateName + "/home/" + rest
	}
	return at
}

// copyCaches gives a run of the lower rungs private copies of the caches it may
// write. The supervisor has already named the copy as the cache's place.
func (w *World) copyCaches() error {
	for i := range w.job.Mounts {
		m := &w.job.Mounts[i]
		if !m.Overlay {
			continue
		}
		if err := tree.Mkdirs(m.At); err != nil {
			return kernel.Step("make "+m.At, err)
		}
		size, copied, err := copyCache(m)
		w.copied += size
		if err != nil {
			return kernel.Step("copy the cache "+m.Host, err)
		}
		if copied {
			m.Host, m.Write, m.Private = m.At, true, true
		}
		m.Overlay = false
	}
	return nil
}

// copyCache copies a small cache, the newest files of a large one of which a part
// will do, and links to any other. size is what a copy takes.
func copyCache(m *wire.Mount) (size int64, copied bool, err error) {
	src, err := kernel.OpenDir(kernel.AtFdCwd, m.Host)
	if err != nil {
		return 0, true, nil // no such cache: it starts empty
	}
	defer syscall.Close(src)
	size, _, err = tree.TreeSize(src)
	if err != nil {
		return 0, false, err
	}
	if size > maxCacheCopy && !m.Partial {
		if err := syscall.Rmdir(m.At); err != nil {
			return 0, false, err
		}
		return 0, false, syscall.Symlink(m.Host, m.At)
	}
	dst, err := kernel.OpenDir(kernel.AtFdCwd, m.At)
	if err != nil {
		return 0, false, err
	}
	defer syscall.Close(dst)
	if size > maxCacheCopy {
		size, err = tree.CopyNewest(src, dst, maxCacheCopy)
	} else {
		err = tree.CopyTree(src, dst)
	}
	return size, true, err
}
