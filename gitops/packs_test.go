package gitops_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"atoll/config/suitetest"
	"atoll/gitops"
	"atoll/store/record"
)

// gitObject is an object as git shows it.
type gitObject struct {
	name       record.Hash
	kind, data string
}

// allObjects lets git read every object of a store.
func allObjects(t testing.TB, git repository) []gitObject {
	t.Helper()
	out := git.run("cat-file", "--batch-all-objects", "--batch") + "\n"
	var all []gitObject
	for out != "" {
		head, rest, _ := strings.Cut(out, "\n")
		f := strings.Fields(head)
		size := must(strconv.Atoi(f[2]))(t)
		all = append(all, gitObject{parse(t, f[0]), f[1], rest[:size]})
		out = rest[size+1:]
	}
	return all
}

// history is a repository with 30 versions of a file, large files, and every
// kind of object.
func history(t testing.TB) repository {
	r := sample(t)
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3<<20)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprintln(rng.Uint64(), "is the number of this line")
	}
	r.commit(map[string]string{"noise": string(noise), "zeros": strings.Repeat("\x00", 5<<20), "empty": ""})
	for i := range 30 {
		lines[i*13] = fmt.Sprintln("changed", i)
		r.commit(map[string]string{"long.txt": strings.Join(lines, "")})
	}
	r.run("tag", "-m", "A tag", "v1")
	return r
}

// stored opens a store with all objects of a repository in packs that are made
// with the given arguments.
func stored(t testing.TB, r repository, args ...string) *gitops.Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store.git")
	r.run("init", "-q", "--bare", "--template=", dir)
	names := r.run("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
	r.feed([]byte(names+"\n"), append(append([]string{"pack-objects", "-q"}, args...), filepath.Join(dir, "objects/pack/pack"))...)
	return opened(t, dir)
}

