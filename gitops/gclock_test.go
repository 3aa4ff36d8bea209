package gitops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestGitCollectsNothingWhileTheStoreIsHeld(t *testing.T) {
	t.Parallel()
	s, _, tree := imported(t, sample(t))
	if err := s.HoldGC(t.Context()); err != nil {
		t.Fatal(err)
	}
	fresh := commitTree(t, s, tree, 1) // no ref leads to it yet
	if out, err := try(s.Dir(), nil, "gc", "--prune=now"); err == nil || !strings.Contains(string(out)+err.Error(), "already running") {
		t.Errorf("git gc says %q, %v", out, err)
	}
	if err := s.HoldGC(t.Context()); err != nil {
		t.Errorf("renewing it: %v", err)
	}
	if err := s.Whole(t.Context(), fresh); err != nil {
		t.Error(err)
	}
	if err := s.FreeGC(); err != nil {
		t.Fatal(err)
	}
	if out, err := try(s.Dir(), nil, "gc", "-q", "--prune=now"); err != nil {
		t.Errorf("after it is freed: %s, %v", out, err)
	}
}

func TestAGarbageCollectionThatRunsIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, _, _ := imported(t, sample(t))
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(s.Dir(), "gc.pid")
	for _, c := range []struct {
		name, mark string
		old        bool
		waits      bool
	}{
		{"of a process that lives", "1 " + host, false, true},
		{"of another machine", "1 elsewhere." + host, false, true},
		{"of a process that is gone", "999999999 " + host, false, false},
		{"of half a day ago", "1 " + host, true, false},
		{"that git did not write", "nonsense", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(lock, []byte(c.mark), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.old {
				then := time.Now().Add(-13 * time.Hour)
				if err := os.Chtimes(lock, then, then); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if c.waits {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			if err := s.HoldGC(ctx); errors.Is(err, context.DeadlineExceeded) != c.waits {
				t.Errorf("it says %v, want it to wait: %v", err, c.waits)
			}
			if err := s.FreeGC(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(lock); errors.Is(err, os.ErrNotExist) == c.waits {
				t.Errorf("the lock of another is gone: %v", err)
			}
		})
	}
}
