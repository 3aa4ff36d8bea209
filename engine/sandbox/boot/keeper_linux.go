package boot

import (
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// keeper owns every process of the sandbox: it reaps, watches and ends them.
// Its goroutines live as long as the first process; the main goroutine waits in
// watch and end.
type keeper struct {
	w       *world
	mu      sync.Mutex
	leader  int
	waiters map[int]chan syscall.WaitStatus // nested inits of the launcher
	ended   chan syscall.WaitStatus         // of the leader
	gone    chan struct{}                   // closed when no child is left
	closing bool                            // no more launches
	orders  chan byte
	before  syscall.Rusage
	usage   usage
	tracer  *tracer       // nil where tasks are not traced
	crowd   chan struct{} // the tracer saw more tasks than are allowed
}

func newKeeper(w *world) *keeper {
	k := &keeper{w: w, waiters: map[int]chan syscall.WaitStatus{}, ended: make(chan syscall.WaitStatus, 1),
		gone: make(chan struct{}), orders: make(chan byte, 4), crowd: make(chan struct{}, 1)}
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &k.before)
	return k
}

// reap collects children until none is left.
func (k *keeper) reap() {
	for {
		var ws syscall.WaitStatus
		var ru syscall.Rusage
		pid, err := retry(func() (int, error) { return syscall.Wait4(-1, &ws, wAll, &ru) })
		if err != nil {
			close(k.gone)
			return
		}
		if k.tracer != nil && k.tracer.event(pid, ws) {
			continue
		}
		k.mu.Lock()
		k.usage.peak = max(k.usage.peak, int64(ru.Maxrss)<<10)
		if pid == k.leader {
			k.ended <- ws
		} else if c := k.waiters[pid]; c != nil {
			c <- ws
			delete(k.waiters, pid)
		}
		k.mu.Unlock()
	}
}

// obey reads the supervisor's orders. When the supervisor is gone there is
// nobody to report to: everything is killed and the process ends.
func (k *keeper) obey() {
	var b [1]byte
	for {
		n, err := retry(func() (int, error) { return syscall.Read(fdOrders, b[:]) })
		if err != nil || n == 0 {
			b[0] = 0
		}
		k.orders <- b[0]
		if b[0] == 0 {
			return
		}
	}
}

// The watchdog looks every tick. At the start, and whenever there are suddenly
// many more tasks, it looks after the shorter time and then ever later: a storm
// can grow to thousands within a tick, and then leaves the watchdog no processor.
const (
	tick  = 20 * time.Millisecond
	early = time.Millisecond
)

// next is the time to the look after the one that has just seen the given number
// of tasks.
func (u *usage) next(last time.Duration, tasks int) time.Duration {
	wait := min(2*last, tick)
	if tasks > 2*u.tasks+16 {
		wait = early
	}
	u.tasks = tasks
	return wait
}

// watch waits for the leader and enforces limits and orders meanwhile.
func (k *keeper) watch(began time.Time) syscall.WaitStatus {
	go k.obey()
	r, j := k.w.report, k.w.job
	var wall, grace <-chan time.Time
	if j.Wall > 0 {
		t := time.NewTimer(time.Until(began.Add(time.Duration(j.Wall))))
		defer t.Stop()
		wall = t.C
	}
	wait := early
	look := time.NewTimer(wait)
	defer look.Stop()
	for {
		select {
		case ws := <-k.ended:
			select {
			case <-k.crowd: // which ended it
				k.limit("procs")
			default:
			}
			return ws
		case o := <-k.orders:
			switch o {
			case OrderOutput:
				k.limit("output")
			case 0:
				k.abandon()
			}
			k.signalAll(syscall.SIGKILL)
		case <-wall:
			r.TimedOut = true
			k.limit("wall")
			k.signalAll(syscall.SIGTERM)
			t := time.NewTimer(time.Duration(j.Grace))
			defer t.Stop()
			grace = t.C
		case <-grace:
			k.signalAll(syscall.SIGKILL)
		case <-k.crowd:
			k.limit("procs")
			k.signalAll(syscall.SIGKILL)
		case <-look.C:
			tasks, over := k.check()
			if over {
				k.signalAll(syscall.SIGKILL)
			}
			wait = k.usage.next(wait, tasks)
			look.Reset(wait)
		}
	}
}

