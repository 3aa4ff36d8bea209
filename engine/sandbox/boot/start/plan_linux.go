// Package start starts programs from a Go program that cannot use its runtime after a
// fork: a [Plan] is a list of raw system calls that a small loop makes between clone
// and exec.
package start

import (
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
)

// kinds of a raw call.
const (
	Must   = iota // an error ends the child and is reported
	May           // an error is ignored
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

// Plan is a program start as a list of raw calls. It keeps everything the calls
// point at.
type Plan struct {
	Flags uintptr
	calls []call
	names []string
	kept  []any
	group int  // descriptor of a control group and 1; 0 = that of this process
	Sweep bool // after split: the small init kills every process it may signal
	Spare int  // how many descriptors after the standard three the program gets
	// Between, if set, runs in the parent when the child exists and has not
	// executed anything: the child must have a call that waits for it.
	Between func(pid int) error
}

// Add appends a call; name is what an error says was attempted.
func (p *Plan) Add(kind int, name string, nr uintptr, args ...uintptr) {
	c := call{nr: nr, kind: kind}
	copy(c.a[:], args)
	p.calls = append(p.calls, c)
	p.names = append(p.names, name)
}

// Fork adds that a process is started that makes the calls from here on. The one that
// made them so far stays behind as a small init: it waits for the other and writes how
// that ended. Where it writes to a socket it stays, and with it whatever runs in its
// namespace, until the other end is closed.
func (p *Plan) Fork() {
	p.calls = append(p.calls, call{kind: split})
	p.names = append(p.names, "start a process")
}

// Then adds the calls of another plan.
func (p *Plan) Then(q *Plan) {
	p.calls, p.names = append(p.calls, q.calls...), append(p.names, q.names...)
	p.Keep(q)
}

// Into has the child begin its life in the control group of this descriptor.
func (p *Plan) Into(group int) { p.group = group + 1 }

// Keep keeps what the calls point at for as long as the plan lives.
func (p *Plan) Keep(v any) { p.kept = append(p.kept, v) }

// Str returns the address of a zero-terminated copy of s that lives as long as
// the plan.
func (p *Plan) Str(s string) uintptr {
	b := kernel.Cstr(s)
	p.Keep(b)
	return uintptr(unsafe.Pointer(b))
}

// Strs returns the address of a zero-terminated vector of strings.
func (p *Plan) Strs(list []string) uintptr {
	v := make([]*byte, len(list)+1)
	for i, s := range list {
		v[i] = kernel.Cstr(s)
	}
	p.Keep(v)
	return uintptr(unsafe.Pointer(&v[0]))
}

// forkState is the memory that the raw code works with: allocated before, so
// that nothing is allocated after the fork.
type forkState struct {
	calls  []call
	nr     uintptr // of the call that makes the child, and its arguments
	a, b   uintptr
	args   cloneArgs
	errfd  uintptr
	status uintptr // descriptor that the small init writes the wait status to, and waits at
	sweep  bool    // the small init kills all it may signal before it ends
	report [2]uint32
	file   uintptr // that was opened last
	ws     uint32
}

// cloneArgs is the kernel's struct clone_args.
type cloneArgs struct {
	flags      uint64
	_          [3]uint64
	exitSignal uint64
	_          [5]uint64
	group      uint64
}

const cloneIntoGroup = 0x200000000

// clones sets the call that makes the child: clone, or clone3 where it begins in a
// control group of its own.
func (st *forkState) clones(flags uintptr, group int) {
	if group == 0 {
		st.nr, st.a = syscall.SYS_CLONE, flags|uintptr(syscall.SIGCHLD)
		return
	}
	st.args = cloneArgs{flags: uint64(flags) | cloneIntoGroup, exitSignal: uint64(syscall.SIGCHLD), group: uint64(group - 1)}
	st.nr, st.a, st.b = kernel.SysClone3, uintptr(unsafe.Pointer(&st.args)), unsafe.Sizeof(st.args)
}

// Start makes the child and returns once it runs its program, or has failed to.
// The caller's thread must stay alive for as long as the child where the plan
// sets a parent-death signal.
func (p *Plan) Start(status int) (int, error) {
	pid, said, err := p.Begin(status)
	if err != nil {
		return 0, err
	}
	defer syscall.Close(said)
	if p.Between != nil {
		if err := p.Between(pid); err != nil {
			return pid, err
		}
	}
	return pid, p.Hear(said)
}

// Become makes the calls in this process, which becomes the program. It returns only
// what failed. The calling thread must be locked: what the calls give up, it gives up.
func (p *Plan) Become() error {
	file := uintptr(0)
	for i := range p.calls {
		c := &p.calls[i]
		if c.kind == split {
			return &Error{p.names[i], syscall.EINVAL}
		}
		if c.kind == onFile {
			c.a[0] = file
		}
		r, _, err := syscall.RawSyscall6(c.nr, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5])
		if err != 0 && c.kind != May {
			return &Error{p.names[i], err}
		}
		if c.kind == opens {
			file = r
		}
	}
	runtime.KeepAlive(p)
	return &Error{"run a program", syscall.ENOEXEC}
}

