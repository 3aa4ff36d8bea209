package behavior

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Errors of this package; test with errors.Is.
var (
	// ErrFew reports a fit on fewer than two distinct vectors.
	ErrFew = errors.New("too few distinct candidates for a map")
	// ErrAlike reports a fit on vectors that point in one direction: the
	// embedder cannot tell the candidates apart.
	ErrAlike = errors.New("the candidates are all alike to the embedder")
	// ErrVector reports a vector of another length, or one that is not finite.
	ErrVector = errors.New("bad vector")
	// ErrModel reports a stored space that cannot be read.
	ErrModel = errors.New("bad stored map")
)

// Versions of the stored form of a Space. The first knew no marginals, which
// reads as normal ones. A provisional space has a version of its own.
const (
	normalVersion      = 1
	modelVersion       = 2
	provisionalVersion = 3
)

// Space is one version of the learned coordinates. It is safe for concurrent
// use once it was fitted and aligned.
type Space struct {
	m model
	// axes has one row per axis: what a deviation from the mean is multiplied
	// with to give standard deviations, rotation included.
	axes [][]float64
}

// model is the stored form.
type model struct {
	Version    int         `json:"version"`
	Embedder   string      `json:"embedder,omitempty"`
	Samples    int         `json:"samples"`
	At         int         `json:"at,omitempty"` // evaluations when the axes were fitted; 0: unknown
	Seed       uint64      `json:"seed"`
	Mean       []float64   `json:"mean"`                // of the vectors at length 1
	Components [][]float64 `json:"components"`          // rows of length 1; of a fit orthogonal, by falling variance
	Variances  []float64   `json:"variances"`           // along the components; 0: nothing varies
	Rotation   [][]float64 `json:"rotation"`            // row per axis, column per component
	Share      float64     `json:"share"`               // of the variance that the components capture
	Marginals  []marginal  `json:"marginals,omitempty"` // per axis, or none

	// Of a provisional space, which has nothing of the above: the vector that it
	// measures against, and how many axes it has.
	Root []float32 `json:"root,omitempty"`
	Dims int       `json:"dims,omitempty"`
}

// dims returns the number of axes.
func (s *Space) dims() int { return len(s.axes) }

// features returns the length of the vectors that the space takes.
func (s *Space) features() int { return len(s.m.Mean) }

// Samples returns how many distinct vectors it was fitted on.
func (s *Space) Samples() int { return s.m.Samples }

// Share returns the share of variance, 0 to 1, that the axes capture of the
// vectors they were fitted on.
func (s *Space) Share() float64 { return s.m.Share }

// Embedder names whose vectors the space takes; "" if nobody said.
func (s *Space) Embedder() string { return s.m.Embedder }

// SetAt records how many evaluations there were when the axes were fitted.
func (s *Space) SetAt(evaluations int) { s.m.At = evaluations }

// fittedAt returns how many evaluations there were when the axes were fitted.
func (s *Space) fittedAt() int { return max(s.m.At, s.m.Samples) }

// SetEmbedder records whose vectors the space takes.
func (s *Space) SetEmbedder(id string) { s.m.Embedder = id }

// derive computes the axes from the stored form.
func (s *Space) derive() {
	k, d := len(s.m.Rotation), len(s.m.Mean)
	s.axes = make([][]float64, k)
	for j := range s.axes {
		row := make([]float64, d)
		for c, comp := range s.m.Components {
			if s.m.Variances[c] <= 0 {
				continue
			}
			f := s.m.Rotation[j][c] / math.Sqrt(s.m.Variances[c])
			for i, x := range comp {
				row[i] += float64(f * x)
			}
		}
		s.axes[j] = row
	}
}

// Raw returns the coordinates of a commit's vector in standard deviations
// along each axis, or nil for a vector that the space cannot take.
func (s *Space) Raw(v []float32) []float64 {
	scale, ok := unit(v, len(s.m.Mean))
	if !ok {
		return nil
	}
	y := make([]float64, len(s.axes))
	for i, x := range v {
		dev := float64(float64(x)*scale) - s.m.Mean[i]
		for j := range y {
			y[j] += float64(dev * s.axes[j][i])
		}
	}
	return y
}

// Project returns the coordinates of a commit's vector in [0,1] along each
// axis: the share of the vectors that the space was equalised for that lie below
// it, or the normal distribution function of Raw; of a provisional space its measures.
// It is nil for a vector that the space cannot take.
func (s *Space) Project(v []float32) []float64 {
	if s.Provisional() {
		return s.measure(v)
	}
	y := s.Raw(v)
	for j := range y {
		y[j] = s.at(j, y[j])
	}
	return y
}

