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
	list  bool // keep the whole listing
	mu    sync.Mutex
	roots map[string]*guarded
}

// guarded are the protected paths of one checkout, sorted.
type guarded struct {
	files []string
	all   []string        // every path of the checkout, when hidden files are asked for
	set   map[string]bool // the files, and every folder on the way to them
	stems map[string]bool // folder and module name of protected Python files
}

func newGuard(globs []string, list bool) *guard {
	return &guard{list: list, globs: append(slices.Clone(globs), configFile), roots: map[string]*guarded{}}
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
	found := &guarded{set: map[string]bool{}, stems: map[string]bool{}}
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
		if g.list {
			found.all = append(found.all, rel)
		}
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
	if stem, ok := strings.CutSuffix(rel, ".py"); ok {
		f.stems[stem] = true
	}
}

// shadows reports whether a path would be imported instead of a protected
// Python file: byte code anywhere (it may claim to match its source unchecked),
// a package or an extension module of the same name.
func (f *guarded) shadows(name string) bool {
	if strings.HasPrefix(name, "__pycache__/") || strings.Contains(name, "/__pycache__/") {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if f.stems[dir] {
			return true
		}
	}
	if ext := path.Ext(name); ext == ".so" || ext == ".pyd" || ext == ".pyc" {
		base, _, _ := strings.Cut(path.Base(name), ".")
		return f.stems[path.Join(path.Dir(name), base)]
	}
	return false
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

// seals lays what is protected in the trusted checkout over the tree: folders
// that a glob names whole as one seal each, other files one by one.
func (g *guard) seals(f *guarded, dir string) []sandbox.Seal {
	var seals []sandbox.Seal
	whole := map[string]bool{}
	for _, glob := range g.globs {
		folder := wholeFolder(glob)
		if folder == "" || whole[folder] || !isRealDir(dir, folder) {
			continue
		}
		whole[folder] = true
		seals = append(seals, sandbox.Seal{Path: folder, Host: filepath.Join(dir, filepath.FromSlash(folder))})
	}
	for _, rel := range f.files {
		if !below(whole, rel) {
			seals = append(seals, sandbox.Seal{Path: rel, Host: filepath.Join(dir, filepath.FromSlash(rel))})
		}
	}
	return seals
}

// wholeFolder returns the folder that a glob such as tests, tests/ or tests/**
// covers whole, or nothing.
func wholeFolder(glob string) string {
	glob = strings.TrimSuffix(tidyGlob(glob), "/**")
	if glob == "" || glob == "." || strings.ContainsAny(glob, `*?[{\\`) {
		return ""
	}
	return path.Clean(glob)
}

// isRealDir reports whether a folder of a checkout is one and is not reached
// through a link.
func isRealDir(dir, folder string) bool {
	at := dir
	for part := range strings.SplitSeq(folder, "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// below reports whether any of the folders is on the way to a path.
func below(folders map[string]bool, rel string) bool {
	for p := path.Dir(rel); p != "." && p != "/"; p = path.Dir(p) {
		if folders[p] {
			return true
		}
	}
	return false
}

// hidden expands the globs of hidden files over the root's tree and the
// candidate's changes into paths that exist or may exist.
func hidden(globs, files []string, delta []record.Change) []string {
	var found, whole []string
	for _, g := range globs {
		if folder := wholeFolder(g); folder != "" {
			whole = append(whole, folder)
		}
	}
	add := func(rel string) {
		if !matchGlobs(globs, rel) {
			return
		}
		for _, folder := range whole {
			if strings.HasPrefix(rel, folder+"/") {
				rel = folder
				break
			}
		}
		found = append(found, rel)
	}
	for _, rel := range files {
		add(rel)
	}
	for _, c := range delta {
		if c.Mode != record.Deleted {
			add(c.Path)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// filter drops from a candidate's changes whatever touches a protected file:
// the file itself, a new file that a protected glob covers, anything that would
// stand where a folder on the way to one must be, and Python files that would be
// imported in its place. It returns what it dropped. The gate refuses most of
// this; here it holds even when the gate was passed by.
func (g *guard) filter(f *guarded, delta []record.Change) (kept []record.Change, dropped []string) {
	for _, c := range delta {
		if matchGlobs(g.globs, c.Path) || f.set[strings.ToLower(c.Path)] || f.shadows(c.Path) {
			dropped = append(dropped, c.Path)
			continue
		}
		kept = append(kept, c)
	}
	return kept, dropped
}
