package gitops_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"atoll/gitops"
	"atoll/store/record"
)

// laidOut reads a directory back as changes of an empty tree.
func laidOut(t testing.TB, dir string) []record.Change {
	t.Helper()
	var out []record.Change
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		c := record.Change{Path: path[len(dir)+1:], Mode: record.Regular}
		if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			c.Mode, c.Data = record.Symlink, []byte(to)
			out = append(out, c)
			return err
		}
		if info.Mode().Perm() == 0o755 {
			c.Mode = record.Executable
		} else if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		st := info.Sys().(*syscall.Stat_t)
		if int(st.Uid) != os.Getuid() || int(st.Gid) != os.Getgid() {
			t.Errorf("%s belongs to %d:%d", path, st.Uid, st.Gid)
		}
		c.Data, err = os.ReadFile(path)
		out = append(out, c)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// checkout lays a tree out and gives it back when the test ends.
func checkout(t testing.TB, s *gitops.Repo, tree record.Hash) string {
	t.Helper()
	dir, release, err := s.Checkout(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return dir
}

func TestCheckoutHoldsTheTree(t *testing.T) {
	t.Parallel()
	old := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(old) })
	s, _, base := imported(t, sample(t))
	ctx := t.Context()
	for _, c := range []struct {
		name    string
		changes []record.Change
	}{
		{"as imported", nil},
		{"names that are bytes, an empty file and a large one", []record.Change{
			write("\xff\xfe/a\nb", "x"), write("empty", ""), write("large", strings.Repeat("0123456789abcdef", 1<<17)),
			{Path: "dangling", Mode: record.Symlink, Data: []byte("/nonexistent/\xff")},
		}},
		{"with attributes", []record.Change{write("src/.gitattributes", "*.dat -text\n"), write("src/x.dat", "a\r\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := must(s.WriteTree(ctx, base, c.changes))(t)
			dir := checkout(t, s, tree)
			if got := must(s.WriteTree(ctx, record.Hash{}, laidOut(t, dir)))(t); got != tree {
				t.Errorf("on disk there is\n%s\nwant\n%s", listing(t, s, got), listing(t, s, tree))
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		empty := must(s.WriteTree(ctx, record.Hash{}, nil))(t)
		if got := laidOut(t, checkout(t, s, empty)); len(got) != 0 {
			t.Errorf("%v", got)
		}
	})
	if _, _, err := s.Checkout(ctx, record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
		t.Errorf("a tree that is not there: %v", err)
	}
}

func TestCheckoutHonoursAttributes(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("large content\n", 100)
	sum := sha256.Sum256([]byte(content))
	oid := hex.EncodeToString(sum[:])
	pointer := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", oid, len(content))
	absent := fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", strings.Repeat("ab", 32), 5)

	r := sample(t)
	object := filepath.Join(r.dir, ".git/lfs/objects", oid[:2], oid[2:4])
	if err := os.MkdirAll(object, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(object, oid), []byte(content), 0o444); err != nil {
		t.Fatal(err)
	}
	r.commit(map[string]string{
		".gitattributes": "*.bat eol=crlf\n*.trap filter=trap\n", "run.bat": "a\nb\n", "x.trap": "x\n",
		"assets/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
		"assets/here.bin":       pointer, "assets/away.bin": absent, "assets/plain.bin": "not a pointer\n", "other.bin": pointer,
	})
	trap := filepath.Join(t.TempDir(), "trap")
	r.run("config", "filter.trap.smudge", "touch '"+trap+"'")
	s, _, tree := imported(t, r)
	dir := checkout(t, s, tree)
	for name, want := range map[string]string{
		"run.bat": "a\r\nb\r\n", "assets/here.bin": content, "assets/away.bin": absent, "assets/plain.bin": "not a pointer\n",
		"other.bin": pointer, "README": "hello\n", "x.trap": "x\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a filter of the user's configuration ran")
	}
	present, missing, err := s.Pointers(t.Context(), tree)
	if err != nil || fmt.Sprint(present, missing) != "[assets/here.bin] [assets/away.bin]" {
		t.Errorf("present %v, missing %v, %v", present, missing, err)
	}
	if err := os.WriteFile(filepath.Join(object, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// Content that does not fit its name is not used.
	if err := os.Remove(filepath.Join(object, oid)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(object, oid), []byte(strings.ToUpper(content)), 0o644); err != nil {
		t.Fatal(err)
	}
	other := must(s.WriteTree(t.Context(), tree, []record.Change{write("n", "n")}))(t)
	if _, _, err := s.Checkout(t.Context(), other); !errors.Is(err, gitops.ErrObject) || !strings.Contains(err.Error(), "git lfs fsck") {
		t.Errorf("wrong LFS content: %v", err)
	}
}

// trees makes n trees of about the given size each.
func trees(t testing.TB, s *gitops.Repo, n, size int) []record.Hash {
	t.Helper()
	var out []record.Hash
	for i := range n {
		out = append(out, must(s.WriteTree(context.Background(), record.Hash{}, []record.Change{
			write("f", strings.Repeat(fmt.Sprint(i), size)), write("d/g", "x"),
		}))(t))
	}
	return out
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// cached opens a store whose checkouts may take the given room. Its clock
// moves on a second with every look.
func cached(t testing.TB, dir, cache string, room int64) *gitops.Repo {
	t.Helper()
	var ticks atomic.Int64
	s, err := gitops.Open(t.Context(), gitops.Options{
		Dir: dir, Cache: cache, CacheBytes: room,
		Now: func() time.Time { return time.Unix(1700000000+ticks.Add(1), 0) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestCheckoutsAreSharedAndEvicted(t *testing.T) {
	t.Parallel()
	first, _, _ := imported(t, sample(t))
	cache := filepath.Join(t.TempDir(), "cache")
	s := cached(t, first.Dir(), cache, 100<<10)
	ts := trees(t, s, 5, 30<<10) // 32 KiB and 12 KiB of small ones, twice
	var dirs []string
	var releases []func()
	for _, tree := range ts[:3] {
		dir, release, err := s.Checkout(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		dirs, releases = append(dirs, dir), append(releases, release)
	}
	again, release, err := s.Checkout(t.Context(), ts[0])
	if err != nil || again != dirs[0] {
		t.Fatalf("the second user gets %s, %v", again, err)
	}
	for _, d := range dirs {
		if !exists(d) {
			t.Errorf("%s is gone while it is in use", d)
		}
	}
	releases[1]() // over the limit: goes at once
	if exists(dirs[1]) {
		t.Error("an idle checkout stays above the limit")
	}
	releases[0]()
	releases[0]()
	if !exists(dirs[0]) {
		t.Error("a checkout went with the first of its two users, or one release counts twice")
	}
	release()
	releases[2]()
	if !exists(dirs[0]) || !exists(dirs[2]) {
		t.Error("idle checkouts go although there is room")
	}
	checkout(t, s, ts[3])
	if exists(dirs[0]) || !exists(dirs[2]) {
		t.Error("not the longest unused checkout went")
	}
	// Another process holds one: it stays.
	other := cached(t, first.Dir(), cache, 1)
	if got := checkout(t, other, ts[3]); !exists(got) {
		t.Error("not shared between processes")
	}
	if _, release, err := other.Checkout(t.Context(), ts[4]); err != nil {
		t.Fatal(err)
	} else {
		release()
	}
	if !exists(filepath.Join(cache, ts[3].String(), "tree", "f")) {
		t.Error("one process removed what the other uses")
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(cache, "*.gone*"))
	if len(left) > 0 {
		t.Errorf("Close left %v", left)
	}
}

func TestConcurrentCallersShareOneCheckout(t *testing.T) {
	t.Parallel()
	s, _, tree := imported(t, sample(t))
	dirs := make([]string, 16)
	var wg sync.WaitGroup
	for i := range dirs {
		wg.Go(func() {
			dir, release, err := s.Checkout(t.Context(), tree)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			if data, err := os.ReadFile(filepath.Join(dir, "src/main.txt")); err != nil || string(data) != "one\ntwo\nthree\n" {
				t.Errorf("%q, %v", data, err)
			}
			dirs[i] = dir
		})
	}
	wg.Wait()
	for _, d := range dirs {
		if d != dirs[0] {
			t.Errorf("%s and %s", d, dirs[0])
		}
	}
}

func TestACancelledCheckoutDoesNotSpoilTheOthers(t *testing.T) {
	t.Parallel()
	s, _, _ := imported(t, sample(t))
	for _, tree := range trees(t, s, 10, 1000) {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, release, err := s.Checkout(ctx, tree); err == nil {
				release()
			} else if !errors.Is(err, context.Canceled) {
				t.Errorf("the one who was cancelled: %v", err)
			}
		})
		wg.Go(cancel)
		wg.Go(func() {
			if _, release, err := s.Checkout(t.Context(), tree); err != nil {
				t.Errorf("the one who was not: %v", err)
			} else {
				release()
			}
		})
		wg.Wait()
	}
}

func TestCheckoutsOutliveTheProcessAndCrashesDoNot(t *testing.T) {
	t.Parallel()
	first, _, tree := imported(t, sample(t))
	cache := filepath.Join(t.TempDir(), "cache")
	s := cached(t, first.Dir(), cache, 0)
	dir, release, err := s.Checkout(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	release()
	info, err := os.Stat(filepath.Join(dir, "README"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	half := filepath.Join(cache, strings.Repeat("ab", 20)+".part", "tree")
	gone := filepath.Join(cache, strings.Repeat("cd", 20)+".gone-1", "tree")
	for _, d := range []string{half, gone} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s = cached(t, first.Dir(), cache, 0)
	now, err := os.Stat(filepath.Join(checkout(t, s, tree), "README"))
	if err != nil || !os.SameFile(info, now) {
		t.Errorf("the checkout was made again: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if exists(half) || exists(gone) {
		t.Error("what a crash left is still there")
	}
}

func TestACheckoutThatWasTamperedWithIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, tamper := range map[string]func(dir string) error{
		"a line more": func(dir string) error {
			f, err := os.OpenFile(filepath.Join(dir, "README"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("more\n")
			return err
		},
		"the same size and the old time": func(dir string) error {
			file := filepath.Join(dir, "README")
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte("HELLO\n"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(file, info.ModTime(), info.ModTime())
		},
		"a file more":   func(dir string) error { return os.WriteFile(filepath.Join(dir, "src/new"), nil, 0o644) },
		"a file less":   func(dir string) error { return os.Remove(filepath.Join(dir, "a.b")) },
		"another mode":  func(dir string) error { return os.Chmod(filepath.Join(dir, "run.sh"), 0o644) },
		"nothing left":  os.RemoveAll,
		"another link":  func(dir string) error { return errors.Join(os.Remove(dir+"/link"), os.Symlink("/etc", dir+"/link")) },
		"a second name": func(dir string) error { return os.Link(dir+"/README", dir+"/../stolen") },
	} {
		t.Run(name, func(t *testing.T) {
			first, _, tree := imported(t, sample(t))
			cache := filepath.Join(t.TempDir(), "cache")
			s := cached(t, first.Dir(), cache, 0)
			dir, release, err := s.Checkout(t.Context(), tree)
			if err != nil {
				t.Fatal(err)
			}
			release()
			s.Close()
			if err := tamper(dir); err != nil {
				t.Fatal(err)
			}
			s = cached(t, first.Dir(), cache, 0)
			if got := must(s.WriteTree(t.Context(), record.Hash{}, laidOut(t, checkout(t, s, tree))))(t); got != tree {
				t.Errorf("the checkout holds\n%s", listing(t, s, got))
			}
		})
	}
}
