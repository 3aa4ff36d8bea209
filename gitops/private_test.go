package gitops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

// ownName is the folder of this user in a memory that all users share.
func ownName() string { return "atoll-" + strconv.Itoa(os.Getuid()) }

func TestNoOtherUserLooksIntoTheObjectStore(t *testing.T) {
	r, _, _ := imported(t, sample(t)) // in a folder that others may look into
	closed := func(when string) {
		t.Helper()
		info, err := os.Stat(r.Dir())
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s its mode is %v", when, info.Mode())
		}
	}
	closed("when it was made")
	if err := os.Chmod(r.Dir(), 0o755); err != nil { // as earlier versions made it
		t.Fatal(err)
	}
	again, err := gitops.Open(t.Context(), gitops.Options{Dir: r.Dir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	closed("when it was opened")
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheCacheIsAFolderThatOnlyThisUserCanUse(t *testing.T) {
	for _, c := range []struct {
		name  string
		lay   func(t *testing.T, own string) // what is there before
		taken bool
	}{
		{"nothing is there", func(*testing.T, string) {}, true},
		{"a private folder of this user", func(t *testing.T, own string) { mkdir(t, own, 0o700) }, true},
		{"one that others may look into", func(t *testing.T, own string) { mkdir(t, own, 0o755) }, false},
		{"one that others may write", func(t *testing.T, own string) { mkdir(t, own, 0o777) }, false},
		{"a file", func(t *testing.T, own string) { lay(t, own, "") }, false},
		{"a symlink to a private folder", func(t *testing.T, own string) {
			mkdir(t, own+"-real", 0o700)
			if err := os.Symlink(own+"-real", own); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"a private folder of another user", func(t *testing.T, own string) { mkdir(t, own, 0o700); give(t, own) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			memory, home := t.TempDir(), t.TempDir()
			t.Setenv("XDG_CACHE_HOME", home)
			own := filepath.Join(memory, ownName())
			c.lay(t, own)
			got := gitops.CacheDirIn(memory, "/some/state")
			if in := filepath.Dir(got) == own; in != c.taken {
				t.Fatalf("the cache is %s; in memory: %v, want %v", got, in, c.taken)
			}
			info, err := os.Lstat(filepath.Dir(got))
			if err != nil || info.Mode() != os.ModeDir|0o700 {
				t.Errorf("%s: %v %v", filepath.Dir(got), info.Mode(), err)
			}
			if again := gitops.CacheDirIn(memory, "/some/state"); again != got {
				t.Errorf("the same state has %s and %s", got, again)
			}
			if other := gitops.CacheDirIn(memory, "/other/state"); other == got {
				t.Errorf("two states share %s", got)
			}
		})
	}
	t.Run("without memory and home it lies in the state directory", func(t *testing.T) {
		t.Setenv("XDG_CACHE_HOME", "")
		t.Setenv("HOME", "")
		if got := gitops.CacheDirIn(filepath.Join(t.TempDir(), "no"), "/some/state"); got != "/some/state/checkouts" {
			t.Error(got)
		}
	})
}

func TestCheckoutsAreClosedToOthersAndNeverTakenFromThem(t *testing.T) {
	t.Parallel()
	source, _, base := imported(t, sample(t))
	open := func(t *testing.T, cache string) *gitops.Repo {
		s, err := gitops.Open(t.Context(), gitops.Options{Dir: source.Dir(), Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	lookInto := func(t *testing.T, s *gitops.Repo, tree record.Hash) error {
		_, release, err := s.Checkout(t.Context(), tree)
		if err == nil {
			release()
		}
		return err
	}
	t.Run("opening a store makes no cache", func(t *testing.T) {
		cache := filepath.Join(t.TempDir(), "cache")
		open(t, cache)
		if exists(cache) {
			t.Error("there is one")
		}
	})
	t.Run("nobody else can look into a checkout", func(t *testing.T) {
		cache := filepath.Join(t.TempDir(), "cache")
		mkdir(t, cache, 0o755)
		if err := lookInto(t, open(t, cache), base); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("mode %v %v", info.Mode(), err)
		}
	})
	for name, spoil := range map[string]func(t *testing.T, cache string){
		"a cache that another user made is refused":    func(t *testing.T, cache string) { mkdir(t, cache, 0o777); give(t, cache) },
		"a cache that others may write is refused":     func(t *testing.T, cache string) { mkdir(t, cache, 0o777) },
		"a cache that a symlink leads into is refused": func(t *testing.T, cache string) { mkdir(t, cache+"-real", 0o700); _ = os.Symlink(cache+"-real", cache) },
	} {
		t.Run(name, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "cache")
			spoil(t, cache)
			if err := lookInto(t, open(t, cache), base); !errors.Is(err, gitops.ErrForeign) {
				t.Errorf("error %v, want %v", err, gitops.ErrForeign)
			}
		})
	}
	t.Run("a checkout in which another user has a file is made anew", func(t *testing.T) {
		cache := filepath.Join(t.TempDir(), "cache")
		s := open(t, cache)
		if err := lookInto(t, s, base); err != nil {
			t.Fatal(err)
		}
		// With a manifest that fits: whoever made the file could have made that, too.
		file := filepath.Join(cache, base.String(), "tree", "README")
		lay(t, file, "forged")
		give(t, file)
		if err := gitops.Forge(cache, base); err == nil {
			t.Error("a manifest was made of another user's file")
		}
		dir := checkout(t, open(t, cache), base)
		if data, err := os.ReadFile(filepath.Join(dir, "README")); err == nil && strings.Contains(string(data), "forged") {
			t.Error("the forged file is believed")
		}
	})
}

func TestFreedCheckoutsLeaveNothing(t *testing.T) {
	t.Parallel()
	source, _, base := imported(t, sample(t))
	cache := filepath.Join(t.TempDir(), "cache")
	s, err := gitops.Open(t.Context(), gitops.Options{Dir: source.Dir(), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, release, err := s.Checkout(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	s.FreeCheckouts()
	if !exists(filepath.Join(cache, base.String())) {
		t.Fatal("a checkout that is held was removed")
	}
	release()
	s.FreeCheckouts()
	if exists(cache) {
		left, _ := os.ReadDir(cache)
		t.Errorf("left: %v", left)
	}
	if got := laidOut(t, checkout(t, s, base)); len(got) == 0 {
		t.Error("nothing can be laid out any more")
	}
}

func mkdir(t testing.TB, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(dir, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
}

func lay(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// give makes nobody the owner of a path.
func give(t testing.TB, path string) {
	t.Helper()
	if err := os.Lchown(path, 65534, 65534); err != nil {
		t.Skipf("only root can give files away: %v", err)
	}
}
