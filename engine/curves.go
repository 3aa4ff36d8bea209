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
	reigns                   []Reign // as they came, whatever the map of today
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

// crowned notes who is the best now, when that is another than before.
func (c *curveData) crowned(s *State, at record.Millis) {
	n := len(c.reigns)
	if s.best == record.NoCandidate || n > 0 && c.reigns[n-1].ID == s.best {
		return
	}
	c.reigns = append(c.reigns, Reign{X: s.scored, At: at, ID: s.best})
}

// since is when the best became the best, 0 while there is none.
func (c *curveData) since() record.Millis {
	if n := len(c.reigns); n > 0 {
		return c.reigns[n-1].At
	}
	return 0
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
	out.Marks = append(out.Marks, c.marks[max(0, len(c.marks)-curvePoints):]...)
	out.Reigns = thinReigns(c.reigns)
	return out
}

// thinReigns leaves at most curvePoints reigns: the first, and the last of each
// stretch.
func thinReigns(all []Reign) []Reign {
	step := 1
	if len(all) > curvePoints {
		step = (len(all) + curvePoints - 2) / (curvePoints - 1)
	}
	var out []Reign
	for i := len(all) - 1; i >= 0; i -= step {
		out = append(out, all[i])
	}
	if n := len(out); n > 0 && out[n-1] != all[0] {
		out = append(out, all[0])
	}
	reverse(out)
	return out
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}
