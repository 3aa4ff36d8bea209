package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"atoll/config"
	"atoll/engine/behavior"
	"atoll/engine/gate"
	"atoll/engine/plugin"
	"atoll/store"
	"atoll/store/record"
)

// vectors places candidates in the learned space.
type vectors struct {
	*run
	embed Embedding
}

// Embedding turns trees into vectors of the learned space. Vectors add up: a
// candidate's is its parent's without the old blobs and with the new ones.
type Embedding struct {
	mu       sync.Mutex
	embedder embedder
	eligible *behavior.Eligible
}

// MapFiles says which files shape the learned map. What no candidate may change tells
// none apart, the configuration among it, and a replay has another one. Ignore files
// of the root are the caller's to add.
func MapFiles(c *config.Config) behavior.Options {
	return behavior.Options{
		MaxBytes: c.Map.MaxBytes, Include: c.Map.Include, Scope: c.Gate.Scope, AnyKind: len(c.Gate.Scope) == 0,
		Exclude: slices.Concat(c.Map.Exclude, c.Evaluator.Protected, []string{"/" + gate.ConfigFile}),
	}
}

// embedding makes the embedder and the rule of eligible files once; both
// depend on the root alone.
func (w *vectors) embedding(ctx context.Context) (*Embedding, error) {
	w.embed.mu.Lock()
	defer w.embed.mu.Unlock()
	if w.embed.embedder != nil {
		return &w.embed, nil
	}
	tree, err := w.repo.Tree(ctx, w.facts.Experiment.RootTree)
	if err != nil {
		return nil, err
	}
	opt := MapFiles(&w.facts.Config)
	for _, f := range tree.Files() {
		dir, name := "", f.Path
		if i := strings.LastIndexByte(f.Path, '/'); i >= 0 {
			dir, name = f.Path[:i], f.Path[i+1:]
		}
		if name != ".gitignore" && f.Path != ".atollignore" {
			continue
		}
		text, err := tree.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		opt.Ignore = append(opt.Ignore, behavior.IgnoreFile{Dir: dir, Text: string(text)})
	}
	w.embed.eligible, w.embed.embedder = behavior.NewEligible(opt), lexical{behavior.NewLexical()}
	if w.plugins != nil && w.plugins.embedder != nil {
		w.embed.embedder = foreign{w.plugins.host, w.plugins.embedder}
	}
	return &w.embed, nil
}

// ofRoot embeds every eligible file of the root.
func (w *vectors) ofRoot(ctx context.Context, tree record.Hash) ([]float32, error) {
	if !w.facts.embeds() {
		return nil, nil
	}
	em, err := w.embedding(ctx)
	if err != nil {
		return nil, err
	}
	files, err := w.repo.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	var texts []plugin.Text
	for _, f := range files.Files() {
		if !em.eligible.Match(f.Path, f.Size) || f.Mode == record.Symlink || f.Mode == record.Submodule {
			continue
		}
		text, err := files.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		if em.eligible.Shapes(f.Path, text) {
			texts = append(texts, plugin.Text{Path: f.Path, Text: string(text)})
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("no file of the root shapes the learned space; name some under map.include, or use map.axes")
	}
	added, err := em.embedder.embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	return behavior.Combine(nil, nil, added), nil
}

// of is the vector of a candidate: its parent's, with what changed.
func (w *vectors) of(ctx context.Context, c *record.Candidate, parentTree record.Hash) ([]float32, error) {
	if !w.facts.embeds() {
		return nil, nil
	}
	em, err := w.embedding(ctx)
	if err != nil {
		return nil, err
	}
	parent, err := w.db.Vector(ctx, w.exp(), c.Parent())
	if errors.Is(err, store.ErrNotFound) {
		return w.ofRoot(ctx, c.Tree)
	}
	if err != nil {
		return nil, err
	}
	diffs, err := w.repo.DiffTrees(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	var texts []plugin.Text // what went first
	for _, d := range diffs {
		if texts, err = w.shaping(ctx, em, texts, d.Path, d.OldMode, d.OldHash); err != nil {
			return nil, err
		}
	}
	gone := len(texts)
	for _, d := range diffs {
		if texts, err = w.shaping(ctx, em, texts, d.Path, d.NewMode, d.NewHash); err != nil {
			return nil, err
		}
	}
	all, err := em.embedder.embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 && len(all[0]) != len(parent) {
		return nil, fmt.Errorf("%w: the embedder made vectors of %d numbers before, and now of %d", errPlugin, len(parent), len(all[0]))
	}
	return behavior.Combine(parent, all[:gone], all[gone:]), nil
}

// shaping adds one version of a file to a list, where it counts.
func (w *vectors) shaping(ctx context.Context, em *Embedding, list []plugin.Text, path string, mode record.Mode, hash record.Hash) ([]plugin.Text, error) {
	if hash.IsZero() || mode == record.Symlink || mode == record.Submodule || mode == record.Deleted {
		return list, nil
	}
	text, err := w.repo.Blob(ctx, hash)
	if err != nil || !em.eligible.Shapes(path, text) {
		return list, err
	}
	return append(list, plugin.Text{Path: path, Text: string(text)}), nil
}

// ID names the embedder.
func (m *Embedding) ID() string { return m.embedder.ID() }

// Eligible reports whether a path, whatever its size, shapes the learned space.
func (m *Embedding) Eligible(path string) bool { return m.eligible.Match(path, -1) }
