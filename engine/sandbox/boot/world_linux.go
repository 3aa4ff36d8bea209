package boot

import (
	"sort"
	"strconv"
	"strings"
	"syscall"
)

// world is what the first process has prepared: where things are and the open
// descriptors that outlive the change of root.
type world struct {
	job     *Job
	report  *Report
	tree    string // as the command sees it
	scratch string
	control string
	base    int // the read-only base checkout
	upper   int // overlay's upper folder, -1 when the tree is a copy
	copied  int64
	data    int // rung 1: the tmpfs that holds all that is written
	gateway int
	lowers  []int // of the overlay mounts, in the order of job.Mounts
	broker  int   // listening socket of the launcher, -1 = none
}

// stepError says which step of the preparation failed.
type stepError struct {
	what string
	err  error
}

func (e *stepError) Error() string { return e.what + ": " + e.err.Error() }

func step(what string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{what, err}
}

// enter builds the private world of rung 1 and changes the root to it.
func (w *world) enter() error {
	j := w.job
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return step("make mounts private", err)
	}
	if err := w.openHost(); err != nil {
		return err
	}
	if err := syscall.Mount("atoll", j.Stage, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755,size=16m"); err != nil {
		return step("mount the root", err)
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
	return w.pivot()
}

// openHost opens everything that is needed from the host, before mounts hide it.
func (w *world) openHost() error {
	var err error
	w.base, w.gateway = -1, -1
	if w.job.Base != "" {
		if w.base, err = syscall.Open(w.job.Base, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0); err != nil {
			return step("open the base checkout "+w.job.Base, err)
		}
	}
	if w.job.Gateway != "" {
		if w.gateway, err = syscall.Open(w.job.Gateway, oPath|syscall.O_CLOEXEC, 0); err != nil {
			return step("open the gateway socket", err)
		}
	}
	return nil
}

// at returns the host path of an inside path while the root is not changed yet.
func (w *world) at(path string) string { return w.job.Stage + path }

// layData mounts the one file system that the sandbox writes, of limited size,
// and lays its folders where they belong.
func (w *world) layData() error {
	size, inodes := w.job.Disk, w.job.Disk/2048
	if size <= 0 {
		size = 1 << 40
	}
	inodes = min(max(inodes, 1<<14), 1<<20)
	opts := "mode=755,size=" + strconv.FormatInt(size, 10) + ",nr_inodes=" + strconv.FormatInt(inodes, 10)
	if err := mkdirs(w.at(dataDir)); err != nil {
		return step("make "+dataDir, err)
	}
	if err := syscall.Mount("atoll-data", w.at(dataDir), "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return step("mount the scratch file system", err)
	}
	data, err := openDir(atFdCwd, w.at(dataDir))
	if err != nil {
		return step("open the scratch file system", err)
	}
	w.data = data
	for _, name := range []string{
		"upper", "work", "scratch", "scratch/tmp", "scratch/home",
		"scratch/run", "scratch/run/tmp", "scratch/run/home", "control", "tmp", "shm",
	} {
		if err := mkdirat(data, name, 0o755); err != nil {
			return step("make "+name, err)
		}
	}
	for _, p := range []Pair{{"scratch", ScratchDir}, {"control", ControlDir}, {"tmp", "/tmp"}, {"shm", "/dev/shm"}} {
		if err := w.bind(data, p.A, p.B, false, 0); err != nil {
			return err
		}
	}
	for _, f := range w.job.Files {
		if err := writeFile(w.at(ControlDir)+"/"+f.Path, f.Data, 0o644); err != nil {
			return step("write "+f.Path, err)
		}
	}
	return nil
}

// laySystem lays links, small files and device nodes into the root.
func (w *world) laySystem() error {
	for _, l := range w.job.Links {
		if err := mkdirs(parent(w.at(l.A))); err != nil {
			return step("make a folder for "+l.A, err)
		}
		if err := syscall.Symlink(l.B, w.at(l.A)); err != nil && err != syscall.EEXIST {
			return step("link "+l.A, err)
		}
	}
	for _, f := range w.job.Texts {
		if err := mkdirs(parent(w.at(f.Path))); err != nil {
			return step("make a folder for "+f.Path, err)
		}
		if err := writeFile(w.at(f.Path), f.Data, f.Mode); err != nil {
			return step("write "+f.Path, err)
		}
	}
	if err := mkdirs(w.at("/dev/pts")); err != nil {
		return step("make /dev/pts", err)
	}
	if syscall.Mount("devpts", w.at("/dev/pts"), "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC,
		"newinstance,ptmxmode=0666,mode=620") == nil {
		_ = syscall.Symlink("pts/ptmx", w.at("/dev/ptmx"))
	}
	return nil
}

// layTree mounts the base and brings the candidate's changes and the sealed
// files.
func (w *world) layTree() error {
	if err := mkdirs(w.at(TreeDir)); err != nil {
		return step("make "+TreeDir, err)
	}
	w.upper = -1
	if err := w.layBase(); err != nil {
		return err
	}
	root, err := openDir(atFdCwd, w.at(TreeDir))
	if err != nil {
		return step("open the tree", err)
	}
	defer syscall.Close(root)
	if err := applyDelta(root, w.job.Delta); err != nil {
		return err
	}
	for _, s := range w.job.Seals {
		if err := w.seal(root, s); err != nil {
			return step("seal "+s.A, err)
		}
	}
	if w.job.ReadOnly {
		return step("make the tree read-only", setattr(atFdCwd, w.at(TreeDir), 0, attrRdonly))
	}
	return nil
}