// Begin makes the child. The descriptor that it returns, to be read by hear, ends
// when the child runs its program.
func (p *Plan) Begin(status int) (pid, said int, err error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return 0, -1, err
	}
	st := &forkState{calls: p.calls, errfd: uintptr(fds[1]), status: uintptr(status), sweep: p.Sweep}
	flags := p.Flags
	if p.brief() {
		flags |= vforkFlags
	}
	st.clones(flags, p.group)
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
		return 0, -1, &Error{"start a process", e}
	}
	return int(id), fds[0], nil
}

// Hear waits until the child runs its program, or returns why it does not.
func (p *Plan) Hear(said int) error {
	var what [2]uint32
	b := (*[8]byte)(unsafe.Pointer(&what))[:]
	if n, _ := kernel.Retry(func() (int, error) { return syscall.Read(said, b) }); n == 8 {
		return &Error{p.names[what[0]], syscall.Errno(what[1])}
	}
	return nil
}

// brief reports that the child only makes its calls and executes, and that this
// process has nothing to do meanwhile: then it need not have a copy of the memory.
func (p *Plan) brief() bool {
	for _, c := range p.calls {
		if c.kind == split {
			return false
		}
	}
	return p.Between == nil
}

// setMask sets the signals that the calling thread does not take.
func setMask(set, old *uint64) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, kernel.SigSetmask, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// Write adds the writing of a small file that is there.
func (p *Plan) Write(path, data string) {
	at := kernel.AtFdCwd
	p.Add(opens, "open "+path, syscall.SYS_OPENAT, uintptr(at), p.Str(path), syscall.O_WRONLY|syscall.O_CLOEXEC)
	p.Add(onFile, "write "+path, syscall.SYS_WRITE, 0, p.Str(data), uintptr(len(data)))
	p.Add(onFile, "close "+path, syscall.SYS_CLOSE, 0)
}

// Error says which step of a program start failed.
type Error struct {
	Step string
	Err  syscall.Errno
}

func (e *Error) Error() string { return e.Step + ": " + e.Err.Error() }

// rawStart clones and, in the child, makes the calls. After the clone the child
// has one thread and no runtime: it may only make raw system calls. It may also
// run on the parent's stack, before the parent does: it stays in this frame, and
// the parent leaves at once. All signals are blocked around it so that no handler
// of the runtime runs there; the last calls of a plan unblock them.
//
//go:norace
//go:noinline
func rawStart(st *forkState) (pid uintptr, e syscall.Errno) {
	pid, errno := vfork(st.nr, st.a, st.b)
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
		if err != 0 && c.kind != May {
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
// reaps until child ends, writes its wait status, waits until it may go, and takes
// the rest with it.
//
//go:norace
//go:nosplit
//go:noinline
func rawWait(st *forkState, child uintptr) {
	// Of all that was open in the process it was forked from it keeps only what it
	// writes to: a pipe that it held open would have a reader wait for it.
	syscall.RawSyscall(kernel.SysCloseRange, 0, st.status-1, 0)
	syscall.RawSyscall(kernel.SysCloseRange, st.status+1, uintptr(^uint32(0)), 0)
	syscall.RawSyscall(syscall.SYS_CLOSE, st.errfd, 0, 0)
	for {
		r, _, err := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&st.ws)), kernel.WAll, 0, 0, 0)
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
			_, _, err := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), 0, kernel.WAll, 0, 0, 0)
			if err != 0 && err != syscall.EINTR {
				break
			}
		}
	}
	syscall.RawSyscall(syscall.SYS_WRITE, st.status, uintptr(unsafe.Pointer(&st.ws)), 4)
	// Where that is a connection, whoever reads it looks at what is left and hangs up;
	// nothing can be read from the end of a pipe that is written to.
	syscall.RawSyscall(syscall.SYS_READ, st.status, uintptr(unsafe.Pointer(&st.ws)), 1)
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// DropRights adds the calls that give up every privilege for good.
func (p *Plan) DropRights() {
	p.Add(Must, "set no_new_privs", syscall.SYS_PRCTL, kernel.PrSetNoNewPrivs, 1)
	for c := uintptr(0); c < kernel.LastCapability; c++ {
		p.Add(May, "drop a bounding capability", syscall.SYS_PRCTL, kernel.PrCapbsetDrop, c)
	}
	p.Add(May, "clear ambient capabilities", syscall.SYS_PRCTL, kernel.PrCapAmbient, kernel.PrCapAmbientClear)
	header := &[2]uint32{kernel.CapabilityVersion3, 0}
	none := &[6]uint32{}
	p.Keep(header)
	p.Keep(none)
	p.Add(Must, "drop capabilities", syscall.SYS_CAPSET,
		uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(none)))
}

