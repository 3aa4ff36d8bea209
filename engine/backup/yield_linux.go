package backup

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Of ioprio_set(2).
const (
	ioprioProcess = 1
	ioprioIdle    = 3 << 13
)

// Yield has this process, and the programs that it starts, take what others leave of the
// processors and of the disk, to its end: for a backup beside a run. Where the system
// refuses, nothing changes. See [Grouped].
func Yield() {
	if leads() {
		_ = os.WriteFile("/proc/self/autogroup", []byte("19"), 0o644)
	}
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

// Grouped reports whether the system divides the processors among sessions first (autogroup
// of sched(7)), and this process shares its session with others: what [Yield] does is then
// of no use to a run in another terminal. A process that [Apart] prepared shares with none.
func Grouped() bool {
	text, err := os.ReadFile("/proc/sys/kernel/sched_autogroup_enabled")
	return err == nil && strings.TrimSpace(string(text)) == "1" && !leads()
}

// leads reports whether this process leads its session.
func leads() bool {
	id, _, errno := syscall.Syscall(syscall.SYS_GETSID, 0, 0, 0)
	return errno == 0 && int(id) == os.Getpid()
}

// Apart has a command lead a session of its own, and end with the thread that starts it.
func Apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}
