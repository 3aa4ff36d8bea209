package world

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/landlock"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/wire"
)

// Leader plans the start of the command itself.
func (w *World) Leader() (*start.Plan, error) {
	j := w.job
	if len(j.Command.Args) == 0 {
		return nil, kernel.Step("run the command", syscall.EINVAL)
	}
	cwd, err := w.workFolder()
	if err != nil {
		return nil, err
	}
	p := &start.Plan{}
	if j.Resident {
		p.Spare = 1
	}
	if j.Rung == 1 {
		p.Flags = syscall.CLONE_NEWNS
		p.Add(start.Must, "hide the scratch file system", syscall.SYS_UMOUNT2, p.Str(wire.DataDir), syscall.MNT_DETACH)
	}
	p.Add(start.May, "die with the sandbox", syscall.SYS_PRCTL, kernel.PrSetPdeathsig, uintptr(syscall.SIGKILL))
	p.Usual(j.Command.Nice, j.Command.Slack)
	p.Add(start.Must, "start a session", syscall.SYS_SETSID)
	p.Add(start.May, "set the file mode mask", syscall.SYS_UMASK, 0o022)
	p.Add(start.Must, "enter "+cwd, syscall.SYS_CHDIR, p.Str(cwd))
	limit(p, j)
	if j.Rung < 3 {
		p.DropRights()
	}
	if j.Resident {
		set, err := landlock.Inward()
		if err != nil {
			return nil, kernel.Step("prepare Landlock", err)
		}
		p.Add(start.Must, "enter the Landlock domain", kernel.SysLandlockSelf, uintptr(set), 0)
	}
	if j.Rung == 2 {
		set, err := w.leaderRules().Create()
		if err != nil {
			return nil, kernel.Step("prepare Landlock", err)
		}
		p.Add(start.Must, "enter the Landlock domain", kernel.SysLandlockSelf, uintptr(set), 0)
	}
	p.Exec(start.LookPath(j.Command.Args[0], j.Command.Env, cwd), j.Command.Args, j.Command.Env, j.Filter)
	return p, nil
}

// workFolder returns the folder to start in; it is a real folder of the tree.
func (w *World) workFolder() (string, error) {
	dir := text.TrimLeft(text.TrimRight(w.job.Command.Dir, "/"), "/")
	if dir == "" || dir == "." {
		return w.tree, nil
	}
	root, err := kernel.OpenDir(kernel.AtFdCwd, w.tree)
	if err != nil {
		return "", kernel.Step("open the tree", err)
	}
	defer syscall.Close(root)
	fd, _, err := tree.Descend(root, dir+"/.", false)
	if err != nil {
		return "", kernel.Step("enter the folder "+dir+" of the tree", err)
	}
	syscall.Close(fd)
	return w.tree + "/" + dir, nil
}

// limit adds the limits that the kernel holds for each process. The totals of the
// sandbox are the watchdog's.
func limit(p *start.Plan, j *wire.Job) {
	for _, l := range limits(j) {
		p.Limit(l.what, l.soft, l.hard)
	}
}

// rlimit is one of the kernel's limits of a process.
type rlimit struct {
	what       int
	soft, hard uint64
}

func limits(j *wire.Job) []rlimit {
	list := []rlimit{{kernel.RlimitCore, 0, 0}}
	if j.Limits.CPU > 0 {
		s := uint64(j.Limits.CPU/1e9) + 2
		list = append(list, rlimit{kernel.RlimitCPU, s, s + 1})
	}
	if j.Limits.Disk > 0 {
		list = append(list, rlimit{kernel.RlimitFsize, uint64(j.Limits.Disk), uint64(j.Limits.Disk)})
	}
	if j.Limits.Memory > 0 {
		d := uint64(j.Limits.Memory)*4 + 1<<30
		list = append(list, rlimit{kernel.RlimitData, d, d})
	}
	if j.Limits.Procs > 0 && j.Limits.ProcLimit {
		list = append(list, rlimit{kernel.RlimitNproc, uint64(j.Limits.Procs) + 64, uint64(j.Limits.Procs) + 64})
	}
	return list
}
