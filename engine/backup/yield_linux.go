package backup

import (
	"os"
	"strconv"
	"syscall"
)

// Of ioprio_set(2).
const (
	ioprioProcess = 1
	ioprioIdle    = 3 << 13
)

// Yield has this process, and the programs that it starts, take what others leave of the
// processors and of the disk, to its end: for a backup beside a run. Where the system
// refuses, nothing changes.
func Yield() {
	// Priorities belong to threads. One that is started takes that of its starter, so a look
	// that finds no new one has seen all.
	seen := map[string]bool{}
	for more := true; more; {
		more = false
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil || seen[t.Name()] {
				continue
			}
			seen[t.Name()], more = true, true
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, 19)
			_, _, _ = syscall.Syscall(syscall.SYS_IOPRIO_SET, ioprioProcess, uintptr(id), ioprioIdle)
		}
	}
}
