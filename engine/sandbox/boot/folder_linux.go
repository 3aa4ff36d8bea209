package boot

import (
	"strconv"
	"strings"
	"syscall"
)

func itoa(n int) string { return strconv.Itoa(n) }

// prepareFolder builds the work folder of rungs 2 and 3: a copy of the base in
// the run's private folder. This process becomes the parent of every orphan.
func (w *world) prepareFolder() error {
	j := w.job
	if j.Fence == FenceNamespace {
		if err := ownProc(); err != nil {
			return err
		}
	}
	if _, _, e := syscall.Syscall(syscall.SYS_PRCTL, prSetChildSubreap, 1, 0); e != 0 {
		return step("become the subreaper", e)
	}
	// The command has the same user: it must not read this process's memory.
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
	w.tree, w.scratch, w.control = j.Stage+"/tree", j.Stage+"/scratch", j.Stage+"/control"
	for _, dir := range []string{
		w.tree, w.scratch + "/tmp", w.scratch + "/home", w.scratch + "/run/tmp",
		w.scratch + "/run/home", w.control, j.Stage + "/bin", j.Stage + "/hidden",
	} {
		if err := mkdirs(dir); err != nil {
			return step("make "+dir, err)
		}
	}
	if err := w.openHost(); err != nil {
		return err
	}
	root, err := openDir(atFdCwd, w.tree)
	if err != nil {
		return step("open the tree", err)
	}
	defer syscall.Close(root)
	if w.base >= 0 {
		w.report.Copied = true
		if w.copied, _, err = treeSize(w.base); err != nil {
			return step("measure the base checkout", err)
		}
		if err := copyTree(w.base, root); err != nil {
			return step("copy the base checkout", err)
		}
	}
	if err := applyDelta(root, j.Delta); err != nil {
		return err
	}
	for _, s := range j.Seals {
		if err := w.seal(root, s); err != nil {
			return step("seal "+s.A, err)
		}
	}
	for _, f := range j.Files {
		if err := writeFile(w.control+"/"+f.Path, f.Data, 0o644); err != nil {
			return step("write "+f.Path, err)
		}
	}
	if err := w.copyCaches(); err != nil {
		return err
	}
	if err := w.moveHidden(root); err != nil {
		return err
	}
	if j.Launcher == "" {
		return nil
	}
	return w.layPolicy(j.Stage + "/bin")
}

// moveHidden moves hidden paths of the tree out of it and leaves links: the
// command follows them, code run through the launcher may not.
func (w *world) moveHidden(root int) error {
	for i, h := range w.job.Hidden {
		if strings.HasPrefix(h, "/") {
			rest, ok := strings.CutPrefix(h, w.tree+"/")
			if !ok {
				continue
			}
			h = rest
		}
		if badPath(h) {
			return step("hide "+h, syscall.EINVAL)
		}
		dir, name, err := descend(root, h, false)
		if err != nil {
			continue // nothing there
		}
		if _, _, err := kind(dir, name); err != nil {
			syscall.Close(dir)
			continue
		}
		to := w.job.Stage + "/hidden/" + itoa(i)
		err = renameat(dir, name, to)
		if err == nil {
			err = symlinkat(to, dir, name)
		}
		syscall.Close(dir)
		if err != nil {
			return step("hide "+h, err)
		}
	}
	return nil
}

// renameat moves name below dir to an absolute path.
func renameat(dir int, name, to string) error {
	return syscall.Renameat(dir, name, atFdCwd, to)
}

// cleanFolder removes the private folder when no supervisor will.
func (w *world) cleanFolder() {
	if w.job.Rung == 1 {
		return
	}
	_ = RemoveAll(w.job.Stage)
}

// RemoveAll removes a folder that hostile code may have filled: it gives itself
// the rights that were taken away from folders, and follows no symlink.
func RemoveAll(path string) error {
	dir, err := openDir(atFdCwd, parent(path))
	if err != nil {
		return err
	}
	defer syscall.Close(dir)
	name := path[strings.LastIndexByte(path, '/')+1:]
	return removeHard(dir, name)
}

func removeHard(dir int, name string) error {
	_, k, err := kind(dir, name)
	if err == syscall.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	if k != syscall.S_IFDIR {
		return unlinkat(dir, name, 0)
	}
	sub, err := openDir(dir, name)
	if err == syscall.EACCES {
		if err = syscall.Fchmodat(dir, name, 0o700, 0); err == nil {
			sub, err = openDir(dir, name)
		}
	}
	if err != nil {
		return err
	}
	defer syscall.Close(sub)
	_ = syscall.Fchmod(sub, 0o700)
	if err := eachName(sub, func(entry string) error { return removeHard(sub, entry) }); err != nil {
		return err
	}
	return unlinkat(dir, name, atRemovedir)
}
