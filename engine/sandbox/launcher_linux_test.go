package sandbox_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"atoll/engine/sandbox"
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
	res := w.mustRun(b, w.sh(link+" true; echo status $?"))
	wantOut(t, res, "status 126")
	if !strings.Contains(string(res.Stderr), "inside a sandbox only") {
		t.Errorf("stderr %q", res.Stderr)
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