// opened opens the store in a directory, with nothing in memory.
func opened(t testing.TB, dir string) *gitops.Repo {
	t.Helper()
	s := must(gitops.Open(t.Context(), gitops.Options{Dir: dir, Cache: t.TempDir()}))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// packFiles returns the packs of a store, or their indexes.
func packFiles(t testing.TB, s *gitops.Repo, suffix string) []string {
	t.Helper()
	files := must(filepath.Glob(filepath.Join(s.Dir(), "objects/pack/pack-*"+suffix)))(t)
	if len(files) == 0 {
		t.Fatal("the store has no packs")
	}
	return files
}

func TestPackedObjectsAreWhatGitSays(t *testing.T) {
	t.Parallel()
	r := history(t)
	for _, c := range []struct {
		name  string
		pack  []string // arguments of pack-objects
		after func(*testing.T, *gitops.Repo)
		depth int
		full  bool
	}{
		{name: "as they are", pack: []string{"--depth=0"}},
		{name: "as deltas that name the offset of their base", pack: []string{"--depth=50", "--window=2", "--threads=1", "--delta-base-offset"}, depth: 11},
		{name: "as deltas that name their base", full: true, pack: []string{"--depth=50", "--window=2", "--threads=1"}, depth: 11},
		{name: "with offsets of 64 bits", full: true, pack: []string{"--depth=50", "--window=2", "--threads=1", "--delta-base-offset", "--index-version=2,0x20"}, depth: 11},
		{name: "in several packs", full: true, pack: []string{"--depth=50", "--max-pack-size=1m"}},
		{name: "with some that are loose", pack: []string{"--depth=50"}, after: func(t *testing.T, s *gitops.Repo) {
			must(s.WriteTree(t.Context(), record.Hash{}, []record.Change{write("loose", "loose"), write("none", "")}))(t)
		}},
		{name: "with those of another process that packs", pack: []string{"--depth=50"}, after: func(t *testing.T, s *gitops.Repo) {
			storeGit(t, s).run("repack", "-q", "-a", "-d", "-k", "-f", "--depth=20")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.full {
				suitetest.Full(t, "every object once more, in packs of another form")
			}
			s := stored(t, r, c.pack...)
			if c.after != nil {
				c.after(t, s)
			}
			git := storeGit(t, s)
			if c.depth > 0 && !deep(git, packFiles(t, s, ".idx"), c.depth) {
				t.Errorf("no chain of %d deltas", c.depth)
			}
			all := allObjects(t, git)
			if len(all) < 90 {
				t.Fatalf("%d objects", len(all))
			}
			sameObjects(t, opened(t, s.Dir()), all)
			for i := range all { // oldest first is the other way round
				all[i], all[len(all)-1-i] = all[len(all)-1-i], all[i]
				if i >= len(all)/2 {
					break
				}
			}
			sameObjects(t, opened(t, s.Dir()), all)
		})
	}
}

// deep reports whether git finds a chain of at least n deltas.
func deep(git repository, indexes []string, n int) bool {
	for line := range strings.Lines(git.run(append([]string{"verify-pack", "-v"}, indexes...)...)) {
		var chain, count int
		if k, _ := fmt.Sscanf(line, "chain length = %d: %d object", &chain, &count); k == 2 && chain >= n {
			return true
		}
	}
	return false
}

// sameObjects compares what the store reads with what git read.
func sameObjects(t *testing.T, s *gitops.Repo, all []gitObject) {
	t.Helper()
	for range 2 { // from disk, and some of them from memory
		for _, want := range all {
			kind, data, err := s.ReadObject(t.Context(), want.name)
			if err != nil || kind != want.kind || string(data) != want.data {
				t.Errorf("%s: %s of %d bytes, %v, in place of a %s of %d bytes", want.name, kind, len(data), err, want.kind, len(want.data))
			}
			if !s.Has(t.Context(), want.name) {
				t.Errorf("%s is not there", want.name)
			}
			clear(data) // it is the caller's
			missing := want.name
			missing[len(missing)-1]++
			if ok, err := s.HasObject(t.Context(), missing); ok || err != nil {
				t.Errorf("%s is there: %v", missing, err)
			}
			if _, _, err := s.ReadObject(t.Context(), missing); !errors.Is(err, gitops.ErrNotFound) {
				t.Errorf("%s: %v", missing, err)
			}
		}
	}
}

func TestMemoryDoesNotGrowWithTheNumberOfPackedObjects(t *testing.T) {
	suitetest.Full(t, "thousands of objects; TestPackedObjectsAreWhatGitSays reads them")
	n := suitetest.Pick(25_000, 50_000, 50_000)
	dir := bare(t)
	names := packed(t, opened(t, dir), n, 3)
	before := liveHeap()
	s := opened(t, dir)
	for _, h := range names {
		if !s.Has(t.Context(), h) {
			t.Fatalf("%s is not there", h)
		}
	}
	// Names, checksums and offsets alone are 28 bytes.
	grown := liveHeap() - before
	t.Logf("%d bytes after looking up %d objects", grown, n)
	if grown > int64(5*n) {
		t.Errorf("%d bytes after looking up %d objects", grown, n)
	}
	for _, h := range names {
		must(s.Blob(t.Context(), h))(t)
	}
	grown = liveHeap() - before
	t.Logf("%d bytes after reading them", grown)
	if grown > gitops.ObjectCacheBytes+int64(10*n) {
		t.Errorf("%d bytes after reading %d objects", grown, n)
	}
	runtime.KeepAlive(names)
}

func TestPacksThatVanish(t *testing.T) {
	t.Parallel()
	r := history(t)
	t.Run("after they were opened are read to the end", func(t *testing.T) {
		s := stored(t, r, "--depth=50")
		all := allObjects(t, storeGit(t, s))
		if !s.Has(t.Context(), all[0].name) {
			t.Fatal("nothing there")
		}
		for _, file := range packFiles(t, s, "") {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range all {
			if _, data, err := s.ReadObject(t.Context(), want.name); err != nil || string(data) != want.data {
				t.Errorf("%s: %v", want.name, err)
			}
		}
		if _, _, err := s.ReadObject(t.Context(), record.Hash{1}); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("what never was: %v", err)
		}
		if _, _, err := opened(t, s.Dir()).ReadObject(t.Context(), all[0].name); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("opened afterwards: %v", err)
		}
	})
	t.Run("and leave their index are as if they were not", func(t *testing.T) {
		s := stored(t, r, "--depth=50")
		loose := must(s.WriteTree(t.Context(), record.Hash{}, []record.Change{write("loose", "loose")}))(t)
		for _, file := range packFiles(t, s, ".pack") {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		fresh := opened(t, s.Dir())
		if _, _, err := fresh.ReadObject(t.Context(), loose); err != nil {
			t.Errorf("a loose object: %v", err)
		}
		if _, _, err := fresh.ReadObject(t.Context(), parse(t, r.run("rev-parse", "HEAD"))); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("an object of the pack: %v", err)
		}
	})
}

func TestAnObjectIsReadFromThePackInWhichItIsWhole(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s := stored(t, r, "--depth=0")
	all := allObjects(t, storeGit(t, s))
	pack, index := packFiles(t, s, ".pack")[0], packFiles(t, s, ".idx")[0]
	whole := must(os.ReadFile(pack))(t)
	broken := bytes.Clone(whole)
	for i := 12; i < len(broken)-20; i++ {
		broken[i] ^= 0x55
	}
	overwrite(t, pack, broken)
	alone := opened(t, s.Dir())
	for _, o := range all {
		if _, _, err := alone.ReadObject(t.Context(), o.name); !errors.Is(err, gitops.ErrDamaged) {
			t.Errorf("the damaged pack alone: %v", err)
		}
	}
	for i := range 3 { // names before and after that of the damaged one
		copied := filepath.Join(filepath.Dir(pack), fmt.Sprintf("pack-%x%039x", i*7, i))
		overwrite(t, copied+".pack", whole)
		overwrite(t, copied+".idx", must(os.ReadFile(index))(t))
	}
	sameObjects(t, opened(t, s.Dir()), all)
}

// overwrite replaces a file, even one that may only be read.
func overwrite(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
