package behavior

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Align turns the space so that the vectors that both know lie as near as
// possible to where they were: the orthogonal Procrustes problem (Schönemann
// 1966) on whitened coordinates. Any rotation of them is as good a frame, as
// their covariance stays the identity; it undoes flipped signs, swapped axes
// and turns within nearly equal variances. A reflection is allowed.
//
// Spaces of different numbers of axes, and an empty list, leave it as it is.
func (s *Space) Align(prev *Space, common [][]float32) {
	k := s.dims()
	if prev == nil || prev.dims() != k {
		return
	}
	cross := mat.NewDense(k, k, nil) // row: axis before, column: axis now
	n := 0
	for _, v := range common {
		now, before := s.Raw(v), prev.Raw(v)
		if now == nil || before == nil {
			continue
		}
		n++
		for i := range k {
			for j := range k {
				cross.Set(i, j, cross.At(i, j)+before[i]*now[j])
			}
		}
	}
	var svd mat.SVD
	if n == 0 || !svd.Factorize(cross, mat.SVDFull) {
		return
	}
	var u, v, turn, rotation mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	turn.Mul(&u, v.T())
	old := mat.NewDense(k, k, nil)
	for i, r := range s.m.Rotation {
		old.SetRow(i, r)
	}
	rotation.Mul(&turn, old)
	for i := range s.m.Rotation {
		s.m.Rotation[i] = mat.Row(nil, i, &rotation)
	}
	s.derive()
}

// Degrees returns how far the axis that turned most points away from where it
// pointed in the space before, 0 to 180. It is 0 when the two cannot be
// compared.
func (s *Space) Degrees(prev *Space) float64 {
	if prev == nil || prev.dims() != s.dims() || prev.features() != s.features() {
		return 0
	}
	most := 0.0
	for j, a := range s.axes {
		b := prev.axes[j]
		na, nb := math.Sqrt(dot(a, a)), math.Sqrt(dot(b, b))
		if na == 0 || nb == 0 {
			continue
		}
		c := max(-1, min(1, dot(a, b)/(na*nb)))
		most = max(most, math.Acos(c)*180/math.Pi)
	}
	return most
}
