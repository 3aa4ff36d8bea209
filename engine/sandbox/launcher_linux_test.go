package sandbox_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/engine/sandbox"
	"atoll/engine/sandbox/boot/wire"

	"golang.org/x/sys/unix"
)

// evaluatorRun is a spec with everything that candidate code must not reach.
func evaluatorRun(w *world, script string) sandbox.Spec {
	eval := w.t.(*testing.T).TempDir()
	w.put(eval, "answers.txt", "ANSWERS\n")
	s := w.sh(script)
	s.ResultName, s.RunHelper = sandbox.ResultName, true
	s.Files = map[string][]byte{sandbox.ContextName: []byte("CONTEXT")}
	s.Mounts = append(s.Mounts, sandbox.Mount{Host: eval, At: sandbox.EvaluatorDir, Private: true})
	s.Hidden = []string{"dir/sub", "bench.sh"}
	s.Env = append(s.Env, "EVAL="+sandbox.EvaluatorDir, "HOSTILE="+hostilePath, "CAND="+sandbox.CandidateDir)
	return s
}

func TestLauncherPassesStreamsAndStatus(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			echo in | $ATOLL_RUN sh -c 'cat; echo out; echo err >&2; exit 7'; echo "status $?"
			$ATOLL_RUN sh -c 'kill -9 $$'; echo "status $?"
			$ATOLL_RUN no-such-program; echo "status $?"
			cd dir && $ATOLL_RUN cat one.txt
			$ATOLL_RUN sh -c 'echo made > "$TMPDIR/x" && cat "$TMPDIR/x"'
			$ATOLL_RUN sh -c 'echo shared > $CAND/y'; cat $CAND/y
			test -z "$($ATOLL_RUN sh -c 'echo $ATOLL_RESULT$ATOLL_CONTEXT')" && echo "no channel in its environment"`))
		wantOut(t, res, "in\nout\n", "status 7", "status 137", "status 127", "one\n", "made\n", "shared\n", "no channel")
		if !strings.Contains(string(res.Stderr), "err\n") || !strings.Contains(string(res.Stderr), "no such file") {
			t.Errorf("stderr %q", res.Stderr)
		}
	})
}

// The interpreter of a project below /tmp lies there, too.
func TestCandidateCodeSeesWhatIsMountedBelowItsOwnFolders(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		s := evaluatorRun(w, `$ATOLL_RUN sh -c 'for d in '"$SEEN"'; do cat $d/in/word && ! echo x > $d/in/new && ! cat $d/secret; done' 2>/dev/null; echo "status $?"`)
		seen := ""
		for _, dir := range []string{"/tmp", "/dev/shm"} {
			host, err := os.MkdirTemp(dir, "atoll-test-")
			if err != nil {
				t.Skipf("no folder can be made in %s: %v", dir, err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(host) })
			w.put(host, "in/word", "seen in "+dir+"\n")
			w.put(host, "secret", "SECRET\n")
			s.Mounts = append(s.Mounts, sandbox.Mount{Host: host + "/in", At: host + "/in"})
			seen += " " + host
		}
		s.Env = append(s.Env, "SEEN="+seen)
		wantOut(t, w.mustRun(b, s), "seen in /tmp\n", "seen in /dev/shm\n", "status 0")
	})
}

func TestLauncherHostileCandidateReachesNothing(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			echo honest > $ATOLL_RESULT
			echo SCRATCH > $TMPDIR/answer; echo EVALHOME > $HOME/.profile
			sleep 1000 & victim=$!
			export RESULT=$ATOLL_RESULT VICTIM=$victim EVALTMP=$TMPDIR EVALHOME=$HOME
			$ATOLL_RUN sh -c '
				(echo forged > $RESULT) 2>/dev/null && echo "forged the result"
				(rm -f $RESULT) 2>/dev/null
				cat $RESULT $EVAL/answers.txt dir/sub/two.txt bench.sh $EVALTMP/answer $EVALHOME/.profile '"$(dirname $ATOLL_CONTEXT)"'/context.json 2>/dev/null && echo "read it"
				ls $EVAL $(dirname $RESULT) 2>/dev/null
				(echo x > main.txt) 2>/dev/null && echo "wrote the tree"
				(echo x > $EVALTMP/z) 2>/dev/null && echo "wrote the scratch folder"
				kill -9 $VICTIM 2>/dev/null && echo "killed the evaluator"
				cat main.txt
				echo "home $HOME"
			'
			for p in /proc/[0-9]*; do :; done
			kill -0 $victim && echo "victim lives"
			kill $victim; cat $ATOLL_RESULT`))
		wantOut(t, res, "original\n", "victim lives", "honest")
		wantNoOut(t, res, "forged", "ANSWERS", "two\n", "trusted", "SCRATCH", "EVALHOME\n", "CONTEXT", "read it", "wrote", "killed", "answers.txt")
		if string(res.Result) != "honest\n" {
			t.Errorf("result %q, want the evaluator's", res.Result)
		}
	})
}

