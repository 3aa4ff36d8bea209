package fold

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/store/record"
)

// locate returns the coordinates of a scored candidate: its measures, or where
// its vector lies in the learned space; nil while that has no map yet.
func (s *State) locate(m *Candidate, measures []float64) ([]float64, error) {
	if !s.Learned {
		if len(measures) != len(s.Config.Map.Axes) {
			return nil, fmt.Errorf("%s has %d measures, the map has %d axes", m.ID(), len(measures), len(s.Config.Map.Axes))
		}
		return measures, nil
	}
	kept, dropped := s.Sample.offer(m.ID())
	if dropped != record.NoCandidate {
		s.countKind(s.Vectors[dropped], -1)
		delete(s.Vectors, dropped)
	}
	if p := s.points.get(m.ID()); p != nil {
		return p, nil
	}
	if s.Space == nil && !kept {
		return nil, nil
	}
	v, err := s.vector(m.ID())
	if err != nil {
		return nil, fmt.Errorf("read the vector of %s: %w", m.ID(), err)
	}
	if kept {
		s.Vectors[m.ID()] = v
		s.countKind(v, 1)
	}
	if s.Space == nil {
		return nil, nil
	}
	return s.Space.Project(v), nil
}

// pointOf returns the coordinates under which a candidate competes or waits for
// that; nil where it does neither.
func (s *State) pointOf(id record.CandidateID) []float64 {
	if i := s.waitingAt(id); i >= 0 {
		return s.waiting[i].point
	}
	if s.arch == nil {
		return nil
	}
	e, _ := s.arch.Entry(id)
	return e.Point
}

// countKind counts distinct vectors of the sample until there is a map.
func (s *State) countKind(v []float32, by int) {
	if s.Space != nil || v == nil {
		s.kinds = nil
		return
	}
	if s.kinds == nil {
		s.kinds = map[uint64]int{}
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(vectorKey(v))) // never fails
	key := h.Sum64()
	if s.kinds[key] += by; s.kinds[key] <= 0 {
		delete(s.kinds, key)
	}
}

