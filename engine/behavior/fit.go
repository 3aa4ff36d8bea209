package behavior

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// reach is how far, in medians of the distance to the mean, a commit may
	// pull the axes; one beyond it counts as if it lay there. A single rewrite
	// of everything would else leave all others in one cell.
	reach = 4
	// exact is up to what size of the smaller of covariance and Gram matrix
	// all eigenvalues are computed; beyond it a block power iteration finds the
	// few that are needed.
	exact = 512
	// nothing is the variance, beside that of the first axis or of length 1,
	// below which an axis is rounding noise.
	nothing      = 1e-14
	nothingAtAll = 1e-28
)

// Fit computes a space of dims axes from the vectors of commits: length 1,
// principal components, unit variance. Equal vectors count once. The first
// vector is the root's: the axes are turned so that it lies at negative
// coordinates. An axis along which nothing varies puts all commits in its
// middle.
//
// The result does not depend on the order of the other vectors but for
// rounding; the seed only starts the iteration for large matrices. Errors wrap
// [ErrVector], [ErrFew], [ErrAlike] or that of the context.
func Fit(ctx context.Context, vectors [][]float32, seed uint64, dims int) (*Space, error) {
	if dims < 1 {
		return nil, fmt.Errorf("fit a map: %d axes; ask for 1 or more", dims)
	}
	vectors = distinct(vectors)
	if len(vectors) < 2 {
		return nil, fmt.Errorf("fit a map: %w: %d", ErrFew, len(vectors))
	}
	d := len(vectors[0])
	for i, v := range vectors {
		if _, ok := unit(v, d); !ok || d == 0 {
			return nil, fmt.Errorf("fit a map: %w: number %d of %d", ErrVector, i, len(vectors))
		}
	}
	rows, mean := prepare(vectors, d)
	comps, vars, err := principal(ctx, rows, d, dims, seed)
	if err != nil {
		return nil, fmt.Errorf("fit a map: %w", err)
	}
	if vars[0] == 0 {
		return nil, fmt.Errorf("fit a map: %w", ErrAlike)
	}
	s := &Space{m: model{
		Version: modelVersion, Samples: len(vectors), Seed: seed,
		Mean: mean, Components: comps, Variances: vars, Rotation: identity(dims),
	}}
	s.derive()
	s.sign(vectors[0])
	s.m.Share = s.captured(rows)
	return s, nil
}

// distinct drops repeated vectors, keeping the first of each.
func distinct(vectors [][]float32) [][]float32 {
	seen := make(map[uint64]bool, len(vectors))
	out := make([][]float32, 0, len(vectors))
	for _, v := range vectors {
		if h := fingerprint(v); !seen[h] {
			seen[h] = true
			out = append(out, v)
		}
	}
	return out
}

// fingerprint hashes a vector; equal vectors have equal ones and, but for
// chance, only they.
func fingerprint(v []float32) uint64 {
	h := uint64(len(v))
	for i, x := range v {
		h = (h ^ uint64(math.Float32bits(x+0))) * 0x9fb21c651e98df25
		h ^= h>>29 + uint64(i)
	}
	return mix(h)
}

// prepare brings vectors to length 1, takes off their mean and draws gross
// outliers in. Vectors of another length or not finite are left out.
func prepare(vectors [][]float32, d int) (rows [][]float64, mean []float64) {
	flat := make([]float64, 0, len(vectors)*d)
	for _, v := range vectors {
		scale, ok := unit(v, d)
		if !ok {
			continue
		}
		from := len(flat)
		for _, x := range v {
			flat = append(flat, float64(x)*scale)
		}
		rows = append(rows, flat[from:len(flat):len(flat)])
	}
	mean = make([]float64, d)
	if len(rows) == 0 {
		return nil, mean
	}
	weights := middle(rows, mean)
	for i, r := range rows {
		floats.Sub(r, mean)
		if weights[i] < 1 {
			floats.Scale(weights[i], r)
		}
	}
	if slices.Min(weights) < 1 {
		recentre(rows, mean)
	}
	return rows, mean
}

// middle sets mean to the centre of the rows and returns how far each is to be
// drawn in: 1 = not at all. It is Huber's M-estimate of location (1964) with
// the median distance as the scale; where nothing lies far out it is the mean.
func middle(rows [][]float64, mean []float64) []float64 {
	weights := make([]float64, len(rows))
	for i := range weights {
		weights[i] = 1
	}
	norms, sorted := make([]float64, len(rows)), make([]float64, len(rows))
	for round := 0; ; round++ {
		clear(mean)
		sum := 0.0
		for i, r := range rows {
			floats.AddScaled(mean, weights[i], r)
			sum += weights[i]
		}
		floats.Scale(1/sum, mean)
		for i, r := range rows {
			norms[i] = floats.Distance(r, mean, 2)
		}
		copy(sorted, norms)
		slices.Sort(sorted)
		limit, change := reach*sorted[len(sorted)/2], 0.0
		for i, n := range norms {
			w := 1.0
			if limit > 0 && n > limit {
				w = limit / n
			}
			change = max(change, math.Abs(w-weights[i]))
			weights[i] = w
		}
		if change < 1e-3 || round == 20 {
			return weights
		}
	}
}

// recentre takes their mean off the rows and adds it to mean.
func recentre(rows [][]float64, mean []float64) {
	m := make([]float64, len(mean))
	for _, r := range rows {
		floats.Add(m, r)
	}
	floats.Scale(1/float64(len(rows)), m)
	for _, r := range rows {
		floats.Sub(r, m)
	}
	floats.Add(mean, m)
}