// layBase mounts what the candidate's changes go on top of: the overlay, a copy,
// or an empty folder.
func (w *world) layBase() error {
	if w.base < 0 {
		return step("lay the tree", w.bind(w.data, "upper", TreeDir, false, 0))
	}
	if err := w.overlay(w.base, "upper", "work", w.at(TreeDir)); err != nil {
		return w.copyBase()
	}
	var err error
	w.upper, err = openDir(w.data, "upper")
	return step("open the upper folder", err)
}

// overlay mounts lower with its writes in two folders of the data file system.
// Paths go through descriptors: they need no quoting and nothing hides them.
func (w *world) overlay(lower int, upper, work, at string) error {
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
func (w *world) copyBase() error {
	size, err := w.copyTo(w.base, w.at(TreeDir))
	if err != nil {
		return step("copy the base checkout", err)
	}
	w.report.Copied, w.copied = true, size
	return nil
}

// copyTo mounts a file system at a path, with room for src and for what the disk
// limit allows, and copies src there. It returns how much that took.
func (w *world) copyTo(src int, at string) (int64, error) {
	size, files, err := treeSize(src)
	if err != nil {
		return 0, err
	}
	disk := w.job.Disk
	if disk <= 0 {
		disk = 1 << 40
	}
	opts := "mode=755,size=" + strconv.FormatInt(size+disk, 10) + ",nr_inodes=" + strconv.FormatInt(files+1<<18, 10)
	if err := syscall.Mount("atoll-copy", at, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, opts); err != nil {
		return 0, err
	}
	dst, err := openDir(atFdCwd, at)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(dst)
	if err := copyTree(src, dst); err != nil {
		return 0, err
	}
	var fs syscall.Statfs_t
	if err := syscall.Fstatfs(dst, &fs); err != nil {
		return 0, err
	}
	return int64(fs.Blocks-fs.Bfree) * fs.Bsize, nil
}

// layMounts binds host folders and files; parents before what lies in them.
func (w *world) layMounts() error {
	list := w.job.Mounts
	sort.SliceStable(list, func(a, b int) bool { return strings.Count(list[a].At, "/") < strings.Count(list[b].At, "/") })
	w.lowers = make([]int, len(list))
	for i, m := range list {
		w.lowers[i] = -1
		if within(m.At, TreeDir) || within(m.At, ControlDir) || within(m.At, BinDir) {
			return step("mount at "+m.At, syscall.EINVAL)
		}
		if m.Overlay {
			if err := w.layCache(i, m); err != nil && !m.Optional {
				return step("lay "+m.Host+" at "+m.At, err)
			}
			continue
		}
		set := uint64(attrNosuid)
		if !m.Device {
			set |= attrNodev
		}
		err := w.bind(atFdCwd, m.Host, m.At, !m.Write, set)
		if err != nil && !(m.Optional && missing(err)) {
			return err
		}
	}
	return nil
}

// layProc mounts the processes of the new namespace, read-only: as the host's
// root a process could else write the machine's settings in /proc/sys.
func (w *world) layProc() error {
	if err := mkdirs(w.at("/proc")); err != nil {
		return step("make /proc", err)
	}
	if err := syscall.Mount("proc", w.at("/proc"), "proc",
		syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC|syscall.MS_RDONLY, ""); err != nil {
		return step("mount /proc", err)
	}
	if !w.job.MaskProc {
		return nil
	}
	for _, name := range maskedProc {
		// To let go of a mount that found no place waits for all processors.
		var st syscall.Stat_t
		if err := syscall.Lstat(w.at("/proc/")+name, &st); err == syscall.ENOENT {
			continue
		}
		null, err := openTree(atFdCwd, "/dev/null", false, attrRdonly|attrNosuid)
		if err != nil {
			return step("mask /proc/"+name, err)
		}
		if err := moveMount(null, w.at("/proc/")+name); err != nil && !missing(err) {
			return step("mask /proc/"+name, err)
		}
	}
	return nil
}

// maskedProc are files of /proc that the owner's rights of the host's root
// would open although they tell of the whole machine.
var maskedProc = []string{"kcore", "keys", "timer_list", "vmallocinfo", "kpagecount", "kpageflags", "slabinfo", "sysrq-trigger"}

// pivot makes the prepared folder the root, and the root read-only.
func (w *world) pivot() error {
	if err := syscall.Chdir(w.job.Stage); err != nil {
		return step("enter the root", err)
	}
	if err := syscall.PivotRoot(".", "."); err != nil {
		return step("change the root", err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return step("leave the host's root", err)
	}
	if err := syscall.Chdir("/"); err != nil {
		return step("enter the new root", err)
	}
	return step("make the root read-only", setattr(atFdCwd, "/", 0, attrRdonly))
}

// bind lays a host path (or a name below the folder src) at an inside path that
// it creates as a folder or an empty file.
func (w *world) bind(src int, name, at string, readonly bool, set uint64) error {
	if readonly {
		set |= attrRdonly
	}
	fd, err := openTree(src, name, src == atFdCwd, set)
	if err != nil {
		return step("lay "+name+" at "+at, err)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		syscall.Close(fd)
		return step("look at "+name, err)
	}
	target := w.at(at)
	if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		err = mkdirs(target)
	} else if err = mkdirs(parent(target)); err == nil {
		err = touch(target)
	}
	if err != nil {
		syscall.Close(fd)
		return step("make "+at, err)
	}
	return step("lay "+name+" at "+at, moveMount(fd, target))
}

// missing reports an error that means the file does not exist.
func missing(err error) bool {
	for err != nil {
		if err == syscall.ENOENT {
			return true
		}
		s, ok := err.(*stepError)
		if !ok {
			return false
		}
		err = s.err
	}
	return false
}

// within reports that path is dir or lies in it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+"/")
}

// parent returns the path without its last part.
func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}
