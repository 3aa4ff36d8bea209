package sandbox_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// isolating are the rungs that keep a command away from the host.
var isolating = []sandbox.Mode{sandbox.ModeNamespaces, sandbox.ModeLandlock}

func TestHostileWritesOutsideChangeNothing(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		own, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		name := "atoll-evil-" + w.token
		paths := []string{
			w.victim + "/notes.txt", w.victim + "/.ssh/id_rsa", w.victim + "/new", w.base + "/main.txt",
			filepath.Join(own, name), "/tmp/" + name, "/var/tmp/" + name, "/dev/shm/" + name, "/usr/" + name, "/etc/" + name,
			"/etc/passwd", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/self/oom_score_adj",
		}
		pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
		if err != nil {
			t.Fatal(err)
		}
		w.mustRun(b, w.spec("write", paths...))
		w.mustRun(b, w.spec("chmod", w.victim+"/notes.txt", w.victim+"/.ssh/id_rsa", w.base+"/main.txt"))
		for _, p := range paths {
			for _, suffix := range []string{"-other", "-link", "-dir"} {
				if _, err := os.Lstat(p + suffix); err == nil {
					t.Errorf("made %s", p+suffix)
				}
			}
			if _, err := os.Lstat(p); err == nil && strings.Contains(p, name) {
				t.Errorf("made %s", p)
			}
		}
		if after, _ := os.ReadFile("/proc/sys/kernel/core_pattern"); string(after) != string(pattern) {
			t.Errorf("core_pattern became %q", after)
		}
	})
}

func TestHostileReadsOfKeysFindNothing(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		t.Setenv("OPENAI_API_KEY", "sk-secret-"+w.token)
		victim := exec.Command("sh", "-c", "read line; true", "word-"+w.token[6:])
		victim.Env = []string{"SECRET=word-" + w.token[6:]}
		if _, err := victim.StdinPipe(); err != nil { // open until the victim is waited for
			t.Fatal(err)
		}
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
		res := w.mustRun(b, w.spec("read", w.victim+"/.ssh/id_rsa", w.victim, "/root", "/home", "/etc/shadow", "/etc/ssl/private", "/etc/ssh", "/proc/1/environ", "/proc/kcore", "/run", "/var/log"))
		wantNoOut(t, res, "PRIVATE", "sk-secret", "root:")
		wantOut(t, res, "refused "+w.victim+"/.ssh/id_rsa")
		res = w.mustRun(b, w.spec("spy", "word-"+w.token[6:]))
		// The attack's own command line holds the word too, where /proc shows it to
		// its own first process; its own entry is left out.
		wantOut(t, res, "hits 0")
		res = w.mustRun(b, w.sh("env"))
		wantNoOut(t, res, "sk-secret")
	})
}

func TestHostileConnectionsAreRefused(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		accepted := make(chan net.Conn, 16)
		var addresses []string
		for _, network := range []string{"tcp4", "unix"} {
			addr := "127.0.0.1:0"
			if network == "unix" {
				addr = t.TempDir() + "/s"
			}
			l, err := net.Listen(network, addr)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					accepted <- c
				}
			}()
			addresses = append(addresses, network, l.Addr().String())
		}
		abstract, err := net.Listen("unix", "@atoll-"+w.token)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = abstract.Close() })
		addresses = append(addresses, "unix", "@atoll-"+w.token, "udp4", "127.0.0.1:9", "tcp4", "192.0.2.1:80")
		res := w.mustRun(b, w.spec("connect", addresses...))
		lines := string(res.Stdout)
		if b.Rung() == sandbox.Namespaces { // a datagram socket connects to its own, empty loopback
			lines = strings.ReplaceAll(lines, "connect udp4 127.0.0.1:9: true\n", "")
		}
		if strings.Contains(lines, "true") || len(accepted) > 0 {
			t.Errorf("connected:\n%s", lines)
		}
		res = w.mustRun(b, w.spec("loopback"))
		wantOut(t, res, fmt.Sprintf("own loopback: %v", b.Rung() == sandbox.Namespaces))
	})
}

func TestHostileSignalsReachNobody(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		for _, f := range b.Findings() {
			if f.Name == "signals" && !f.OK {
				t.Skip("this kernel cannot keep signals inside: " + f.Detail)
			}
		}
		w := newWorld(t)
		victim := exec.Command("sleep", "1000")
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- victim.Wait() }()
		pid := victim.Process.Pid
		if b.Rung() == sandbox.Landlock { // on rung 1 the number may be someone's inside
			res := w.mustRun(b, w.spec("kill", strconv.Itoa(pid)))
			wantOut(t, res, fmt.Sprintf("kill %d: false", pid))
		}
		// A shell's parent is the sandbox's first process, or at least no child of it, or
		// outside its namespace.
		res := w.mustRun(b, w.sh("test $PPID = 0 || kill -9 $PPID 2>/dev/null; kill -9 1 2>/dev/null; echo still here"))
		wantOut(t, res, "still here")
		select {
		case <-ended:
			t.Error("the victim was killed")
		default:
		}
		_ = victim.Process.Kill()
		<-ended
	})
}