// principal returns the first k principal components of centred rows and the
// variances along them. Those that are rounding noise have variance 0.
func principal(ctx context.Context, rows [][]float64, d, k int, seed uint64) ([][]float64, []float64, error) {
	n := len(rows)
	x := mat.NewDense(n, d, nil)
	for i, r := range rows {
		x.SetRow(i, r)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var comps [][]float64
	var vars []float64
	var err error
	if min(n, d) <= exact {
		comps, vars, err = byEigen(x, k)
	} else {
		comps, vars, err = byPower(ctx, x, k, seed)
	}
	if err != nil {
		return nil, nil, err
	}
	for len(comps) < k {
		comps, vars = append(comps, make([]float64, d)), append(vars, 0)
	}
	for j := range vars {
		vars[j] /= float64(n - 1)
		if !(vars[j] > nothingAtAll) || vars[j] < nothing*vars[0] {
			vars[j] = 0
			clear(comps[j])
		}
	}
	return comps, vars, nil
}

// byEigen uses the covariance or the Gram matrix, whichever is smaller. It
// returns unscaled squared singular values.
func byEigen(x *mat.Dense, k int) ([][]float64, []float64, error) {
	n, d := x.Dims()
	var sym mat.SymDense
	gram := n < d
	if gram {
		sym.SymOuterK(1, x)
	} else {
		sym.SymOuterK(1, x.T())
	}
	var eig mat.EigenSym
	if !eig.Factorize(&sym, true) {
		return nil, nil, fmt.Errorf("the eigenvalues of %d vectors did not converge", n)
	}
	values := eig.Values(nil)
	var vecs mat.Dense
	eig.VectorsTo(&vecs)
	var comps [][]float64
	var squares []float64
	for j := len(values) - 1; j >= 0 && len(comps) < k; j-- {
		v := mat.Col(nil, j, &vecs)
		if gram {
			c := mat.NewVecDense(d, nil)
			c.MulVec(x.T(), mat.NewVecDense(n, v))
			v = c.RawVector().Data
		}
		if norm := floats.Norm(v, 2); norm > 0 {
			floats.Scale(1/norm, v)
		}
		comps, squares = append(comps, v), append(squares, max(0, values[j]))
	}
	return comps, squares, nil
}

// byPower is a block power iteration with a Rayleigh-Ritz step (Halko,
// Martinsson and Tropp 2011). It ends when the wanted values stand still.
func byPower(ctx context.Context, x *mat.Dense, k int, seed uint64) ([][]float64, []float64, error) {
	_, d := x.Dims()
	block := min(d, k+8)
	rng := rand.New(rand.NewPCG(mix(seed+1), mix(seed+2)))
	q := mat.NewDense(d, block, nil)
	for i := range d {
		for j := range block {
			q.Set(i, j, rng.NormFloat64())
		}
	}
	var last []float64
	for round := 0; ; round++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		orthonormal(q)
		var y, z mat.Dense
		y.Mul(x, q)
		if round%4 == 3 {
			comps, squares, err := ritz(&y, q, k)
			if err != nil {
				return nil, nil, err
			}
			if still(last, squares) || round > 100 {
				return comps, squares, nil
			}
			last = squares
		}
		z.Mul(x.T(), &y)
		q.Copy(&z)
	}
}

func still(last, now []float64) bool {
	if last == nil {
		return false
	}
	for i := range now {
		if math.Abs(now[i]-last[i]) > 1e-10*now[0] {
			return false
		}
	}
	return true
}

// orthonormal makes the columns orthonormal, by Gram-Schmidt twice.
func orthonormal(q *mat.Dense) {
	d, b := q.Dims()
	cols := make([][]float64, b)
	for j := range cols {
		c := mat.Col(nil, j, q)
		before := floats.Norm(c, 2)
		for range 2 {
			for _, e := range cols[:j] {
				floats.AddScaled(c, -floats.Dot(c, e), e)
			}
		}
		if norm := floats.Norm(c, 2); norm > 1e-12*before && norm > 0 {
			floats.Scale(1/norm, c)
		} else {
			c = make([]float64, d) // no further direction
		}
		cols[j] = c
		q.SetCol(j, c)
	}
}

// ritz returns the best k directions within the block q, of which y = x q.
func ritz(y, q *mat.Dense, k int) ([][]float64, []float64, error) {
	var small mat.SymDense
	small.SymOuterK(1, y.T())
	var eig mat.EigenSym
	if !eig.Factorize(&small, true) {
		return nil, nil, fmt.Errorf("the eigenvalues of a block did not converge")
	}
	values := eig.Values(nil)
	var vecs, dirs mat.Dense
	eig.VectorsTo(&vecs)
	dirs.Mul(q, &vecs)
	var comps [][]float64
	var squares []float64
	for j := len(values) - 1; j >= 0 && len(comps) < k; j-- {
		comps, squares = append(comps, mat.Col(nil, j, &dirs)), append(squares, max(0, values[j]))
	}
	return comps, squares, nil
}

// sign turns each component so that the root lies at a negative coordinate. If
// it lies at 0, the largest entry of the component is positive.
func (s *Space) sign(root []float32) {
	y := s.Raw(root)
	for j, comp := range s.m.Components {
		flip := y[j] > 0
		if math.Abs(y[j]) < 1e-9 {
			large := 0.0
			for _, x := range comp {
				if math.Abs(x) > math.Abs(large)+1e-12 {
					large = x
				}
			}
			flip = large < 0
		}
		if flip {
			floats.Scale(-1, comp)
		}
	}
	s.derive()
}

func identity(k int) [][]float64 {
	m := make([][]float64, k)
	for i := range m {
		m[i] = make([]float64, k)
		m[i][i] = 1
	}
	return m
}
