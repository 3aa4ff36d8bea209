package sandbox_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attacks are what hostile code tries. The test program runs itself inside the
// sandbox with ATOLL_HOSTILE naming one; what it prints is judged outside.
var attacks = map[string]func(args []string){
	"write":    attackWrite,
	"read":     attackRead,
	"daemon":   attackDaemon,
	"sleep":    func([]string) { select {} },
	"stubborn": attackStubborn,
	"forks":    attackForks,
	"storm":    attackStorm,

	"thread exec": attackThreadExec,
	"memory":      attackMemory,
	"shared":      attackShared,
	"disk":        attackDisk,
	"files":       attackFiles,
	"output":      attackOutput,
	"spin":        attackSpin,
	"spy":         attackSpy,
	"connect":     attackConnect,
	"echo":        attackEcho,
	"loopback":    attackLoopback,
	"kill":        attackKill,
	"calls":       attackCalls,
	"x32":         func([]string) { _, _, _ = syscall.RawSyscall(0x40000000+39, 0, 0, 0); fmt.Println("alive") },
	"fds":         attackFds,
	"chmod":       attackChmod,
	"timers":      attackTimers,
	"pester":      attackPester,
	"busy memory": attackBusyMemory,
	"tables":      attackTables,
	"headless":    attackHeadless,
	"hoard files": attackHoardFiles,
	"deep":        attackDeep,
	"segments":    attackSegments,
	"foreign":     attackForeign,
	"requests":    attackRequests,
	"hinder":      attackHinder,
	"outlive":     attackOutlive,
	"hoard":       attackHoard,

	"network look":  attackNetworkLook,
	"network trace": attackNetworkTrace,

	"supervisor": func(args []string) {
		supervise(args[0])
	},
}

func say(format string, a ...any) { fmt.Printf(format+"\n", a...) }

// attackWrite tries to write each path.
func attackWrite(paths []string) {
	for _, p := range paths {
		err := os.WriteFile(p, []byte("evil"), 0o644)
		say("write %s: %v", p, err == nil)
		_ = os.Remove(p + "-other")
		_ = os.Rename(p, p+"-other")
		_ = os.Symlink("/", p+"-link")
		_ = os.Mkdir(p+"-dir", 0o755)
	}
}

func attackRead(paths []string) {
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			say("refused %s", p)
			if list, err := os.ReadDir(p); err == nil {
				say("listed %s %v", p, list)
			}
			continue
		}
		say("read %s: %s", p, data)
	}
}

// self is this program's path inside, as it was started.
func self() string { return os.Args[0] }

// attackDaemon leaves a process behind that has nothing to do with its parent.
func attackDaemon([]string) {
	c := exec.Command(self())
	c.Env = append(os.Environ(), "ATOLL_HOSTILE=stubborn")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		say("failed %v", err)
		return
	}
	inner := exec.Command("/bin/sh", "-c", "(setsid sleep 1000 </dev/null >/dev/null 2>&1 &) ; (trap '' TERM HUP; sleep 1000 &) ; exit 0")
	say("started %v", inner.Run())
}

func attackStubborn([]string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	say("ignoring")
	for {
		time.Sleep(time.Hour)
	}
}

func attackForks([]string) {
	n := 0
	for i := 0; i < 3000; i++ {
		if exec.Command("/bin/sleep", "1000").Start() == nil {
			n++
		}
	}
	say("started %d", n)
	time.Sleep(time.Hour)
}

// attackMemory touches the given number of megabytes and keeps them.
func attackMemory(args []string) {
	n, _ := strconv.Atoi(args[0])
	var keep [][]byte
	for i := 0; i < n; i++ {
		b := make([]byte, 1<<20)
		for j := 0; j < len(b); j += 4096 {
			b[j] = 1
		}
		keep = append(keep, b)
	}
	say("touched %d", len(keep))
	time.Sleep(time.Hour)
}

// attackShared does the same with shared anonymous memory, which no limit of the
// kernel counts.
func attackShared(args []string) {
	n, _ := strconv.Atoi(args[0])
	b, err := unix.Mmap(-1, 0, n<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		say("refused")
		return
	}
	for j := 0; j < len(b); j += 4096 {
		b[j] = 1
	}
	say("touched")
	time.Sleep(time.Hour)
}

// attackDisk writes one large file.
func attackDisk(args []string) {
	n, _ := strconv.Atoi(args[0])
	f, err := os.Create("big")
	b := make([]byte, 1<<20)
	for i := 0; i < n && err == nil; i++ {
		_, err = f.Write(b)
	}
	say("wrote: %v", err)
}

// attackFiles writes many files that are small for themselves.
func attackFiles(args []string) {
	n, _ := strconv.Atoi(args[0])
	dir := os.Getenv("TMPDIR")
	b := make([]byte, 1<<20)
	for i := 0; i < n; i++ {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), b, 0o644); err != nil {
			say("stopped: %v", err)
			return
		}
	}
	say("wrote all")
	time.Sleep(time.Hour)
}

func attackOutput([]string) {
	b := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
	for {
		if _, err := os.Stdout.Write(b); err != nil {
			return
		}
	}
}

// spun keeps the compiler from seeing that the spinning leads nowhere.
var spun atomic.Int64

func attackSpin([]string) {
	for i := 0; i < 2; i++ {
		go func() {
			for n := 0; ; n++ {
				spun.Store(int64(n))
			}
		}()
	}
	select {}
}

