package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"atoll/engine/sandbox"
	"atoll/engine/sandbox/boot"

	"golang.org/x/sys/unix"
)

// lesser makes a Box of a machine that lacks something, or skips.
func lesser(t *testing.T, mode sandbox.Mode, l sandbox.Lack) *sandbox.Box {
	t.Helper()
	b, err := sandbox.New(t.Context(), l.On(sandbox.Options{Mode: mode}))
	if err != nil {
		t.Skipf("this machine, or this user, cannot: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

func TestRunTakesTheBestFenceThatWorks(t *testing.T) {
	want := "trace"
	if os.Getuid() == 0 {
		want = "namespace"
	}
	for _, mode := range modes[1:] {
		b := mustBox(t, mode)
		if b.Fence() != want || !b.Fenced() {
			t.Errorf("%s: the fence is %s, want %s", mode, b.Fence(), want)
		}
		none := lesser(t, mode, sandbox.Lack{Fence: "none"})
		if none.Fenced() {
			t.Errorf("%s without a fence says that it has one", mode)
		}
		var said bool
		for _, f := range none.Findings() {
			said = said || f.Name == "processes" && !f.OK && f.Cure != ""
		}
		if !said {
			t.Errorf("%s without a fence: %v, want what is missing and what would raise it", mode, none.Findings())
		}
	}
}

// Tracing changes nothing in how signals, job control, threads and the programs
// that they start work.
func TestRunTracedIsLikeUntraced(t *testing.T) {
	for _, mode := range modes[1:] {
		t.Run(string(mode), func(t *testing.T) {
			b := lesser(t, mode, sandbox.Lack{Fence: "trace"})
			for _, tc := range []struct{ name, script, want string }{
				{"a trap", `trap 'echo caught' USR1; kill -USR1 $$; echo on`, "caught\non\n"},
				{"a signal that ends", `sh -c 'kill -SEGV $$'; echo $?`, "139\n"},
				{"a child that ends while its parent works", `trap 'echo child' CHLD; sh -c 'exit 3' & wait $!; echo $?`, "child\n3\n"},
				{"stopped and continued", `sh -c 'kill -STOP $$; echo went on' & until grep -qi "^State:.T" /proc/$!/status 2>/dev/null || test -n "$NOPROC"; do sleep 0.01; done
					sleep 0.1; kill -CONT $!; wait $!; echo $?`, "went on\n0\n"},
				{"a pipe of many programs", `seq 200 | while read n; do echo $n | cat; done | tail -n 1`, "200\n"},
				{"vfork and exec of a program that is not there", `env no-such-program 2>/dev/null; echo $?`, "127\n"},
				{"a program that starts another from a thread", hostilePath + " x", "from a thread\n"},
			} {
				t.Run(tc.name, func(t *testing.T) {
					w := newWorld(t)
					s := w.spec("thread exec")
					s.Args = []string{"sh", "-c", tc.script}
					if mode == sandbox.ModeLandlock {
						s.Env = append(s.Env, "NOPROC=yes") // which rung 2 does not show
					}
					res := w.mustRun(b, s)
					if res.Exit != 0 || string(res.Stdout) != tc.want || len(res.Limits) > 0 {
						t.Errorf("exit %d, limits %v, output %q, want %q\n%s", res.Exit, res.Limits, res.Stdout, tc.want, res.Stderr)
					}
				})
			}
		})
	}
}

// attackThreadExec replaces this program from a thread that is not its first,
// while others run.
func attackThreadExec([]string) {
	for range 4 {
		go func() {
			runtime.LockOSThread()
			select {}
		}()
	}
	var replace func()
	replace = func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // another goroutine is on another thread
			go replace()
			select {}
		}
		say("%v", syscall.Exec("/bin/sh", []string{"sh", "-c", "echo from a thread"}, os.Environ()))
		os.Exit(1)
	}
	go replace()
	select {}
}

func TestHostileProcessesDieWithTheirKeeper(t *testing.T) {
	for _, c := range []struct {
		mode  sandbox.Mode
		fence string
	}{{sandbox.ModeLandlock, "namespace"}, {sandbox.ModeLandlock, "trace"}, {sandbox.ModeUnsafe, "namespace"}, {sandbox.ModeUnsafe, "trace"}} {
		t.Run(string(c.mode)+" "+c.fence, func(t *testing.T) {
			b := lesser(t, c.mode, sandbox.Lack{Fence: c.fence})
			w := newWorld(t)
			s := w.sh("trap '' TERM HUP; (setsid env -i TOKEN=$TOKEN sleep 1000 &) ; sleep 0.1; echo ready; while :; do sleep 1; done")
			ready := make(chan bool, 1)
			s.OnLine = func(int, string) { ready <- true }
			failed := make(chan error, 1)
			go func() {
				_, err := b.Run(t.Context(), s)
				failed <- err
			}()
			<-ready
			if n := len(w.processes()); n < 2 {
				t.Fatalf("%d processes, want the attack to run", n)
			}
			for _, pid := range childrenNamed(t, boot.InitName) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			w.wait()
			if err := <-failed; !errors.Is(err, sandbox.ErrEnded) {
				t.Errorf("a run whose first process was killed has the error %v", err)
			}
		})
	}
}

func TestRunLeavesTheMachinesProcessLimitAlone(t *testing.T) {
	read := func() string {
		data, err := os.ReadFile("/proc/sys/kernel/pid_max")
		if err != nil {
			t.Skipf("cannot be read: %v", err)
		}
		return strings.TrimSpace(string(data))
	}
	before := read()
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, w.sh("cat /proc/sys/kernel/pid_max"))
		t.Logf("inside %s of %s", strings.TrimSpace(string(res.Stdout)), before)
		if after := read(); after != before {
			_ = exec.Command("sysctl", "kernel.pid_max="+before).Run()
			t.Errorf("the machine's limit was %s and is %s", before, after)
		}
	})
}
