package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
	"atoll/engine/sandbox/boot"
)

func TestHostileLimits(t *testing.T) {
	onRungs(t, suitetest.Pick(isolating, modes, modes), func(t *testing.T, b *sandbox.Box) {
		t.Logf("rung %s", b.Rung())
		for _, tc := range []struct {
			name, attack string
			args         []string
			limits       sandbox.Limits
			want         string
		}{
			{"forks past the process limit are stopped", "forks", nil, sandbox.Limits{Procs: 60}, "procs"},
			{"memory past the limit is stopped", "memory", []string{"700"}, sandbox.Limits{Memory: 200 << 20}, "memory"},
			{"shared memory counts as well", "shared", []string{"700"}, sandbox.Limits{Memory: 200 << 20}, "memory"},
			{"one file past the disk limit is stopped", "disk", []string{"40"}, sandbox.Limits{Disk: 16 << 20}, "disk"},
			{"many files past the disk limit are stopped", "files", []string{"60"}, sandbox.Limits{Disk: 16 << 20}, "disk"},
			{"output past the limit is stopped", "output", nil, sandbox.Limits{Output: 1 << 20}, "output"},
			{"a busy loop is stopped by the processor limit", "spin", nil, sandbox.Limits{CPU: 200 * time.Millisecond}, "cpu"},
			{"sleeping for ever is stopped by the clock", "sleep", nil, sandbox.Limits{Wall: 250 * time.Millisecond}, "wall"},
			{"ignoring SIGTERM does not help", "stubborn", nil, sandbox.Limits{Wall: 250 * time.Millisecond}, "wall"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				w := newWorld(t)
				s := w.spec(tc.attack, tc.args...)
				if tc.limits.Wall == 0 {
					tc.limits.Wall = 20 * time.Second
				}
				s.Limits = tc.limits
				began := time.Now()
				res := w.mustRun(b, s)
				wantLimits(t, res, tc.want)
				if d := time.Since(began); d > suitetest.Stretched(t, 15*time.Second) {
					t.Errorf("it took %v", d)
				}
				if res.TimedOut != (tc.want == "wall") {
					t.Errorf("timed out: %v", res.TimedOut)
				}
				if tc.want == "output" && (len(res.Stdout) > 1<<20+100 || res.StdoutCut == 0) {
					t.Errorf("kept %d bytes and cut %d", len(res.Stdout), res.StdoutCut)
				}
			})
		}
	})
}

func TestHostileDaemonsAreGoneWhenRunReturns(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, w.spec("daemon"))
		wantOut(t, res, "started <nil>")
		if len(res.Violations) != 1 || !strings.Contains(res.Violations[0], "behind") {
			t.Errorf("violations %q, want one about processes left behind", res.Violations)
		}
	})
}

func TestRunEndsWithinTwoSecondsOfCancel(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		ready := make(chan bool, 1)
		s := w.spec("stubborn")
		s.OnLine = func(int, string) { ready <- true }
		var at time.Time
		go func() { <-ready; at = time.Now(); cancel() }()
		_, err := b.Run(ctx, s)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want the context's", err)
		}
		if d := time.Since(at); d > suitetest.Stretched(t, 2*time.Second) {
			t.Errorf("it took %v after the cancel", d)
		}
	})
}

// copies is, of a supervisor, rung 1 by a copy of a prepared interpreter.
const copies = "prepared"

// supervise is a process that runs a sandbox and is killed meanwhile.
func supervise(mode string) {
	copied := mode == copies
	if copied {
		mode = string(sandbox.ModeNamespaces)
	}
	b, err := sandbox.New(context.Background(), sandbox.Options{Mode: sandbox.Mode(mode), Scratch: os.Getenv("SCRATCH")})
	if err != nil {
		say("no box: %v", err)
		return
	}
	s := sandbox.Spec{
		Args: []string{"sh", "-c", "trap '' TERM HUP; (setsid sleep 1000 &) ; echo ready; while :; do sleep 1; done"},
		Env:  []string{"TOKEN=" + os.Getenv("TOKEN")}, OnLine: func(_ int, line string) { say("%s", line) },
	}
	if copied {
		s = becoming(s)
		if err := b.Prepare(context.Background(), s); err != nil {
			say("not prepared: %v", err)
		}
	}
	_, err = b.Run(context.Background(), s)
	say("ended: %v", err)
}

