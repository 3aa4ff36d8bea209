package boot

import (
	"runtime"
	"sync"
	"syscall"
)

// apart reports that the run's processes have a namespace of their own, in which
// this one is the first: when it ends, the kernel ends the others.
func (w *world) apart() bool { return w.job.Rung == 1 || w.job.Fence == FenceNamespace }

// limitPids has the kernel hold the number of processes of this namespace, where
// the supervisor found that it can. It is the second line: without it the
// watchdog still looks.
func (w *world) limitPids() {
	if w.job.PidMax <= 0 {
		return
	}
	fd, err := syscall.Open("/proc/sys/kernel/pid_max", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = writeAll(fd, []byte(itoa(int(w.job.PidMax))))
	syscall.Close(fd)
}

// ownProc lays the processes of this namespace over /proc, in a private view of
// the mounts: the host's numbers mean nothing here.
func ownProc() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return step("make mounts private", err)
	}
	return step("mount /proc", syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""))
}

// processors is how many goroutines the runtime lets go on at once: those of the
// keeper, and one more: while one is idle the runtime starts no thread to look for work.
const processors = 5

// spareThreads is how many goroutines of the gateway may wait in the kernel at
// once before a thread must be made for them.
const spareThreads = 4

// warm makes threads that are needed later. A program whose runtime cannot start a
// thread aborts, and a storm may have filled the process table.
func warm(n int) {
	var ready, done sync.WaitGroup
	release := make(chan struct{})
	for range n {
		ready.Add(1)
		done.Go(func() {
			runtime.LockOSThread()
			ready.Done()
			<-release
			runtime.UnlockOSThread()
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
}

// punctual gives the calling thread the usual timers. The supervisor lets those of
// a first process be late: a thread of the runtime wakes 14,000 times a second, to do
// nothing here.
func (w *world) punctual() {
	if w.job.Slack > 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, uintptr(w.job.Slack), 0)
	}
}

// preferred gives this process, its session and what it starts there the processor
// before others, where this user may: among the tasks of a storm a watchdog of equal
// rank does not get to look for seconds. The kernel may weigh sessions first and
// tasks within them second, hence both. What is foreign starts a session of its own
// and goes back to the usual. It is called when this process is alone in its group.
func preferred() {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, -20) // all threads; of a process it would be one
	fd, err := syscall.Open("/proc/self/autogroup", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = writeAll(fd, []byte("-20"))
	syscall.Close(fd)
}

// usual adds the return to the supervisor's own priority and timers.
func (p *plan) usual(j *Job) {
	p.add(may, "take the usual priority", syscall.SYS_SETPRIORITY, syscall.PRIO_PROCESS, 0, uintptr(20-j.Nice))
	if j.Slack > 0 {
		p.add(may, "take the usual timers", syscall.SYS_PRCTL, prSetTimerslack, uintptr(j.Slack))
	}
}
