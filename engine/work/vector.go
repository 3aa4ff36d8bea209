package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"atoll/engine/behavior"
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
	embedder behavior.Embedder
	eligible *behavior.Eligible
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
	opt := behavior.Options{MaxBytes: w.facts.Config.Map.MaxBytes, Include: w.facts.Config.Map.Include, Scope: w.facts.Config.Gate.Scope, AnyKind: len(w.facts.Config.Gate.Scope) == 0, Exclude: append(append([]string(nil), w.facts.Config.Map.Exclude...), w.facts.Config.Evaluator.Protected...)}
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
	w.embed.eligible, w.embed.embedder = behavior.NewEligible(opt), behavior.NewLexical()
	return &w.embed, nil
}

// ofRoot embeds every eligible file of the root.
func (w *vectors) ofRoot(ctx context.Context, tree record.Hash) ([]float32, error) {
	if !w.facts.Learned {
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
	var added [][]float32
	for _, f := range files.Files() {
		if !em.eligible.Match(f.Path, f.Size) || f.Mode == record.Symlink || f.Mode == record.Submodule {
			continue
		}
		text, err := files.Read(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		if em.eligible.Shapes(f.Path, text) {
			added = append(added, em.embedder.Embed(f.Path, text))
		}
	}
	if len(added) == 0 {
		return nil, fmt.Errorf("no file of the root shapes the learned space; name some under map.include, or use map.axes")
	}
	return behavior.Combine(make([]float32, em.embedder.Dims()), nil, added), nil
}

// of is the vector of a candidate: its parent's, with what changed.
func (w *vectors) of(ctx context.Context, c *record.Candidate, parentTree record.Hash) ([]float32, error) {
	if !w.facts.Learned {
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
	var removed, added [][]float32
	for _, d := range diffs {
		if v, err := w.ofBlob(ctx, em, d.Path, d.OldMode, d.OldHash); err != nil {
			return nil, err
		} else if v != nil {
			removed = append(removed, v)
		}
		if v, err := w.ofBlob(ctx, em, d.Path, d.NewMode, d.NewHash); err != nil {
			return nil, err
		} else if v != nil {
			added = append(added, v)
		}
	}
	return behavior.Combine(parent, removed, added), nil
}

// ofBlob embeds one version of a file; nil when it does not count.
func (w *vectors) ofBlob(ctx context.Context, em *Embedding, path string, mode record.Mode, hash record.Hash) ([]float32, error) {
	if hash.IsZero() || mode == record.Symlink || mode == record.Submodule || mode == record.Deleted {
		return nil, nil
	}
	text, err := w.repo.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	if !em.eligible.Shapes(path, text) {
		return nil, nil
	}
	return em.embedder.Embed(path, text), nil
}

// ID names the embedder.
func (m *Embedding) ID() string { return m.embedder.ID() }

// Eligible reports whether a path, whatever its size, shapes the learned space.
func (m *Embedding) Eligible(path string) bool { return m.eligible.Match(path, -1) }
