package sandbox_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// attackForeign reaches by plain system calls for a process, a queue, a segment and a
// file that are not its own: their numbers and the path are the arguments.
func attackForeign(args []string) {
	n := func(i int) uintptr { v, _ := strconv.Atoi(args[i]); return uintptr(v) }
	pid, queue, segment, path := n(0), n(1), n(2), args[3]
	limit, one := [2]uint64{7, 7}, [128]byte{1}
	sched := [7]uint64{48}
	name, file := []byte("user.atoll\x00"), append([]byte(path), 0)
	at, value := unix.AT_FDCWD, []byte("evil")
	xattr := struct {
		value       *byte
		size, flags uint32
	}{&value[0], 4, 0}
	p := func(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }
	for _, c := range []struct {
		name string
		nr   uintptr
		a    [6]uintptr
	}{
		{"prlimit64", unix.SYS_PRLIMIT64, [6]uintptr{pid, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&limit))}},
		{"setpriority", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_PROCESS, pid, 19}},
		{"setpriority of the user", unix.SYS_SETPRIORITY, [6]uintptr{unix.PRIO_USER, 0, 19}},
		{"sched_setaffinity", unix.SYS_SCHED_SETAFFINITY, [6]uintptr{pid, 128, p(&one[0])}},
		{"sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER, [6]uintptr{pid, 5 /* idle */, p(&make([]byte, 8)[0])}},
		{"sched_setattr", unix.SYS_SCHED_SETATTR, [6]uintptr{pid, uintptr(unsafe.Pointer(&sched)), 0}},
		{"ioprio_set", unix.SYS_IOPRIO_SET, [6]uintptr{1, pid, 3 << 13}},
		{"msgrcv", unix.SYS_MSGRCV, [6]uintptr{queue, p(&make([]byte, 128)[0]), 64, 0, unix.IPC_NOWAIT}},
		{"msgctl", unix.SYS_MSGCTL, [6]uintptr{queue, 0 /* IPC_RMID */, 0}},
		{"shmctl", unix.SYS_SHMCTL, [6]uintptr{segment, 0 /* IPC_RMID */, 0}},
		{"setxattrat", unix.SYS_SETXATTRAT, [6]uintptr{uintptr(at), p(&file[0]), 0, p(&name[0]), uintptr(unsafe.Pointer(&xattr)), 16}},
		{"file_setattr", 469, [6]uintptr{uintptr(at), p(&file[0]), p(&make([]byte, 64)[0]), 32, 0}},
		{"fchmodat", unix.SYS_FCHMODAT, [6]uintptr{uintptr(at), p(&file[0]), 0o400}},
		{"fchmodat2", unix.SYS_FCHMODAT2, [6]uintptr{uintptr(at), p(&file[0]), 0, 0}},
		{"reading prlimit64", unix.SYS_PRLIMIT64, [6]uintptr{pid, unix.RLIMIT_CORE, 0, uintptr(unsafe.Pointer(&limit))}},
		{"getpriority", unix.SYS_GETPRIORITY, [6]uintptr{unix.PRIO_PROCESS, pid}},
		{"getpriority of the user", unix.SYS_GETPRIORITY, [6]uintptr{unix.PRIO_USER, 0}},
		{"ioprio_get", unix.SYS_IOPRIO_GET, [6]uintptr{1, pid}},
		{"sched_getscheduler", unix.SYS_SCHED_GETSCHEDULER, [6]uintptr{pid}},
		{"sched_getparam", unix.SYS_SCHED_GETPARAM, [6]uintptr{pid, p(&make([]byte, 8)[0])}},
		{"sched_getattr", unix.SYS_SCHED_GETATTR, [6]uintptr{pid, uintptr(unsafe.Pointer(&sched)), 48, 0}},
		{"sched_rr_get_interval", unix.SYS_SCHED_RR_GET_INTERVAL, [6]uintptr{pid, p(&make([]byte, 16)[0])}},
		{"pidfd_open", unix.SYS_PIDFD_OPEN, [6]uintptr{pid, 0}},
		{"inotify_init1", unix.SYS_INOTIFY_INIT1, [6]uintptr{}},
		{"hiding from who looks", unix.SYS_PRCTL, [6]uintptr{unix.PR_SET_DUMPABLE, 0}},
		{"a call of the future", 5000, [6]uintptr{}},
		{"listmount", unix.SYS_LISTMOUNT, [6]uintptr{}},
	} {
		_, _, e := syscall.Syscall6(c.nr, c.a[0], c.a[1], c.a[2], c.a[3], c.a[4], c.a[5])
		say("%s: %s", c.name, unix.ErrnoName(e))
	}
}

