package sandbox_test

import (
	"os"
	"testing"
	"time"

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

// Of a large cache of which any part will do the newest files are copied, and the
// command can write there, where nothing can be overlaid.
func TestRunCopiesTheNewestOfALargeCache(t *testing.T) {
	for name, box := range map[string]func(*testing.T) *sandbox.Box{
		"rung 1 without overlay": func(t *testing.T) *sandbox.Box {
			return lesser(t, sandbox.ModeNamespaces, sandbox.Lack{Overlay: true})
		},
		"rung 2": func(t *testing.T) *sandbox.Box { return mustBox(t, sandbox.ModeLandlock) },
	} {
		t.Run(name, func(t *testing.T) {
			b, w, cache := box(t), newWorld(t), t.TempDir()
			w.put(cache, "00/new", "new\n")
			w.put(cache, "01/old", "")
			if err := os.Truncate(cache+"/01/old", 300<<20); err != nil { // holds no blocks
				t.Fatal(err)
			}
			past := time.Now().Add(-time.Hour)
			if err := os.Chtimes(cache+"/01/old", past, past); err != nil {
				t.Fatal(err)
			}
			s := w.sh(`cat /atoll/cache/own/00/new; ls /atoll/cache/own/01; echo changed > /atoll/cache/own/00/new && echo x > /atoll/cache/own/01/more && echo written`)
			s.Caches = []sandbox.Mount{{Host: cache, At: sandbox.CacheDir + "/own", Write: true, Partial: true}}
			if res := w.mustRun(b, s); string(res.Stdout) != "new\nwritten\n" {
				t.Errorf("said %q\n%s", res.Stdout, res.Stderr)
			}
			if text, err := os.ReadFile(cache + "/00/new"); err != nil || string(text) != "new\n" {
				t.Errorf("the cache on the host became %q, %v", text, err)
			}
		})
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
