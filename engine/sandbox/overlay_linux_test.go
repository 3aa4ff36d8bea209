package sandbox_test

import (
	"os"
	"testing"

	"atoll/engine/sandbox"
)

// A cache that is too large to copy is read in place where overlay is refused.
func TestRunReadsALargeCacheInPlaceWithoutOverlay(t *testing.T) {
	b := lesser(t, sandbox.ModeNamespaces, sandbox.Lack{Overlay: true})
	w := newWorld(t)
	cache := t.TempDir()
	w.put(cache, "warm", "warm\n")
	f, err := os.Create(cache + "/large")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(300 << 20); err != nil { // holds no blocks
		t.Fatal(err)
	}
	_ = f.Close()
	s := w.sh(`cat /atoll/cache/own/warm; echo x > /atoll/cache/own/warm || echo refused; $ATOLL_RUN cat /atoll/cache/own/warm`)
	s.Caches, s.RunHelper = []sandbox.Mount{{Host: cache, At: sandbox.CacheDir + "/own", Write: true}}, true
	res := w.mustRun(b, s)
	if string(res.Stdout) != "warm\nrefused\nwarm\n" || !res.Copied {
		t.Errorf("said %q, copied %v\n%s", res.Stdout, res.Copied, res.Stderr)
	}
}

// A machine without overlay says so, and its trees are copies.
func TestRunWithoutOverlaySaysSo(t *testing.T) {
	b := lesser(t, sandbox.ModeNamespaces, sandbox.Lack{Overlay: true})
	var found bool
	for _, f := range b.Findings() {
		found = found || f.Name == "overlay" && !f.OK && f.Cure != ""
	}
	if !found {
		t.Errorf("findings %+v, want one about overlay", b.Findings())
	}
	w := newWorld(t)
	if res := w.mustRun(b, w.sh("cat main.txt; echo changed > main.txt")); !res.Copied || string(res.Stdout) != "original\n" {
		t.Errorf("copied %v, said %q", res.Copied, res.Stdout)
	}
}