// stranger is a process, a queue with a message, a segment and a file of this user
// that no command has to do with.
type stranger struct {
	t              *testing.T
	pid            int
	queue, segment uintptr
	path           string
	before         string
}

func newStranger(t *testing.T, path string) *stranger {
	t.Helper()
	s := &stranger{t: t, path: path}
	c := exec.Command("sleep", "1000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.pid = c.Process.Pid
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	var e syscall.Errno
	if s.queue, _, e = unix.Syscall(unix.SYS_MSGGET, 0, 0o1600, 0); e != 0 {
		t.Fatal(e)
	}
	t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_MSGCTL, s.queue, 0, 0) })
	text := [16]byte{1}
	if _, _, e = unix.Syscall6(unix.SYS_MSGSND, s.queue, uintptr(unsafe.Pointer(&text)), 8, 0, 0, 0); e != 0 {
		t.Fatal(e)
	}
	if s.segment, _, e = unix.Syscall(unix.SYS_SHMGET, 0, 4096, 0o1600); e != 0 {
		t.Fatal(e)
	}
	t.Cleanup(func() { _, _, _ = unix.Syscall(unix.SYS_SHMCTL, s.segment, 0, 0) })
	s.before = s.picture()
	return s
}

// picture describes all of it.
func (s *stranger) picture() string {
	var out strings.Builder
	for _, name := range []string{"/stat", "/limits", "/status"} {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + name)
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); name == "/stat" {
				fmt.Fprintln(&out, "priority", f[17], f[18], f[40])
			} else if strings.HasPrefix(line, "Max core") || strings.HasPrefix(line, "Cpus_allowed:") {
				fmt.Fprint(&out, line)
			}
		}
	}
	prio, _, _ := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(s.pid), 0)
	fmt.Fprintln(&out, "io", prio)
	for _, list := range []struct {
		name string
		id   uintptr
	}{{"msg", s.queue}, {"shm", s.segment}} {
		data, err := os.ReadFile("/proc/sysvipc/" + list.name)
		if err != nil {
			s.t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); f[1] == fmt.Sprint(list.id) {
				fmt.Fprintln(&out, list.name, f[1:5])
			}
		}
	}
	var st unix.Stat_t
	if err := unix.Lstat(s.path, &st); err != nil {
		s.t.Fatal(err)
	}
	attr := make([]byte, 64)
	n, err := unix.Lgetxattr(s.path, "user.atoll", attr)
	fmt.Fprintf(&out, "file %o %d %v\n", st.Mode, n, err)
	return out.String()
}

func TestHostileCallsReachNothingOfOthers(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		x := newStranger(t, w.victim+"/.ssh/id_rsa")
		script := fmt.Sprintf("%s %d %d %d %s", hostilePath, x.pid, x.queue, x.segment, x.path)
		for name, script := range map[string]string{"the command": script, "candidate code": "$ATOLL_RUN " + script} {
			t.Run(name, func(t *testing.T) {
				s := w.spec("foreign")
				s.Args, s.RunHelper = []string{"sh", "-c", script}, true
				res := w.mustRun(b, s)
				if after := x.picture(); after != x.before {
					t.Errorf("before\n%safter\n%sit said\n%s%s", x.before, after, res.Stdout, res.Stderr)
				}
				wantOut(t, res, "a call of the future: ENOSYS", "listmount: ENOSYS", "setpriority of the user: EPERM")
				if b.Rung() == sandbox.Landlock {
					wantOut(t, res, "prlimit64: EPERM", "setpriority: EPERM", "sched_setaffinity: EPERM", "sched_setscheduler: EPERM",
						"sched_setattr: EPERM", "ioprio_set: EPERM", "msgrcv: EPERM", "msgctl: EPERM", "shmctl: EPERM",
						"reading prlimit64: EPERM", "getpriority: EPERM", "getpriority of the user: EPERM", "ioprio_get: EPERM",
						"sched_getscheduler: EPERM", "sched_getparam: EPERM", "sched_getattr: EPERM", "sched_rr_get_interval: EPERM",
						"pidfd_open: ENOSYS", "inotify_init1: ENOSYS", "hiding from who looks: EPERM",
						"setxattrat: ENOTSUP", "file_setattr: ENOSYS", "fchmodat: EPERM", "fchmodat2: EPERM")
				}
			})
		}
	})
}

