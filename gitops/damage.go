package gitops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// Damage is what is wrong with the files of a store. Paths are relative to it.
type Damage struct {
	Shell []string // what git needs beside objects and refs: HEAD, the configuration
	Packs []string // packs, or indexes without one, that cannot be read whole
	Loose []string // objects that are not what their name says
	Refs  []string // refs that name no commit that is there
}

// None reports that nothing was found.
func (d Damage) None() bool {
	return len(d.Shell)+len(d.Packs)+len(d.Loose)+len(d.Refs) == 0
}

// String lists what was found, the first few of each kind.
func (d Damage) String() string {
	var parts []string
	for _, kind := range []struct {
		what string
		list []string
	}{{"", d.Shell}, {"pack ", d.Packs}, {"object ", d.Loose}, {"ref ", d.Refs}} {
		for i, name := range kind.list {
			if i == 3 {
				parts = append(parts, fmt.Sprintf("and %d more", len(kind.list)-i))
				break
			}
			parts = append(parts, kind.what+name)
		}
	}
	return strings.Join(parts, ", ")
}

// Examine says which files of the store are not what was written: those beside the
// objects and, deep, all of them, which reads everything: minutes for a large store.
func (r *Repo) Examine(ctx context.Context, deep bool) (Damage, error) {
	var d Damage
	if !r.exists() {
		return d, ErrNoStore
	}
	d.Shell = r.brokenShell(ctx)
	var err error
	if deep {
		d.Shell = append(d.Shell, r.brokenLists(ctx)...)
		d.Packs, err = r.brokenPacks(ctx)
	}
	if deep && err == nil {
		d.Loose, err = r.brokenLoose(ctx)
	}
	if err == nil {
		d.Refs, err = r.brokenRefs(ctx)
	}
	if err != nil {
		return d, fmt.Errorf("examine the object store: %w", err)
	}
	return d, nil
}

// brokenShell names what keeps git from seeing a repository.
func (r *Repo) brokenShell(ctx context.Context) (bad []string) {
	head, err := os.ReadFile(filepath.Join(r.dir, "HEAD"))
	if text := strings.TrimSpace(string(head)); err != nil || !strings.HasPrefix(text, "ref: refs/heads/") {
		bad = append(bad, "HEAD")
	}
	if data, err := r.shallow(); err != nil || slices.ContainsFunc(strings.Fields(string(data)), func(name string) bool {
		_, err := record.ParseHash(name)
		return err != nil
	}) {
		bad = append(bad, "shallow")
	}
	if info, err := os.Stat(filepath.Join(r.dir, "refs")); err != nil || !info.IsDir() {
		bad = append(bad, "refs")
	}
	if info, err := os.Lstat(filepath.Join(r.dir, packedName)); err == nil && (!info.Mode().IsRegular() || !r.packedWell()) {
		bad = append(bad, packedName)
	}
	config := filepath.Join(r.dir, "config")
	bare, err := r.git.line(ctx, "config", "--file", config, "--bool", "core.bare")
	if err != nil || bare != "true" {
		return append(bad, "config")
	}
	for _, s := range storeConfig {
		if value, err := r.git.line(ctx, "config", "--file", config, s[0]); err != nil || value != s[1] {
			return append(bad, "config")
		}
	}
	return bad
}

// brokenLists names what git keeps to find objects sooner, and cannot read: nothing is lost
// without.
func (r *Repo) brokenLists(ctx context.Context) (bad []string) {
	for _, l := range []struct{ file, command string }{
		{"objects/pack/multi-pack-index", "multi-pack-index"}, {"objects/info/commit-graph", "commit-graph"}, {"objects/info/commit-graphs", "commit-graph"},
	} {
		if _, err := os.Lstat(filepath.Join(r.dir, l.file)); err != nil {
			continue
		}
		if _, err := r.store(ctx, l.command, "verify", "--no-progress"); err != nil && ctx.Err() == nil {
			bad = append(bad, l.file)
		}
	}
	return bad
}

