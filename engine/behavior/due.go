package behavior

import "context"

// The causes of a new map.
const (
	CauseFirst    = "first"
	CauseVariance = "variance"
	CauseOutliers = "outliers"
	CauseAsked    = "asked"
)

// Rule says when a new map is due. The zero value of a field is its default.
type Rule struct {
	Every    int     // evaluations between two looks, and between two maps; 25
	Gain     float64 // by how much more variance a fresh fit must capture, relative; 0.05
	Outliers float64 // share of the latest commits beyond 3 standard deviations; 0.05
	Recent   int     // how many are the latest; 100
}

func (r Rule) filled() Rule {
	if r.Every <= 0 {
		r.Every = 25
	}
	if r.Gain <= 0 {
		r.Gain = 0.05
	}
	if r.Outliers <= 0 {
		r.Outliers = 0.05
	}
	if r.Recent <= 0 {
		r.Recent = 100
	}
	return r
}

// Verdict is the outcome of a look. Fresh is the fit that was compared, not
// yet aligned; nil when none was needed.
type Verdict struct {
	Due    bool
	Cause  string
	Fresh  *Space
	Before float64 // share of variance that the current axes capture
	After  float64 // share that fresh ones would
	Far    float64 // share of the latest commits that lie too far out
}

// Look fits afresh and compares, unless it is too early: LastFit and now are
// counts of evaluations. Sample is what a fit sees, the root first; latest are
// the latest commits, of which the last Recent count. Outliers are a cause only
// where a fresh fit would leave at most three quarters as many. The error is that of
// the context; a fit that cannot be made is no reason for a new map.
func (r Rule) Look(ctx context.Context, current *Space, sample, latest [][]float32, lastFit, now int) (Verdict, error) {
	r = r.filled()
	if current == nil || now-lastFit < r.Every {
		return Verdict{}, nil
	}
	fresh, err := Fit(ctx, sample, current.m.Seed, current.dims())
	if err != nil {
		return Verdict{}, ctx.Err()
	}
	latest = latest[max(0, len(latest)-r.Recent):]
	rows, _ := prepare(distinct(sample), current.features())
	v := Verdict{
		Fresh:  fresh,
		Before: current.captured(rows),
		After:  fresh.captured(rows),
		Far:    current.outliers(latest),
	}
	switch {
	case v.After > v.Before*(1+r.Gain):
		v.Due, v.Cause = true, CauseVariance
	case v.Far > r.Outliers && fresh.outliers(latest) <= 0.75*v.Far:
		v.Due, v.Cause = true, CauseOutliers
	}
	return v, nil
}
