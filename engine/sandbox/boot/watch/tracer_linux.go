package watch

import (
	"sync"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
)

// Requests, options and events of ptrace.
const (
	ptraceCont        = 7
	ptraceGetEventMsg = 0x4201
	ptraceSeize       = 0x4206
	ptraceListen      = 0x4208

	traceFork     = 1 << 1
	traceVfork    = 1 << 2
	traceClone    = 1 << 3
	traceExec     = 1 << 4
	traceExitKill = 1 << 20

	eventExec = 4
	eventStop = 128
)

// tracer holds the tasks of a run where they have no namespace of their own. The
// kernel stops each new task before its first instruction and tells the tracer,
// so that none can be made faster than it is counted, none escapes by being
// orphaned, and all die with the tracer. Every call but killAll is made by the
// thread that reaps.
type tracer struct {
	mu    sync.Mutex
	tasks map[int]bool
	max   int64  // tasks; 0 = any number
	shut  bool   // nothing may live any more
	crowd func() // told when there are more
}

// Trace returns the plan with the leader traced from before its first step by the
// thread that starts it, which is the one that reaps.
func (k *Keeper) Trace(p *start.Plan) (*start.Plan, error) {
	var ready, gate [2]int
	for _, fds := range []*[2]int{&ready, &gate} {
		if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
			return nil, kernel.Step("open a pipe to the command", err)
		}
	}
	t := &tracer{tasks: map[int]bool{}, max: k.job.Limits.Procs, crowd: func() { k.crowd.Store(true); kernel.Ring(k.bell) }}
	q := &start.Plan{Flags: p.Flags}
	one := new([8]byte)
	q.Keep(one)
	q.Add(start.May, "die with the sandbox", syscall.SYS_PRCTL, kernel.PrSetPdeathsig, uintptr(syscall.SIGKILL))
	// The keeper's memory is closed to processes of its user, and so is its copy.
	q.Add(start.Must, "allow tracing", syscall.SYS_PRCTL, kernel.PrSetDumpable, 1)
	q.Add(start.Must, "ask to be traced", syscall.SYS_WRITE, uintptr(ready[1]), uintptr(unsafe.Pointer(one)), 1)
	q.Add(start.Must, "wait to be traced", syscall.SYS_READ, uintptr(gate[0]), uintptr(unsafe.Pointer(one)), 1)
	q.Then(p)
	q.Between = func(pid int) error {
		syscall.Close(ready[1])
		var b [1]byte
		_, _ = kernel.Retry(func() (int, error) { return syscall.Read(ready[0], b[:]) })
		err := t.seize(pid)
		if err != nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		} else {
			err = kernel.WriteAll(gate[1], b[:])
		}
		for _, fd := range []int{ready[0], gate[0], gate[1]} {
			syscall.Close(fd)
		}
		return err
	}
	k.tracer = t
	return q, nil
}

// seize begins to trace the leader, and with it all that it will start.
func (t *tracer) seize(pid int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tasks[pid] = true
	return kernel.Step("trace the command", ptrace(ptraceSeize, pid, traceFork|traceVfork|traceClone|traceExec|traceExitKill))
}

// event takes what waiting for a task yielded, and reports that the task lives on.
func (t *tracer) event(pid int, ws syscall.WaitStatus) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !ws.Stopped() {
		delete(t.tasks, pid)
		return false
	}
	signal, cause := ws.StopSignal(), int(ws)>>16
	switch {
	case cause == eventStop:
		t.count(pid)
		switch signal {
		case syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
			if !t.shut { // it stays stopped, as it would without a tracer
				_ = ptrace(ptraceListen, pid, 0)
				return true
			}
		}
		signal = 0
	case cause == eventExec: // a thread that was not the first became it
		if old, err := eventMessage(pid); err == nil && old != pid {
			delete(t.tasks, old)
		}
		signal = 0
	case cause != 0: // a task was made: it counts when it stops
		signal = 0
	}
	if t.shut {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		return true
	}
	_ = ptrace(ptraceCont, pid, uintptr(signal))
	return true
}

// count adds a task that has not run yet. One too many ends all.
func (t *tracer) count(pid int) {
	t.tasks[pid] = true
	if t.max <= 0 || int64(len(t.tasks)) <= t.max || t.shut {
		return
	}
	t.crowd()
	t.end()
}

// killAll ends every task, and those that are being made when they first stop.
func (t *tracer) killAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end()
}

func (t *tracer) end() {
	t.shut = true
	for pid := range t.tasks {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// ptrace makes a request without an address.
func ptrace(request, pid int, data uintptr) error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PTRACE, uintptr(request), uintptr(pid), 0, data, 0, 0); e != 0 {
		return e
	}
	return nil
}

// eventMessage reads the number that belongs to the event a task stopped at.
func eventMessage(pid int) (int, error) {
	var n uintptr
	_, _, e := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceGetEventMsg, uintptr(pid), 0, uintptr(unsafe.Pointer(&n)), 0, 0)
	if e != 0 {
		return 0, e
	}
	return int(n), nil
}