func TestHostileSystemCallsAreRefused(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, w.spec("calls"))
		for line := range strings.Lines(string(res.Stdout)) {
			name, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
			want := "EPERM"
			switch name {
			case "packet socket", "vsock socket":
				if b.Rung() == sandbox.Namespaces {
					want = "EAFNOSUPPORT"
				}
			case "large segment":
				if b.Rung() == sandbox.Namespaces {
					want = "ENOMEM"
				}
			case "memfd", "vmsplice":
				want = "ENOSYS"
			case "swapping out":
				want = "EINVAL"
			}
			if strings.HasPrefix(answer, "E") && answer != want || answer == "" && !strings.HasPrefix(name, "state") {
				t.Errorf("%s: %s, want %s", name, answer, want)
			}
		}
		wantOut(t, res, "unshare user: EPERM",
			"state [{0 0 0} {0 0 0}] <nil>", "no_new_privs 1 seccomp 2")
		if b.Rung() == sandbox.Namespaces || os.Getuid() == 0 { // else there is nothing to drop it with, nor to gain by it
			wantOut(t, res, "bounding 0 ")
		}
		res = w.mustRun(b, w.spec("fds"))
		wantOut(t, res, "inherited []")
		if sandbox.HasX32 {
			res = w.mustRun(b, w.spec("x32"))
			if res.Signal != "bad system call" || len(res.Violations) != 1 {
				t.Errorf("x32 ended with %d %s %v, want it killed", res.Exit, res.Signal, res.Violations)
			}
		}
	})
}

func TestHostileCachesDoNotOutliveARun(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		cache := t.TempDir()
		w.put(cache, "warm", "warm\n")
		s := w.sh(`cat /atoll/cache/own/warm; for d in "$TMPDIR" "$HOME" /atoll/scratch/run /atoll/cache/own .; do cat $d/seen 2>/dev/null; echo poison > $d/seen || echo "cannot write $d"; done`)
		s.Caches = []sandbox.Mount{{Host: cache, At: sandbox.CacheDir + "/own", Write: true}}
		s.RunHelper = true
		for range 2 {
			res := w.mustRun(b, s)
			if string(res.Stdout) != "warm\n" {
				t.Errorf("said %q, want only the warm cache\n%s", res.Stdout, res.Stderr)
			}
		}
		if list, _ := os.ReadDir(cache); len(list) != 1 {
			t.Errorf("the cache on the host became %v", list)
		}
	})
}

func TestHostileSymlinksAreNotFollowed(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		trusted := t.TempDir()
		w.put(trusted, "bench.sh", "echo trusted again\n")
		w.put(trusted, "tests/a.txt", "trusted a\n")
		s := w.sh(`cat bench.sh tests/a.txt dir/one.txt; ls tests; (echo x > bench.sh) 2>/dev/null || echo sealed; ls -ld out`)
		s.Delta = []record.Change{
			{Path: "bench.sh", Mode: record.Symlink, Data: []byte(w.victim + "/notes.txt")},
			{Path: "tests", Mode: record.Symlink, Data: []byte(w.victim)},
			{Path: "out", Mode: record.Symlink, Data: []byte(w.victim)},
			{Path: "dir", Mode: record.Symlink, Data: []byte(w.victim)},
			{Path: "dir/one.txt", Mode: record.Regular, Data: []byte("new one\n")}, // through the link it would leave the tree
		}
		s.Seal = []sandbox.Seal{{Path: "bench.sh", Host: trusted + "/bench.sh"}, {Path: "tests", Host: trusted + "/tests"}, {Path: "gone/evil", Host: ""}}
		res := w.mustRun(b, s)
		wantOut(t, res, "echo trusted again", "trusted a", "new one", "->")
		wantNoOut(t, res, "mine", "notes.txt\n")
		if b.Rung() == sandbox.Namespaces {
			wantOut(t, res, "sealed")
		}
	})
}

func TestHostileBadPathsOfADeltaAreRefused(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	w := newWorld(t)
	for _, path := range []string{"../evil", "/evil", "a/../../evil", ".git/hooks/x", "sub/.GIT/config", "", "a//b", "./a", "x\x00y", ".git ", "git~1"} {
		s := w.sh("true")
		s.Delta = []record.Change{{Path: path, Mode: record.Regular, Data: []byte("x")}}
		if _, err := b.Run(t.Context(), s); err == nil {
			t.Errorf("the path %q was accepted", path)
		}
	}
}

