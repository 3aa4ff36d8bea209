package engine

import (
	"fmt"

	"atoll/store/record"
)

// curveData are the histories under the present map and objective version, one
// value for each scored candidate in fold order. More samples of a known one
// mend the last value.
type curveData struct {
	x                        []int // scored candidates
	at                       []record.Millis
	best, mean, qd, coverage []float64
	marks                    []Mark
}

// add appends the statistics after one fold.
func (c *curveData) add(s *State, at record.Millis) {
	var mean, qd, coverage float64
	if s.arch != nil {
		st := s.arch.Stats()
		mean, qd, coverage = s.sign*st.Mean, st.QD, st.Coverage
	}
	best := s.rootObj
	if s.best != record.NoCandidate {
		best = s.members[s.best].obj
	}
	if n := len(c.x) - 1; n >= 0 && c.x[n] == s.scored {
		c.best[n], c.mean[n], c.qd[n], c.coverage[n] = best, mean, qd, coverage
		return
	}
	c.x = append(c.x, s.scored)
	c.at = append(c.at, at)
	c.best = append(c.best, best)
	c.mean = append(c.mean, mean)
	c.qd = append(c.qd, qd)
	c.coverage = append(c.coverage, coverage)
}

func (c *curveData) mark(s *State, at record.Millis, format string, args ...any) {
	c.marks = append(c.marks, Mark{X: s.scored, At: at, Text: fmt.Sprintf(format, args...)})
}

// curvePoints bounds what a snapshot carries of a curve.
const curvePoints = 1000

// snapshot thins the curves to at most curvePoints values. Within each stretch
// the last value stands for it: best and QD score only rise within one map.
func (c *curveData) snapshot() Curves {
	n := len(c.at)
	step := (n + curvePoints - 1) / curvePoints
	if step < 1 {
		step = 1
	}
	var out Curves
	for end := n; end > 0; end -= step {
		i := end - 1
		out.X = append(out.X, c.x[i])
		out.At = append(out.At, c.at[i])
		out.Best = append(out.Best, c.best[i])
		out.Mean = append(out.Mean, c.mean[i])
		out.QD = append(out.QD, c.qd[i])
		out.Coverage = append(out.Coverage, c.coverage[i])
	}
	reverse(out.X)
	reverse(out.At)
	reverse(out.Best)
	reverse(out.Mean)
	reverse(out.QD)
	reverse(out.Coverage)
	out.Marks = append(out.Marks, c.marks...)
	return out
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}
