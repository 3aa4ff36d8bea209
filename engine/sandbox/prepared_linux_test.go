package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
)

// viaCopies are the Boxes whose runs are copies of prepared interpreters.
var viaCopies sync.Map

// preparing is a Box of rung 1 whose runs are copies of a prepared interpreter that then
// execute their command.
func preparing(t testing.TB) *sandbox.Box {
	t.Helper()
	b := mustBox(t, sandbox.ModeNamespaces)
	if why := b.CanPrepare(); why != "" {
		t.Skipf("no interpreter can be prepared here: %s", why)
	}
	viaCopies.Store(b, true)
	t.Cleanup(func() { viaCopies.Delete(b) })
	return b
}

const becomes = "become.py"

// viaCopy returns a Spec whose command is executed by a copy of a prepared interpreter, on a
// Box made for it.
func viaCopy(t testing.TB, b *sandbox.Box, s sandbox.Spec) (sandbox.Spec, bool) {
	t.Helper()
	if _, ok := viaCopies.Load(b); !ok || s.Prepared != nil || s.Stdin != nil || s.Dir != "" || s.Net != "" {
		return s, s.Prepared != nil
	}
	s = becoming(s)
	if err := b.Prepare(t.Context(), s); err != nil {
		t.Fatalf("prepare an interpreter: %v", err)
	}
	return s, true
}

// becoming is a Spec of a prepared interpreter whose copies execute the command.
func becoming(s sandbox.Spec) sandbox.Spec {
	s.Args = append([]string{"/usr/bin/python3", "-I", sandbox.ControlDir + "/" + becomes}, s.Args...)
	s.Files = maps.Clone(s.Files)
	if s.Files == nil {
		s.Files = map[string][]byte{}
	}
	s.Files[becomes] = []byte(`import os, sys
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except FileNotFoundError:
    sys.stderr.write("no such file\n")
    sys.exit(127)
`)
	s.Prepared = &sandbox.Prepared{All: true}
	return s
}

