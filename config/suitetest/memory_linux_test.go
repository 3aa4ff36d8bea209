package suitetest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFoldersOfTestsThatWereKilledAreRemovedFromMemory(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, dir string) string
		stays bool
	}{
		{name: "of a process that is gone", make: func(t *testing.T, dir string) string {
			path, release, err := claimIn(dir)
			if err != nil {
				t.Fatal(err)
			}
			release()
			return path
		}},
		{name: "of one that lives", stays: true, make: func(t *testing.T, dir string) string {
			path, release, err := claimIn(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
			return path
		}},
		{name: "of others", stays: true, make: func(t *testing.T, dir string) string {
			path, err := os.MkdirTemp(dir, "other-")
			if err != nil {
				t.Fatal(err)
			}
			return path
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := tt.make(t, dir)
			if err := os.WriteFile(filepath.Join(path, "file"), []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			removeLeft(dir)
			if _, err := os.Stat(path); err != nil {
				t.Fatalf("a folder made just now is removed: %v", err)
			}
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
			removeLeft(dir)
			if _, err := os.Stat(path); (err == nil) != tt.stays {
				t.Errorf("after an hour: %v, and it stays: %t", err, tt.stays)
			}
		})
	}
}

func TestTestsAreInMemoryOnlyWhereItIsAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name       string
		tmp, full  string
		wantMemory bool
	}{
		{name: "every day", wantMemory: hasRoom(memoryDir)},
		{name: "a person's own folder stays", tmp: "/somewhere"},
		{name: "the full level uses the disk", full: "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TMPDIR", tt.tmp)
			t.Setenv("ATOLL_FULL", tt.full)
			t.Setenv("ATOLL_SLOW", "")
			var during string
			code := InMemory(func() int {
				during = os.Getenv("TMPDIR")
				return 7
			})
			if code != 7 {
				t.Errorf("the code of the tests is %d, want 7", code)
			}
			if !tt.wantMemory {
				if during != tt.tmp {
					t.Errorf("TMPDIR is %q, want %q", during, tt.tmp)
				}
				return
			}
			if filepath.Dir(during) != memoryDir {
				t.Errorf("TMPDIR is %q, want a folder in %s", during, memoryDir)
			}
			if _, err := os.Stat(during); err == nil {
				t.Errorf("%s is left", during)
			}
		})
	}
}
