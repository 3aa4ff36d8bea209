// Package world makes what a command of a sandbox sees, by mounts on rung 1 and as a
// private folder below it, and what code that the command starts with the launcher sees
// of that. It plans how both are started there, and collects what they leave.
package world

import (
	"sort"
	"strconv"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// World is what the first process has prepared: where things are and the open
// descriptors that outlive the change of root.
type World struct {
	job     *wire.Job
	report  *wire.Report
	tree    string // as the command sees it
	scratch string
	control string
	base    int // the read-only base checkout
	upper   int // overlay's upper folder, -1 when the tree is a copy
	copied  int64
	data    int   // rung 1: the tmpfs that holds all that is written
	Gateway int   // socket of the gateway on the host, to connect to; -1 = none
	lowers  []int // of the overlay mounts, in the order of job.Mounts
	Broker  int   // listening socket of the launcher, -1 = none

	veils veils
	dirs  dirs
}

func New(job *wire.Job, report *wire.Report) *World {
	return &World{job: job, report: report, base: -1, upper: -1, data: -1, Gateway: -1, Broker: -1, veils: veils{refused: job.NoOverlay, base: job.Base, data: -1, of: map[string]int{}}}
}

// Build makes what the command will see: a root of mounts, or a folder.
func (w *World) Build() error {
	if w.job.Rung == 1 {
		return w.enter()
	}
	return w.prepareFolder()
}

// enter builds the private world of rung 1 and changes the root to it.
func (w *World) enter() error {
	j := w.job
	w.tree, w.scratch, w.control = wire.TreeDir, wire.ScratchDir, wire.ControlDir
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return kernel.Step("make mounts private", err)
	}
	if err := w.openHost(); err != nil {
		return err
	}
	if err := syscall.Mount("atoll", j.Stage, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755,size=16m"); err != nil {
		return kernel.Step("mount the root", err)
	}
	if err := syscall.Chdir(j.Stage); err != nil { // what follows goes from here: each part of a path is looked up
		return kernel.Step("enter the root", err)
	}
	for _, fn := range []func() error{w.layData, w.laySystem, w.layTree, w.layMounts, w.layProc} {
		if err := fn(); err != nil {
			return err
		}
	}
	if j.Launcher != "" {
		if err := w.layLauncher(); err != nil {
			return err
		}
	}
	w.veils.drop()
	return w.pivot()
}

// openHost opens everything that is needed from the host, before mounts hide it.
func (w *World) openHost() error {
	var err error
	w.base, w.Gateway = -1, -1
	if w.job.Base != "" {
		if w.base, err = syscall.Open(w.job.Base, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0); err != nil {
			return kernel.Step("open the base checkout "+w.job.Base, err)
		}
	}
	if w.job.Net.Gateway != "" {
		if w.Gateway, err = syscall.Open(w.job.Net.Gateway, kernel.OPath|syscall.O_CLOEXEC, 0); err != nil {
			return kernel.Step("open the gateway socket", err)
		}
	}
	return nil
}

// at returns where an inside path is while the root is not changed yet: below the folder
// that this process is in.
func (w *World) at(path string) string { return below(path) }

// layData mounts the one file system that the sandbox writes, of limited size,
// and lays its folders where they belong.
func (w *World) layData() error {
	size := w.job.Limits.Disk
	if size <= 0 {
		size = 1 << 40
	}
	inodes := min(max(size/4096, 1<<14), 1<<18) // each takes the kernel a kilobyte or two
	opts := "mode=755,size=" + strconv.FormatInt(size, 10) + ",nr_inodes=" + strconv.FormatInt(inodes, 10)
	if err := w.dirs.make(wire.DataDir); err != nil {
		return kernel.Step("make "+wire.DataDir, err)
	}
	if err := syscall.Mount("atoll-data", w.at(wire.DataDir), "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return kernel.Step("mount the scratch file system", err)
	}
	data, err := kernel.OpenDir(kernel.AtFdCwd, w.at(wire.DataDir))
	if err != nil {
		return kernel.Step("open the scratch file system", err)
	}
	w.data, w.veils.data = data, data
	for _, name := range []string{
		"upper", "work", "scratch", "scratch/tmp", "scratch/home",
		"scratch/run", "scratch/run/tmp", "scratch/run/home", "control", "tmp", "shm", "nothing",
	} {
		if err := kernel.Mkdirat(data, name, 0o755); err != nil {
			return kernel.Step("make "+name, err)
		}
	}
	for _, p := range []wire.Pair{{A: "scratch", B: wire.ScratchDir}, {A: "control", B: wire.ControlDir}, {A: "tmp", B: "/tmp"}, {A: "shm", B: "/dev/shm"}} {
		if err := w.bind(data, p.A, p.B, false, 0); err != nil {
			return err
		}
	}
	for _, f := range w.job.Files {
		if err := tree.WriteFile(w.at(wire.ControlDir)+"/"+f.Path, f.Data, 0o644); err != nil {
			return kernel.Step("write "+f.Path, err)
		}
	}
	return nil
}