// brokenPacks names packs that git cannot read from end to end, and indexes and
// packs of which the other half is gone.
func (r *Repo) brokenPacks(ctx context.Context) (bad []string, err error) {
	dir := filepath.Join(r.dir, "objects", "pack")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	halves := map[string]int{}
	for _, e := range entries {
		name, ext := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), filepath.Ext(e.Name())
		if strings.HasPrefix(name, "pack-") && (ext == ".pack" || ext == ".idx") {
			halves[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(halves)) {
		if halves[name] == 2 {
			_, err := r.git.run(ctx, "--git-dir="+r.dir, "verify-pack", filepath.Join(dir, name+".idx"))
			if err == nil {
				continue
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		bad = append(bad, name)
	}
	return bad, nil
}

// eachLoose calls fn with every file that is where an object that is not packed is.
func (r *Repo) eachLoose(ctx context.Context, fn func(path string, h record.Hash) error) error {
	folders, err := filepath.Glob(filepath.Join(r.dir, "objects", "[0-9a-f][0-9a-f]"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return err
		}
		files, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, f := range files {
			h, err := record.ParseHash(filepath.Base(folder) + f.Name())
			if err != nil {
				continue // somebody is writing it
			}
			if err := fn(filepath.Join(folder, f.Name()), h); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Repo) brokenLoose(ctx context.Context) (bad []string, err error) {
	in := bufio.NewReader(nil)
	err = r.eachLoose(ctx, func(path string, h record.Hash) error {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // packed meanwhile
		}
		if err != nil {
			return err
		}
		defer f.Close()
		in.Reset(f)
		if _, err := readLoose(in, h); err != nil {
			rel, _ := filepath.Rel(r.dir, path) // it is below
			bad = append(bad, rel)
		}
		return nil
	})
	return bad, err
}

// packedName is the file in which git keeps many refs.
const packedName = "packed-refs"

// refName is what the refs are called that are made here: a folder of that name keeps them from
// being written.
var refName = regexp.MustCompile(`^refs/(heads/anchor/[0-9]+|atoll/[0-9]+/attempt/[0-9]+)$`)

// packedLine is one line of packed refs: a ref, what the tag before leads to, or a comment.
var packedLine = regexp.MustCompile(`^(#.*|[0-9a-f]{40} refs/\S+|\^[0-9a-f]{40})\n$`)

// packedWell reports whether git can read the packed refs; it refuses all of them for one
// bad line.
func (r *Repo) packedWell() bool {
	data, err := os.ReadFile(filepath.Join(r.dir, packedName))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		if !packedLine.MatchString(line) {
			return false
		}
	}
	return true
}

// brokenRefs names the refs that lead to no commit of the store, and files among
// them that are no refs.
func (r *Repo) brokenRefs(ctx context.Context) (bad []string, err error) {
	leads := func(h record.Hash) bool {
		_, err := r.Commit(ctx, h)
		return err == nil
	}
	if info, err := os.Lstat(filepath.Join(r.dir, packedName)); err != nil || info.Mode().IsRegular() { // else it is told already
		packed, err := r.packedRefs()
		if err != nil {
			return nil, err
		}
		for ref, h := range packed {
			if !leads(h) {
				bad = append(bad, ref)
			}
		}
	}
	top := filepath.Join(r.dir, "refs")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || path == top && err == nil && !d.IsDir() {
			return nil // cleared meanwhile, or told already
		}
		rel, _ := filepath.Rel(r.dir, path) // it is below
		if err == nil && d.IsDir() && refName.MatchString(filepath.ToSlash(rel)) {
			bad = append(bad, rel)
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		if h, ok := r.looseRef(rel); !ok || !leads(h) {
			if _, err := os.Lstat(path); err == nil {
				bad = append(bad, rel)
			}
		}
		return nil
	})
	slices.Sort(bad)
	return slices.Compact(bad), errors.Join(err, ctx.Err())
}

// Losses are the objects that commits need and that cannot be read: of each such
// commit its own name, or those of trees and files. Parents are not looked at. It
// reads every object that the commits need, each once.
func (r *Repo) Losses(ctx context.Context, commits []record.Hash) (map[record.Hash][]record.Hash, error) {
	lost := map[record.Hash][]record.Hash{}
	l := losses{repo: r, seen: map[record.Hash][]record.Hash{}}
	for _, c := range commits {
		info, err := r.Commit(ctx, c)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			lost[c] = []record.Hash{c}
			continue
		}
		if missing := l.tree(ctx, info.Tree); len(missing) > 0 {
			lost[c] = missing
		}
	}
	return lost, ctx.Err()
}

// losses remembers of each tree and file what of it is not there.
type losses struct {
	repo *Repo
	seen map[record.Hash][]record.Hash
}

func (l *losses) tree(ctx context.Context, h record.Hash) []record.Hash {
	if missing, ok := l.seen[h]; ok || h == emptyTree {
		return missing
	}
	var missing []record.Hash
	if entries, err := l.repo.entries(ctx, h); err != nil {
		missing = []record.Hash{h}
	} else {
		for _, e := range entries {
			switch e.mode() {
			case modeTree:
				missing = append(missing, l.tree(ctx, e.hash)...)
			case record.Submodule:
			default:
				missing = append(missing, l.blob(ctx, e.hash)...)
			}
		}
	}
	l.seen[h] = missing
	return missing
}

func (l *losses) blob(ctx context.Context, h record.Hash) []record.Hash {
	missing, ok := l.seen[h]
	if ok {
		return missing
	}
	if _, err := l.repo.object(ctx, plumbing.BlobObject, h); err != nil {
		missing = []record.Hash{h}
	}
	l.seen[h] = missing
	return missing
}

// Unheld returns those of the commits no anchor and no attempt ref of the experiment
// leads to.
func (r *Repo) Unheld(ctx context.Context, exp record.ExperimentID, commits []record.Hash) ([]record.Hash, error) {
	open, _, err := r.unanchored(ctx, exp, commits)
	if err != nil {
		return nil, fmt.Errorf("look through the anchors: %w", err)
	}
	attempts, err := r.Attempts(ctx, exp)
	if err != nil {
		return nil, err
	}
	marked := map[record.Hash]bool{}
	for _, h := range attempts {
		marked[h] = true
	}
	return slices.DeleteFunc(slices.Clone(open), func(h record.Hash) bool { return marked[h] }), nil
}

// NewestAnchored returns the commits that the newest anchor of an experiment holds,
// some hundred at most.
func (r *Repo) NewestAnchored(ctx context.Context, exp record.ExperimentID) ([]record.Hash, error) {
	tip, err := r.anchorTip(ctx, exp)
	if err != nil {
		return nil, fmt.Errorf("read the newest anchor: %w", err)
	}
	var held []record.Hash
	_, err = r.walkAnchors(ctx, tip, func(list []record.Hash) bool {
		held = list
		return false
	})
	return held, err
}