// Limit adds one resource limit, with the same value for both of its sides or not.
func (p *Plan) Limit(what int, soft, hard uint64) {
	l := &[2]uint64{soft, hard}
	p.Keep(l)
	p.Add(May, "set resource limit "+strconv.Itoa(what), kernel.SysPrlimit64, 0, uintptr(what), uintptr(unsafe.Pointer(l)), 0)
}

// Unblock adds that signals are taken again, which are not while the calls are made.
func (p *Plan) Unblock() {
	none := new(uint64)
	p.Keep(none)
	p.Add(Must, "unblock signals", syscall.SYS_RT_SIGPROCMASK, kernel.SigSetmask, uintptr(unsafe.Pointer(none)), 0, 8)
}

// program is the kernel's struct sock_fprog: a filter, counted in instructions.
type program struct {
	length uint16
	code   *byte
}

// Exec adds the last calls: unblock signals, install the filter, run the program.
func (p *Plan) Exec(path string, args, env []string, filter []byte) {
	p.Add(May, "close other files", kernel.SysCloseRange, uintptr(3+p.Spare), uintptr(^uint32(0)), kernel.CloseRangeCloexec)
	p.Unblock()
	if len(filter) > 0 {
		prog := &program{length: uint16(len(filter) / 8), code: &filter[0]}
		p.Keep(prog)
		p.Add(Must, "install the system call filter", kernel.SysSeccomp, kernel.SeccompSetFilter, 0, uintptr(unsafe.Pointer(prog)))
	}
	p.Add(Must, "run "+path, syscall.SYS_EXECVE, p.Str(path), p.Strs(args), p.Strs(env))
}

// LookPath finds a program as a shell would: with the command's PATH, not ours.
// It returns the name itself when nothing is found, for the kernel to refuse.
func LookPath(name string, env []string, cwd string) string {
	if text.Has(name, '/') {
		return name
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, e := range env {
		if v, ok := text.After(e, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range text.Split(path, ':') {
		if dir == "" || dir[0] != '/' {
			dir = cwd + "/" + dir
		}
		full := dir + "/" + name
		var st syscall.Stat_t
		if syscall.Stat(full, &st) == nil && uint32(st.Mode)&syscall.S_IFMT == syscall.S_IFREG && uint32(st.Mode)&0o111 != 0 {
			return full
		}
	}
	return name
}

// Capabilities of a first process in its own user namespace: to mount, to change between
// views, to set up the network, to drop capabilities, and to read what was made unreadable.
var Capabilities = []uintptr{1 /* DAC_OVERRIDE */, 3 /* FOWNER */, 5 /* KILL */, 8 /* SETPCAP */, 12, /* NET_ADMIN */
	18 /* SYS_CHROOT */, 19 /* SYS_PTRACE */, 21 /* SYS_ADMIN */}

// KeepRights keeps the capabilities across the start of a program by a user who
// is not root inside.
func (p *Plan) KeepRights() {
	var mask uint32
	for _, c := range Capabilities {
		mask |= 1 << c
	}
	header := &[2]uint32{kernel.CapabilityVersion3, 0}
	sets := &[6]uint32{mask, mask, mask}
	p.Keep(header)
	p.Keep(sets)
	p.Add(Must, "keep capabilities", syscall.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(sets)))
	for _, c := range Capabilities {
		p.Add(Must, "keep a capability", syscall.SYS_PRCTL, kernel.PrCapAmbient, kernel.PrCapAmbientRaise, c)
	}
}

// Usual adds the return to the supervisor's own priority and timers.
func (p *Plan) Usual(nice, slack int64) {
	p.Add(May, "take the usual priority", syscall.SYS_SETPRIORITY, syscall.PRIO_PROCESS, 0, uintptr(20-nice))
	if slack > 0 {
		p.Add(May, "take the usual timers", syscall.SYS_PRCTL, kernel.PrSetTimerslack, uintptr(slack))
	}
}
