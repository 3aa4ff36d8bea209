package schedule

import (
	"context"
	"fmt"
	"slices"
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
	space, err := layAxes(ctx, s, cause, vectors, with)
	if err != nil {
		return record.Space{}, err
	}
	axes := s.Report.Axes
	switch cause {
	case behavior.CauseProvisional:
		axes = behavior.ProvisionalNames(len(s.Config.Map.Grid))
	case behavior.CauseSpread:
	default:
		if axes = nil; with.Names != nil {
			if axes, err = with.Names(space); err != nil {
				return record.Space{}, err
			}
		}
	}
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
	rec.Report.Moved, rec.Report.Far, rec.Report.Gained, rec.Report.Lost = moved.Share, moved.Far, moved.Gained, moved.Lost
	s.Report = rec.Report
	return rec, nil
}

// The ease of a new map.
const (
	mostFar  = 0.1 // share of the elites that may move by more than one cell
	halvings = 6   // of the way to the new map, until its share is found
)

// ease returns the map on the way from the present one to a new one that is as far as
// niches last: no more than a tenth of the elites move by more than one cell.
// What is left of the way is for later looks.
func ease(s *fold.State, next *behavior.Space, sample [][]float32, each func(func(record.CandidateID, []float32) error) error) (*behavior.Space, error) {
	type elite struct {
		cell   int
		vector []float32
	}
	if s.Archive() == nil { // a new objective version has no elites yet
		return next.Equalised(sample), nil
	}
	holders := map[record.CandidateID]int{}
	for _, h := range s.Archive().Holders() {
		holders[h.ID] = h.Cell
	}
	var elites []elite
	err := each(func(id record.CandidateID, v []float32) error {
		if cell, ok := holders[id]; ok {
			elites = append(elites, elite{cell, slices.Clone(v)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	shape := s.Archive().Shape()
	lasts := func(space *behavior.Space) bool {
		far := 0
		for _, e := range elites {
			if cell, err := shape.Cell(space.Project(e.vector)); err != nil || shape.Distance(e.cell, cell) > 1 {
				far++
			}
		}
		return float64(far) <= mostFar*float64(len(elites))
	}
	space := s.Space.Toward(next, 1, sample)
	if lasts(space) {
		return space, nil
	}
	space = s.Space.Toward(next, 0, sample)
	for from, to, n := 0.0, 1.0, 0; n < halvings; n++ {
		share := (from + to) / 2
		if t := s.Space.Toward(next, share, sample); lasts(t) {
			space, from = t, share
		} else {
			to = share
		}
	}
	return space, nil
}

// layAxes returns a new map: of measures against the root, with the axes of the present
// one, or with fresh ones that are aligned with it.
func layAxes(ctx context.Context, s *fold.State, cause string, vectors [][]float32, with Fitting) (*behavior.Space, error) {
	dims := len(s.Config.Map.Grid)
	switch cause {
	case behavior.CauseProvisional:
		return behavior.Provisional(vectors[0], dims)
	case behavior.CauseSpread:
		return ease(s, s.Space, vectors, with.Each)
	}
	space, err := behavior.Fit(ctx, vectors, s.Exp.Seed+uint64(s.Report.Version+1), dims)
	if err != nil {
		return nil, err
	}
	space.SetEmbedder(with.Embedder)
	space.SetAt(s.Scored)
	space.Align(s.Space, vectors)
	if cause == behavior.CauseVariance {
		return ease(s, space, vectors, with.Each)
	}
	return space.Equalised(vectors), nil
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