// laySystem lays links, small files and device nodes into the root.
func (w *World) laySystem() error {
	for _, l := range w.job.Links {
		if err := w.dirs.make(tree.Parent(l.A)); err != nil {
			return kernel.Step("make a folder for "+l.A, err)
		}
		if err := syscall.Symlink(l.B, w.at(l.A)); err != nil && err != syscall.EEXIST {
			return kernel.Step("link "+l.A, err)
		}
	}
	for _, f := range w.job.Texts {
		if err := w.dirs.make(tree.Parent(f.Path)); err != nil {
			return kernel.Step("make a folder for "+f.Path, err)
		}
		if err := tree.WriteFile(w.at(f.Path), f.Data, f.Mode); err != nil {
			return kernel.Step("write "+f.Path, err)
		}
	}
	if err := w.dirs.make("/dev/pts"); err != nil {
		return kernel.Step("make /dev/pts", err)
	}
	if syscall.Mount("devpts", w.at("/dev/pts"), "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC,
		"newinstance,ptmxmode=0666,mode=620") == nil {
		_ = syscall.Symlink("pts/ptmx", w.at("/dev/ptmx"))
	}
	return nil
}

// layTree mounts the base and brings the candidate's changes and the sealed
// files.
func (w *World) layTree() error {
	if err := w.dirs.make(wire.TreeDir); err != nil {
		return kernel.Step("make "+wire.TreeDir, err)
	}
	w.upper = -1
	if err := w.layBase(); err != nil {
		return err
	}
	root, err := kernel.OpenDir(kernel.AtFdCwd, w.at(wire.TreeDir))
	if err != nil {
		return kernel.Step("open the tree", err)
	}
	defer syscall.Close(root)
	if err := tree.ApplyDelta(root, w.job.Delta); err != nil {
		return err
	}
	for _, s := range w.job.Seals {
		if err := w.seal(root, s); err != nil {
			return kernel.Step("seal "+s.A, err)
		}
	}
	if w.job.ReadOnly {
		return kernel.Step("make the tree read-only", kernel.Setattr(kernel.AtFdCwd, w.at(wire.TreeDir), 0, kernel.AttrRdonly))
	}
	return nil
}

// layBase mounts what the candidate's changes go on top of: the overlay, a copy,
// or an empty folder.
func (w *World) layBase() error {
	if w.base < 0 {
		return kernel.Step("lay the tree", w.bind(w.data, "upper", wire.TreeDir, false, 0))
	}
	if err := w.overlay(w.base, "upper", "work", w.at(wire.TreeDir)); err != nil {
		return w.copyBase()
	}
	var err error
	w.upper, err = kernel.OpenDir(w.data, "upper")
	return kernel.Step("open the upper folder", err)
}

