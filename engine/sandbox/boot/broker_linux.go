package boot

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// layLauncher puts the launcher, its policy and the socket of its broker into
// the root, and prepares what the candidate's view is mounted from.
func (w *world) layLauncher() error {
	for _, dir := range []string{BinDir, viewDir + "/scratch/run", viewDir + "/empty"} {
		if err := mkdirs(w.at(dir)); err != nil {
			return step("make "+dir, err)
		}
	}
	if err := touch(w.at(viewDir) + "/nothing"); err != nil {
		return step("make an empty file", err)
	}
	for _, name := range []string{"rtmp", "rshm"} {
		if err := mkdirat(w.data, name, 0o755); err != nil {
			return step("make "+name, err)
		}
	}
	if err := w.bind(atFdCwd, w.job.Launcher, BinDir+"/"+RunName, true, attrNosuid|attrNodev); err != nil {
		return err
	}
	if err := w.layPolicy(w.at(BinDir)); err != nil {
		return err
	}
	if err := w.closeLinks(); err != nil {
		return err
	}
	dir, err := openDir(atFdCwd, w.at(BinDir))
	if err != nil {
		return step("open "+BinDir, err)
	}
	defer syscall.Close(dir)
	if w.broker, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0); err == nil {
		err = syscall.Bind(w.broker, &syscall.SockaddrUnix{Name: "/proc/self/fd/" + itoa(dir) + "/socket"})
	}
	if err == nil {
		err = syscall.Listen(w.broker, 64)
	}
	return step("open the launcher's socket", err)
}

// closeLinks has the command follow no symlink in the folder that it shares with
// candidate code: one could lead it to what the candidate may not see. Candidate code
// sees the folder without that.
func (w *world) closeLinks() error {
	const at = ScratchDir + "/" + CandidateName
	err := w.bind(w.data, "scratch/"+CandidateName, at, false, attrNosymfollow)
	if s, ok := err.(*stepError); ok && s.err == syscall.EINVAL { // before Linux 5.14
		return nil
	}
	return err
}

// layPolicy writes what the launcher reads, and on the lower rungs a link to it.
func (w *world) layPolicy(dir string) error {
	p := &Policy{
		Rung: w.job.Rung, ABI: w.job.ABI, Port: w.landlockPort(), Tree: w.tree,
		Scratch: w.scratch + "/" + CandidateName, Home: w.scratch + "/home", Drop: []string{"ATOLL_RESULT", "ATOLL_CONTEXT", "ATOLL_RUN"},
	}
	if w.job.Rung == 2 {
		p.Read, p.Write = w.candidateRules()
	}
	if err := writeFile(dir+"/"+policyName, encode(p), 0o444); err != nil {
		return step("write the launcher's policy", err)
	}
	if w.job.Rung == 1 {
		return nil
	}
	return step("link the launcher", syscall.Symlink(w.job.Launcher, dir+"/"+RunName))
}

// candidate plans a start with the candidate's view: its own processes, its tree
// read-only, a scratch folder of its own, and nothing of the command's.
func (w *world) candidate(l *launch, fds []int) *plan {
	p := &plan{flags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC}
	bind := func(what, from, to string) {
		p.add(must, what, syscall.SYS_MOUNT, p.str(from), p.str(to), 0, syscall.MS_BIND|syscall.MS_REC)
	}
	bind("hide the launcher's socket", viewDir+"/nothing", BinDir+"/socket")
	p.add(must, "hide the control folder", syscall.SYS_UMOUNT2, p.str(ControlDir), syscall.MNT_DETACH)
	p.add(must, "mount /proc", syscall.SYS_MOUNT, p.str("proc"), p.str("/proc"), p.str("proc"),
		syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC|syscall.MS_RDONLY)
	if w.job.MaskProc {
		for _, name := range maskedProc {
			p.add(may, "mask /proc/"+name, syscall.SYS_MOUNT, p.str("/dev/null"), p.str("/proc/"+name), 0, syscall.MS_BIND)
		}
	}
	w.hide(p, bind)
	p.readonly(TreeDir)
	for i, m := range w.job.Mounts {
		switch n := strconv.Itoa(i); {
		case m.Private:
			w.mask(bind, m.At)
		case m.Overlay && w.lowers[i] >= 0:
			bind("lay the cache "+m.At, viewDir+"/"+n, candidatePath(m.At))
		case m.Write:
			p.readonly(m.At)
		}
	}
	bind("lay the scratch folder", dataDir+"/scratch/"+CandidateName, viewDir+"/scratch/run")
	bind("lay the scratch folder", viewDir+"/scratch", ScratchDir)
	bind("lay /tmp", dataDir+"/rtmp", "/tmp")
	bind("lay /dev/shm", dataDir+"/rshm", "/dev/shm")
	p.add(must, "hide the scratch file system", syscall.SYS_UMOUNT2, p.str(dataDir), syscall.MNT_DETACH)
	for i, fd := range fds {
		p.add(must, "pass on the standard files", syscall.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	p.add(must, "start a process", 0)
	p.calls[len(p.calls)-1].kind = split
	p.add(may, "die with the launcher", syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGKILL))
	p.usual(w.job)
	p.add(must, "start a session", syscall.SYS_SETSID)
	p.add(may, "set the file mode mask", syscall.SYS_UMASK, 0o022)
	p.add(must, "enter "+l.Cwd, syscall.SYS_CHDIR, p.str(l.Cwd))
	p.limits(w.rlimits())
	p.dropRights()
	p.exec(lookPath(l.Args[0], l.Env, l.Cwd), l.Args, l.Env, w.job.Narrow)
	return p
}

// readonly makes what is mounted at path read-only in this view.
func (p *plan) readonly(path string) {
	attr := &mountAttr{set: attrRdonly}
	p.keep = append(p.keep, attr)
	at := atFdCwd
	p.add(must, "make "+path+" read-only", sysMountSetattr, uintptr(at), p.str(path), atRecursive,
		uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
}

// hide masks the hidden paths: absolute ones as they are, others in the tree.
func (w *world) hide(p *plan, bind func(what, from, to string)) {
	for _, h := range w.job.Hidden {
		if !strings.HasPrefix(h, "/") {
			h = TreeDir + "/" + h
		}
		w.mask(bind, h)
	}
}

// mask lays an empty folder or file over path, if there is something.
func (w *world) mask(bind func(what, from, to string), path string) {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return
	}
	if uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFDIR {
		bind("hide "+path, viewDir+"/empty", path)
	} else {
		bind("hide "+path, viewDir+"/nothing", path)
	}
}
