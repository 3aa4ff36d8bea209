package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/sandbox"
)

// TestHostileLooksAtMountsTellNothingOfTheHost asks the kernel where the mounts of a
// sandbox come from, as the command and as candidate code.
func TestHostileLooksAtMountsTellNothingOfTheHost(t *testing.T) {
	b := mustBox(t, sandbox.ModeNamespaces)
	w := newWorld(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trusted := t.TempDir()
	w.put(trusted, "own/deep/bench.sh", "echo sealed\n")
	s := evaluatorRun(w, `
		cat /proc/self/mountinfo /proc/self/mounts; sh bench.sh; cat $EVAL/answers.txt; cat dir/sub/two.txt
		for i in 1 2; do (echo x > $EVAL/new) 2>/dev/null && echo "wrote the evaluator"; done
		$ATOLL_RUN sh -c 'echo candidate; cat /proc/self/mountinfo'`)
	host := s.Mounts[len(s.Mounts)-1].Host
	s.Hidden = nil
	s.Seal = []sandbox.Seal{
		{Path: "bench.sh", Host: trusted + "/own/deep/bench.sh"}, {Path: "main.txt", Host: w.base + "/main.txt"}, {Path: "dir/sub", Host: w.base + "/dir/sub"},
	}
	res := w.mustRun(b, s)
	wantOut(t, res, "sealed\n", "ANSWERS\n", "two\n", "candidate\n", "/atoll/tree/bench.sh", "/atoll/bin/atoll-run", "/atoll/tree/dir/sub", sandbox.EvaluatorDir)
	wantNoOut(t, res, host, w.base+"/dir", "wrote the evaluator")
	if major, minor := sandbox.Release(); major < 6 || major == 6 && minor < 15 {
		t.Logf("Linux %d.%d tells where single files come from", major, minor)
		return
	}
	wantNoOut(t, res, "own/deep", filepath.Dir(exe), strings.TrimPrefix(w.base, "/dev/shm"))
}
