// Package watch holds the processes of a sandbox: a [Keeper] reaps them, looks at what
// they take, ends them all, and starts what launchers ask for. Nothing in it waits for
// a process that it watches.
package watch

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/proc"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/wire"
)

// Ground is what the processes of a sandbox stand on, as the keeper asks of it.
type Ground interface {
	// Candidate plans the start of a program for a launcher.
	Candidate(l *wire.Launch, fds []int) *start.Plan
	// Surveyor returns a function, for one goroutine, that adds up what was written
	// below the rung of namespaces, on which file system. It may take long.
	Surveyor() (written func() int64, device uint64)
	// Full reports that nothing more can be written on the rung of namespaces.
	Full() bool
	// Clean removes what no supervisor will.
	Clean()
}

// Keeper owns every process of the sandbox: it reaps, watches and ends them. The
// main goroutine starts the command and waits for children, the watchdog's waits in
// one system call for all else there is to hear, and clerks wait to be asked for
// what may take long to find out. All wait in the kernel, so that they need no help
// of the runtime to go on, and no thread that was not there before the command.
type Keeper struct {
	job      *wire.Job
	report   *wire.Report
	ground   Ground
	bell     int             // counter that wakes the watchdog
	gate     int             // counter that lets it begin
	over     int             // counter that tells its end
	orders   int             // -1 after the supervisor's end
	broker   int             // listening socket of the launcher, -1 = none
	errands  []*errand       // of launchers
	pending  int             // bytes of requests that are not complete
	polled   []kernel.PollFd // memory for wait
	closing  bool            // no more launches
	before   syscall.Rusage
	usage    usage
	proc     proc.Table  // of the watchdog
	scales   *clerk      // knows the memory of processes
	loads    []int       // which
	mapper   *clerk      // knows their mappings
	mapped   []int       // of which
	ipc      []int       // lists of what no process holds
	surveyor *clerk      // knows the bytes of a folder
	tracer   *tracer     // nil where tasks are not traced
	crowd    atomic.Bool // the tracer saw more tasks than are allowed
	guest    guest       // of the watchdog, but for the counter

	children
}

// children is what is known of the processes that this one must reap.
type children struct {
	mu      sync.Mutex // never held for long: to wait for it takes a thread
	leader  int
	began   time.Time    // it
	inits   map[int]bool // nested inits of the launcher: true when they have ended
	starts  bool         // one is being started, and may have ended already
	hosts   bool         // the leader is a guest, and no child
	unknown []int        // children that have ended meanwhile
	ended   bool         // the leader
	status  syscall.WaitStatus
	gone    bool  // no child is left
	peak    int64 // largest resident size of one reaped process
}

// NewKeeper has the watchdog at its place. The job's limits hold, the report is filled
// in, and orders is read for what the supervisor wants.
func NewKeeper(job *wire.Job, report *wire.Report, ground Ground, orders int) (*Keeper, error) {
	k := &Keeper{job: job, report: report, ground: ground, orders: orders, broker: -1, guest: guest{conn: -1}}
	k.inits = map[int]bool{}
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &k.before)
	for _, c := range []struct {
		fd    *int
		flags uintptr
	}{{&k.bell, syscall.O_NONBLOCK}, {&k.gate, 0}, {&k.over, 0}} {
		fd, _, e := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|c.flags, 0)
		if e != 0 {
			return nil, kernel.Step("make a counter", e)
		}
		*c.fd = int(fd)
	}
	var err error
	if job.Limits.Memory > 0 {
		p, q := &proc.Table{}, &proc.Table{}
		if k.scales, err = newClerk(func() int64 { return k.weighAll(p) }); err != nil {
			return nil, err
		}
		if k.mapper, err = newClerk(func() int64 { return k.mapAll(q) }); err != nil {
			return nil, err
		}
	}
	if job.Limits.Disk > 0 && job.Rung != 1 {
		if k.surveyor, err = newClerk(k.survey(ground.Surveyor())); err != nil {
			return nil, err
		}
	}
	k.post()
	return k, nil
}

// post has the watchdog at its place, in a thread of its own, long before there is
// anything to watch: then there may be too many processes to make a thread.
func (k *Keeper) post() {
	runtime.GOMAXPROCS(processors)
	go func() {
		kernel.Ring(k.over)
		kernel.Heed(k.gate)
		k.mu.Lock()
		began := k.began
		k.mu.Unlock()
		k.punctual()
		k.watch(began)
		wall := time.Since(began)
		k.end()
		k.mu.Lock()
		k.report.Wall = int64(wall)
		k.mu.Unlock()
		kernel.Ring(k.over)
	}()
	kernel.Heed(k.over)
}

// See has the leader watched, reaps until no child is left, and reports how the
// leader ended.
func (k *Keeper) See(leader int, began time.Time) {
	k.mu.Lock()
	k.leader, k.began = leader, began
	k.mu.Unlock()
	kernel.Ring(k.gate)
	k.reap()
	kernel.Heed(k.over)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.report.Exit = int64(k.status.ExitStatus())
	if s := k.status.Signal(); k.status.Signaled() {
		k.report.Exit, k.report.Signal = 128+int64(s), int64(s)
		k.judgeSignal(s)
	}
}

// reap collects children until none is left.
func (k *Keeper) reap() {
	for {
		var ws syscall.WaitStatus
		var ru syscall.Rusage
		pid, err := kernel.Retry(func() (int, error) { return syscall.Wait4(-1, &ws, kernel.WAll, &ru) })
		if err != nil && k.expects() {
			k.guest.linger()
			continue
		}
		if err != nil {
			k.mu.Lock()
			k.gone = true
			k.mu.Unlock()
			kernel.Ring(k.bell)
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
			kernel.Ring(k.bell)
		}
	}
}

