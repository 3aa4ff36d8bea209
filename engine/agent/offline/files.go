package offline

import (
	"bytes"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// bounds are those of every edit.
type bounds struct {
	maxBytes int64 // of a file
	tries    int   // until an edit is valid
}

// editing is one call of Edit: the tree with the changes made so far.
type editing struct {
	ctx    context.Context
	job    *agent.Job
	rng    *rand.Rand
	base   agent.Tree
	limits bounds
	made
	strong bool // large steps
	packed bool // also code of lines so long that nobody wrote them
	picked []pick
	ready  bool // picked is filled
	err    error
}

// made is what an edit came to so far.
type made struct {
	changed map[string][]byte      // new content by path
	modes   map[string]record.Mode // of files that are new
	intents []string
}

func (m made) clone() made {
	return made{maps.Clone(m.changed), maps.Clone(m.modes), slices.Clone(m.intents)}
}

// pick is a file with its weight in the draw.
type pick struct {
	file   record.File
	l      *language.Language
	weight float64
}

func (e *editing) stop() bool { return e.err != nil || e.ctx.Err() != nil }

// read returns the present content of a path.
func (e *editing) read(path string) ([]byte, bool) {
	if data, ok := e.changed[path]; ok {
		return data, true
	}
	data, err := e.base.Read(e.ctx, path)
	if err != nil {
		e.err = err
		return nil, false
	}
	return data, true
}

// put records new content and what it means.
func (e *editing) put(path string, data []byte, intent string) {
	e.changed[path] = data
	e.intents = append(e.intents, intent)
}

// changes returns what differs from the base, sorted by path.
func (e *editing) changes() []record.Change {
	files := e.base.Files()
	var out []record.Change
	for path, data := range e.changed {
		c := record.Change{Path: path, Mode: record.Regular, Data: data}
		if f, ok := findFile(files, path); ok {
			old, err := e.base.Read(e.ctx, path)
			if err != nil || bytes.Equal(old, data) {
				continue
			}
			c.Mode = f.Mode
		} else if m, ok := e.modes[path]; ok {
			c.Mode = m
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b record.Change) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return out
}

// findFile looks a path up in a sorted list.
func findFile(files []record.File, path string) (record.File, bool) {
	i := sort.Search(len(files), func(i int) bool { return files[i].Path >= path })
	if i < len(files) && files[i].Path == path {
		return files[i], true
	}
	return record.File{}, false
}

// consider returns a file with its weight when its name, size and the scope
// let it be edited.
func (e *editing) consider(f record.File) (pick, bool) {
	if f.Mode != record.Regular && f.Mode != record.Executable || f.Size > e.limits.maxBytes || f.Size == 0 {
		return pick{}, false
	}
	if !e.job.Allowed(f.Path) {
		return pick{}, false
	}
	l := language.Of(f.Path)
	if l == nil || language.SkippedDir(f.Path) {
		return pick{}, false
	}
	size := float64(f.Size)
	if f.Size < 0 {
		size = 4096
	}
	w := l.Weight * math.Sqrt(min(max(size, 64), 32<<10))
	if language.IsTest(f.Path) {
		w *= 0.1
	}
	return pick{f, l, w}, true
}

// probes bounds how many files of a large tree are looked at.
const probes = 512

// picks returns the files of the draw. Of a large tree it takes a random
// sample and what earlier edits changed; only when the sample holds nothing
// does it look at every name.
func (e *editing) picks() []pick {
	if e.ready {
		return e.picked
	}
	e.ready = true
	files := e.base.Files()
	seen := map[string]bool{}
	add := func(f record.File, boost float64) {
		if seen[f.Path] {
			return
		}
		if p, ok := e.consider(f); ok {
			seen[f.Path] = true
			p.weight *= boost
			e.picked = append(e.picked, p)
		}
	}
	for _, it := range append([]agent.Item{e.job.Parent}, e.job.Inspirations...) {
		for _, path := range it.Changed[:min(len(it.Changed), 16)] {
			if f, ok := findFile(files, path); ok {
				add(f, 4) // where elites differ is where the search is
			}
		}
	}
	if len(files) > 4*probes {
		for range probes {
			add(files[e.rng.IntN(len(files))], 1)
		}
		if len(e.picked) > 0 {
			return e.picked
		}
	}
	for _, f := range files {
		add(f, 1)
	}
	return e.picked
}

// load reads a file for editing; false when its content rules it out.
func (e *editing) load(p pick) (*language.Source, bool) {
	data, ok := e.read(p.file.Path)
	if !ok || len(data) == 0 || int64(len(data)) > e.limits.maxBytes || language.LooksGenerated(data) && !(e.packed && language.Packed(data)) {
		return nil, false
	}
	s := &language.Source{File: p.file, Data: data, Lang: p.l, Lo: 0, Hi: len(data)}
	s.Toks = language.Lex(data, p.l)
	if sym := e.job.Target.Symbol; sym != "" {
		lo, hi, ok := language.SymbolSpan(s, sym)
		if !ok {
			return nil, false
		}
		s.Lo, s.Hi = lo, hi
	}
	return s, true
}

// maxLoads bounds how many files one operator reads: in some trees most files
// are tables that hold nothing for it.
const maxLoads = 40

// draw offers files, by weight and each at most once, until fn takes one.
func (e *editing) draw(fn func(*language.Source) bool) bool {
	left := slices.Clone(e.picks())
	for n := 0; n < maxLoads && len(left) > 0 && !e.stop(); n++ {
		i := drawIndex(e.rng, len(left), func(i int) float64 { return left[i].weight })
		if s, ok := e.load(left[i]); ok && fn(s) {
			return true
		}
		left = slices.Delete(left, i, i+1)
	}
	return false
}

// drawIndex draws one of n by weight; weights that are all zero draw evenly.
func drawIndex(rng *rand.Rand, n int, weight func(int) float64) int {
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	if !(total > 0) {
		return rng.IntN(n)
	}
	r := rng.Float64() * total
	for i := range n {
		if r -= weight(i); r < 0 {
			return i
		}
	}
	return n - 1
}

// inDir returns the part of a sorted list that may lie in a directory.
func inDir(files []record.File, dir string) []record.File {
	if dir == "." {
		return files[:min(len(files), 4*probes)]
	}
	prefix := dir + "/"
	lo := sort.Search(len(files), func(i int) bool { return files[i].Path >= prefix })
	hi := lo
	for hi < len(files) && hi-lo < 4*probes && len(files[hi].Path) > len(prefix) && files[hi].Path[:len(prefix)] == prefix {
		hi++
	}
	return files[lo:hi]
}