// script is a run of a script in Python that lies outside the tree, by a copy of a prepared
// interpreter.
func (w *world) script(text string, args ...string) sandbox.Spec {
	dir := w.t.(*testing.T).TempDir()
	w.put(dir, "script.py", text)
	s := w.spec("", "")
	s.Args = append([]string{"python3", sandbox.EvaluatorDir + "/script.py"}, args...)
	s.Env = []string{"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "TOKEN=" + w.token}
	s.Mounts = append(s.Mounts, sandbox.Mount{Host: dir, At: sandbox.EvaluatorDir, Private: true})
	s.Prepared = &sandbox.Prepared{}
	return s
}

// mustCopy runs a Spec by a copy of a prepared interpreter.
func (w *world) mustCopy(b *sandbox.Box, s sandbox.Spec) sandbox.Result {
	w.t.Helper()
	if err := b.Prepare(w.t.(*testing.T).Context(), s); err != nil {
		w.t.Fatalf("prepare: %v", err)
	}
	res := w.mustRun(b, s)
	if !res.Prepared {
		w.t.Errorf("the command was started: %v\n%s", b.WhyStarted(&s), res.Stderr)
	}
	return res
}

func TestRunOfAPreparedInterpreterIsAScript(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.script("import json, sys, os\nprint(json.dumps(sys.argv), os.getcwd(), os.getpid(), os.getppid(), __name__)\nsys.exit(3)\n", "one", "two")
	res := w.mustCopy(b, s)
	if res.Exit != 3 || !strings.Contains(string(res.Stdout), `"one", "two"] /atoll/tree`) {
		t.Errorf("%+v\n%s%s", res, res.Stdout, res.Stderr)
	}
	t.Logf("%s", res.Stdout)
}

// circumstances prints what a program can see of how it was started.
const circumstances = `
import json, math, os, random, resource, signal, sys, threading, logging, time
def show(name, value): print(name, value)
show("argv", sys.argv); show("orig", sys.orig_argv); show("path", sys.path); show("main", sorted(k for k in globals()))
show("name", (__name__, __file__, __doc__, __package__, __spec__, type(__loader__).__name__))
show("modules", sys.modules["__main__"].__dict__ is globals())
show("env", sorted(os.environ.items())); show("cwd", os.getcwd())
mask = os.umask(0o22); show("mask", oct(mask))
show("fds", sorted(os.listdir("/proc/self/fd")))
show("stdin", (sys.stdin.read(), sys.stdin.seekable(), sys.stdin.isatty(), os.readlink("/proc/self/fd/0")))
show("streams", (sys.stdout.line_buffering, sys.stdout.write_through, sys.stdout.encoding, sys.stderr.errors))
show("signals", [signal.getsignal(i) if isinstance(signal.getsignal(i), int) else "call" for i in range(1, signal.NSIG)])
show("mask of signals", signal.pthread_sigmask(signal.SIG_BLOCK, []))
show("limits", [resource.getrlimit(i) for i in range(16)])
show("ids", (os.getuid(), os.geteuid(), os.getgid(), os.getgroups()))
show("session", (os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()))
show("nice", (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), sorted(os.sched_getaffinity(0))))
with open("/proc/self/status") as f:
    show("status", [l.split() for l in f if l.startswith(("Cap", "NoNewPrivs", "Seccomp:", "SigIgn", "SigBlk", "SigCgt", "Threads", "Groups"))])
show("hash", (hash("one"), list({"a", "b", "c", "d"})))
show("threads", threading.active_count()); show("used", time.process_time() < 5)
show("logging", logging.LogRecord("n", 10, "p", 1, "m", (), None).relativeCreated < 5000)
show("flags", sys.flags); show("mounts", sorted(l.split(" - ")[0].split()[4] for l in open("/proc/self/mountinfo")))
show("processes", len([p for p in os.listdir("/proc") if p.isdigit()]))
show("hosts", (os.uname().nodename, os.listdir("/atoll"), os.listdir("/atoll/control"), os.listdir(os.environ["TMPDIR"])))
show("scripts", open("main.txt").read())
print("to stderr", file=sys.stderr)
open(os.environ["ATOLL_RESULT"], "w").write("result")
open("left.txt", "w").write("left")
unclosed = open(os.environ["TMPDIR"] + "/x", "w")
def deep(): raise KeyError("missing")
deep()
`

// A copy cannot be told from an interpreter that was started, but by the process above it,
// its number, and what /proc tells of its command line.
func TestRunOfAPreparedInterpreterIsLikeAnyOther(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	if why := b.CanPrepare(); why != "" {
		t.Skip(why)
	}
	w := newWorld(t)
	for _, flags := range [][]string{nil, {"-S", "-B"}, {"-O", "-s"}} {
		s := w.script(circumstances, "one", "two words")
		s.Args = slices.Insert(s.Args, 1, flags...)
		s.ResultName, s.RunHelper, s.Harvest = sandbox.ResultName, true, true
		s.Files = map[string][]byte{sandbox.ContextName: []byte("{}")}
		s.Limits.CPU = time.Minute
		copied := w.mustCopy(b, s)
		s.Prepared = nil
		started := w.mustRun(b, s)
		for _, res := range []*sandbox.Result{&copied, &started} {
			res.Wall, res.CPU, res.MaxRSS, res.Prepared = 0, 0, 0, false
		}
		if !bytes.Contains(started.Stderr, []byte("KeyError: 'missing'")) || started.Exit != 1 || string(started.Result) != "result" {
			t.Fatalf("the script ended with %d: %s%s", started.Exit, started.Stdout, started.Stderr)
		}
		a, c := strings.Split(string(started.Stdout), "\n"), strings.Split(string(copied.Stdout), "\n")
		for i := range max(len(a), len(c)) {
			if i >= len(a) || i >= len(c) || a[i] != c[i] {
				t.Errorf("with %q: started\n%s\ncopied\n%s", flags, at(a, i), at(c, i))
			}
		}
		started.Stdout, copied.Stdout = nil, nil
		if !reflect.DeepEqual(started, copied) {
			t.Errorf("with %q: started\n%+v\n%s\ncopied\n%+v\n%s", flags, started, started.Stderr, copied, copied.Stderr)
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "(nothing)"
}

func TestRunsOfOnePreparedInterpreterDrawTheirOwnNumbers(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.script("import random, os, sys\nprint(random.random(), os.urandom(4))\ntry:\n    import numpy.random\n    print(numpy.random.rand())\nexcept ImportError: pass\n")
	s.Args[0] = "/usr/bin/python3"
	one, two := w.mustCopy(b, s), w.mustCopy(b, s)
	for i, line := range strings.Split(strings.TrimSpace(string(one.Stdout)), "\n") {
		if at(strings.Split(string(two.Stdout), "\n"), i) == line {
			t.Errorf("both runs drew %s", line)
		}
	}
}

func TestWhatCannotBeCopiedIsStarted(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	for name, tc := range map[string]struct {
		change func(w *world, s *sandbox.Spec)
		why    string
	}{
		"a script of the tree": {func(_ *world, s *sandbox.Spec) { s.Args[1] = sandbox.TreeDir + "/script.py" }, "beside it"},
		"another program":      {func(_ *world, s *sandbox.Spec) { s.Args = []string{"sh", "-c", "true"} }, "is not python3"},
		"a program in the command line": {
			func(_ *world, s *sandbox.Spec) { s.Args = []string{"python3", "-c", "pass"} }, "is not python3",
		},
		"a hash seed that is drawn": {func(_ *world, s *sandbox.Spec) { s.Env[0] = "PYTHONHASHSEED=random" }, "hash seed"},
		"an interpreter that hears no variables": {
			func(_ *world, s *sandbox.Spec) { s.Args = slices.Insert(s.Args, 1, "-I") }, "hash seed",
		},
		"folders of modules": {func(_ *world, s *sandbox.Spec) { s.Env = append(s.Env, "PYTHONPATH=/atoll/tree") }, "PYTHONPATH"},
		"input":              {func(_ *world, s *sandbox.Spec) { s.Stdin = []byte("x") }, "more than a script"},
		"a network":          {func(_ *world, s *sandbox.Spec) { s.Net = sandbox.NetHost }, "more than a script"},
		"a module that starts a thread": {func(w *world, s *sandbox.Spec) {
			w.module(s, "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n")
		}, "starts threads"},
		"a module that opens a file": {func(w *world, s *sandbox.Spec) { w.module(s, "kept = open('/dev/null')\n") }, "changes the process"},
		"a module that changes a limit": {
			func(w *world, s *sandbox.Spec) {
				w.module(s, "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n")
			}, "changes the process",
		},
		"a module that takes a signal": {
			func(w *world, s *sandbox.Spec) {
				w.module(s, "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\n")
			}, "changes the process",
		},
		"a module that starts a process": {
			func(w *world, s *sandbox.Spec) {
				w.module(s, "import os\nos.posix_spawn('/bin/sleep', ['sleep', '1000'], {})\n")
			}, "starts processes",
		},
		"a module that shares memory": {func(w *world, s *sandbox.Spec) { w.module(s, "import mmap\nkept = mmap.mmap(-1, 4096)\n") }, "shares memory"},
		"a module that prints":        {func(w *world, s *sandbox.Spec) { w.module(s, "print('hello')\n") }, "prints when it is loaded: hello"},
		"a module that ends it":       {func(w *world, s *sandbox.Spec) { w.module(s, "import os\nos._exit(1)\n") }, "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.script("print('well')\n")
			tc.change(w, &s)
			err := b.Prepare(t.Context(), s)
			if err == nil || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("prepare: %v, want %q", err, tc.why)
			}
			if why := b.WhyStarted(&s); !strings.Contains(why, tc.why) {
				t.Errorf("it says %q, want %q", why, tc.why)
			}
		})
	}
}

// module gives a Spec a module of that text, which its script imports.
func (w *world) module(s *sandbox.Spec, text string) {
	dir := w.t.(*testing.T).TempDir()
	w.put(dir, "odd.py", text)
	w.put(s.Mounts[len(s.Mounts)-1].Host, "script.py", "import odd\nprint('well')\n")
	s.Mounts = append(s.Mounts, sandbox.Mount{Host: dir, At: "/atoll/modules"})
	s.Env = append(s.Env, "PYTHONPATH=/atoll/modules")
	s.Prepared = &sandbox.Prepared{All: true}
}

// What is loaded ahead is code of the evaluator's, and yet it reaches no more than it would
// in a run.
func TestHostileModulesOfAPreparedInterpreterReachNothing(t *testing.T) {
	b := preparing(t)
	w := newWorld(t)
	victim := exec.Command("sleep", "1000")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	s := w.script("")
	w.module(&s, fmt.Sprintf(`
import ctypes, os, resource, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, call):
    try:
        if call() is not False:
            print("could", name)
    except (OSError, ValueError):
        pass
def reads(path):
    with open(path) as f: return f.read()
for path in (%q, %q, "/etc/shadow", "/root/.profile", "/proc/kcore", "/proc/1/environ", "/proc/1/mem"):
    tried("read " + path, lambda: reads(path))
for path in (%q, "/usr/evil", "/etc/evil", "/atoll/evaluator/evil", "/atoll/bin/evil", "/proc/sys/kernel/core_pattern"):
    tried("write " + path, lambda: open(path, "w").close())
for pid in [%d] + [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
    tried("signal %%d" %% pid, lambda: os.kill(pid, 0))
    tried("read the memory of %%d" %% pid, lambda: open("/proc/%%d/mem" %% pid, "rb").close())
    tried("read the environment of %%d" %% pid, lambda: reads("/proc/%%d/environ" %% pid))
    tried("enter namespaces of %%d" %% pid, lambda: libc.setns(os.open("/proc/%%d/ns/user" %% pid, 0), 0) == 0)
    tried("enter views of %%d" %% pid, lambda: libc.setns(os.open("/proc/%%d/ns/mnt" %% pid, 0), 0) == 0)
tried("signal all", lambda: os.kill(-1, 0))
for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000):
    tried("unshare %%x" %% flag, lambda: libc.unshare(flag) == 0)
tried("mount", lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None) == 0)
tried("see what is above", lambda: libc.ioctl(os.open("/proc/self/ns/pid", 0), 0xb702) >= 0)
tried("see whose it is", lambda: libc.ioctl(os.open("/proc/self/ns/net", 0), 0xb701) >= 0)
tried("trace", lambda: libc.ptrace(16, %d, 0, 0) == 0)
tried("raise a limit", lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)))
tried("connect", lambda: socket.create_connection(("127.0.0.1", 22), 1))
with open("/proc/self/status") as f:
    for line in f:
        if line.startswith("Cap") and int(line.split()[1], 16) or line.startswith("NoNewPrivs") and "1" not in line:
            print("has", line)
print("tried all")
`, w.victim+"/.ssh/id_rsa", w.base+"/main.txt", w.base+"/evil", victim.Process.Pid, victim.Process.Pid))
	err := b.Prepare(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "loaded: tried all") {
		t.Errorf("prepare: %v", err)
	}
}

// A prepared interpreter stays in its network from run to run: that is not to be seen.
func TestHostileNetworksOfCopiesTellTheNextRunNothing(t *testing.T) {
	b := preparing(t)
	w := newWorld(t)
	s := w.script(`
import os
attack, _, name = os.environ["ATOLL_LAYOUT"].partition(":")
os.environ["ATOLL_HOSTILE"] = attack
os.execv("/atoll/hostile", ["/atoll/hostile", name])
`)
	run := func(attack string, copied bool) string {
		t.Helper()
		if copied {
			if err := b.Prepare(t.Context(), s); err != nil {
				t.Fatalf("prepare: %v", err)
			}
		}
		s := s
		s.Env = append(slices.Clone(s.Env), sandbox.Varying+"="+attack)
		res := w.mustRunWith(b, s)
		if copied && !res.Prepared {
			t.Errorf("%s: it was started", attack)
		}
		return string(res.Stdout)
	}
	look := func(copied bool) (where, what string) {
		t.Helper()
		where, what, _ = strings.Cut(run("network look", copied), "\n")
		if !strings.Contains(what, "port free: true") || strings.Contains(what, "changed") || !strings.Contains(what, "Tcp: ") {
			t.Errorf("in the network of a run:\n%s\n%s", where, what)
		}
		return where, what
	}
	first, fresh := look(true)
	if again, _ := look(true); again != first {
		t.Errorf("two runs that left nothing were in %s and %s", first, again)
	}
	used := 0
	for name := range networkTraces {
		before, _ := look(true)
		if out := run("network trace:"+name, true); !strings.Contains(out, "left") {
			t.Logf("%s: %s", name, out)
			continue
		}
		after, then := look(false)
		if then != fresh {
			t.Errorf("%s: the next run sees\n%s\ninstead of\n%s", name, then, fresh)
		}
		if after != before {
			used++
		}
	}
	if used < len(networkTraces)/2 {
		t.Errorf("of %d networks in which something happened %d were left", len(networkTraces), used)
	}
}

// residents are the processes of prepared interpreters, by their command line.
func residents(t *testing.T, token string) (list []int) {
	t.Helper()
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err == nil && strings.Contains(string(env), token) && waits(d) {
			pid, _ := strconv.Atoi(filepath.Base(d))
			list = append(list, pid)
		}
	}
	return list
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within thirty seconds: %s", what)
		}
	}
}