// attackSpy looks for a word in everything that /proc shows.
func attackSpy(args []string) {
	hits, seen := 0, 0
	for _, file := range []string{"environ", "cmdline", "maps"} {
		list, _ := filepath.Glob("/proc/[0-9]*/" + file)
		for _, p := range list {
			if p == fmt.Sprintf("/proc/%d/%s", os.Getpid(), file) {
				continue
			}
			data, err := os.ReadFile(p)
			if err == nil {
				seen++
				if bytes.Contains(data, []byte(args[0])) {
					hits++
				}
			}
		}
	}
	say("seen %d hits %d", seen, hits)
}

// attackConnect tries "network address" pairs.
func attackConnect(args []string) {
	for i := 0; i+1 < len(args); i += 2 {
		c, err := net.DialTimeout(args[i], args[i+1], 300*time.Millisecond)
		say("connect %s %s: %v", args[i], args[i+1], err == nil)
		if err == nil {
			_ = c.Close()
		}
	}
}

// attackEcho sends a line to an address and prints the answer.
func attackEcho(args []string) {
	c, err := net.Dial("tcp4", args[0])
	if err != nil {
		say("no: %v", err)
		return
	}
	_, _ = fmt.Fprintln(c, "hello")
	line, err := bufio.NewReader(c).ReadString('\n')
	say("answer %s %v", strings.TrimSpace(line), err)
}

func attackLoopback([]string) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		say("own loopback: false")
		return
	}
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = io.WriteString(c, "x")
			_ = c.Close()
		}
	}()
	c, err := net.Dial("tcp4", l.Addr().String())
	if err == nil {
		_, err = io.ReadFull(c, make([]byte, 1))
	}
	say("own loopback: %v", err == nil)
}

// attackKill signals the given processes, and its parents.
func attackKill(args []string) {
	for _, a := range args {
		pid, _ := strconv.Atoi(a)
		say("kill %d: %v", pid, syscall.Kill(pid, syscall.SIGKILL) == nil)
	}
}

// attackCalls makes system calls that are never needed.
func attackCalls([]string) {
	var buf [256]byte
	p := uintptr(unsafe.Pointer(&buf))
	for _, c := range []struct {
		name string
		nr   uintptr
		a    [3]uintptr
	}{
		{"unshare user", unix.SYS_UNSHARE, [3]uintptr{unix.CLONE_NEWUSER}},
		{"mount", unix.SYS_MOUNT, [3]uintptr{p, p, p}},
		{"umount", unix.SYS_UMOUNT2, [3]uintptr{p, 0}},
		{"setns", unix.SYS_SETNS, [3]uintptr{0, 0}},
		{"ptrace", unix.SYS_PTRACE, [3]uintptr{0}},
		{"bpf", unix.SYS_BPF, [3]uintptr{0, p, 8}},
		{"keyctl", unix.SYS_KEYCTL, [3]uintptr{0}},
		{"userfaultfd", unix.SYS_USERFAULTFD, [3]uintptr{0}},
		{"perf", unix.SYS_PERF_EVENT_OPEN, [3]uintptr{p}},
		{"io_uring", unix.SYS_IO_URING_SETUP, [3]uintptr{1, p}},
		{"open_tree", unix.SYS_OPEN_TREE, [3]uintptr{^uintptr(99), p, 1}},
		{"fsopen", unix.SYS_FSOPEN, [3]uintptr{p}},
		{"open_by_handle", unix.SYS_OPEN_BY_HANDLE_AT, [3]uintptr{0, p, 0}},
		{"module", unix.SYS_FINIT_MODULE, [3]uintptr{0, p, 0}},
		{"packet socket", unix.SYS_SOCKET, [3]uintptr{unix.AF_PACKET, unix.SOCK_RAW, 0}},
		{"vsock socket", unix.SYS_SOCKET, [3]uintptr{unix.AF_VSOCK, unix.SOCK_STREAM, 0}},
		{"key into terminal", unix.SYS_IOCTL, [3]uintptr{0, unix.TIOCSTI, p}},
		{"large segment", unix.SYS_SHMGET, [3]uintptr{0, 1 << 30, 0o1600}},
		{"memfd", unix.SYS_MEMFD_CREATE, [3]uintptr{p, 0}},
		{"swapping out", unix.SYS_MADVISE, [3]uintptr{0, 0, unix.MADV_PAGEOUT}},
		{"vmsplice", unix.SYS_VMSPLICE, [3]uintptr{1, p, 1}},
	} {
		_, _, e := syscall.Syscall(c.nr, c.a[0], c.a[1], c.a[2])
		say("%s: %s", c.name, unix.ErrnoName(e))
	}
	pid, _, e := syscall.RawSyscall6(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e == 0 && pid == 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	say("clone user: %s", unix.ErrnoName(e))
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	err := unix.Capget(&hdr, &caps[0])
	bounding := 0
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); err == nil {
			bounding += has
		}
	}
	noNew, _ := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	mode, _ := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	say("state %v %v bounding %d no_new_privs %d seccomp %d", caps, err, bounding, noNew, mode)
}

// attackFds lists the descriptors that were left open.
func attackFds([]string) {
	var open []int
	for fd := 3; fd < 200; fd++ {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			open = append(open, fd)
		}
	}
	say("inherited %v", open)
}

func attackChmod(paths []string) {
	for _, p := range paths {
		say("chmod %s: %v", p, os.Chmod(p, 0o777) == nil)
	}
}
