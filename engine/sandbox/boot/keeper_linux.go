package boot

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// keeper owns every process of the sandbox: it reaps, watches and ends them. The
// main goroutine starts the command and waits for children, the watchdog's waits in
// one system call for all else there is to hear, and two clerks wait to be asked for
// what may take long to find out. All wait in the kernel, so that they need no help
// of the runtime to go on, and no thread that was not there before the command.
type keeper struct {
	w        *world
	bell     int       // counter that wakes the watchdog
	gate     int       // counter that lets it begin
	over     int       // counter that tells its end
	orders   int       // -1 after the supervisor's end
	broker   int       // listening socket of the launcher, -1 = none
	errands  []*errand // of launchers
	pending  int       // bytes of requests that are not complete
	polled   []pollFd  // memory for wait
	closing  bool      // no more launches
	before   syscall.Rusage
	usage    usage
	proc     procfs      // of the watchdog
	scales   *clerk      // knows the memory of processes
	loads    []int       // which
	ipc      []int       // lists of what no process holds
	surveyor *clerk      // knows the bytes of a folder
	tracer   *tracer     // nil where tasks are not traced
	crowd    atomic.Bool // the tracer saw more tasks than are allowed

	mu      sync.Mutex // never held for long: to wait for it takes a thread
	leader  int
	began   time.Time    // it
	inits   map[int]bool // nested inits of the launcher: true when they have ended
	starts  bool         // one is being started, and may have ended already
	unknown []int        // children that have ended meanwhile
	ended   bool         // the leader
	status  syscall.WaitStatus
	gone    bool  // no child is left
	peak    int64 // largest resident size of one reaped process
}

func newKeeper(w *world) (*keeper, error) {
	k := &keeper{w: w, orders: fdOrders, broker: -1, inits: map[int]bool{}}
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &k.before)
	for _, c := range []struct {
		fd    *int
		flags uintptr
	}{{&k.bell, syscall.O_NONBLOCK}, {&k.gate, 0}, {&k.over, 0}} {
		fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|c.flags, 0)
		if e != 0 {
			return nil, step("make a counter", e)
		}
		*c.fd = int(fd)
	}
	var err error
	if w.job.Memory > 0 {
		p := &procfs{}
		if k.scales, err = newClerk(func() int64 { return k.weighAll(p) }); err != nil {
			return nil, err
		}
	}
	if w.job.Disk > 0 && w.job.Rung != 1 {
		if k.surveyor, err = newClerk(w.written); err != nil {
			return nil, err
		}
	}
	k.post()
	return k, nil
}

// post has the watchdog at its place, in a thread of its own, long before there is
// anything to watch: then there may be too many processes to make a thread.
func (k *keeper) post() {
	runtime.GOMAXPROCS(processors)
	go func() {
		ring(k.over)
		heed(k.gate)
		k.mu.Lock()
		began := k.began
		k.mu.Unlock()
		k.w.punctual()
		k.watch(began)
		wall := time.Since(began)
		k.end()
		k.mu.Lock()
		k.w.report.Wall = int64(wall)
		k.mu.Unlock()
		ring(k.over)
	}()
	heed(k.over)
}

// see has the leader watched, reaps until no child is left, and returns how the
// leader ended.
func (k *keeper) see(leader int, began time.Time) syscall.WaitStatus {
	k.mu.Lock()
	k.leader, k.began = leader, began
	k.mu.Unlock()
	ring(k.gate)
	k.reap()
	heed(k.over)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status
}

// reap collects children until none is left.
func (k *keeper) reap() {
	for {
		var ws syscall.WaitStatus
		var ru syscall.Rusage
		pid, err := retry(func() (int, error) { return syscall.Wait4(-1, &ws, wAll, &ru) })
		if err != nil {
			k.mu.Lock()
			k.gone = true
			k.mu.Unlock()
			ring(k.bell)
			return
		}
		if k.tracer != nil && k.tracer.event(pid, ws) {
			continue
		}
		k.mu.Lock()
		k.peak = max(k.peak, int64(ru.Maxrss)<<10)
		_, known := k.inits[pid]
		switch {
		case pid == k.leader:
			k.ended, k.status = true, ws
		case known:
			k.inits[pid] = true
		case k.starts:
			k.unknown = append(k.unknown, pid)
		}
		k.mu.Unlock()
		if known || pid == k.leader {
			ring(k.bell)
		}
	}
}

