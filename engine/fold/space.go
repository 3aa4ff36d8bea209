package fold

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/store/record"
)

// Adopt makes a space the present one: every candidate gets its coordinates,
// the archive is laid out anew and the curves are told under the new map.
// each streams the vectors of all candidates.
func (s *State) Adopt(rec record.Space, each func(func(record.CandidateID, []float32) error) error) (archive.Moved, error) {
	sp, err := behavior.Decode(rec.Model)
	if err != nil {
		return archive.Moved{}, fmt.Errorf("read map %d: %w", rec.Version, err)
	}
	s.Space, s.Report, s.atFold = sp, rec.Report, rec.AtFold
	if s.arch == nil {
		return archive.Moved{}, nil
	}
	points := newCoordinates(s.shape())
	err = each(func(id record.CandidateID, v []float32) error {
		if m := s.Candidate(id); m != nil && m.counted {
			points.put(id, sp.Project(v))
		}
		return nil
	})
	if err != nil {
		return archive.Moved{}, err
	}
	moved := s.arch.Remap(s.shape(), points.get)
	for i := range s.waiting {
		s.waiting[i].point = points.get(s.waiting[i].id)
	}
	s.retell(points)
	s.isles.refresh()
	return moved, nil
}

// retell computes the curves again under the present map, in which candidates
// lie at these points.
func (s *State) retell(points *coordinates) {
	told := *s.curves
	live, best, scored := s.arch, s.Best, s.Scored
	*s.curves = curveData{step: told.step, marks: told.marks, reigns: told.reigns}
	s.arch = archive.New(s.shape(), live.Offset())
	s.Best = record.NoCandidate
	next, seen := 0, 0
	for _, p := range told.points {
		for ; seen < p.x && next < len(s.order); next++ {
			m := s.Candidate(record.CandidateID(s.order[next]))
			if m.withheld {
				continue
			}
			if seen++; m.Out() || !m.Scored {
				continue
			}
			_, _ = s.arch.Add(s.entry(m, points.get(m.ID()))) // accepted before
			if s.Best == record.NoCandidate || s.better(m, s.Candidate(s.Best)) {
				s.Best = m.ID()
			}
		}
		s.Scored = p.x
		s.curves.add(s.progress(), p.at)
	}
	s.arch, s.Best, s.Scored = live, best, scored
}

// LoadState folds the whole log of an experiment. log must stay open while the
// state is used.
func LoadState(ctx context.Context, log Log, id record.ExperimentID) (*State, error) {
	for {
		s, err := OpenState(ctx, log, id)
		if err != nil {
			return nil, err
		}
		err = s.Follow(ctx, log)
		if errors.Is(err, ErrSuperseded) { // between the two reads
			continue
		}
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// Follow folds the rows that are new, for somebody who only looks and reads no news.
func (s *State) Follow(ctx context.Context, log Log) error {
	s.Quiet = true
	defer func() { s.Quiet = false }()
	return s.CatchUp(ctx, log, func(record.JobID) error { return nil })
}

// OpenState returns the state before its first row, under the newest map.
func OpenState(ctx context.Context, log Log, id record.ExperimentID) (*State, error) {
	s, err := emptyState(ctx, log, id)
	if err != nil {
		return nil, err
	}
	if err := s.loadSpace(ctx, log); err != nil {
		return nil, err
	}
	return s, nil
}

// emptyState returns the state before its first row, under no map.
func emptyState(ctx context.Context, log Log, id record.ExperimentID) (*State, error) {
	exp, err := log.Experiment(ctx, id)
	if err != nil {
		return nil, err
	}
	settings, err := log.Settings(ctx, id)
	if err != nil {
		return nil, err
	}
	s, err := newState(exp, settings)
	if err != nil {
		return nil, err
	}
	s.Vectors = map[record.CandidateID][]float32{}
	s.vector = func(c record.CandidateID) ([]float32, error) { return log.Vector(ctx, id, c) }
	s.front.metrics = func(c record.CandidateID) ([]record.Metric, error) { return log.Metrics(ctx, id, c) }
	return s, nil
}

// CatchUp folds the rows that are new since the last call.
func (s *State) CatchUp(ctx context.Context, log Log, then func(record.JobID) error) error {
	err := log.FoldLog(ctx, s.Exp.ID, s.Seq, func(row record.FoldRow) error {
		if row.Kind == record.LogSpace {
			return s.foldSpace(ctx, log, row)
		}
		return s.fold(row, then)
	})
	s.points = nil
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return fmt.Errorf("fold the log after row %d: %w", s.Seq, err)
	}
	return nil
}

// foldSpace takes a new map from the log, unless it is the present one or an
// older one already.
func (s *State) foldSpace(ctx context.Context, log Log, row record.FoldRow) error {
	s.Seq = row.Seq
	var rep record.SpaceReport
	if err := unmarshal(row, &rep); err != nil {
		return err
	}
	s.curves.mark(s.Scored, row.At, "map %d", rep.Version)
	if rep.Version <= s.Report.Version {
		return nil
	}
	rec, err := log.Space(ctx, s.Exp.ID, rep.Version)
	if err != nil {
		return err
	}
	_, err = s.Adopt(rec, func(fn func(record.CandidateID, []float32) error) error {
		return log.Vectors(ctx, s.Exp.ID, fn)
	})
	return err
}

// warnMapless says, now and then, that no map comes because the candidates do not
// differ in files that shape it.
func (s *State) warnMapless(row record.FoldRow) {
	need := s.Config.Map.MinFit
	if !s.Unfitted() || need < 1 || s.Scored < 2*need || s.Scored%need != 0 || bits.OnesCount(uint(s.Scored/need)) != 1 {
		return
	}
	s.say(row, "warn", fmt.Sprintf("no map yet: of %d measured candidates %d differ in files that shape it, and %d must; name the files that change under map.include, or use map.axes",
		s.Scored, len(s.kinds), need))
}
