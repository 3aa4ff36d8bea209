package watch

import (
	"runtime"
	"sync"
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
)

// processors is how many goroutines the runtime lets go on at once: those of the
// keeper, and one more: while one is idle the runtime starts no thread to look for work.
const processors = 6

// SpareThreads is how many goroutines of the gateway may wait in the kernel at
// once before a thread must be made for them.
const SpareThreads = 4

// Warm makes threads that are needed later. A program whose runtime cannot start a
// thread aborts, and a storm may have filled the process table.
func Warm(n int) {
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
func (k *Keeper) punctual() {
	if k.job.Command.Slack > 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, kernel.PrSetTimerslack, uintptr(k.job.Command.Slack), 0)
	}
}

// Preferred gives this process, its session and what it starts there the processor
// before others, where this user may: among the tasks of a storm a watchdog of equal
// rank does not get to look for seconds. The kernel may weigh sessions first and
// tasks within them second, hence both. What is foreign starts a session of its own
// and goes back to the usual. It is called when this process is alone in its group.
func Preferred() {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, -20) // all threads; of a process it would be one
	fd, err := syscall.Open("/proc/self/autogroup", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_ = kernel.WriteAll(fd, []byte("-20"))
	syscall.Close(fd)
}