func TestLauncherHostileCandidateSeesNoOtherProcess(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		s := evaluatorRun(w, `export ATOLL_HOSTILE=spy; SECRET=x $ATOLL_RUN $HOSTILE word-in-the-evaluator`)
		s.Env = append(s.Env, "ANSWER=word-in-the-evaluator")
		// The candidate inherits what the evaluator exports: the word is looked for
		// in the others' environments, of which it must see none.
		res := w.mustRun(b, s)
		if b.Rung() == sandbox.Landlock {
			wantOut(t, res, "seen 0 hits 0")
			return
		}
		wantOut(t, res, "hits 0")
	})
}

func TestLauncherHostileBackgroundProcessesEndWithIt(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		if b.Rung() == sandbox.Landlock {
			for _, f := range b.Findings() {
				if f.Name == "signals" && !f.OK {
					t.Skip("without scoped signals they end with the run: " + f.Detail)
				}
			}
		}
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			$ATOLL_RUN sh -c '(setsid sh -c "while :; do echo tick >> $CAND/ticks; done" >/dev/null 2>&1 </dev/null &) ; while ! test -s $CAND/ticks; do :; done'
			a=$(wc -c < $CAND/ticks); $ATOLL_RUN true; b=$(wc -c < $CAND/ticks)
			test $a = $b && echo "it stopped"`))
		wantOut(t, res, "it stopped")
	})
}

func TestLauncherKilledTakesTheCandidateWithIt(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			$ATOLL_RUN sh -c 'trap "" TERM; echo $$ > $CAND/up; while :; do echo t >> $CAND/ticks; done' &
			while ! test -s $CAND/ticks; do :; done
			kill -9 $!; wait $!
			n=0; while :; do a=$(wc -c < $CAND/ticks); sleep 0.05; b=$(wc -c < $CAND/ticks)
			test $a = $b && echo "it stopped" && break; n=$((n+1)); test $n = 60 && break; done`))
		wantOut(t, res, "it stopped")
	})
}

func TestLauncherCandidateHasItsOwnCaches(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		cache := t.TempDir()
		w.put(cache, "warm", "warm\n")
		s := evaluatorRun(w, `C=`+sandbox.CacheDir+`/own; cat $C/warm
			$ATOLL_RUN sh -c 'cat '$C'/warm && (echo poison > '$C'/warm; echo poison > '$C'/new) 2>/dev/null'
			cat $C/warm; test -e $C/new && echo "poisoned"; true`)
		s.Caches = []sandbox.Mount{{Host: cache, At: sandbox.CacheDir + "/own", Write: true}}
		res := w.mustRun(b, s)
		wantNoOut(t, res, "poison")
		if n := strings.Count(string(res.Stdout), "warm\n"); b.Rung() == sandbox.Namespaces && n != 3 {
			t.Errorf("the warm cache was seen %d times, want 3\n%s%s", n, res.Stdout, res.Stderr)
		}
	})
}

func TestLauncherOutsideASandboxSaysSo(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := t.TempDir() + "/atoll-run"
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	b := mustBox(t, sandbox.ModeUnsafe)
	w := newWorld(t)
	res := w.mustRun(b, w.sh("ATOLL_RUN="+link+" "+link+" true; echo status $?"))
	wantOut(t, res, "status 126")
	if !strings.Contains(string(res.Stderr), "inside a sandbox only") {
		t.Errorf("stderr %q", res.Stderr)
	}
}

// The name of a file is a person's to choose.
func TestAProgramThatIsCalledLikeTheLauncherIsItself(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := t.TempDir() + "/" + wire.RunName
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(link, "-test.run=^$")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ATOLL_RUN=") })
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "fewer rights") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestLauncherCost(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, evaluatorRun(w, `i=0; while [ $i -lt 20 ]; do $ATOLL_RUN true || exit 1; i=$((i+1)); done`))
	if res.Exit != 0 {
		t.Fatalf("exit %d %s", res.Exit, res.Stderr)
	}
	t.Logf("one launch takes %v, %v of it processor time", res.Wall/20, (res.CPU / 20).Round(10*time.Microsecond))
}