// isGone reports that no child is left.
func (k *Keeper) isGone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.gone
}

// hasEnded reports that the leader has.
func (k *Keeper) hasEnded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ended
}

// wait lets the given time pass, or less when something happened: a child ended,
// an order came, a launcher has something to say. Orders and launchers are served.
func (k *Keeper) wait(d time.Duration) {
	list := append(k.polled[:0], kernel.PollFd{Fd: int32(k.bell), Events: kernel.PollIn},
		kernel.PollFd{Fd: int32(k.orders), Events: kernel.PollIn}, kernel.PollFd{Fd: k.listening(), Events: kernel.PollIn},
		kernel.PollFd{Fd: int32(k.guest.conn), Events: kernel.PollIn})
	list = k.listen(list)
	k.polled = list
	if kernel.Poll(list, d) <= 0 {
		return
	}
	if list[0].Back != 0 {
		kernel.Heed(k.bell)
	}
	if list[1].Back != 0 {
		k.obey()
	}
	if list[3].Back != 0 {
		k.guest.hear(&k.children)
	}
	k.serve(list[4:])
	if list[2].Back != 0 {
		k.accept()
	}
}

// obey reads one of the supervisor's orders. When the supervisor is gone there is
// nobody to report to: everything is killed and the process ends.
func (k *Keeper) obey() {
	var b [1]byte
	n, err := kernel.Retry(func() (int, error) { return syscall.Read(k.orders, b[:]) })
	if err != nil || n == 0 {
		k.orders = -1
		k.abandon()
	}
	if b[0] == wire.OrderOutput {
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
func (k *Keeper) watch(began time.Time) {
	r, j := k.report, k.job
	wall, grace := kernel.Alarm{}, kernel.Alarm{}
	if j.Limits.Wall > 0 {
		wall.At = began.Add(time.Duration(j.Limits.Wall))
	}
	pause := early
	look := kernel.Alarm{At: time.Now().Add(pause)}
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
		if wall.Due(now) {
			r.TimedOut = true
			k.limit("wall")
			k.signalAll(syscall.SIGTERM)
			grace.At = now.Add(time.Duration(j.Limits.Grace))
		}
		if grace.Due(now) {
			k.signalAll(syscall.SIGKILL)
		}
		if look.Due(now) {
			tasks, over := k.check(now)
			if over {
				k.signalAll(syscall.SIGKILL)
			}
			pause = k.usage.next(pause, tasks)
			now = time.Now()
			look.At = now.Add(pause)
		}
		k.wait(min(look.In(now), wall.In(now), grace.In(now)))
	}
}

// abandon ends a sandbox that nobody waits for.
func (k *Keeper) abandon() {
	for !k.isGone() {
		k.signalAll(syscall.SIGKILL)
		k.wait(5 * time.Millisecond)
	}
	k.ground.Clean()
	syscall.Exit(1)
}

// limit records a limit that was hit, once.
func (k *Keeper) limit(name string) {
	for _, have := range k.report.Limits {
		if have == name {
			return
		}
	}
	k.report.Limits = append(k.report.Limits, name)
}

// end kills what the command left behind and returns when nothing is left.
func (k *Keeper) end() {
	k.closing = true
	r := k.report
	n := k.alive()
	if k.job.Limits.Procs > 0 && int64(n) > k.job.Limits.Procs { // since the last look
		k.limit("procs")
	}
	if n > 0 && !r.TimedOut && len(r.Limits) == 0 {
		r.Violations = append(r.Violations, "left "+strconv.Itoa(n)+" process(es) behind")
	}
	for pause := time.Millisecond; !k.isGone(); pause = min(2*pause, 20*time.Millisecond) {
		k.signalAll(syscall.SIGKILL)
		k.wait(pause)
	}
	k.sum()
}

// alive counts the processes that still run.
func (k *Keeper) alive() int {
	n := 0
	for _, pid := range k.processes() {
		if s, ok := k.proc.Stat(pid); ok && !s.Zombie {
			n++
		}
	}
	return n
}

// sum fills in what the run used, once all of it is reaped.
func (k *Keeper) sum() {
	var ru syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &ru)
	r, j := k.report, k.job
	r.CPU = cpuOf(&ru) - cpuOf(&k.before) + k.guest.cpu
	r.MaxRSS = max(k.peak, k.usage.memory)
	if j.Limits.CPU > 0 && r.CPU > j.Limits.CPU {
		k.limit("cpu")
	}
	if j.Limits.Memory > 0 && k.peak > j.Limits.Memory {
		k.limit("memory")
	}
	if k.diskFull(time.Now(), true) {
		k.limit("disk")
	}
}

func cpuOf(ru *syscall.Rusage) int64 { return ru.Utime.Nano() + ru.Stime.Nano() }

// judgeSignal turns a signal of the kernel into the limit it stands for.
func (k *Keeper) judgeSignal(s syscall.Signal) {
	switch s {
	case syscall.SIGXCPU:
		k.limit("cpu")
	case syscall.SIGXFSZ:
		k.limit("disk")
	case syscall.SIGSYS:
		k.report.Violations = append(k.report.Violations, "made a system call that is never allowed")
	}
}

// signalAll signals every process of the sandbox but this one. In a namespace
// one call reaches them all, and the kernel lets none of them fork past it. Where
// tasks are traced, SIGKILL is also the end of every task that is yet to come.
// With neither, processes are stopped first, so that few fork meanwhile.
func (k *Keeper) signalAll(s syscall.Signal) {
	if k.job.Apart() {
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