func TestRunGoesOnWhenItsPreparedInterpreterIsKilled(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	flag := w.t.(*testing.T).TempDir()
	s := w.script("import os, sys, time\nprint('begun')\nsys.stdout.flush()\nwhile os.path.exists('/atoll/flag/wait'): time.sleep(0.005)\nprint('well')\n")
	s.Mounts = append(s.Mounts, sandbox.Mount{Host: flag, At: "/atoll/flag"})
	w.put(flag, "wait", "")
	if err := b.Prepare(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	list := residents(t, w.token)
	if len(list) != 1 {
		t.Fatalf("%d prepared interpreters, want one", len(list))
	}
	begun := make(chan bool, 8)
	s.OnLine = func(_ int, line string) { begun <- line == "begun" }
	done := make(chan sandbox.Result, 1)
	go func() {
		res, err := b.Run(t.Context(), s)
		if err != nil {
			t.Errorf("run: %v", err)
		}
		done <- res
	}()
	<-begun
	for _, pid := range residents(t, w.token) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = os.Remove(flag + "/wait")
	res := <-done
	if res.Exit != 0 || !strings.Contains(string(res.Stdout), "well") {
		t.Errorf("%+v\n%s%s", res, res.Stdout, res.Stderr)
	}
	until(t, "what is left of it is gone", func() bool { return len(residents(t, w.token)) == 0 })
	s.OnLine = nil
	if res := w.mustCopy(b, s); res.Exit != 0 {
		t.Errorf("the next: %+v", res)
	}
}

func TestRunOfAPreparedInterpreterIsCancelledInTime(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.script("import sys, time, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('begun')\nsys.stdout.flush()\ntime.sleep(1000)\n")
	if err := b.Prepare(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.OnLine = func(int, string) { cancel() }
	began := time.Now()
	if _, err := b.Run(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if took := time.Since(began); took > suitetest.Stretched(t, 2*time.Second) {
		t.Errorf("it took %v", took)
	}
	w.wait()
}

func TestRunOfAPreparedInterpreterKeepsItsLimits(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	for limit, tc := range map[string]struct {
		text   string
		limits sandbox.Limits
	}{
		"memory": {"kept = []\nwhile True: kept.append(bytearray(b'x') * (1 << 20))\n", sandbox.Limits{Memory: 96 << 20}},
		"cpu":    {"while True: pass\n", sandbox.Limits{CPU: 200 * time.Millisecond}},
		"wall":   {"import time\ntime.sleep(1000)\n", sandbox.Limits{Wall: 200 * time.Millisecond}},
		"output": {"while True: print('x' * 1000)\n", sandbox.Limits{Output: 1 << 16}},
		"disk":   {"import os\nf = open(os.environ['TMPDIR'] + '/x', 'wb')\nwhile True: f.write(bytes(1 << 20))\n", sandbox.Limits{Disk: 4 << 20}},
		"procs":  {"import os, time\nfor i in range(30):\n    if os.fork() == 0: time.sleep(1000)\ntime.sleep(1000)\n", sandbox.Limits{Procs: 10}},
	} {
		t.Run(limit, func(t *testing.T) {
			w := newWorld(t)
			s := w.script(tc.text)
			s.Limits = tc.limits
			if s.Limits.Wall == 0 {
				s.Limits.Wall = 20 * time.Second
			}
			res := w.mustCopy(b, s)
			if !slices.Contains(res.Limits, limit) {
				t.Errorf("limits %v, exit %d %s\n%s", res.Limits, res.Exit, res.Signal, res.Stderr)
			}
			if limit == "cpu" && (res.CPU < 200*time.Millisecond || res.CPU > 3*time.Second) {
				t.Errorf("processor time %v", res.CPU)
			}
			if again := w.mustCopy(b, s); !slices.Contains(again.Limits, limit) {
				t.Errorf("the next run of the same interpreter: %v", again.Limits)
			}
		})
	}
}

func TestRunOfAPreparedInterpreterCountsWhatItUses(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustCopy(b, w.script("import subprocess, time\nkept = bytearray(b'x') * (64 << 20)\nwhile time.process_time() < 0.1: pass\n"+
		"subprocess.run(['python3', '-c', 'import time\\nwhile time.process_time() < 0.1: pass'])\n"))
	if res.CPU < 190*time.Millisecond || res.CPU > 2*time.Second || res.MaxRSS < 64<<20 || res.MaxRSS > 200<<20 {
		t.Errorf("processor time %v, memory %d MiB\n%s", res.CPU, res.MaxRSS>>20, res.Stderr)
	}
}

// Each run leaves something in its network, so that no interpreter serves two.
func TestRunsThatAlwaysUseTheirNetworkAreStarted(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	s := w.script("import socket\ntry: socket.create_connection(('127.0.0.1', 1), 1)\nexcept OSError: print('well')\n")
	if err := b.Prepare(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if res := w.mustRunWith(b, s); string(res.Stdout) != "well\n" {
			t.Fatalf("%s%s", res.Stdout, res.Stderr)
		}
		if why := b.WhyStarted(&s); why != "" {
			if !strings.Contains(why, "network") {
				t.Error(why)
			}
			return
		}
	}
	t.Error("after forty runs interpreters are still loaded for one run each")
}

func TestModulesBesideAScriptAreLoadedAheadWhereThatIsAskedFor(t *testing.T) {
	b := preparing(t)
	w := newWorld(t)
	for _, beside := range []bool{false, true} {
		dir := t.TempDir()
		w.put(dir, "kept.py", "import time\nborn = time.monotonic_ns()\n")
		w.put(dir, "script.py", "import time\nnow = time.monotonic_ns()\nimport kept\nprint(kept.born < now)\n")
		s := w.spec("", "")
		s.Args = []string{"python3", "/atoll/parts/script.py"}
		s.Env = []string{"PYTHONHASHSEED=0"}
		s.Mounts = append(s.Mounts, sandbox.Mount{Host: dir, At: "/atoll/parts"})
		s.Prepared = &sandbox.Prepared{All: true, Beside: beside}
		if res := w.mustCopy(b, s); strings.HasPrefix(string(res.Stdout), "True") != beside {
			t.Errorf("beside %v: loaded ahead: %s%s", beside, res.Stdout, res.Stderr)
		}
		s.Mounts[len(s.Mounts)-1].Write = true
		if why := b.WhyStarted(&s); !strings.Contains(why, "beside it") {
			t.Errorf("a script in a folder that a command can write to: %q", why)
		}
	}
}

func TestInterpretersThatSeeAFolderAreLetGo(t *testing.T) {
	b := preparing(t)
	w := newWorld(t)
	s, other := w.script("import json\n"), w.script("import json\n")
	for _, spec := range []sandbox.Spec{s, other} {
		if err := b.Prepare(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	b.LetGo(s.Mounts[len(s.Mounts)-1].Host)
	deadline := time.Now().Add(suitetest.Stretched(t, 10*time.Second))
	for len(residents(t, w.token)) > 1 && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if left := residents(t, w.token); len(left) != 1 {
		t.Errorf("left: %v, want that of the other folder", left)
	}
	if res := w.mustCopy(b, s); res.Exit != 0 {
		t.Errorf("asked for again: %s", res.Stderr)
	}
}

func TestClosingABoxEndsItsPreparedInterpreters(t *testing.T) {
	b, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces})
	if err != nil {
		t.Skip(err)
	}
	w := newWorld(t)
	if err := b.Prepare(t.Context(), w.script("import json\n")); err != nil {
		t.Error(err)
	}
	if len(residents(t, w.token)) != 1 {
		t.Error("none was prepared")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left := residents(t, w.token); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// The kernel counts what a process used with whoever waits for it, and with nobody where it dies
// together with its namespace.
func TestWhatCopiesUseIsCountedWhenTheirBoxIsClosed(t *testing.T) {
	b, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces})
	if err != nil {
		t.Skip(err)
	}
	w := newWorld(t)
	s := w.script("import time\nwhile time.process_time() < 1: pass\n")
	if why := b.CanPrepare(); why != "" {
		_ = b.Close()
		t.Skip(why)
	}
	before := spent(t)
	w.mustCopy(b, s)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if used := spent(t) - before; used < time.Second {
		t.Errorf("of a run that took a second %v were counted", used)
	}
}

// BenchmarkScript is the cost of a script in Python that imports something: started, and
// by a copy of a prepared interpreter. The processor time is that of everything that took
// part, loading the interpreter too.
func BenchmarkScript(b *testing.B) {
	for _, imports := range []string{"sys", "json, random, math, subprocess, re, os, sys", "numpy"} {
		for _, kind := range []string{"started", "copied"} {
			b.Run(strings.ReplaceAll(imports, ", ", "+")+"/"+kind, func(b *testing.B) {
				benchScript(b, "import "+imports+"\nprint(1)\n", kind == "copied")
			})
		}
	}
}

// BenchmarkLaunched is the cost of a copied script that has something run by the launcher, each
// with a part more than the one before.
func BenchmarkLaunched(b *testing.B) {
	for _, part := range []string{"nothing", "launcher", "launcher /bin/true", "launcher /usr/bin/python3 -I -S -B -c pass"} {
		b.Run(strings.ReplaceAll(part, " ", "+"), func(b *testing.B) {
			benchScript(b, fmt.Sprintf("import os, sys\nwords = %q.split()\nif words[0] == 'launcher':\n"+
				"  words[0] = os.environ['ATOLL_RUN']\n  os.waitpid(os.posix_spawn(words[0], words, dict(os.environ)), 0)\n", part), true)
		})
	}
}

func benchScript(b *testing.B, text string, copied bool) {
	box, err := sandbox.New(b.Context(), sandbox.Options{Mode: sandbox.ModeNamespaces})
	if err != nil {
		b.Skipf("this machine does not give rung 1: %v", err)
	}
	dir, base := b.TempDir(), b.TempDir()
	if err := os.WriteFile(dir+"/script.py", []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	s := sandbox.Spec{
		Args: []string{"/usr/bin/python3", sandbox.EvaluatorDir + "/script.py"}, Env: []string{"PYTHONHASHSEED=0"}, Base: base,
		Mounts: []sandbox.Mount{{Host: dir, At: sandbox.EvaluatorDir, Private: true}}, RunHelper: true,
		Limits: sandbox.Limits{Wall: 20 * time.Second, Procs: 200, Memory: 1 << 30, Disk: 256 << 20, Output: 8 << 20},
	}
	if res, err := box.Run(b.Context(), s); err != nil || res.Exit != 0 {
		b.Skipf("%v %s", err, res.Stderr)
	}
	if copied {
		s.Prepared = &sandbox.Prepared{}
		if err := box.Prepare(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	before, began := spent(b), time.Now()
	for range b.N {
		if res, err := box.Run(b.Context(), s); err != nil || res.Exit != 0 || res.Prepared != copied {
			b.Fatalf("%+v %v", res, err)
		}
	}
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "runs/s")
	if err := box.Close(); err != nil { // only now is the starters' time ours
		b.Error(err)
	}
	b.ReportMetric(float64(spent(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
}