// Equalised returns the space with cells of equal width along an axis equally
// likely among these vectors, equal ones counted once; its axes are the same.
// Vectors that the space cannot take are left out.
func (s *Space) Equalised(vectors [][]float32) *Space {
	out := &Space{m: s.m, axes: s.axes}
	out.m.Marginals = make([]marginal, s.dims())
	for j, raw := range s.coordinates(vectors) {
		out.m.Marginals[j] = quantiles(raw)
	}
	return out
}

// coordinates returns, per axis, the raw coordinates of distinct vectors.
func (s *Space) coordinates(vectors [][]float32) [][]float64 {
	raw := make([][]float64, s.dims())
	for _, v := range distinct(vectors) {
		for j, y := range s.Raw(v) {
			raw[j] = append(raw[j], y)
		}
	}
	return raw
}

// unequal returns how far the vectors are from being equally likely in cells of
// equal width: Kolmogorov's distance along the axis where it is largest, 0 to 1.
func (s *Space) unequal(vectors [][]float32) float64 {
	most := 0.0
	for j, raw := range s.coordinates(vectors) {
		slices.Sort(raw)
		for i, y := range raw {
			p := s.at(j, y)
			most = max(most, p-float64(i)/float64(len(raw)), float64(i+1)/float64(len(raw))-p)
		}
	}
	return most
}

// at returns the coordinate in [0,1] along an axis for a raw one.
func (s *Space) at(axis int, y float64) float64 {
	if s.m.Marginals == nil {
		return normal(y)
	}
	return s.m.Marginals[axis].at(y)
}

// normal is the distribution function of the standard normal distribution.
func normal(y float64) float64 { return 0.5 * math.Erfc(-y/math.Sqrt2) }

// unit returns the factor that brings a vector to length 1; that of the zero
// vector is 0. It is false for a vector of another length or not finite.
func unit(v []float32, dims int) (float64, bool) {
	if len(v) != dims {
		return 0, false
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, false
	}
	if sum == 0 {
		return 0, true
	}
	return 1 / math.Sqrt(sum), true
}

// Captured returns the share of the variance of the vectors, 0 to 1, that lies
// along the axes; 0 when nothing varies. Vectors that the space cannot take are
// left out, and gross outliers are drawn in as in a fit.
func (s *Space) Captured(vectors [][]float32) float64 {
	rows, _ := prepare(vectors, len(s.m.Mean))
	return s.captured(rows)
}

func (s *Space) captured(rows [][]float64) float64 {
	total, along := 0.0, 0.0
	directions := s.orthonormalised()
	for _, r := range rows {
		for _, x := range r {
			total += x * x
		}
		for _, c := range directions {
			p := dot(r, c)
			along += p * p
		}
	}
	if !(total > 0) {
		return 0
	}
	return min(1, along/total)
}

// Encode returns the stored form. Decode of it gives the same space, bit for
// bit.
func (s *Space) Encode() ([]byte, error) {
	m := s.m
	m.Version = modelVersion
	if s.Provisional() {
		m.Version = provisionalVersion
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode a map: %w", err)
	}
	return b, nil
}

// Decode reads the stored form of a space; errors wrap [ErrModel].
func Decode(b []byte) (*Space, error) {
	var m model
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%w: %s", ErrModel, err)
	}
	if m.Version == provisionalVersion {
		s, err := Provisional(m.Root, m.Dims)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrModel, err)
		}
		return s, nil
	}
	if m.Version != modelVersion && m.Version != normalVersion {
		return nil, fmt.Errorf("%w: version %d, but this program reads %d; fit a new map", ErrModel, m.Version, modelVersion)
	}
	k := len(m.Components)
	if k == 0 || len(m.Mean) == 0 || len(m.Variances) != k || len(m.Rotation) != k {
		return nil, fmt.Errorf("%w: its parts do not belong together", ErrModel)
	}
	if m.Marginals != nil && len(m.Marginals) != k {
		return nil, fmt.Errorf("%w: it has %d axes and the marginals of %d", ErrModel, k, len(m.Marginals))
	}
	for i, q := range m.Marginals {
		if !slices.IsSorted(q) {
			return nil, fmt.Errorf("%w: the quantiles of axis %d do not rise", ErrModel, i+1)
		}
	}
	for i := range k {
		if len(m.Components[i]) != len(m.Mean) || len(m.Rotation[i]) != k || m.Variances[i] < 0 {
			return nil, fmt.Errorf("%w: axis %d has a wrong size", ErrModel, i+1)
		}
	}
	s := &Space{m: m}
	s.derive()
	return s, nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
