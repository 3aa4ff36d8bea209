package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"atoll/config/suitetest"
	"atoll/engine/sandbox"
)

// TestRungTwoTellsWhatItsLineSays holds what every output of a run on rung 2 says of it.
func TestRungTwoTellsWhatItsLineSays(t *testing.T) {
	b := mustBox(t, sandbox.ModeLandlock)
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := evaluatorRun(w, fmt.Sprintf(`sleep 60 & $ATOLL_RUN perl -e '
		print "size ", -s $ARGV[0], "\n"; print "opened\n" if open my $f, "<", $ARGV[0];
		print "times\n" if utime 1, 1, $ARGV[0];
		print "there\n" if getpgrp($ARGV[1]) > 0; print "gone\n" if getpgrp(999999999) <= 0;
		print "listed\n" if opendir my $d, "/proc"' %s $!; kill $!`, file))
	res := w.mustRun(b, s)
	wantOut(t, res, "size 7\n", "times\n", "there\n", "gone\n")
	wantNoOut(t, res, "opened", "listed")
	if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(time.Unix(1, 0)) {
		t.Errorf("%v, %v", info, err)
	}

	// Limits hold for all processes together.
	s = evaluatorRun(w, `for i in 1 2 3 4 5 6; do $ATOLL_RUN perl -e '$x = "x" x (40 << 20); sleep 60' & done; wait`)
	s.Limits.Memory = 128 << 20
	if res = w.mustRun(b, s); !strings.Contains(strings.Join(res.Limits, " "), "memory") {
		t.Errorf("240 MiB in six processes hit %v", res.Limits)
	}
	s = evaluatorRun(w, `for i in 1 2 3 4 5 6; do $ATOLL_RUN perl -e 'open $f, ">", "$ENV{CAND}/$ARGV[0]"; print $f "x" x (8 << 20); close $f; sleep 60' $i & done; wait`)
	s.Limits.Disk = 20 << 20
	if res = w.mustRun(b, s); !strings.Contains(strings.Join(res.Limits, " "), "disk") {
		t.Errorf("48 MiB in six files hit %v", res.Limits)
	}
}

// TestWhatAKilledLauncherLeavesEndsWithTheRun ends ATOLL_RUN as timeout does: what the
// program detached lives on at most until the run is over, and not at all on rung 1 or
// where the program is given the limit.
func TestWhatAKilledLauncherLeavesEndsWithTheRun(t *testing.T) {
	suitetest.Full(t, "it waits for processes on every rung; the tests of hostile storms end such processes")
	onRungs(t, isolating, func(t *testing.T, b *sandbox.Box) {
		const daemon = `sh -c 'setsid sh -c "while :; do echo t >> $CAND/ticks; sleep 0.01; done" >/dev/null 2>&1 </dev/null & sleep 600'`
		const stopped = `; n=0; while :; do a=$(wc -c < $CAND/ticks); sleep 0.2; b=$(wc -c < $CAND/ticks)
			test $a = $b && echo "it stopped" && break; n=$((n+1)); test $n = 20 && break; done`
		w := newWorld(t)
		outside := w.mustRun(b, evaluatorRun(w, `timeout 2 "$ATOLL_RUN" `+daemon+stopped))
		if b.Rung() == sandbox.Namespaces {
			wantOut(t, outside, "it stopped")
		}
		scoped := true
		for _, f := range b.Findings() {
			scoped = scoped && (f.Name != "signals" || f.OK)
		}
		if inside := w.mustRun(b, evaluatorRun(w, `"$ATOLL_RUN" timeout 2 `+daemon+stopped)); scoped {
			wantOut(t, inside, "it stopped")
		}
	}) // the world asserts at its end that no process is left
}

// TestOnlyACommandThatMayWatchDoes has a command watch folders (inotify) on rung 2, as
// that of init may, and what it starts as a candidate's.
func TestOnlyACommandThatMayWatchDoes(t *testing.T) {
	b := mustBox(t, sandbox.ModeLandlock)
	for _, may := range []bool{false, true} {
		w := newWorld(t)
		s := evaluatorRun(w, fmt.Sprintf(`try='$f = syscall(%d, 0); print "$ARGV[0] ", $f >= 0 ? "watches" : "may not", "\n"'
			perl -e "$try" command; "$ATOLL_RUN" perl -e "$try" candidate`, unix.SYS_INOTIFY_INIT1))
		s.Watching = may
		res := w.mustRun(b, s)
		command := "command may not\n"
		if may {
			command = "command watches\n"
		}
		wantOut(t, res, command, "candidate may not\n")
	}
}
