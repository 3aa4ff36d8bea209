package behavior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Toward returns a space on the way to another: share 0 lies where this one does, and 1
// is next with cells equally likely among the sample. Between them both the axes and
// the cuts along them are mixed in that proportion. Next may have the same axes. Spaces
// of different vectors or numbers of axes have no way between them: the result is that
// of share 1.
func (s *Space) Toward(next *Space, share float64, sample [][]float32) *Space {
	if share >= 1 || s.dims() != next.dims() || s.dims() == 0 || s.features() != next.features() {
		return next.Equalised(sample)
	}
	out := next
	if !slices.EqualFunc(s.axes, next.axes, slices.Equal[[]float64]) {
		out = s.turned(next, share)
	}
	out = out.Equalised(sample)
	for j, fresh := range out.m.Marginals {
		var old marginal
		if s.m.Marginals != nil {
			old = s.m.Marginals[j]
		}
		out.m.Marginals[j] = mixed(old, fresh, share)
	}
	return out
}

// turned is the space whose axes lie the share of the way from one to another.
func (s *Space) turned(next *Space, share float64) *Space {
	out := &Space{m: next.m}
	k := s.dims()
	out.m.At, out.m.Rotation = s.m.At, identity(k)
	out.m.Components, out.m.Variances = make([][]float64, k), make([]float64, k)
	out.m.Mean = make([]float64, s.features())
	floats.AddScaled(out.m.Mean, 1-share, s.m.Mean)
	floats.AddScaled(out.m.Mean, share, next.m.Mean)
	for j := range k {
		axis := make([]float64, s.features())
		floats.AddScaled(axis, 1-share, s.axes[j])
		floats.AddScaled(axis, share, next.axes[j])
		if norm := floats.Norm(axis, 2); norm > 0 {
			out.m.Variances[j] = 1 / (norm * norm)
			floats.Scale(1/norm, axis)
		}
		out.m.Components[j] = axis
	}
	out.derive()
	return out
}

// mixed is the mixture of two distributions, the second with a share.
func mixed(one, other marginal, share float64) marginal {
	lo, hi := -8.0, 8.0 // of the normal distribution
	for _, m := range []marginal{one, other} {
		if len(m) > 0 {
			lo, hi = min(lo, m[0]), max(hi, m[len(m)-1])
		}
	}
	out := make(marginal, levels)
	for i := range out {
		level := (float64(i) + 0.5) / levels
		a, b := lo, hi
		for range 60 {
			y := a + (b-a)/2
			if (1-share)*one.at(y)+share*other.at(y) < level {
				a = y
			} else {
				b = y
			}
		}
		out[i] = b
	}
	return out
}

// orthonormalised are the directions of the axes that no axis before them has.
func (s *Space) orthonormalised() [][]float64 {
	var out [][]float64
	for i, c := range s.m.Components {
		if s.m.Variances[i] <= 0 {
			continue
		}
		d := slices.Clone(c)
		for _, e := range out {
			floats.AddScaled(d, -floats.Dot(d, e), e)
		}
		if norm := floats.Norm(d, 2); norm > 1e-9 && !math.IsNaN(norm) {
			floats.Scale(1/norm, d)
			out = append(out, d)
		}
	}
	return out
}
