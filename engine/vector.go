package engine

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

// embedding turns trees into vectors of the learned space. Vectors add up: a
// candidate's is its parent's without the old blobs and with the new ones.
type embedding struct {
	mu       sync.Mutex
	embedder behavior.Embedder
	eligible *behavior.Eligible
}

// embeddingOf makes the embedder and the rule of eligible files once; both
// depend on the root alone.
func (e *Engine) embeddingOf(ctx context.Context) (*embedding, error) {
	e.embed.mu.Lock()
	defer e.embed.mu.Unlock()
	if e.embed.embedder != nil {
		return &e.embed, nil
	}
	tree, err := e.repo.Tree(ctx, e.rootTree())
	if err != nil {
		return nil, err
	}
	opt := behavior.Options{MaxBytes: e.cfg.Map.MaxBytes, Include: e.cfg.Map.Include, Exclude: append(append([]string(nil), e.cfg.Map.Exclude...), e.cfg.Evaluator.Protected...)}
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
	e.embed.eligible, e.embed.embedder = behavior.NewEligible(opt), behavior.NewLexical()
	return &e.embed, nil
}

// rootVector embeds every eligible file of the root.
func (e *Engine) rootVector(ctx context.Context, tree record.Hash) ([]float32, error) {
	if !e.st.Learned {
		return nil, nil
	}
	em, err := e.embeddingOf(ctx)
	if err != nil {
		return nil, err
	}
	files, err := e.repo.Tree(ctx, tree)
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
		if !behavior.LooksGenerated(text) {
			added = append(added, em.embedder.Embed(f.Path, text))
		}
	}
	if len(added) == 0 {
		return nil, fmt.Errorf("no file of the root shapes the learned space; name some under map.include, or use map.axes")
	}
	return behavior.Combine(make([]float32, em.embedder.Dims()), nil, added), nil
}

// vectorOf is the vector of a candidate: its parent's, with what changed.
func (e *Engine) vectorOf(ctx context.Context, c *record.Candidate, parentTree record.Hash) ([]float32, error) {
	if !e.st.Learned {
		return nil, nil
	}
	em, err := e.embeddingOf(ctx)
	if err != nil {
		return nil, err
	}
	parent, err := e.db.Vector(ctx, e.exp, c.Parent())
	if errors.Is(err, store.ErrNotFound) {
		return e.rootVector(ctx, c.Tree)
	}
	if err != nil {
		return nil, err
	}
	diffs, err := e.repo.DiffTrees(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	var removed, added [][]float32
	for _, d := range diffs {
		if v, err := e.blobVector(ctx, em, d.Path, d.OldMode, d.OldHash); err != nil {
			return nil, err
		} else if v != nil {
			removed = append(removed, v)
		}
		if v, err := e.blobVector(ctx, em, d.Path, d.NewMode, d.NewHash); err != nil {
			return nil, err
		} else if v != nil {
			added = append(added, v)
		}
	}
	return behavior.Combine(parent, removed, added), nil
}

// blobVector embeds one version of a file; nil when it does not count.
func (e *Engine) blobVector(ctx context.Context, em *embedding, path string, mode record.Mode, hash record.Hash) ([]float32, error) {
	if hash.IsZero() || mode == record.Symlink || mode == record.Submodule || mode == record.Deleted {
		return nil, nil
	}
	text, err := e.repo.Blob(ctx, hash)
	if err != nil {
		return nil, err
	}
	if !em.eligible.Match(path, int64(len(text))) || behavior.LooksGenerated(text) {
		return nil, nil
	}
	return em.embedder.Embed(path, text), nil
}