// isGone reports that no child is left.
func (k *keeper) isGone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.gone
}

// hasEnded reports that the leader has.
func (k *keeper) hasEnded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

// wait lets the given time pass, or less when something happened: a child ended,
// an order came, a launcher has something to say. Orders and launchers are served.
func (k *keeper) wait(d time.Duration) {
	list := append(k.polled[:0], pollFd{fd: int32(k.bell), events: pollIn},
		pollFd{fd: int32(k.orders), events: pollIn}, pollFd{fd: k.listening(), events: pollIn})
	for _, r := range k.errands {
		list = append(list, pollFd{fd: r.hears(), events: pollIn}, pollFd{fd: int32(r.said), events: pollIn})
	}
	k.polled = list
	if poll(list, d) <= 0 {
		return
	}
	if list[0].back != 0 {
		heed(k.bell)
	}
	if list[1].back != 0 {
		k.obey()
	}
	k.serve(list[3:])
	if list[2].back != 0 {
		k.accept()
	}
}

// obey reads one of the supervisor's orders. When the supervisor is gone there is
// nobody to report to: everything is killed and the process ends.
func (k *keeper) obey() {
	var b [1]byte
	n, err := retry(func() (int, error) { return syscall.Read(k.orders, b[:]) })
	if err != nil || n == 0 {
		k.orders = -1
		k.abandon()
	}
	if b[0] == OrderOutput {
		k.limit("output")
	}
	k.signalAll(syscall.SIGKILL)
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
func (k *keeper) watch(began time.Time) {
	r, j := k.w.report, k.w.job
	wall, grace := alarm{}, alarm{}
	if j.Wall > 0 {
		wall.at = began.Add(time.Duration(j.Wall))
	}
	pause := early
	look := alarm{time.Now().Add(pause)}
	for {
		ended := k.hasEnded()
		crowd := k.crowd.Swap(false)
		if crowd {
			k.limit("procs")
		}
		if ended {
			return
		}
		if crowd {
			k.signalAll(syscall.SIGKILL)
		}
		now := time.Now()
		if wall.due(now) {
			r.TimedOut = true
			k.limit("wall")
			k.signalAll(syscall.SIGTERM)
			grace.at = now.Add(time.Duration(j.Grace))
		}
		if grace.due(now) {
			k.signalAll(syscall.SIGKILL)
		}
		if look.due(now) {
			tasks, over := k.check(now)
			if over {
				k.signalAll(syscall.SIGKILL)
			}
			pause = k.usage.next(pause, tasks)
			now = time.Now()
			look.at = now.Add(pause)
		}
		k.wait(min(look.in(now), wall.in(now), grace.in(now)))
	}
}

// abandon ends a sandbox that nobody waits for.
func (k *keeper) abandon() {
	for !k.isGone() {
		k.signalAll(syscall.SIGKILL)
		k.wait(5 * time.Millisecond)
	}
	k.w.cleanFolder()
	syscall.Exit(1)
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
	k.closing = true
	r := k.w.report
	if n := k.alive(); n > 0 && !r.TimedOut && len(r.Limits) == 0 {
		r.Violations = append(r.Violations, "left "+strconv.Itoa(n)+" process(es) behind")
	}
	for pause := time.Millisecond; !k.isGone(); pause = min(2*pause, 20*time.Millisecond) {
		k.signalAll(syscall.SIGKILL)
		k.wait(pause)
	}
	k.sum()
}

// alive counts the processes that still run.
func (k *keeper) alive() int {
	n := 0
	for _, pid := range k.processes() {
		if s, ok := k.proc.stat(pid); ok && !s.zombie {
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
	r.MaxRSS = max(k.peak, k.usage.memory)
	if j.CPU > 0 && r.CPU > j.CPU {
		k.limit("cpu")
	}
	if j.Memory > 0 && k.peak > j.Memory {
		k.limit("memory")
	}
	if k.diskFull(time.Now(), true) {
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
