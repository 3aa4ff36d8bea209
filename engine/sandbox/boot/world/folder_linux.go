package world

import (
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// prepareFolder builds the work folder of rungs 2 and 3: a copy of the base in
// the run's private folder. This process becomes the parent of every orphan.
func (w *World) prepareFolder() error {
	j := w.job
	if j.Fence == wire.FenceNamespace {
		if err := ownProc(); err != nil {
			return err
		}
	}
	if _, _, e := syscall.Syscall(syscall.SYS_PRCTL, kernel.PrSetChildSubreap, 1, 0); e != 0 {
		return kernel.Step("become the subreaper", e)
	}
	// The command has the same user: it must not read this process's memory.
	_, _, _ = syscall.Syscall(syscall.SYS_PRCTL, kernel.PrSetDumpable, 0, 0)
	w.tree, w.scratch, w.control = j.Stage+"/tree", j.Stage+"/scratch", j.Stage+"/control"
	for _, dir := range []string{
		w.tree, w.scratch + "/tmp", w.scratch + "/home", w.scratch + "/run/tmp",
		w.scratch + "/run/home", w.control, j.Stage + "/bin", j.Stage + "/hidden",
	} {
		if err := tree.Mkdirs(dir); err != nil {
			return kernel.Step("make "+dir, err)
		}
	}
	if err := w.openHost(); err != nil {
		return err
	}
	root, err := kernel.OpenDir(kernel.AtFdCwd, w.tree)
	if err != nil {
		return kernel.Step("open the tree", err)
	}
	defer syscall.Close(root)
	if w.base >= 0 {
		w.report.Copied = true
		if w.copied, _, err = tree.TreeSize(w.base); err != nil {
			return kernel.Step("measure the base checkout", err)
		}
		if err := tree.CopyTree(w.base, root); err != nil {
			return kernel.Step("copy the base checkout", err)
		}
	}
	if err := tree.ApplyDelta(root, j.Delta); err != nil {
		return err
	}
	for _, s := range j.Seals {
		if err := w.seal(root, s); err != nil {
			return kernel.Step("seal "+s.A, err)
		}
	}
	for _, f := range j.Files {
		if err := tree.WriteFile(w.control+"/"+f.Path, f.Data, 0o644); err != nil {
			return kernel.Step("write "+f.Path, err)
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
func (w *World) moveHidden(root int) error {
	for i, h := range w.job.Hidden {
		if text.Begins(h, "/") {
			rest, ok := text.After(h, w.tree+"/")
			if !ok {
				continue
			}
			h = rest
		}
		if tree.BadPath(h) {
			return kernel.Step("hide "+h, syscall.EINVAL)
		}
		dir, name, err := tree.Descend(root, h, false)
		if err != nil {
			continue // nothing there
		}
		if _, _, err := tree.Kind(dir, name); err != nil {
			syscall.Close(dir)
			continue
		}
		to := w.job.Stage + "/hidden/" + strconv.Itoa(i)
		err = renameat(dir, name, to)
		if err == nil {
			err = kernel.Symlinkat(to, dir, name)
		}
		syscall.Close(dir)
		if err != nil {
			return kernel.Step("hide "+h, err)
		}
	}
	return nil
}

// renameat moves name below dir to an absolute path.
func renameat(dir int, name, to string) error {
	return syscall.Renameat(dir, name, kernel.AtFdCwd, to)
}

// ownProc lays the processes of this namespace over /proc, in a private view of
// the mounts: the host's numbers mean nothing here.
func ownProc() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return kernel.Step("make mounts private", err)
	}
	return kernel.Step("mount /proc", syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""))
}
