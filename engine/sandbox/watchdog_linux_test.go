package sandbox_test

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// attackBusyMemory starts the given number of processes that share the given number
// of megabytes and start others without end, none of which lives on; of 0 each lives
// on and does the same. The sum of their sizes is many times what they take, and each
// is busy copying its memory whenever somebody wants to know.
func attackBusyMemory(args []string) {
	procs, _ := strconv.Atoi(args[0])
	megabytes, _ := strconv.Atoi(args[1])
	b, err := unix.Mmap(-1, 0, megabytes<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		say("no memory: %v", err)
		return
	}
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	say("started")
	runtime.LockOSThread()
	busyMemory(procs)
}

// busyMemory is the part after the first fork, where there is no runtime.
//
//go:norace
//go:nosplit
func busyMemory(procs int) {
	for procs == 0 {
		_, _, _ = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	}
	for range procs {
		pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if e != 0 || pid != 0 {
			continue
		}
		for {
			pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			if e == 0 && pid == 0 {
				_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			_, _, _ = syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), 0, 0, 0, 0, 0)
		}
	}
	for {
		_, _, _ = syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), 0, 0, 0, 0, 0)
	}
}

// The watchdog waits for nobody whom it watches: how much processes take is found
// out beside it.
func TestHostileProcessesThatAreBusyWithTheirMemoryEndInTime(t *testing.T) {
	suitetest.Full(t, "gigabytes are written; TestHostileLimits stands for it")
	if !guarded(t, 5*time.Minute) {
		return
	}
	for _, tc := range []struct {
		name             string
		procs, megabytes string
	}{
		{"sixty that start others", "60", "100"},
		{"each starts others that do the same", "0", "20"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onRungs(t, suitetest.Pick(isolating[:1], modes, modes), func(t *testing.T, b *sandbox.Box) {
				w := newWorld(t)
				s := w.spec("busy memory", tc.procs, tc.megabytes)
				s.Limits = sandbox.Limits{Wall: 2 * time.Second, Procs: 256, Memory: 512 << 20}
				began := time.Now()
				res := w.mustRun(b, s)
				wantOut(t, res, "started")
				if took := time.Since(began); took > suitetest.Stretched(t, s.Limits.Wall+4*time.Second) || len(res.Limits) == 0 {
					t.Errorf("it took %v", took)
				}
				t.Logf("%v, limits %v, %d MiB", time.Since(began), res.Limits, res.MaxRSS>>20)
			})
		})
	}
}

// A program that starts too much and is over before the watchdog has looked again
// passed the limit all the same.
func TestHostileBurstsThatAreOverAtOnceAreCounted(t *testing.T) {
	const burst = "for i in 1 2 3 4 5; do for j in 1 2 3 4 5; do sleep 300 & done; done"
	for _, tc := range []struct {
		name, script string
		rungs        []sandbox.Mode
	}{
		{"the command", "sleep 0.1; " + burst, modes},
		{"what it starts with the launcher, while it goes on", "$ATOLL_RUN sh -c 'sleep 0.1; " + burst + "'; sleep 60", modes[:1]},
		{"what the launcher starts last", "exec $ATOLL_RUN sh -c 'sleep 0.1; " + burst + "'", modes[:1]},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onRungs(t, tc.rungs, func(t *testing.T, b *sandbox.Box) {
				w := newWorld(t)
				s := w.sh(tc.script)
				s.RunHelper, s.Limits.Procs = true, 24
				wantLimits(t, w.mustRun(b, s), "procs")
			})
		})
	}
}

// Nothing collects garbage in a first process: however long a command runs, looking
// at it takes no memory.
func TestRunThatLastsTakesNoMoreMemory(t *testing.T) {
	suitetest.Full(t, "a run that lasts; TestHostileLimits stands for it")
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.sh(`size() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' /proc/1/status; }
		(sleep 1000 & sleep 1000 & sleep 1000 &); sleep 1; size; sleep 3; size`)
	s.Limits = sandbox.Limits{Wall: time.Minute, Memory: 1 << 30, Procs: 100, Disk: 1 << 30}
	res := w.mustRun(b, s)
	f := strings.Fields(string(res.Stdout))
	if len(f) != 2 {
		t.Fatalf("%q %q", res.Stdout, res.Stderr)
	}
	first, _ := strconv.Atoi(f[0])
	last, _ := strconv.Atoi(f[1])
	t.Logf("%d KiB, 3 s later %d KiB", first, last)
	if last-first > 300 {
		t.Errorf("the first process grew from %d to %d KiB in 3 s", first, last)
	}
}
