package boot

import (
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

// kinds of a raw call.
const (
	must   = iota // an error ends the child and is reported
	may           // an error is ignored
	split         // not a call: fork here, and stay behind as a small init that waits
	opens         // as must; the result is the file of the next calls of kind onFile
	onFile        // as must; the first argument is that file
)

// call is one raw system call that the child makes between clone and exec.
type call struct {
	nr   uintptr
	a    [6]uintptr
	kind int
}

// plan is a program start as a list of raw calls. It keeps everything the calls
// point at.
type plan struct {
	flags uintptr
	calls []call
	names []string
	keep  []any
	sweep bool // after split: the small init kills every process it may signal
	// between, if set, runs in the parent when the child exists and has not
	// executed anything: the child must have a call that waits for it.
	between func(pid int) error
}

// add appends a call; name is what an error says was attempted.
func (p *plan) add(kind int, name string, nr uintptr, args ...uintptr) {
	c := call{nr: nr, kind: kind}
	copy(c.a[:], args)
	p.calls = append(p.calls, c)
	p.names = append(p.names, name)
}

// str returns the address of a zero-terminated copy of s that lives as long as
// the plan.
func (p *plan) str(s string) uintptr {
	b := cstr(s)
	p.keep = append(p.keep, b)
	return uintptr(unsafe.Pointer(b))
}

// strs returns the address of a zero-terminated vector of strings.
func (p *plan) strs(list []string) uintptr {
	v := make([]*byte, len(list)+1)
	for i, s := range list {
		v[i] = cstr(s)
	}
	p.keep = append(p.keep, v)
	return uintptr(unsafe.Pointer(&v[0]))
}

// forkState is the memory that the raw code works with: allocated before, so
// that nothing is allocated after the fork.
type forkState struct {
	calls  []call
	flags  uintptr
	errfd  uintptr
	status uintptr // descriptor that the small init writes the wait status to
	sweep  bool    // the small init kills all it may signal before it ends
	report [2]uint32
	file   uintptr // that was opened last
	ws     uint32
}

// start makes the child and returns once it runs its program, or has failed to.
// The caller's thread must stay alive for as long as the child where the plan
// sets a parent-death signal.
func (p *plan) start(status int) (int, error) {
	pid, said, err := p.begin(status)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(said)
	if p.between != nil {
		if err := p.between(pid); err != nil {
			return pid, err
		}
	}
	return pid, p.hear(said)
}

// begin makes the child. The descriptor that it returns, to be read by hear, ends
// when the child runs its program.
func (p *plan) begin(status int) (pid, said int, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return 0, -1, err
	}
	st := &forkState{
		calls: p.calls, flags: p.flags | uintptr(syscall.SIGCHLD), errfd: uintptr(fds[1]),
		status: uintptr(status), sweep: p.sweep,
	}
	if p.brief() {
		st.flags |= vforkFlags
	}
	runtime.LockOSThread()
	all, old := ^uint64(0), uint64(0)
	setMask(&all, &old)
	id, e := rawStart(st)
	setMask(&old, nil)
	runtime.UnlockOSThread()
	runtime.KeepAlive(p)
	syscall.Close(fds[1])
	if e != 0 {
		syscall.Close(fds[0])
		return 0, -1, &startError{"start a process", e}
	}
	return int(id), fds[0], nil
}

// hear waits until the child runs its program, or returns why it does not.
func (p *plan) hear(said int) error {
	var what [2]uint32
	b := (*[8]byte)(unsafe.Pointer(&what))[:]
	if n, _ := retry(func() (int, error) { return syscall.Read(said, b) }); n == 8 {
		return &startError{p.names[what[0]], syscall.Errno(what[1])}
	}
	return nil
}

// brief reports that the child only makes its calls and executes, and that this
// process has nothing to do meanwhile: then it need not have a copy of the memory.
func (p *plan) brief() bool {
	for _, c := range p.calls {
		if c.kind == split {
			return false
		}
	}
	return p.between == nil
}

// setMask sets the signals that the calling thread does not take.
func setMask(set, old *uint64) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSetmask, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// write adds the writing of a small file that is there.
func (p *plan) write(path, data string) {
	at := atFdCwd
	p.add(opens, "open "+path, syscall.SYS_OPENAT, uintptr(at), p.str(path), syscall.O_WRONLY|syscall.O_CLOEXEC)
	p.add(onFile, "write "+path, syscall.SYS_WRITE, 0, p.str(data), uintptr(len(data)))
	p.add(onFile, "close "+path, syscall.SYS_CLOSE, 0)
}

// startError says which step of a program start failed.
type startError struct {
	step string
	err  syscall.Errno
}

func (e *startError) Error() string { return e.step + ": " + e.err.Error() }