// attackRequests asks the file system of a file that it may only read for what an
// owner may have, and for what anyone may.
func attackRequests(paths []string) {
	f, err := os.Open(paths[0])
	if err != nil {
		say("%v", err)
		return
	}
	defer f.Close()
	var value [512]byte
	for _, c := range []struct {
		name string
		nr   uintptr
	}{
		{"set version", 0x40087602},
		{"set version of ext4", 0x40086604},
		{"allocate", 0x660c},
		{"verity", 0x40806685},
		{"encrypt", 0x800c6613},
		{"set flags", unix.FS_IOC_SETFLAGS},
		{"set attributes", 0x401c5820},
		{"trim", 0xc0185879},
		{"unknown", 0xdeadbeef},
		{"keys", unix.TIOCSTI},
		{"console", unix.TIOCCONS},
	} {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), c.nr, uintptr(unsafe.Pointer(&value)))
		say("%s: %s", c.name, unix.ErrnoName(e))
	}
	left, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	say("left to read: %d %v", left, err)
	_, err = unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	say("flags: %v", err)
}

func TestRequestsOfAFileChangeNothingOnRungTwo(t *testing.T) {
	b := mustBox(t, sandbox.ModeLandlock)
	w := newWorld(t)
	s := w.spec("requests", "main.txt")
	res := w.mustRun(b, s)
	wantOut(t, res, "set version: ENOTTY", "set version of ext4: ENOTTY", "allocate: ENOTTY", "verity: ENOTTY", "encrypt: ENOTTY",
		"set flags: ENOTTY", "set attributes: ENOTTY", "trim: ENOTTY", "unknown: ENOTTY", "keys: EPERM", "console: EPERM", "left to read: 9 <nil>")
	if strings.Contains(string(res.Stdout), "flags: operation not permitted") {
		t.Errorf("flags cannot be read: %s", res.Stdout)
	}
}

// The first process of rung 1 has the user of what it watches.
func TestHostileCommandCannotHinderItsFirstProcess(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, w.spec("hinder"))
	wantNoOut(t, res, "slowed", "limited")
	wantOut(t, res, "tried 1\n", "itself: <nil> <nil> <nil>")
}

// attackHinder lowers the priority of the first process and of all its threads,
// narrows the processors they may use, and takes their open files away.
func attackHinder([]string) {
	one := unix.CPUSet{}
	one.Set(0)
	few := unix.Rlimit{Cur: 100, Max: 100}
	tasks, _ := os.ReadDir("/proc/1/task")
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		if unix.Setpriority(unix.PRIO_PROCESS, tid, 19) == nil {
			say("slowed %d", tid)
		}
		if unix.SchedSetaffinity(tid, &one) == nil {
			say("slowed %d by its processors", tid)
		}
		if unix.Prlimit(tid, unix.RLIMIT_NOFILE, &few, nil) == nil {
			say("limited %d", tid)
		}
		say("tried %d", tid)
	}
	say("itself: %v %v %v", unix.Setpriority(unix.PRIO_PROCESS, os.Getpid(), 19), unix.SchedSetaffinity(unix.Gettid(), &one),
		unix.Prlimit(0, unix.RLIMIT_NOFILE, &few, nil))
}
