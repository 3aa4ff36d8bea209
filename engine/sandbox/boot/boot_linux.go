package boot

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/start"
	"atoll/engine/sandbox/boot/text"
	"atoll/engine/sandbox/boot/tree"
	"atoll/engine/sandbox/boot/watch"
	"atoll/engine/sandbox/boot/wire"
	"atoll/engine/sandbox/boot/world"
)

// Descriptors that the supervisor gives to the first process.
const (
	fdJob    = 3
	fdOrders = 4
	fdReport = 5
)

// maxJob bounds the message of descriptor 3.
const maxJob = 1 << 31

// init takes over when this process is a sandbox's first process or a launcher.
// It is the one piece of work that the program does while packages initialise. It
// leaves by the plain system call: nothing that a build adds to the program's end
// (the race detector waits a second there) belongs to this process.
func init() {
	if len(os.Args) == 0 {
		return
	}
	switch name := os.Args[0]; {
	case name == InitName:
		runtime.LockOSThread()
		syscall.Exit(initMain())
	case name == StarterName:
		runtime.LockOSThread()
		syscall.Exit(starterMain())
	case isLauncher(name):
		runtime.LockOSThread()
		syscall.Exit(launchMain(os.Args))
	}
}

// isLauncher reports whether a program of this name is the launcher of a sandbox.
// The name alone does not make it one: a person may call the program so. A sandbox
// sets ATOLL_RUN or puts the launcher's policy beside it.
func isLauncher(name string) bool {
	if name != wire.RunName && !text.Ends(name, "/"+wire.RunName) {
		return false
	}
	if _, within := syscall.Getenv("ATOLL_RUN"); within {
		return true
	}
	var st syscall.Stat_t
	return text.Has(name, '/') && syscall.Stat(tree.Parent(name)+"/"+wire.PolicyName, &st) == nil
}

// initMain is the life of a sandbox's first process. Its exit status is 0
// whenever a report was written.
func initMain() int {
	syscall.Umask(0)
	for fd := fdJob; fd <= fdReport; fd++ {
		syscall.CloseOnExec(fd)
	}
	buf, err := kernel.ReadAll(fdJob, maxJob)
	syscall.Close(fdJob)
	job, report := new(wire.Job), new(wire.Report)
	if err == nil {
		err = wire.Decode(buf, job)
	}
	if err == nil {
		err = run(job, report)
	}
	if err != nil {
		report.Err = err.Error()
	}
	if err := kernel.WriteAll(fdReport, wire.Encode(report)); err != nil {
		return 1
	}
	return 0
}

// run prepares the world, runs the command to its end, and collects.
func run(job *wire.Job, report *wire.Report) error {
	w := world.New(job, report)
	if job.Resident {
		if err := inside(w, job); err != nil {
			return err
		}
		return reside(w)
	}
	k, err := watch.NewKeeper(job, report, w, fdOrders)
	if err != nil {
		return err
	}
	if job.Rung != 1 { // there the starter is, whose session this is
		watch.Preferred()
	}
	if job.Apart() {
		limitPids(job)
	}
	if err := inside(w, job); err != nil {
		return err
	}
	if job.Net.Port > 0 && w.Gateway >= 0 {
		if err := forward(int(job.Net.Port), w.Gateway); err != nil {
			return kernel.Step("open the gateway port", err)
		}
	}
	if err := live(w, k, job, report); err != nil {
		return err
	}
	return w.Collect()
}

// inside builds what the command will see.
func inside(w *world.World, job *wire.Job) error {
	if job.Rung == 1 {
		_ = syscall.Sethostname([]byte("atoll"))
		if job.Net.Own {
			if err := loopback(); err != nil {
				return kernel.Step("bring up the loopback interface", err)
			}
		}
	}
	return w.Build()
}

// live starts the command and sees it and everything it started to the end.
func live(w *world.World, k *watch.Keeper, job *wire.Job, report *wire.Report) error {
	k.Listen(w.Broker)
	if job.Guest {
		return admit(w, k, job)
	}
	p, err := w.Leader()
	if err != nil {
		return err
	}
	if job.Fence == wire.FenceTrace {
		if p, err = k.Trace(p); err != nil {
			return err
		}
	}
	if w.Gateway >= 0 {
		watch.Warm(watch.SpareThreads)
	}
	began := time.Now()
	pid, err := p.Start(-1)
	if pid == 0 {
		return err
	}
	k.See(pid, began)
	if se, ok := err.(*start.Error); ok && text.Begins(se.Step, "run ") {
		return notRun(report, se)
	}
	return err
}

// notRun reports a command that could not be started as a shell would.
func notRun(report *wire.Report, se *start.Error) error {
	report.Exit = 126
	if se.Err == syscall.ENOENT {
		report.Exit = 127
	}
	_ = kernel.WriteAll(2, []byte("atoll: "+se.Error()+"\n"))
	return nil
}

// limitPids has the kernel hold the number of processes of this namespace, where
// the supervisor found that it can. It is the second line: without it the
// watchdog still looks.
func limitPids(j *wire.Job) {
	if j.Limits.PidMax <= 0 {
		return
	}
	fd, err := syscall.Open("/proc/sys/kernel/pid_max", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = kernel.WriteAll(fd, []byte(strconv.Itoa(int(j.Limits.PidMax))))
	syscall.Close(fd)
}
