package schedule

import (
	"context"
	"fmt"
	"sort"
	"strconv"

	"atoll/engine/behavior"
	"atoll/engine/fold"
	"atoll/engine/work"
	"atoll/store/fault"
	"atoll/store/record"
)

// Fitting is what a new map is made with beside the vectors of a sample.
type Fitting struct {
	Embedder string // that the vectors are of
	// Names names the axes of a map; nil leaves them without names.
	Names func(*behavior.Space) ([]string, error)
	// Each streams the vectors of all candidates.
	Each func(func(record.CandidateID, []float32) error) error
}

// FitSpace makes a new map for a cause, aligned with the present one, and makes
// it the present one of a state.
func FitSpace(ctx context.Context, s *fold.State, cause string, vectors [][]float32, with Fitting) (record.Space, error) {
	version := s.Report.Version + 1
	space, axes, err := layAxes(ctx, s, cause, vectors, with)
	if err != nil {
		return record.Space{}, err
	}
	space = space.Equalised(vectors)
	model, err := space.Encode()
	if err != nil {
		return record.Space{}, err
	}
	rec := record.Space{
		Version: version, AtFold: s.Scored, Model: model,
		Report: record.SpaceReport{Version: version, Cause: cause, Degrees: space.Degrees(s.Space), Captured: space.Captured(vectors), Axes: axes},
	}
	moved, err := s.Adopt(rec, with.Each)
	if err != nil {
		return record.Space{}, err
	}
	rec.Report.Moved, rec.Report.Gained, rec.Report.Lost = moved.Share, moved.Gained, moved.Lost
	s.Report = rec.Report
	return rec, nil
}

// layAxes returns the axes of a new map and their names: those of the present
// one, or fresh ones that are aligned with it.
func layAxes(ctx context.Context, s *fold.State, cause string, vectors [][]float32, with Fitting) (*behavior.Space, []string, error) {
	if cause == behavior.CauseSpread {
		return s.Space, s.Report.Axes, nil
	}
	space, err := behavior.Fit(ctx, vectors, s.Exp.Seed+uint64(s.Report.Version+1), len(s.Config.Map.Grid))
	if err != nil {
		return nil, nil, err
	}
	space.SetEmbedder(with.Embedder)
	space.SetAt(s.Scored)
	space.Align(s.Space, vectors)
	if with.Names == nil {
		return space, nil, nil
	}
	axes, err := with.Names(space)
	return space, axes, err
}

// fitSpace fits, aligns and names a new map.
func (o *Owner) fitSpace(ctx context.Context, cause string, vectors [][]float32) (record.Space, error) {
	em, err := o.work.Embedding(ctx)
	if err != nil {
		return record.Space{}, err
	}
	return FitSpace(ctx, o.st, cause, vectors, Fitting{
		Embedder: em.ID(),
		Names:    func(space *behavior.Space) ([]string, error) { return o.axisNames(ctx, space, em) },
		Each: func(fn func(record.CandidateID, []float32) error) error {
			return o.db.Vectors(ctx, o.exp, fn)
		},
	})
}

// namedBy is how many candidates are read to name the axes.
const namedBy = 64

// axisNames names the axes by the words that go with them among a sample of
// candidates, in the files where those differ from the root.
func (o *Owner) axisNames(ctx context.Context, space *behavior.Space, em *work.Embedding) ([]string, error) {
	var vocabulary behavior.Vocabulary
	s := o.st
	ids := s.SampleIDs()
	if len(ids) > namedBy {
		ids = ids[:namedBy]
	}
	differs := map[string]bool{}
	for _, id := range ids {
		diffs, err := o.work.FromRoot(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, d := range diffs {
			if em.Eligible(d.Path) {
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
		c, err := o.db.Candidate(ctx, o.exp, id)
		if err != nil {
			return nil, err
		}
		tree, err := o.repo.Tree(ctx, c.Tree)
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
func (o *Owner) refit(ctx context.Context, asked bool) error {
	cause, vectors, err := o.st.RefitDue(ctx, asked)
	if err != nil {
		return err
	}
	if cause == "" {
		if asked {
			o.host.Note("warn", record.NoJob, "no new map: too few distinct candidates")
		}
		return o.keepLook(ctx)
	}
	rec, err := o.fitSpace(ctx, cause, vectors)
	if err != nil {
		return fmt.Errorf("fit map %d: %w", o.st.Report.Version+1, err)
	}
	fault.At(fault.Refit)
	if _, err := o.db.PutSpace(ctx, o.exp, rec); err != nil {
		return fmt.Errorf("write map %d: %w", rec.Version, err)
	}
	fault.At(fault.Refitted)
	o.host.Note("info", record.NoJob, fold.SpaceText(rec.Report))
	return o.keepLook(ctx)
}

// metaLooked keeps how many candidates were scored at the last look for a new
// map, so that folding the past does not look again.
const metaLooked = "looked"

func (o *Owner) keepLook(ctx context.Context) error {
	if o.st.Looked == o.kept {
		return nil
	}
	o.kept = o.st.Looked
	return o.db.PutMeta(ctx, o.exp, metaLooked, strconv.Itoa(o.kept))
}
