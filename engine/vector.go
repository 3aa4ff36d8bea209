package engine

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"

	"atoll/engine/behavior"
	"atoll/engine/fold"
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

// fitSpace fits, aligns and names a new map.
func (e *Engine) fitSpace(ctx context.Context, cause string, vectors [][]float32) (record.Space, error) {
	s := e.st
	dims := len(s.Config.Map.Grid)
	version := s.Report.Version + 1
	space, err := behavior.Fit(ctx, vectors, s.Exp.Seed+uint64(version), dims)
	if err != nil {
		return record.Space{}, err
	}
	em, err := e.embeddingOf(ctx)
	if err != nil {
		return record.Space{}, err
	}
	space.SetEmbedder(em.embedder.ID())
	var degrees float64
	if s.Space != nil {
		space.Align(s.Space, vectors)
		degrees = space.Degrees(s.Space)
	}
	axes, err := e.axisNames(ctx, space)
	if err != nil {
		return record.Space{}, err
	}
	model, err := space.Encode()
	if err != nil {
		return record.Space{}, err
	}
	rec := record.Space{
		Version: version, AtFold: s.Scored, Model: model,
		Report: record.SpaceReport{Version: version, Cause: cause, Degrees: degrees, Captured: space.Captured(vectors), Axes: axes},
	}
	moved, err := s.Adopt(rec, func(fn func(record.CandidateID, []float32) error) error {
		return e.db.Vectors(ctx, e.exp, fn)
	})
	if err != nil {
		return record.Space{}, err
	}
	rec.Report.Moved, rec.Report.Gained, rec.Report.Lost = moved.Share, moved.Gained, moved.Lost
	s.Report = rec.Report
	return rec, nil
}

// namedBy is how many candidates are read to name the axes.
const namedBy = 64

// axisNames names the axes by the words that go with them among a sample of
// candidates, in the files where those differ from the root.
func (e *Engine) axisNames(ctx context.Context, space *behavior.Space) ([]string, error) {
	var vocabulary behavior.Vocabulary
	s := e.st
	ids := s.SampleIDs()
	if len(ids) > namedBy {
		ids = ids[:namedBy]
	}
	differs := map[string]bool{}
	for _, id := range ids {
		diffs, err := e.fromRoot(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, d := range diffs {
			if e.embed.eligible.Match(d.Path, -1) {
				differs[d.Path] = true
			}
		}
	}
	paths := make([]string, 0, len(differs))
	for p := range differs {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, id := range ids {
		c, err := e.db.Candidate(ctx, e.exp, id)
		if err != nil {
			return nil, err
		}
		tree, err := e.repo.Tree(ctx, c.Tree)
		if err != nil {
			return nil, err
		}
		var docs []behavior.Document
		for _, p := range paths {
			if text, err := tree.Read(ctx, p); err == nil {
				docs = append(docs, behavior.Document{Path: p, Data: text})
			}
		}
		vocabulary.Add(s.Vectors[id], docs)
	}
	return behavior.AxisNames(space, &vocabulary), nil
}

// refit fits a new map when one is due, or when a person asked for it.
func (e *Engine) refit(ctx context.Context, asked bool) error {
	cause, vectors, err := e.st.RefitDue(ctx, asked)
	if err != nil {
		return err
	}
	if cause == "" {
		if asked {
			e.note("warn", record.NoJob, "no new map: too few distinct candidates")
		}
		return e.keepLook(ctx)
	}
	rec, err := e.fitSpace(ctx, cause, vectors)
	if err != nil {
		return fmt.Errorf("fit map %d: %w", e.st.Report.Version+1, err)
	}
	if _, err := e.db.PutSpace(ctx, e.exp, rec); err != nil {
		return fmt.Errorf("write map %d: %w", rec.Version, err)
	}
	e.note("info", record.NoJob, fold.SpaceText(rec.Report))
	return e.keepLook(ctx)
}

// metaLooked keeps how many candidates were scored at the last look for a new
// map, so that folding the past does not look again.
const metaLooked = "looked"

func (e *Engine) keepLook(ctx context.Context) error {
	if e.st.Looked == e.kept {
		return nil
	}
	e.kept = e.st.Looked
	return e.db.PutMeta(ctx, e.exp, metaLooked, strconv.Itoa(e.kept))
}
