package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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

// Storms are attacks of processes that each start two and end at once: whoever
// looks for them finds numbers that are gone. A storm that gets away takes the
// whole machine, so every test of them runs behind a guard of the test's own.

// guardEnv tells the test program that it is the guarded one, and by what.
const guardEnv = "ATOLL_GUARD"

// guardTasks is what the guard lets the test program and all below it have.
const guardTasks = 3000

// guarded reports that this is the guarded program. Otherwise it runs the test
// again behind the guard, for a time at most, and passes its outcome on. As root that is a process
// namespace, whose end is the end of all in it, and a control group that bounds
// the number of tasks, and must not have to; else the kernel's limit for this user.
func guarded(t *testing.T, most time.Duration) bool { return guardedBy(t, most, false) }

// guardedBy is guarded; with limit the guard's number of tasks may be reached, as that
// of a machine or a container may.
func guardedBy(t *testing.T, most time.Duration, limit bool) bool {
	t.Helper()
	if os.Getenv(guardEnv) != "" {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^"+t.Name()+"$", "-test.v")
	guard, group := "user", ""
	if os.Getuid() == 0 {
		group = taskGroup(t)
		guard = group
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	}
	cmd.Env = append(os.Environ(), guardEnv+"="+guard)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if countTime(string(out))[t.Name()] {
		t.Attr("timing", "the guarded test counts time")
	}
	if err != nil {
		t.Errorf("behind the guard: %v", err)
	}
	if group != "" {
		peak, _ := os.ReadFile(group + "/pids.peak")
		t.Logf("at most %s tasks", strings.TrimSpace(string(peak)))
		if events, err := os.ReadFile(group + "/pids.events"); err != nil || !limit && strings.TrimSpace(string(events)) != "max 0" {
			t.Errorf("the guard had to stop it: %q %v", events, err)
		}
	}
	return false
}

// taskGroup makes a control group that bounds tasks.
func taskGroup(t *testing.T) string {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup/pids", "/sys/fs/cgroup"} {
		dir, err := os.MkdirTemp(root, "atoll-test-")
		if err != nil {
			continue
		}
		if err := os.WriteFile(dir+"/pids.max", []byte(strconv.Itoa(guardTasks)), 0); err != nil {
			_ = os.Remove(dir)
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Errorf("processes are left in the guard's control group: %v", err)
			}
		})
		return dir
	}
	t.Skip("no control group that could save this machine if the test fails")
	return ""
}

// enterGuard is what the guarded test program does first.
func enterGuard(guard string) error {
	if guard == "user" {
		n, err := tasksOfUser()
		if err != nil {
			return err
		}
		return unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: n + guardTasks, Max: n + guardTasks})
	}
	if os.Getpid() != 1 {
		return nil // started by one that is inside
	}
	if err := os.WriteFile(guard+"/cgroup.procs", []byte("0"), 0); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("memory", "/dev/shm", "tmpfs", 0, "mode=1777"); err != nil {
		return err // and nobody outside takes its folders for those of the dead
	}
	return unix.Mount("proc", "/proc", "proc", 0, "")
}

// tasksOfUser counts the processes and threads of this user.
func tasksOfUser() (n uint64, err error) {
	dirs, err := filepath.Glob("/proc/[0-9]*/task/*")
	if err != nil {
		return 0, err
	}
	for _, dir := range dirs {
		var st syscall.Stat_t
		if syscall.Stat(dir, &st) == nil && st.Uid == uint32(os.Getuid()) {
			n++
		}
	}
	return n, nil
}