// abandon ends a sandbox that nobody waits for.
func (k *keeper) abandon() {
	for {
		k.signalAll(syscall.SIGKILL)
		select {
		case <-k.gone:
			k.w.cleanFolder()
			syscall.Exit(1)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// limit records a limit that was hit, once.
func (k *keeper) limit(name string) {
	for _, have := range k.w.report.Limits {
		if have == name {
			return
		}
	}
	k.w.report.Limits = append(k.w.report.Limits, name)
}

// end kills what the command left behind and returns when nothing is left.
func (k *keeper) end() {
	k.mu.Lock()
	k.closing = true
	k.mu.Unlock()
	r := k.w.report
	if n := k.alive(); n > 0 && !r.TimedOut && len(r.Limits) == 0 {
		r.Violations = append(r.Violations, "left "+strconv.Itoa(n)+" process(es) behind")
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		k.signalAll(syscall.SIGKILL)
		t := time.NewTimer(wait)
		select {
		case <-k.gone:
			t.Stop()
			k.sum()
			return
		case o := <-k.orders:
			if o == 0 {
				k.abandon()
			}
			if o == OrderOutput {
				k.limit("output")
			}
		case <-t.C:
		}
		t.Stop()
	}
}

// alive counts the processes that still run.
func (k *keeper) alive() int {
	n := 0
	for _, pid := range k.processes() {
		if s, ok := readStat(pid); ok && !s.zombie {
			n++
		}
	}
	return n
}

// sum fills in what the run used, once all of it is reaped.
func (k *keeper) sum() {
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	r, j := k.w.report, k.w.job
	r.CPU = cpuOf(&ru) - cpuOf(&k.before)
	r.MaxRSS = max(k.usage.peak, k.usage.memory)
	if j.CPU > 0 && r.CPU > j.CPU {
		k.limit("cpu")
	}
	if j.Memory > 0 && k.usage.peak > j.Memory {
		k.limit("memory")
	}
	if k.diskFull(true) {
		k.limit("disk")
	}
}

func cpuOf(ru *syscall.Rusage) int64 { return ru.Utime.Nano() + ru.Stime.Nano() }

// judgeSignal turns a signal of the kernel into the limit it stands for.
func (k *keeper) judgeSignal(s syscall.Signal) {
	switch s {
	case syscall.SIGXCPU:
		k.limit("cpu")
	case syscall.SIGXFSZ:
		k.limit("disk")
	case syscall.SIGSYS:
		k.w.report.Violations = append(k.w.report.Violations, "made a system call that is never allowed")
	}
}

// signalAll signals every process of the sandbox but this one. In a namespace
// one call reaches them all, and the kernel lets none of them fork past it. Where
// tasks are traced, SIGKILL is also the end of every task that is yet to come.
// With neither, processes are stopped first, so that few fork meanwhile.
func (k *keeper) signalAll(s syscall.Signal) {
	if k.w.apart() {
		_ = syscall.Kill(-1, s)
		return
	}
	traced := k.tracer != nil && s == syscall.SIGKILL
	if traced {
		k.tracer.killAll()
	}
	list := k.processes()
	if s == syscall.SIGKILL && !traced {
		for seen := 0; seen < len(list); list = k.processes() {
			seen = len(list)
			for _, p := range list {
				_ = syscall.Kill(p, syscall.SIGSTOP)
			}
		}
	}
	for _, p := range list {
		_ = syscall.Kill(p, s)
	}
}

// loopback brings up lo of a new network namespace.
func loopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	req := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(req.name[:], "lo")
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req))); e != 0 {
		return e
	}
	return nil
}