func TestRunGateway(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		socket := t.TempDir() + "/gateway"
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer func() { _ = c.Close() }()
					if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
						_, _ = fmt.Fprintf(c, "heard %s", line)
					}
				}()
			}
		}()
		other, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Close() })
		s := w.spec("echo", sandbox.GatewayAddr)
		s.Net, s.Gateway = sandbox.NetGateway, socket
		res := w.mustRun(b, s)
		wantOut(t, res, "answer heard hello")
		if b.Rung() == sandbox.Plain {
			return
		}
		s = w.spec("connect", "tcp4", other.Addr().String(), "udp4", other.Addr().String())
		s.Net, s.Gateway = sandbox.NetGateway, socket
		res = w.mustRun(b, s)
		wantNoOut(t, res, "connect tcp4 "+other.Addr().String()+": true")
	})
}

func TestRunReportsHowACommandEnded(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		for _, tc := range []struct {
			script string
			exit   int
			signal string
		}{
			{"exit 0", 0, ""}, {"exit 3", 3, ""}, {"kill -SEGV $$", 139, "segmentation fault"}, {"no-such-program", 127, ""},
		} {
			res := w.mustRun(b, w.sh(tc.script))
			if res.Exit != tc.exit || res.Signal != tc.signal || res.Wall <= 0 {
				t.Errorf("%q ended with %d %q after %v, want %d %q", tc.script, res.Exit, res.Signal, res.Wall, tc.exit, tc.signal)
			}
		}
		s := w.sh("")
		s.Args = []string{"no-such-program"}
		if res := w.mustRun(b, s); res.Exit != 127 || !strings.Contains(string(res.Stderr), "no such file") {
			t.Errorf("a missing program: %d %s", res.Exit, res.Stderr)
		}
		s = w.sh("pwd; cat; echo err >&2")
		s.Stdin, s.Dir = []byte("from stdin\n"), "dir/sub"
		var lines []string
		s.OnLine = func(stream int, line string) {
			if stream == 1 {
				lines = append(lines, line)
			}
		}
		res := w.mustRun(b, s)
		wantOut(t, res, "tree/dir/sub\n", "from stdin\n")
		if string(res.Stderr) != "err\n" || len(lines) != 2 {
			t.Errorf("stderr %q, lines %q", res.Stderr, lines)
		}
	})
}

func TestRunBringsTheResultBack(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		run := func(script string) sandbox.Result {
			s := w.sh(script)
			s.ResultName = sandbox.ResultName
			s.Files = map[string][]byte{sandbox.ContextName: []byte(`{"tree":"` + sandbox.TreeDir + `"}`)}
			return w.mustRun(b, s)
		}
		res := run(`test -d "$(sed 's/.*:"//;s/".*//' $ATOLL_CONTEXT)" && echo '{"x":1}' > $ATOLL_RESULT`)
		if !res.HasResult || string(res.Result) != "{\"x\":1}\n" {
			t.Errorf("result %v %q\n%s", res.HasResult, res.Result, res.Stderr)
		}
		if res := run("true"); res.HasResult || len(res.Violations) > 0 {
			t.Errorf("a result out of nothing: %q %v", res.Result, res.Violations)
		}
		for name, script := range map[string]string{
			"a symlink": "ln -s /etc/passwd $ATOLL_RESULT", "a pipe": "mkfifo $ATOLL_RESULT", "a folder": "mkdir $ATOLL_RESULT",
			"huge": "head -c 9000000 /dev/zero > $ATOLL_RESULT",
		} {
			if res := run(script); res.HasResult || len(res.Violations) != 1 {
				t.Errorf("%s as result: %v %v", name, res.HasResult, res.Violations)
			}
		}
	})
}

func TestRunRefusesBadRequests(t *testing.T) {
	b := mustBox(t, sandbox.ModeUnsafe)
	for name, s := range map[string]sandbox.Spec{
		"no command":         {},
		"a relative base":    {Args: []string{"true"}, Base: "x"},
		"a bad control name": {Args: []string{"true"}, Files: map[string][]byte{"../x": nil}},
		"a bad result name":  {Args: []string{"true"}, ResultName: "a/b"},
		"a bad network":      {Args: []string{"true"}, Net: "all"},
		"no gateway":         {Args: []string{"true"}, Net: sandbox.NetGateway},
		"an unclean mount":   {Args: []string{"true"}, Mounts: []sandbox.Mount{{Host: "/usr", At: "/a/../b"}}},
	} {
		if _, err := b.Run(t.Context(), s); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestRunInterpretersBehindShims(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		mounts, path := b.Interpreters(t.Context(), "python3", "no-such-interpreter")
		s := w.sh(`python3 -c 'import sys, json, ctypes; print("python", sys.version_info[0])'; ls ~root /root/.ssh 2>/dev/null`)
		s.Mounts = append(s.Mounts, mounts...)
		s.Env = append(s.Env, "PATH="+strings.Join(path, ":"))
		began := time.Now()
		res := w.mustRun(b, s)
		wantOut(t, res, "python 3")
		t.Logf("python3 in %v with mounts %v", time.Since(began), mounts)
	})
}
