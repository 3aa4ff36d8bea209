package world

import (
	"strconv"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// layLauncher puts the launcher, its policy and the socket of its broker into
// the root, and prepares what the candidate's view is mounted from.
func (w *World) layLauncher() error {
	for _, dir := range []string{wire.BinDir, wire.ViewDir + "/scratch/run", wire.ViewDir + "/empty"} {
		if err := w.dirs.make(dir); err != nil {
			return kernel.Step("make "+dir, err)
		}
	}
	if err := tree.Touch(w.at(wire.ViewDir) + "/nothing"); err != nil {
		return kernel.Step("make an empty file", err)
	}
	for _, o := range own {
		if err := kernel.Mkdirat(w.data, o.name, 0o755); err != nil {
			return kernel.Step("make "+o.name, err)
		}
	}
	if err := layInOwn(w); err != nil {
		return err
	}
	if err := w.layHost(wire.Mount{Host: w.job.Launcher, At: wire.BinDir + "/" + wire.RunName}, 0); err != nil {
		return err
	}
	if err := w.layPolicy(w.at(wire.BinDir)); err != nil {
		return err
	}
	if err := w.closeLinks(); err != nil {
		return err
	}
	dir, err := kernel.OpenDir(kernel.AtFdCwd, w.at(wire.BinDir))
	if err != nil {
		return kernel.Step("open "+wire.BinDir, err)
	}
	defer syscall.Close(dir)
	if w.Broker, err = syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0); err == nil {
		err = syscall.Bind(w.Broker, &syscall.SockaddrUnix{Name: "/proc/self/fd/" + strconv.Itoa(dir) + "/socket"})
	}
	if err == nil {
		err = syscall.Listen(w.Broker, 64)
	}
	return kernel.Step("open the launcher's socket", err)
}

// own are the folders that candidate code has for itself, and where they are in the scratch
// file system.
var own = []struct{ at, name string }{{"/tmp", "rtmp"}, {"/dev/shm", "rshm"}}

// layInOwn lays the mounts that lie in one of these folders there once more, read-only: an
// interpreter in /tmp, say. What the command alone sees is not among them.
func layInOwn(w *World) error {
	for _, m := range w.job.Mounts {
		for _, o := range own {
			rest, in := text.After(m.At, o.at+"/")
			if !in || m.Private || m.Overlay || m.Device {
				continue
			}
			err := w.bind(kernel.AtFdCwd, m.Host, wire.DataDir+"/"+o.name+"/"+rest, true, kernel.AttrNosuid|kernel.AttrNodev)
			if err != nil && !(m.Optional && tree.Missing(err)) {
				return err
			}
		}
	}
	return nil
}

// closeLinks has the command follow no symlink in the folder that it shares with
// candidate code: one could lead it to what the candidate may not see. Candidate code
// sees the folder without that.
func (w *World) closeLinks() error {
	const at = wire.ScratchDir + "/" + wire.CandidateName
	err := w.bind(w.data, "scratch/"+wire.CandidateName, at, false, kernel.AttrNosymfollow)
	if s, ok := err.(*kernel.StepError); ok && s.Err == syscall.EINVAL { // before Linux 5.14
		return nil
	}
	return err
}

// layPolicy writes what the launcher reads, and on the lower rungs a link to it.
func (w *World) layPolicy(dir string) error {
	p := &wire.Policy{
		Rung: w.job.Rung, ABI: w.job.ABI, Port: landlockPort(w.job), Tree: w.tree,
		Scratch: w.scratch + "/" + wire.CandidateName, Home: w.scratch + "/home", Drop: []string{"ATOLL_RESULT", "ATOLL_CONTEXT", "ATOLL_RUN"},
	}
	if w.job.Rung == 2 {
		p.Read, p.Write = w.candidateRules()
		if string(w.job.Narrow) != string(w.job.Filter) {
			p.Filter = w.job.Narrow
		}
	}
	if err := tree.WriteFile(dir+"/"+wire.PolicyName, wire.Encode(p), 0o444); err != nil {
		return kernel.Step("write the launcher's policy", err)
	}
	if w.job.Rung == 1 {
		return nil
	}
	return kernel.Step("link the launcher", syscall.Symlink(w.job.Launcher, dir+"/"+wire.RunName))
}

