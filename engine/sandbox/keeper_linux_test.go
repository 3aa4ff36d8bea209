package sandbox_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"

	"golang.org/x/sys/unix"
)

// attackTimers tells how late timers may be.
func attackTimers([]string) {
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	say("slack %d %v", slack, err)
}

// attackPester opens connections to the launcher's socket and sends nothing, half
// a request, or nonsense; then it runs a program with the launcher.
func attackPester(args []string) {
	n, _ := strconv.Atoi(args[0])
	socket := filepath.Join(filepath.Dir(os.Getenv("ATOLL_RUN")), "socket")
	for i := range n {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			say("connection %d: %v", i, err)
			break
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write([]byte("\x09\x00\x00\x00\x00\x00\x00\x00half of it, and more")[:i%20])
	}
	out, err := exec.Command(os.Getenv("ATOLL_RUN"), "echo", "launched").CombinedOutput()
	say("%s%v", out, err)
	select {}
}

// A program whose runtime cannot start a thread aborts, and the first process would
// do that when the command has filled the process table. So waiting takes it none.
func TestFirstProcessHasFewThreadsWhateverItWaitsFor(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, evaluatorRun(w, `
		threads() { sed -n 's/^Threads:[^0-9]*//p' /proc/1/status; }
		threads
		for i in 1 2 3 4 5 6 7 8 9; do mkfifo "$TMPDIR/$i"; $ATOLL_RUN sh -c 'read x' <>"$TMPDIR/$i" & done
		for i in 1 2 3 4 5 6 7 8 9; do echo x >"$TMPDIR/$i"; done; threads; wait; threads`))
	var counts []int
	for _, line := range strings.Fields(string(res.Stdout)) {
		n, _ := strconv.Atoi(line)
		counts = append(counts, n)
	}
	// A busy machine makes the runtime start a few more, once; nine that wait would be nine.
	if len(counts) != 3 || counts[0] == 0 || slices.Max(counts) > 12 || slices.Max(counts)-counts[0] > 4 {
		t.Errorf("the first process has %v threads, want a few at all three times\n%s", counts, res.Stderr)
	}
}

// Timers of the first process may be late, those of commands are as usual.
func TestCommandHasTheUsualTimers(t *testing.T) {
	want, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		t.Skipf("the kernel does not tell: %v", err)
	}
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		wantOut(t, w.mustRun(b, w.spec("timers")), fmt.Sprintf("slack %d <nil>", want))
	})
}

// The watchdog serves the launchers: none may keep it from anything else.
func TestLauncherHostileRequestsKeepNobodyWaiting(t *testing.T) {
	for _, n := range []int{100, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b := mustBox(t, sandbox.ModeNamespaces)
			w := newWorld(t)
			s := w.spec("pester", fmt.Sprint(n))
			s.RunHelper = true
			s.Limits.Wall = 1500 * time.Millisecond
			if n < 1000 {
				s.Limits.Wall = suitetest.Stretched(t, s.Limits.Wall) // all have to be asked before it
			}
			began := time.Now()
			res := w.mustRun(b, s)
			if took := time.Since(began); took > s.Limits.Wall+suitetest.Stretched(t, 8*time.Second) {
				t.Errorf("a limit of %v took %v", s.Limits.Wall, took)
			}
			wantLimits(t, res, "wall")
			if n < 1000 {
				wantOut(t, res, "launched\n<nil>")
			}
		})
	}
}
