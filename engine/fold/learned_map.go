package fold

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/engine/view"
	"atoll/store/record"
)

// learned is the map that candidates lie on: the named axes of the configuration,
// or a space that is fitted to the vectors of a sample.
type learned struct {
	*rules
	*candidates
	Space   *behavior.Space
	Report  record.SpaceReport
	atFold  int                              // scored candidates when the present space was fitted
	Looked  int                              // scored candidates at the last look for a new one
	Sample  *reservoir                       // whose vectors a space is fitted to
	Vectors map[record.CandidateID][]float32 // of the sample
	kinds   map[uint64]int                   // distinct vectors of the sample while there is no map
	vector  func(record.CandidateID) ([]float32, error)
	points  *coordinates     // while the store is read for the first time
	regions *archive.Regions // of the configuration, made when they are first needed
}

// shape is the tessellation: the named axes, or the unit square of the learned
// space, in a grid or in regions.
func (l *learned) shape() archive.Shape {
	shape := l.axes()
	if n := l.Config.Map.Regions; n > 0 {
		if l.regions == nil {
			l.regions = archive.NewRegions(n, len(shape.Axes), l.Exp.Seed)
		}
		shape.Regions = l.regions
	}
	return shape
}

// axes are those of the configuration, with the names that they have now.
func (l *learned) axes() archive.Shape {
	var shape archive.Shape
	if l.Learned {
		for i, n := range l.Config.Map.Grid {
			name := fmt.Sprintf("axis %d", i+1)
			if i < len(l.Report.Axes) && l.Report.Axes[i] != "" {
				name = l.Report.Axes[i]
			}
			shape.Axes = append(shape.Axes, archive.Axis{Name: name, Lo: 0, Hi: 1, Bins: n})
		}
		return shape
	}
	for _, a := range l.Config.Map.Axes {
		shape.Axes = append(shape.Axes, archive.Axis{Name: a.Metric, Lo: a.Min, Hi: a.Max, Bins: a.Bins, Edges: a.Edges})
	}
	return shape
}

// Coords returns the bin per axis of a flat cell index.
func (l *learned) Coords(cell int) []int { return l.shape().Coords(cell) }

// Cell returns the flat index of the niche with these bins per axis.
func (l *learned) Cell(coords []int) (int, error) {
	dims := l.shape().Dims()
	if len(coords) != len(dims) {
		return 0, fmt.Errorf("%w: a niche here has %s, as in %s", ErrArgument, view.Plural(len(dims), "number"), cellName(make([]int, len(dims))))
	}
	cell := 0
	for i, c := range coords {
		if c < 0 || c >= dims[i] {
			return 0, fmt.Errorf("%w: niche %s is outside the map, which has %v cells", ErrMissing, cellName(coords), dims)
		}
		cell = cell*dims[i] + c
	}
	return cell, nil
}

func cellName(coords []int) string {
	out := "("
	for i, c := range coords {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprint(c)
	}
	return out + ")"
}

// locate returns the coordinates of a scored candidate: its measures, or where
// its vector lies in the learned space; nil while that has no map yet.
func (l *learned) locate(m *Candidate, measures []float64) ([]float64, error) {
	if !l.Learned {
		if len(measures) != len(l.Config.Map.Axes) {
			return nil, fmt.Errorf("%s has %d measures, the map has %d axes", m.ID(), len(measures), len(l.Config.Map.Axes))
		}
		return measures, nil
	}
	kept, dropped := l.Sample.offer(m.ID())
	if dropped != record.NoCandidate {
		if d := l.Candidate(dropped); d == nil || !d.withheld {
			l.countKind(l.Vectors[dropped], -1)
		}
		delete(l.Vectors, dropped)
	}
	if p := l.points.get(m.ID()); p != nil && !(kept && l.Unfitted()) {
		return p, nil
	}
	if l.Space == nil && !kept {
		return nil, nil
	}
	v, err := l.vector(m.ID())
	if err != nil {
		return nil, fmt.Errorf("read the vector of %s: %w", m.ID(), err)
	}
	if kept {
		l.Vectors[m.ID()] = v
		l.countKind(v, 1)
	}
	if l.Space == nil {
		return nil, nil
	}
	return l.Space.Project(v), nil
}

// underLaterMap reports whether a result was folded before the present map was fitted:
// whether it took a niche then is known from the store alone.
func (l *learned) underLaterMap(row record.FoldRow) bool {
	return l.Learned && len(l.order) <= l.atFold && row.Work != nil && row.Work.Kind == record.Make
}