// Candidate plans a start with the candidate's view: its own processes, its tree
// read-only, a scratch folder of its own, and nothing of the command's.
func (w *World) Candidate(l *wire.Launch, fds []int) *start.Plan {
	p := &start.Plan{Flags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC}
	w.narrow(p)
	for i, fd := range fds {
		p.Add(start.Must, "pass on the standard files", syscall.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	p.Fork()
	p.Add(start.May, "die with the launcher", syscall.SYS_PRCTL, kernel.PrSetPdeathsig, uintptr(syscall.SIGKILL))
	p.Usual(w.job.Command.Nice, w.job.Command.Slack)
	p.Add(start.Must, "start a session", syscall.SYS_SETSID)
	p.Add(start.May, "set the file mode mask", syscall.SYS_UMASK, 0o022)
	p.Add(start.Must, "enter "+l.Cwd, syscall.SYS_CHDIR, p.Str(l.Cwd))
	limit(p, w.job)
	p.DropRights()
	p.Exec(start.LookPath(l.Args[0], l.Env, l.Cwd), l.Args, l.Env, w.job.Narrow)
	return p
}

// narrow adds the mounts that leave the candidate's view of what the command sees.
func (w *World) narrow(p *start.Plan) {
	bind := func(what, from, to string) {
		p.Add(start.Must, what, syscall.SYS_MOUNT, p.Str(from), p.Str(to), 0, syscall.MS_BIND|syscall.MS_REC)
	}
	bind("hide the launcher's socket", wire.ViewDir+"/nothing", wire.BinDir+"/socket")
	p.Add(start.Must, "hide the control folder", syscall.SYS_UMOUNT2, p.Str(wire.ControlDir), syscall.MNT_DETACH)
	p.Add(start.Must, "mount /proc", syscall.SYS_MOUNT, p.Str("proc"), p.Str("/proc"), p.Str("proc"),
		syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC|syscall.MS_RDONLY)
	if w.job.MaskProc {
		for _, name := range maskedProc {
			p.Add(start.May, "mask /proc/"+name, syscall.SYS_MOUNT, p.Str("/dev/null"), p.Str("/proc/"+name), 0, syscall.MS_BIND)
		}
	}
	hide(w.job.Hidden, bind)
	readonly(p, wire.TreeDir)
	for i, m := range w.job.Mounts {
		switch n := strconv.Itoa(i); {
		case m.Private:
			mask(bind, m.At)
		case m.Overlay && w.lowers[i] >= 0:
			bind("lay the cache "+m.At, wire.ViewDir+"/"+n, candidatePath(m.At))
		case m.Write:
			readonly(p, m.At)
		}
	}
	bind("lay the scratch folder", wire.DataDir+"/scratch/"+wire.CandidateName, wire.ViewDir+"/scratch/run")
	bind("lay the scratch folder", wire.ViewDir+"/scratch", wire.ScratchDir)
	for _, o := range own {
		bind("lay "+o.at, wire.DataDir+"/"+o.name, o.at)
	}
	p.Add(start.Must, "hide the scratch file system", syscall.SYS_UMOUNT2, p.Str(wire.DataDir), syscall.MNT_DETACH)
}

// readonly makes what is mounted at path read-only in this view.
func readonly(p *start.Plan, path string) {
	attr := &kernel.MountAttr{Set: kernel.AttrRdonly}
	p.Keep(attr)
	at := kernel.AtFdCwd
	p.Add(start.Must, "make "+path+" read-only", kernel.SysMountSetattr, uintptr(at), p.Str(path), kernel.AtRecursive,
		uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
}

// hide masks the hidden paths: absolute ones as they are, others in the tree.
func hide(paths []string, bind func(what, from, to string)) {
	for _, h := range paths {
		if !text.Begins(h, "/") {
			h = wire.TreeDir + "/" + h
		}
		mask(bind, h)
	}
}

// mask lays an empty folder or file over path, if there is something.
func mask(bind func(what, from, to string), path string) {
	var st syscall.Stat_t
	if syscall.Stat(path, &st) != nil {
		return
	}
	if uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFDIR {
		bind("hide "+path, wire.ViewDir+"/empty", path)
	} else {
		bind("hide "+path, wire.ViewDir+"/nothing", path)
	}
}