func TestHostileSupervisorKilledLeavesNothing(t *testing.T) {
	for _, mode := range append(slices.Clone(modes), copies) {
		t.Run(string(mode), func(t *testing.T) {
			if mode == copies {
				preparing(t)
			} else {
				mustBox(t, mode)
			}
			w := newWorld(t)
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			scratch := t.TempDir()
			cmd := exec.Command(exe, string(mode))
			cmd.Env = append(os.Environ(), "ATOLL_HOSTILE=supervisor", "TOKEN="+w.token, "SCRATCH="+scratch)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 100)
			n, _ := out.Read(buf)
			if string(buf[:n]) != "ready\n" {
				t.Fatalf("the sandbox said %q", buf[:n])
			}
			if len(w.processes()) < 2 {
				t.Fatalf("processes %v, want the attack to run", w.processes())
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			w.wait()
			until(t, "its prepared interpreters are gone", func() bool { return len(residents(t, w.token)) == 0 })
			if _, err := sandbox.ReapStrays(scratch); err != nil {
				t.Errorf("reap: %v", err)
			}
			if left, _ := os.ReadDir(scratch); len(left) > 0 {
				t.Errorf("folders left behind: %v", left)
			}
		})
	}
}

func TestHostileStraysOfAKilledKeeperAreReaped(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	ours, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, space string
		reaped      int
	}{
		{"of a dead atoll they are", ours, 1},
		{"of an atoll in another container that shares the folder they are not", "pid:[1]", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			scratch := t.TempDir()
			dead := scratch + "/atoll-box-dead"
			w.put(dead, "runs/run-1/file", "")
			w.put(dead, "space", tc.space)
			w.put(dead, "owner", "1 1 another-boot")
			stray := exec.Command("sleep", "1000")
			stray.Env = []string{"ATOLL_SANDBOX_RUN=" + tc.space + " " + dead + "/runs/run-1", "TOKEN=" + w.token}
			if err := stray.Start(); err != nil {
				t.Fatal(err)
			}
			gone := make(chan error, 1)
			go func() { gone <- stray.Wait() }()
			n, err := sandbox.ReapStrays(scratch)
			if err != nil || n != tc.reaped {
				t.Errorf("reaped %d, %v; want %d", n, err, tc.reaped)
			}
			if _, err := os.Stat(dead); os.IsNotExist(err) != (tc.reaped > 0) {
				t.Errorf("the folder: %v", err)
			}
			if tc.reaped == 0 {
				_ = stray.Process.Kill()
			}
			<-gone
			if res, err := b.Run(t.Context(), w.sh("echo fine")); err != nil || res.Exit != 0 {
				t.Errorf("a living box was disturbed: %v", err)
			}
		})
	}
}

func TestSeveralWhoStartAtOnceCleanUpAfterOneAnother(t *testing.T) {
	w := newWorld(t)
	scratch := t.TempDir()
	for i := range 50 {
		dead := fmt.Sprintf("%s/atoll-box-%d", scratch, i)
		w.put(dead, "runs/run-1/deep/er/file", "")
		w.put(dead, "owner", "1 1 another-boot")
	}
	w.put(scratch+"/atoll-box-new", "owner", "") // whose maker writes it now
	var together errgroup.Group
	for range 4 {
		together.Go(func() error {
			_, err := sandbox.ReapStrays(scratch)
			return err
		})
	}
	if err := together.Wait(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 1 || left[0].Name() != "atoll-box-new" {
		t.Errorf("%v %v", left, err)
	}
}

func TestHostileFoldersOfOtherUsersAreLeftAlone(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	w := newWorld(t)
	scratch := t.TempDir()
	w.put(scratch, "atoll-box-theirs/kept", "theirs\n")
	w.put(scratch, "atoll-box-theirs/owner", "1 1 another-boot")
	if err := os.Symlink(w.victim, scratch+"/atoll-box-link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(scratch+"/atoll-box-theirs", 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if _, err := sandbox.ReapStrays(scratch); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/atoll-box-theirs/kept", "/atoll-box-link"} {
		if _, err := os.Lstat(scratch + path); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
}

// childrenNamed lists this process's children that were started under a name.
func childrenNamed(t *testing.T, name string) []int {
	t.Helper()
	var list []int
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range tasks {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Skipf("this kernel does not list children: %v", err)
		}
		for _, f := range strings.Fields(string(data)) {
			line, err := os.ReadFile("/proc/" + f + "/cmdline")
			if pid, _ := strconv.Atoi(f); err == nil && strings.TrimRight(string(line), "\x00") == name {
				list = append(list, pid)
			}
		}
	}
	return list
}

func TestRunGoesOnWhenTheStarterWasKilled(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	w.mustRun(b, w.sh("true"))
	starters := childrenNamed(t, boot.StarterName)
	if len(starters) != 1 {
		t.Fatalf("starters %v, want one", starters)
	}
	ready := make(chan bool, 1)
	s := w.spec("stubborn")
	s.OnLine = func(int, string) { ready <- true }
	failed := make(chan error, 1)
	go func() {
		_, err := b.Run(t.Context(), s)
		failed <- err
	}()
	<-ready
	if err := syscall.Kill(starters[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; err == nil {
		t.Error("a run whose starter was killed has no error")
	}
	res := w.mustRun(b, w.sh("echo again"))
	wantOut(t, res, "again")
	if left := childrenNamed(t, boot.StarterName); len(left) > 0 {
		t.Errorf("starters left: %v", left)
	}
}