// Unfitted reports whether the learned space has no axes yet: there is no map, or a
// provisional one.
func (l *learned) Unfitted() bool { return l.Learned && (l.Space == nil || l.Space.Provisional()) }

// countKind counts distinct vectors of the sample until a space is fitted.
func (l *learned) countKind(v []float32, by int) {
	if !l.Unfitted() || v == nil {
		l.kinds = nil
		return
	}
	if l.kinds == nil {
		l.kinds = map[uint64]int{}
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(vectorKey(v))) // never fails
	key := h.Sum64()
	if l.kinds[key] += by; l.kinds[key] <= 0 {
		delete(l.kinds, key)
	}
}

// recount takes a candidate out of those that are told to be distinct (by -1), or
// counts it again.
func (l *learned) recount(m *Candidate, by int) {
	if v := l.Vectors[m.ID()]; v != nil && l.Unfitted() {
		l.countKind(v, by)
	}
}

// sampled returns the vectors of the reservoir in a fixed order, equal ones
// once.
func (l *learned) sampled() ([][]float32, error) {
	seen := make(map[string]bool, len(l.Sample.ids))
	out := make([][]float32, 0, len(l.Sample.ids))
	for _, id := range append([]record.CandidateID{record.Root}, l.Sample.ids...) {
		v, ok := l.Vectors[id]
		if !ok {
			var err error
			if v, err = l.vector(id); err != nil {
				return nil, fmt.Errorf("read the vector of %s: %w", id, err)
			}
			l.Vectors[id] = v
		}
		key := vectorKey(v)
		if !seen[key] {
			seen[key] = true
			out = append(out, v)
		}
	}
	return out, nil
}

// RefitDue says why a new map should be laid now, or nothing. The vectors are those
// that it is made of: for a provisional one the root's, else the sample.
func (l *learned) RefitDue(ctx context.Context, asked bool) (cause string, vectors [][]float32, err error) {
	every := l.Config.Map.RefitEvery
	switch {
	case !l.Learned:
		return "", nil, nil
	case l.Unfitted():
		return l.firstDue(asked)
	case asked:
		vectors, err = l.sampled()
		return behavior.CauseAsked, vectors, err
	case l.Scored%every != 0 || l.Scored <= l.Looked:
		return "", nil, nil
	}
	l.Looked = l.Scored
	if vectors, err = l.sampled(); err != nil {
		return "", nil, err
	}
	rule := behavior.Rule{Every: every}
	v, err := rule.Look(ctx, l.Space, vectors, l.atFold, l.Scored)
	if err != nil || !v.Due {
		return "", nil, err
	}
	return v.Cause, vectors, nil
}

// firstDue is RefitDue before a space was fitted.
func (l *learned) firstDue(asked bool) (cause string, vectors [][]float32, err error) {
	if asked || len(l.kinds)+1 >= l.Config.Map.MinFit { // the root may have left the sample
		if vectors, err = l.sampled(); err != nil {
			return "", nil, err
		}
		if len(vectors) >= l.Config.Map.MinFit {
			return behavior.CauseFirst, vectors, nil
		}
	}
	if l.Space != nil || !l.Config.Map.Provisional || len(l.kinds) < 2 { // all lie where the root does
		return "", nil, nil
	}
	v, err := l.vector(record.Root)
	if err != nil {
		return "", nil, fmt.Errorf("read the vector of the root: %w", err)
	}
	return behavior.CauseProvisional, [][]float32{v}, nil
}

// vectorKey is equal for equal vectors.
func vectorKey(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return string(b)
}

// loadSpace makes the newest map of the store the present one before any row
// is folded, so that a fold tells everything under one map.
func (l *learned) loadSpace(ctx context.Context, log Log) error {
	if !l.Learned {
		return nil
	}
	spaces, err := log.Spaces(ctx, l.Exp.ID)
	if err != nil || len(spaces) == 0 {
		return err
	}
	rec, err := log.Space(ctx, l.Exp.ID, spaces[len(spaces)-1].Version)
	if err != nil {
		return err
	}
	sp, err := behavior.Decode(rec.Model)
	if err != nil {
		return fmt.Errorf("read map %d: %w", rec.Version, err)
	}
	l.Space, l.Report, l.atFold = sp, rec.Report, rec.AtFold
	l.points = newCoordinates(l.shape())
	return log.Vectors(ctx, l.Exp.ID, func(id record.CandidateID, v []float32) error {
		l.points.put(id, sp.Project(v))
		return nil
	})
}