// sampled returns the vectors of the reservoir in a fixed order, equal ones
// once.
func (s *State) sampled() ([][]float32, error) {
	seen := make(map[string]bool, len(s.Sample.ids))
	out := make([][]float32, 0, len(s.Sample.ids))
	for _, id := range append([]record.CandidateID{record.Root}, s.Sample.ids...) {
		v, ok := s.Vectors[id]
		if !ok {
			var err error
			if v, err = s.vector(id); err != nil {
				return nil, fmt.Errorf("read the vector of %s: %w", id, err)
			}
			s.Vectors[id] = v
		}
		key := vectorKey(v)
		if !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out, nil
}

// refitDue says why a new map should be fitted now, or nothing.
func (s *State) RefitDue(ctx context.Context, asked bool) (cause string, vectors [][]float32, err error) {
	every := s.Config.Map.RefitEvery
	if !s.Learned || !asked && s.Scored%every != 0 && s.Space != nil {
		return "", nil, nil
	}
	if s.Space == nil && !asked && len(s.kinds)+1 < s.Config.Map.MinFit { // the root may have left the sample
		return "", nil, nil
	}
	if s.Space != nil && !asked {
		if s.Scored <= s.Looked {
			return "", nil, nil
		}
		s.Looked = s.Scored
	}
	if vectors, err = s.sampled(); err != nil {
		return "", nil, err
	}
	switch {
	case s.Space == nil && len(vectors) >= s.Config.Map.MinFit:
		return "first", vectors, nil
	case s.Space == nil:
		return "", nil, nil
	case asked:
		return "asked", vectors, nil
	}
	latest, err := s.latest()
	if err != nil {
		return "", nil, err
	}
	rule := behavior.Rule{Every: every}
	v, err := rule.Look(ctx, s.Space, vectors, latest, s.atFold, s.Scored)
	if err != nil || !v.Due {
		return "", nil, err
	}
	return v.Cause, vectors, nil
}

// latestCount is how many of the newest candidates a look for outliers counts.
const latestCount = 100

func (s *State) latest() ([][]float32, error) {
	n := len(s.order)
	out := make([][]float32, 0, min(n, latestCount))
	for i := max(0, n-latestCount); i < n; i++ {
		id := record.CandidateID(s.order[i])
		v, ok := s.Vectors[id]
		if !ok {
			var err error
			if v, err = s.vector(id); err != nil {
				return nil, fmt.Errorf("read the vector of %s: %w", id, err)
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// vectorKey is equal for equal vectors.
func vectorKey(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return string(b)
}

// adopt makes a space the present one: every candidate gets its coordinates,
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
	points := newPlaces(s.shape())
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
	return moved, nil
}

// retell computes the curves again under the present map, in which candidates
// lie at these points.
func (s *State) retell(points *places) {
	told := s.curves
	live, best, scored := s.arch, s.Best, s.Scored
	s.curves = curveData{step: told.step, marks: told.marks, reigns: told.reigns}
	s.arch = archive.New(s.shape(), live.Offset())
	s.Best = record.NoCandidate
	next := 0
	for _, p := range told.points {
		for ; next < p.x && next < len(s.order); next++ {
			m := s.Candidate(record.CandidateID(s.order[next]))
			if m.Rejected || !m.Scored {
				continue
			}
			_, _ = s.arch.Add(s.entry(m, points.get(m.ID()))) // accepted before
			if s.Best == record.NoCandidate || s.better(m, s.Candidate(s.Best)) {
				s.Best = m.ID()
			}
		}
		s.Scored = p.x
		s.curves.add(s, p.at)
	}
	s.arch, s.Best, s.Scored = live, best, scored
}

// places are the coordinates of candidates in one map, by number.
type places struct {
	axes   int
	has    []bool
	points []float64 // a point for each number
}

func newPlaces(shape archive.Shape) *places { return &places{axes: len(shape.Axes)} }

func (p *places) put(id record.CandidateID, point []float64) {
	if more := int(id) + 1 - len(p.has); more > 0 {
		p.has = append(p.has, make([]bool, more)...)
		p.points = append(p.points, make([]float64, more*p.axes)...)
	}
	p.has[id] = true
	copy(p.points[int(id)*p.axes:], point[:p.axes])
}

// get returns a copy of the coordinates of a candidate, nil for none.
func (p *places) get(id record.CandidateID) []float64 {
	if p == nil || id < 0 || int(id) >= len(p.has) || !p.has[id] {
		return nil
	}
	return slices.Clone(p.points[int(id)*p.axes : (int(id)+1)*p.axes])
}

// loadSpace makes the newest map of the store the present one before any row
// is folded, so that a fold tells everything under one map.
func (s *State) loadSpace(ctx context.Context, log Log) error {
	if !s.Learned {
		return nil
	}
	spaces, err := log.Spaces(ctx, s.Exp.ID)
	if err != nil || len(spaces) == 0 {
		return err
	}
	rec, err := log.Space(ctx, s.Exp.ID, spaces[len(spaces)-1].Version)
	if err != nil {
		return err
	}
	sp, err := behavior.Decode(rec.Model)
	if err != nil {
		return fmt.Errorf("read map %d: %w", rec.Version, err)
	}
	s.Space, s.Report, s.atFold = sp, rec.Report, rec.AtFold
	s.points = newPlaces(s.shape())
	return log.Vectors(ctx, s.Exp.ID, func(id record.CandidateID, v []float32) error {
		s.points.put(id, sp.Project(v))
		return nil
	})
}

// LoadState folds the whole log of an experiment. log must stay open while the
// state is used.
func LoadState(ctx context.Context, log Log, id record.ExperimentID) (*State, error) {
	for {
		s, err := OpenState(ctx, log, id)
		if err != nil {
			return nil, err
		}
		s.Quiet = true
		err = s.CatchUp(ctx, log, func(record.JobID) error { return nil })
		s.Quiet = false
		if errors.Is(err, ErrSuperseded) { // between the two reads
			continue
		}
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// openState returns the state before its first row, under the newest map.
func OpenState(ctx context.Context, log Log, id record.ExperimentID) (*State, error) {
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
	if err := s.loadSpace(ctx, log); err != nil {
		return nil, err
	}
	return s, nil
}

// catchUp folds the rows that are new since the last call.
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
	s.curves.mark(s, row.At, "map %d", rep.Version)
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