// strangers lists the processes of this namespace besides the given ones.
func strangers(known map[string]bool) (list []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if name := filepath.Base(dir); !known[name] {
			line, _ := os.ReadFile(dir + "/cmdline")
			list = append(list, name+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// storms are the forms that are tried, over a tree that holds solve.sh. Each
// leaves its first process waiting: the run ends when that ends. It forks no more,
// for a shell that is refused a fork would end before anybody looked.
var storms = []struct {
	name   string
	script string
}{
	{"a shell that starts itself twice and ends", "sh ./solve.sh"},
	{"the same as candidate code of an evaluator", "$ATOLL_RUN sh -c 'sh ./solve.sh & exec sleep 30'"},
	{"bare forks", hostilePath + " fork"},
	{"each in a session of its own", hostilePath + " session"},
	{"each in a process group of its own", hostilePath + " group"},
	{"each behind a double fork in a new session", hostilePath + " double"},
	{"each deaf to SIGTERM, SIGHUP and SIGINT", hostilePath + " deaf"},
	{"threads that each start two and end", hostilePath + " threads"},
}

// fence is what holds storms on a rung.
type fence struct {
	name string
	mode sandbox.Mode
	lack sandbox.Lack
	full bool // another one stands for it every day
}

func TestHostileStormsEnd(t *testing.T) {
	if !guarded(t, 5*time.Minute) {
		return
	}
	stormsOn(t, []fence{
		{"rung 1", sandbox.ModeNamespaces, sandbox.Lack{}, false},
		{"rung 2 with a process namespace", sandbox.ModeLandlock, sandbox.Lack{Fence: "namespace"}, true},
		{"rung 2 with tracing", sandbox.ModeLandlock, sandbox.Lack{Fence: "trace"}, false},
		{"rung 3 with a process namespace", sandbox.ModeUnsafe, sandbox.Lack{Fence: "namespace"}, true},
		{"rung 3 with tracing", sandbox.ModeUnsafe, sandbox.Lack{Fence: "trace"}, true},
	})
}

// Before Linux 6.14 a process namespace has no limit of its own. As root nothing but
// that of the machine, or of its container, bounds a storm that keeps the watchdog from
// looking, for which the guard stands; it ends all the same.
func TestHostileStormsEndWhereTheKernelHasNoLimit(t *testing.T) {
	if os.Getenv(guardEnv) == "" {
		suitetest.Full(t, "every storm as on an older kernel")
	}
	if !guardedBy(t, 5*time.Minute, true) {
		return
	}
	stormsOn(t, []fence{
		{"rung 1", sandbox.ModeNamespaces, sandbox.Lack{PidMax: true}, true},
		{"rung 2 with a process namespace", sandbox.ModeLandlock, sandbox.Lack{Fence: "namespace", PidMax: true}, true},
	})
}

// stormsOn runs every storm on each fence.
func stormsOn(t *testing.T, fences []fence) {
	for _, c := range fences {
		t.Run(c.name, func(t *testing.T) {
			if c.full {
				suitetest.Full(t, "every storm on one more fence")
			}
			b, err := sandbox.New(t.Context(), c.lack.On(sandbox.Options{Mode: c.mode}))
			if err != nil {
				t.Skipf("this machine, or this user, cannot: %v", err)
			}
			t.Cleanup(func() { _ = b.Close() })
			for _, s := range storms {
				t.Run(s.name, func(t *testing.T) { weather(t, b, s.script+" & exec sleep 300", "procs") })
			}
			t.Run("a storm whose first process ends ends with it", func(t *testing.T) {
				weather(t, b, "sh ./solve.sh & sh ./solve.sh & exit", "")
			})
		})
	}
}

// weather runs one storm and asserts that it ends, by which limit ("" = any or none),
// and with nothing left. How soon is logged: a busy machine says nothing about it, and
// neither the time limit nor the end of what is started first comes before.
func weather(t *testing.T, b *sandbox.Box, script, limit string) {
	w := newWorld(t)
	w.put(w.base, "solve.sh", "sh ./solve.sh & sh ./solve.sh & exit\n")
	w.before = w.picture()
	w.mustRun(b, w.sh("true")) // what stays for the next run is there now
	known := map[string]bool{}
	for _, s := range strangers(nil) {
		known[strings.Fields(s)[0]] = true
	}
	s := w.spec("storm")
	s.Args, s.RunHelper = []string{"sh", "-c", script}, true
	s.Limits.Procs, s.Limits.Wall = 60, 4*time.Minute
	began := time.Now()
	res := w.mustRun(b, s)
	if limit != "" {
		wantLimits(t, res, limit)
	}
	if left := strangers(known); os.Getpid() == 1 && len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	t.Logf("%v, %v of processor time", time.Since(began).Round(time.Millisecond), res.CPU)
}

// attackStorm is the storm itself, of the given kind.
func attackStorm(args []string) {
	switch args[0] {
	case "threads":
		for range 4 {
			go threads()
		}
		select {}
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	before := map[string][]uintptr{"session": {unix.SYS_SETSID}, "group": {unix.SYS_SETPGID}}[args[0]]
	runtime.LockOSThread()
	rawStorm(before, args[0] == "double")
}

// threads is a thread that starts two more and ends.
func threads() {
	runtime.LockOSThread() // and never unlocks it: the thread ends with the function
	go threads()
	go threads()
	_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
}

// rawStorm forks twice and ends, as does each of its children: without a runtime,
// as fast as the machine can. Where it is refused it tries again: one that gives
// up is no storm. With double each child forks once more in a new session and ends
// first.
//
//go:norace
//go:nosplit
func rawStorm(before []uintptr, double bool) {
	fork := func() (child, parent bool) {
		pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		return e == 0 && pid == 0, e == 0 && pid != 0
	}
	for made := 0; ; {
		child, parent := fork()
		if parent {
			made++
		}
		if made == 2 {
			_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		if !child {
			continue
		}
		made = 0
		for _, nr := range before {
			_, _, _ = syscall.RawSyscall(nr, 0, 0, 0)
		}
		if double {
			_, _, _ = syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
			if _, parent := fork(); parent {
				_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
		}
	}
}

// guard prepares a guarded program; it is not to run without.
func guard() {
	if g := os.Getenv(guardEnv); g != "" {
		if err := enterGuard(g); err != nil {
			fmt.Println("the guard does not stand:", err)
			os.Exit(98)
		}
	}
}
