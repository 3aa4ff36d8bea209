package behavior

import (
	"context"
	"math"
)

// The causes of a new map.
const (
	CauseProvisional = "provisional" // there are too few candidates for a fit
	CauseFirst       = "first"
	CauseVariance    = "variance" // other axes tell the candidates apart better
	CauseSpread      = "spread"   // the same axes, with cells equally likely again
	CauseAsked       = "asked"
)

// Rule says when a new map is due. The zero value of a field is its default.
//
// A search drifts: what it makes now differs from what it made before in other
// directions. Axes that follow it put every candidate elsewhere each time, and
// niches that nobody recognises hold nothing. So axes turn seldom, and only for
// a large gain; what changes more often is how densely the cells lie along them,
// which leaves the candidates in their order and moves few of them by more than
// a cell.
type Rule struct {
	Every   int     // evaluations between two looks, and between two maps; 25
	Growth  float64 // how many times as many evaluations as at the last fit of the axes; 2
	Gain    float64 // by how much more variance fresh axes must capture, relative; 1
	Unequal float64 // Kolmogorov's distance from equally likely cells; 0.05
	Step    float64 // by what share there must be more evaluations than at the last map; 0.1
}

func (r Rule) filled() Rule {
	if r.Every <= 0 {
		r.Every = 25
	}
	if r.Growth <= 0 {
		r.Growth = 2
	}
	if r.Gain <= 0 {
		r.Gain = 1
	}
	if r.Unequal <= 0 {
		r.Unequal = 0.05
	}
	if r.Step <= 0 {
		r.Step = 0.1
	}
	return r
}

// Verdict is the outcome of a look; what was not looked at is 0.
type Verdict struct {
	Due     bool
	Cause   string
	Before  float64 // share of variance that the current axes capture
	After   float64 // share that fresh ones would
	Unequal float64 // Kolmogorov's distance from equally likely cells
}

// Look says whether a new map is due: last and now are counts of evaluations, at
// the last map and at present. Sample is what a fit sees, the root first. The
// error is that of the context; a fit that cannot be made is no reason for a new
// map.
func (r Rule) Look(ctx context.Context, current *Space, sample [][]float32, last, now int) (Verdict, error) {
	r = r.filled()
	if current == nil || now-last < r.Every || float64(now-last) < r.Step*float64(last) {
		return Verdict{}, nil
	}
	var v Verdict
	if float64(now) >= r.Growth*float64(current.fittedAt()) {
		fresh, err := Fit(ctx, sample, current.m.Seed, current.dims())
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		if err == nil {
			rows, _ := prepare(distinct(sample), current.features())
			v.Before, v.After = current.captured(rows), fresh.captured(rows)
		}
	}
	v.Unequal = current.unequal(sample)
	switch {
	case v.After > v.Before*(1+r.Gain):
		v.Due, v.Cause = true, CauseVariance
	case v.Unequal > max(r.Unequal, 1/math.Sqrt(float64(len(sample)))): // less is chance
		v.Due, v.Cause = true, CauseSpread
	}
	return v, nil
}
