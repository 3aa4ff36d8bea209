package world

import (
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/wire"
)

// Guest is what a prepared interpreter is asked for: to have the command run in a copy
// of itself. The descriptors are the namespaces of this sandbox and the standard files,
// in the order of [wire.Guest]; the caller closes all but the last three.
func Guest(w *World) (*wire.Guest, []int, error) {
	c := &w.job.Command
	cwd, err := w.workFolder()
	if err != nil {
		return nil, nil, err
	}
	fds := make([]int, 0, wire.GuestFiles)
	for _, name := range []string{"user", "pid", "ipc", "uts", "cgroup"} {
		fd, err := openNamespace(name)
		if err != nil {
			return nil, fds, kernel.Step("open the namespace "+name, err)
		}
		fds = append(fds, fd)
	}
	fd, err := leaderView()
	if err != nil {
		return nil, fds, err
	}
	return &wire.Guest{Args: c.Args, Env: c.Env, Cwd: cwd, Filter: w.job.Filter}, append(fds, fd, 0, 1, 2), nil
}

// leaderView makes what the command sees, a copy of this view without the file system
// that all is written to, as the start of a command does, and returns its descriptor.
// The calling thread must be locked; it is back in its own view then.
func leaderView() (int, error) {
	own, err := openNamespace("mnt")
	if err != nil {
		return -1, kernel.Step("open the own view", err)
	}
	defer syscall.Close(own)
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return -1, kernel.Step("make the command's view", err)
	}
	fd := -1
	if err = syscall.Unmount(wire.DataDir, syscall.MNT_DETACH); err == nil {
		fd, err = openNamespace("mnt")
	}
	if _, _, e := syscall.RawSyscall(kernel.SysSetns, uintptr(own), syscall.CLONE_NEWNS, 0); e != 0 {
		return -1, kernel.Step("return to the own view", e)
	}
	return fd, kernel.Step("make the command's view", err)
}

func openNamespace(name string) (int, error) {
	return syscall.Open("/proc/thread-self/ns/"+name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
}

// Bound has the kernel hold the limits of a command for a guest, who has started nothing
// yet.
func Bound(job *wire.Job, pid int) error {
	for _, l := range limits(job) {
		v := [2]uint64{l.soft, l.hard}
		if _, _, e := syscall.RawSyscall6(kernel.SysPrlimit64, uintptr(pid), uintptr(l.what), uintptr(unsafe.Pointer(&v)), 0, 0, 0); e != 0 {
			return kernel.Step("limit the command", e)
		}
	}
	return nil
}

// Resident plans that this process becomes a prepared interpreter. It gets the connection
// to the supervisor as descriptor 3.
func Resident(w *World, orders int) (*start.Plan, error) {
	p := &start.Plan{}
	p.Add(start.Must, "pass on the connection", syscall.SYS_DUP3, uintptr(orders), 3, 0)
	l, err := w.Leader()
	if err != nil {
		return nil, err
	}
	p.Then(l)
	return p, nil
}