// rawStart clones and, in the child, makes the calls. After the clone the child
// has one thread and no runtime: it may only make raw system calls. It may also
// run on the parent's stack, before the parent does: it stays in this frame, and
// the parent leaves at once. All signals are blocked around it so that no handler
// of the runtime runs there; the last calls of a plan unblock them.
//
//go:norace
//go:noinline
func rawStart(st *forkState) (pid uintptr, e syscall.Errno) {
	pid, errno := vfork(st.flags)
	if errno != 0 || pid != 0 {
		return pid, syscall.Errno(errno)
	}
	for i := range st.calls {
		c := &st.calls[i]
		if c.kind == split {
			r, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
			if err != 0 {
				rawFail(st, i, err)
			}
			if r != 0 {
				rawWait(st, r)
			}
			continue
		}
		if c.kind == onFile {
			c.a[0] = st.file
		}
		r, _, err := syscall.RawSyscall6(c.nr, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5])
		if err != 0 && c.kind != may {
			rawFail(st, i, err)
		}
		if c.kind == opens {
			st.file = r
		}
	}
	rawFail(st, len(st.calls)-1, syscall.ENOEXEC)
	return 0, 0
}

// rawFail reports which call failed and ends the child.
//
//go:norace
//go:nosplit
//go:noinline
func rawFail(st *forkState, i int, err syscall.Errno) {
	st.report[0], st.report[1] = uint32(i), uint32(err)
	syscall.RawSyscall(syscall.SYS_WRITE, st.errfd, uintptr(unsafe.Pointer(&st.report)), 8)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 127, 0, 0)
	}
}

// rawWait is the whole life of the small init of a nested process namespace: it
// reaps until child ends, writes its wait status, and takes the rest with it.
//
//go:norace
//go:nosplit
//go:noinline
func rawWait(st *forkState, child uintptr) {
	// Of all that was open in the process it was forked from it keeps only what it
	// writes to: a pipe that it held open would have a reader wait for it.
	syscall.RawSyscall(sysCloseRange, 0, st.status-1, 0)
	syscall.RawSyscall(sysCloseRange, st.status+1, uintptr(^uint32(0)), 0)
	syscall.RawSyscall(syscall.SYS_CLOSE, st.errfd, 0, 0)
	for {
		r, _, err := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&st.ws)), wAll, 0, 0, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != 0 || r == child {
			break
		}
	}
	if st.sweep {
		syscall.RawSyscall(syscall.SYS_KILL, ^uintptr(0), uintptr(syscall.SIGKILL), 0)
		for {
			_, _, err := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), 0, wAll, 0, 0, 0)
			if err != 0 && err != syscall.EINTR {
				break
			}
		}
	}
	syscall.RawSyscall(syscall.SYS_WRITE, st.status, uintptr(unsafe.Pointer(&st.ws)), 4)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// limit is a resource limit; both values are set.
type limit struct {
	what, cur, max uint64
}

// dropRights adds the calls that give up every privilege for good.
func (p *plan) dropRights() {
	p.add(must, "set no_new_privs", syscall.SYS_PRCTL, prSetNoNewPrivs, 1)
	for c := uintptr(0); c < lastCapability; c++ {
		p.add(may, "drop a bounding capability", syscall.SYS_PRCTL, prCapbsetDrop, c)
	}
	p.add(may, "clear ambient capabilities", syscall.SYS_PRCTL, prCapAmbient, prCapAmbientClear)
	header := &[2]uint32{capabilityVersion3, 0}
	none := &[6]uint32{}
	p.keep = append(p.keep, header, none)
	p.add(must, "drop capabilities", syscall.SYS_CAPSET,
		uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(none)))
}

// limits adds the resource limits.
func (p *plan) limits(list []limit) {
	for _, l := range list {
		l := &[3]uint64{l.what, l.cur, l.max}
		p.keep = append(p.keep, l)
		p.add(may, "set resource limit "+strconv.Itoa(int(l[0])), sysPrlimit64, 0, uintptr(l[0]),
			uintptr(unsafe.Pointer(&l[1])), 0)
	}
}

// exec adds the last calls: unblock signals, install the filter, run the program.
func (p *plan) exec(path string, args, env []string, filter []byte) {
	p.add(may, "close other files", sysCloseRange, 3, uintptr(^uint32(0)), closeRangeCloexec)
	none := new(uint64)
	p.keep = append(p.keep, none)
	p.add(must, "unblock signals", syscall.SYS_RT_SIGPROCMASK, sigSetmask, uintptr(unsafe.Pointer(none)), 0, 8)
	if len(filter) > 0 {
		prog := &struct {
			n    uint16
			code *byte
		}{uint16(len(filter) / 8), &filter[0]}
		p.keep = append(p.keep, prog)
		p.add(must, "install the system call filter", sysSeccomp, seccompSetFilter, 0, uintptr(unsafe.Pointer(prog)))
	}
	p.add(must, "run "+path, syscall.SYS_EXECVE, p.str(path), p.strs(args), p.strs(env))
}