// The command reads what candidate code wrote, with rights that the candidate has not.
func TestLauncherHostileLinksLeadTheCommandNowhere(t *testing.T) {
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			$ATOLL_RUN sh -c 'echo honest > $CAND/out
				for f in $EVAL/answers.txt dir/sub/two.txt "$PWD/bench.sh" '"$ATOLL_CONTEXT"'; do
					n=$((n+1)); ln -s "$f" $CAND/link$n; ln -s "$PWD/$f" $CAND/other$n; done
				ln -s "$EVAL" $CAND/folder; ln -s / $CAND/root; true' 2>/dev/null
			cat $CAND/out
			cat $CAND/link* $CAND/other* $CAND/folder/answers.txt $CAND/root/atoll/evaluator/answers.txt 2>/dev/null
			true`))
		wantOut(t, res, "honest\n")
		wantNoOut(t, res, "ANSWERS", "two\n", "trusted", "CONTEXT")
	})
}

func TestLauncherCandidateMayLinkForItself(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, evaluatorRun(w, `$ATOLL_RUN sh -c 'echo own > $CAND/a; ln -s a $CAND/b; cat $CAND/b'`))
	wantOut(t, res, "own\n")
}

// Each holds the output of its own program open, and nobody else's.
func TestLauncherEndsWhenItsOwnProgramDoes(t *testing.T) {
	onRungs(t, modes, func(t *testing.T, b *sandbox.Box) {
		w := newWorld(t)
		res := w.mustRun(b, evaluatorRun(w, `
			await() { n=0; while ! test -s $1; do sleep 0.01; n=$((n+1)); test $n = 1000 && return 1; done; true; }
			($ATOLL_RUN sh -c 'echo > $CAND/short; while ! test -s $CAND/long; do sleep 0.01; done; echo done' | cat > $TMPDIR/out
				echo > $TMPDIR/read) &
			await $CAND/short
			$ATOLL_RUN sh -c 'echo > $CAND/long; while ! test -s $CAND/down; do sleep 0.01; done' &
			await $TMPDIR/read && echo "read to its end: $(cat $TMPDIR/out)"
			echo > $CAND/down; wait`))
		wantOut(t, res, "read to its end: done\n")
	})
}

// attackOutlive asks the first process itself to start a program that has the
// connection as its standard files: while the program lives nobody hangs up.
func attackOutlive(args []string) {
	sock, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		say("no socket: %v", err)
		return
	}
	if err := unix.Connect(sock, &unix.SockaddrUnix{Name: args[0]}); err != nil {
		say("no connection: %v", err)
		return
	}
	msg := launchMessage([]string{"sh", "-c", "while :; do echo tick >> " + args[1] + "/ticks; sleep 0.01; done"}, "/")
	var head [8]byte
	binary.NativeEndian.PutUint64(head[:], uint64(len(msg)))
	err = unix.Sendmsg(sock, head[:], unix.UnixRights(sock, sock, sock), nil, 0)
	if err == nil {
		_, err = unix.Write(sock, msg)
	}
	say("asked: %v", err)
	for range 500 {
		if _, err := os.Stat(args[1] + "/ticks"); err == nil {
			say("it runs")
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// launchMessage is what a launcher sends, as package boot writes it.
func launchMessage(args []string, cwd string) []byte {
	word := func(b []byte, n int) []byte { return binary.LittleEndian.AppendUint64(b, uint64(n)) }
	b := word(nil, wire.WireVersion)
	b = word(b, len(args))
	for _, a := range args {
		b = append(word(b, len(a)), a...)
	}
	b = word(b, 1)
	b = append(word(b, len("PATH=/usr/bin:/bin")), "PATH=/usr/bin:/bin"...)
	return append(word(b, len(cwd)), cwd...)
}

func TestLauncherHostileCandidateCannotAskForItself(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, evaluatorRun(w, `S=$(dirname $ATOLL_RUN)/socket; export ATOLL_HOSTILE=outlive
		$ATOLL_RUN $HOSTILE $S $CAND
		test -e $CAND/ticks && echo "it outlives the launcher"; true`))
	wantOut(t, res, "no connection")
	wantNoOut(t, res, "it runs", "outlives")
	t.Run("and the message is one that the command itself could send", func(t *testing.T) {
		res := w.mustRun(b, evaluatorRun(w, `S=$(dirname $ATOLL_RUN)/socket; ATOLL_HOSTILE=outlive $HOSTILE $S $CAND`))
		wantOut(t, res, "asked: <nil>", "it runs")
	})
}

// attackHoard sends many requests that are almost complete.
func attackHoard(args []string) {
	n, _ := strconv.Atoi(args[1])
	part := make([]byte, 8<<20-1)
	sent := 0
	for range n {
		sock, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil || unix.Connect(sock, &unix.SockaddrUnix{Name: args[0]}) != nil {
			break
		}
		var head [8]byte
		binary.NativeEndian.PutUint64(head[:], 8<<20)
		if unix.Sendmsg(sock, head[:], unix.UnixRights(0, 1, 2), nil, unix.MSG_NOSIGNAL) != nil {
			continue
		}
		for rest := part; len(rest) > 0; {
			m, err := unix.SendmsgN(sock, rest[:min(len(rest), 64<<10)], nil, nil, unix.MSG_NOSIGNAL)
			if err != nil {
				break
			}
			rest = rest[m:]
			sent += m
		}
	}
	say("sent %d MiB", sent>>20)
}

func TestLauncherHostileRequestsTakeLittleMemory(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	res := w.mustRun(b, evaluatorRun(w, `S=$(dirname $ATOLL_RUN)/socket; ATOLL_HOSTILE=hoard $HOSTILE $S 40
		sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/peak \1/p' /proc/1/status; $ATOLL_RUN echo fine`))
	wantOut(t, res, "fine\n")
	var peak int
	for line := range strings.Lines(string(res.Stdout)) {
		_, _ = fmt.Sscanf(line, "peak %d", &peak)
	}
	t.Logf("%s", res.Stdout)
	if peak == 0 || peak > 100<<10 {
		t.Errorf("the first process took up to %d KiB", peak)
	}
}