// overlay mounts lower with its writes in two folders of the data file system.
// Paths go through descriptors: they need no quoting and nothing hides them.
func (w *World) overlay(lower int, upper, work, at string) error {
	if w.job.NoOverlay {
		return syscall.EPERM
	}
	fd := func(n int) string { return "/proc/self/fd/" + strconv.Itoa(n) }
	data := fd(w.data)
	opts := "lowerdir=" + fd(lower) + ",upperdir=" + data + "/" + upper + ",workdir=" + data + "/" + work + ",userxattr"
	return syscall.Mount("atoll", at, "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, opts)
}

// copyBase fills the tree by copying: on a file system of its own, so that the
// copy does not count against the disk limit.
func (w *World) copyBase() error {
	size, err := copyTo(w.job.Limits.Disk, w.base, w.at(wire.TreeDir))
	if err != nil {
		return kernel.Step("copy the base checkout", err)
	}
	w.report.Copied, w.copied = true, size
	return nil
}

// copyTo mounts a file system at a path, with room for src and for what the disk
// limit allows, and copies src there. It returns how much that took.
func copyTo(disk int64, src int, at string) (int64, error) {
	size, files, err := tree.TreeSize(src)
	if err != nil {
		return 0, err
	}
	if disk <= 0 {
		disk = 1 << 40
	}
	opts := "mode=755,size=" + strconv.FormatInt(size+disk, 10) + ",nr_inodes=" + strconv.FormatInt(files+1<<18, 10)
	if err := syscall.Mount("atoll-copy", at, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return 0, err
	}
	dst, err := kernel.OpenDir(kernel.AtFdCwd, at)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(dst)
	if err := tree.CopyTree(src, dst); err != nil {
		return 0, err
	}
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(dst, &fs); err != nil {
		return 0, err
	}
	return int64(fs.Blocks-fs.Bfree) * fs.Bsize, nil
}

// layMounts binds host folders and files; parents before what lies in them.
func (w *World) layMounts() error {
	list := w.job.Mounts
	sort.SliceStable(list, func(a, b int) bool { return text.Count(list[a].At, '/') < text.Count(list[b].At, '/') })
	w.lowers = make([]int, len(list))
	for i, m := range list {
		w.lowers[i] = -1
		if tree.Within(m.At, wire.TreeDir) || tree.Within(m.At, wire.ControlDir) || tree.Within(m.At, wire.BinDir) {
			return kernel.Step("mount at "+m.At, syscall.EINVAL)
		}
		if m.Overlay {
			if err := w.layCache(i, m); err != nil && !m.Optional {
				return kernel.Step("lay "+m.Host+" at "+m.At, err)
			}
			continue
		}
		if m.Device && m.At != m.Host && nothingAt(w.at(m.At)) { // it covers a file that was there when it was found
			continue
		}
		set := uint64(kernel.AttrNosuid)
		if !m.Device {
			set |= kernel.AttrNodev
		}
		err := w.layHost(m, set)
		if err != nil && !(m.Optional && tree.Missing(err)) {
			return err
		}
	}
	return nil
}

// nothingAt reports a path at which there is nothing, not even a symlink.
func nothingAt(path string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(path, &st) == syscall.ENOENT
}

// layHost lays one of the host's folders or files. Where its place inside does not
// tell its place on the host, nothing else does.
func (w *World) layHost(m wire.Mount, set uint64) error {
	if m.Write || m.Device || m.At == m.Host {
		return w.bind(kernel.AtFdCwd, m.Host, m.At, !m.Write, set)
	}
	fd, err := w.veils.open(m.Host)
	if err != nil {
		return kernel.Step("lay "+m.Host+" at "+m.At, err)
	}
	return w.attach(fd, m.Host, m.At)
}

// layProc mounts the processes of the new namespace, read-only: as the host's
// root a process could else write the machine's settings in /proc/sys.
func (w *World) layProc() error {
	if err := w.dirs.make("/proc"); err != nil {
		return kernel.Step("make /proc", err)
	}
	if err := syscall.Mount("proc", w.at("/proc"), "proc",
		syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC|syscall.MS_RDONLY, ""); err != nil {
		return kernel.Step("mount /proc", err)
	}
	if !w.job.MaskProc {
		return nil
	}
	for _, name := range maskedProc {
		if nothingAt(w.at("/proc/" + name)) { // to let go of a mount that found no place waits for all processors
			continue
		}
		null, err := kernel.OpenTree(kernel.AtFdCwd, "/dev/null", false, kernel.AttrRdonly|kernel.AttrNosuid)
		if err != nil {
			return kernel.Step("mask /proc/"+name, err)
		}
		if err := kernel.MoveMount(null, w.at("/proc/")+name); err != nil && !tree.Missing(err) {
			return kernel.Step("mask /proc/"+name, err)
		}
	}
	return nil
}

// maskedProc are files of /proc that the owner's rights of the host's root
// would open although they tell of the whole machine.
var maskedProc = []string{"kcore", "keys", "timer_list", "vmallocinfo", "kpagecount", "kpageflags", "slabinfo", "sysrq-trigger"}

// pivot makes the prepared folder the root, and the root read-only.
func (w *World) pivot() error {
	if err := syscall.PivotRoot(".", "."); err != nil {
		return kernel.Step("change the root", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return kernel.Step("leave the host's root", err)
	}
	if err := syscall.Chdir("/"); err != nil {
		return kernel.Step("enter the new root", err)
	}
	return kernel.Step("make the root read-only", kernel.Setattr(kernel.AtFdCwd, "/", 0, kernel.AttrRdonly))
}

// bind lays a host path (or a name below the folder src) at an inside path that
// it creates as a folder or an empty file.
func (w *World) bind(src int, name, at string, readonly bool, set uint64) error {
	if readonly {
		set |= kernel.AttrRdonly
	}
	fd, err := kernel.OpenTree(src, name, src == kernel.AtFdCwd, set)
	if err != nil {
		return kernel.Step("lay "+name+" at "+at, err)
	}
	return w.attach(fd, name, at)
}

// attach lays the detached mount fd, of what is called name, at an inside path that it
// creates as a folder or an empty file, and closes fd.
func (w *World) attach(fd int, name, at string) error {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	if err != nil {
		syscall.Close(fd)
		return kernel.Step("look at "+name, err)
	}
	target := w.at(at)
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		err = w.dirs.make(at)
	} else if err = w.dirs.make(tree.Parent(at)); err == nil {
		err = tree.Touch(target)
	}
	if err != nil {
		syscall.Close(fd)
		return kernel.Step("make "+at, err)
	}
	w.dirs.covered(at)
	return kernel.Step("lay "+name+" at "+at, kernel.MoveMount(fd, target))
}
