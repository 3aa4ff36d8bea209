package eval

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"atoll/engine/sandbox"
	"atoll/store/record"
)

// configFile is never a candidate's to change.
const configFile = "atoll.yaml"

// guard knows which files of the root are protected. It reads each trusted
// checkout once.
type guard struct {
	globs []string
	mu    sync.Mutex
	roots map[string]*guarded
}

// guarded are the protected paths of one checkout, sorted.
type guarded struct {
	files []string
	set   map[string]bool // the files, and every folder on the way to them
}

func newGuard(globs []string) *guard {
	return &guard{globs: append(slices.Clone(globs), configFile), roots: map[string]*guarded{}}
}

// of returns the protected files of the checkout at dir.
func (g *guard) of(dir string) (*guarded, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known := g.roots[dir]; known != nil {
		return known, nil
	}
	found, err := g.read(dir)
	if err != nil {
		return nil, fmt.Errorf("list the protected files of the root in %s: %w", dir, err)
	}
	if len(g.roots) > 8 { // checkouts come and go; keep the map small
		clear(g.roots)
	}
	g.roots[dir] = found
	return found, nil
}

func (g *guard) read(dir string) (*guarded, error) {
	found := &guarded{set: map[string]bool{}}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if matchGlobs(g.globs, rel) {
			found.add(rel)
			if d.Type()&fs.ModeSymlink != 0 {
				found.follow(dir, rel)
			}
		}
		return nil
	})
	slices.Sort(found.files)
	found.files = slices.Compact(found.files)
	return found, err
}

func (f *guarded) add(rel string) {
	f.files = append(f.files, rel)
	for p := rel; p != "." && p != "/"; p = path.Dir(p) {
		f.set[strings.ToLower(p)] = true
	}
}

// follow protects what a protected link leads to inside the tree.
func (f *guarded) follow(dir, rel string) {
	real, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(rel)))
	if err != nil {
		return
	}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return
	}
	in, err := filepath.Rel(top, real)
	if err != nil || strings.HasPrefix(in, "..") {
		return
	}
	if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() {
		f.add(filepath.ToSlash(in))
	}
}

// seals lays each protected file of the trusted checkout over the tree.
func (f *guarded) seals(dir string) []sandbox.Seal {
	seals := make([]sandbox.Seal, 0, len(f.files))
	for _, rel := range f.files {
		name := filepath.Join(dir, filepath.FromSlash(rel))
		if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
			continue // a link is kept by filtering the delta; its target is sealed
		}
		seals = append(seals, sandbox.Seal{Path: rel, Host: name})
	}
	return seals
}

// filter drops from a candidate's changes whatever touches a protected file:
// the file itself, a new file that a protected glob covers, and anything that
// would stand where a folder on the way to one must be. It returns what it
// dropped. The gate refuses such candidates; this holds when it was bypassed.
func (g *guard) filter(f *guarded, delta []record.Change) (kept []record.Change, dropped []string) {
	for _, c := range delta {
		if matchGlobs(g.globs, c.Path) || f.set[strings.ToLower(c.Path)] {
			dropped = append(dropped, c.Path)
			continue
		}
		kept = append(kept, c)
	}
	return kept, dropped
}
