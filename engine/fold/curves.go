package fold

import (
	"fmt"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
)

// curveData are the histories under the present map and objective version, in
// fold order: a value for the first scored candidate, for every step-th one, and
// for the last. More samples of a known one mend the last value.
type curveData struct {
	points []curvePoint
	step   int // a power of two
	marks  []view.Mark
	reigns []view.Reign            // as they came, whatever the map of today
	before map[record.Seq]curveEnd // decisions that changed how the curves end
}

// curveEnd is how the curves ended before a decision.
type curveEnd struct {
	x      int          // what follows here changed
	points []curvePoint // from there on
	reigns []view.Reign // those that it ended
	kept   int          // reigns before those
	after  int          // reigns when it was folded
}

// curvePoints bounds a curve: one that grows longer keeps every other value.
const curvePoints = 1000

// add takes how the search stands after one fold.
func (c *curveData) add(p curvePoint, at record.Millis) {
	p.at = at
	n := len(c.points) - 1
	switch {
	case n >= 0 && c.points[n].x == p.x:
		p.at = c.points[n].at
		c.points[n] = p
	case n > 0 && !c.kept(c.points[n]):
		c.points[n] = p
	default:
		c.points = append(c.points, p)
	}
	if len(c.points) > curvePoints {
		c.step = 2 * max(1, c.step)
		i, last := 0, len(c.points)-1
		c.points = slices.DeleteFunc(c.points, func(p curvePoint) bool {
			i++
			return i != 1 && i != last+1 && !c.kept(p)
		})
	}
}

// kept reports whether a value stays when others follow it: it stands for those
// of its stretch, since best and QD score only rise within one map.
func (c *curveData) kept(p curvePoint) bool { return p.x%max(1, c.step) == 0 }

func (c *curveData) mark(x int, at record.Millis, format string, args ...any) {
	c.marks = append(c.marks, view.Mark{X: x, At: at, Text: fmt.Sprintf(format, args...)})
}

// crowned notes who is the best now, when that is another than before. In strict
// order one job may be folded after another that ended later: nobody reigns
// before the one whom it follows.
func (c *curveData) crowned(x int, best record.CandidateID, at record.Millis) {
	n := len(c.reigns)
	if best == record.NoCandidate || n > 0 && c.reigns[n-1].ID == best {
		return
	}
	if n > 0 {
		at = max(at, c.reigns[n-1].At)
	}
	c.reigns = append(c.reigns, view.Reign{X: x, At: at, ID: best})
}

// bend makes the curves end as the search stands after a decision. One that takes
// another back leaves them as they were before that, unless more happened since.
func (s *State) bend(d record.Decision) {
	c := s.curves
	n := len(c.points)
	if s.arch == nil || n == 0 {
		return
	}
	now := s.progress()
	was := curveEnd{x: min(now.x, c.points[n-1].x), kept: len(c.reigns)}
	was.points = slices.Clone(c.points[c.from(was.x):])
	if back, ok := c.before[d.Undoes]; ok && back.fits(c, now, s.Best) {
		was.kept = min(was.kept, back.kept)
		was.reigns = slices.Clone(c.reigns[was.kept:])
		c.points = append(c.points[:c.from(back.x)], back.points...)
		c.reigns = append(c.reigns[:back.kept], back.reigns...)
	} else {
		for was.kept > 0 && s.again[c.reigns[was.kept-1].ID] {
			was.kept--
		}
		was.reigns = slices.Clone(c.reigns[was.kept:])
		c.reigns = c.reigns[:was.kept]
		c.points = c.points[:c.from(now.x+1)]
		c.add(now, d.At)
		c.crowned(now.x, s.Best, d.At)
	}
	was.after = len(c.reigns)
	if !slices.Equal(c.points[c.from(was.x):], was.points) || len(was.reigns) > 0 || was.after != was.kept {
		if c.before == nil {
			c.before = map[record.Seq]curveEnd{}
		}
		c.before[d.Seq] = was
		if d.Undoes != 0 { // what does it again names the same decision
			c.before[d.Undoes] = was
		}
	}
}

// from is the first of the points from a place on.
func (c *curveData) from(x int) int {
	i := len(c.points)
	for i > 0 && c.points[i-1].x >= x {
		i--
	}
	return i
}

// fits reports whether curves that end so tell how the search stands now, and nobody
// else came to lead since.
func (e *curveEnd) fits(c *curveData, now curvePoint, best record.CandidateID) bool {
	if len(e.points) == 0 || len(c.reigns) != e.after {
		return false
	}
	last := e.points[len(e.points)-1]
	now.at = last.at
	leads := e.kept > 0 && len(e.reigns) == 0 && c.reigns[e.kept-1].ID == best || len(e.reigns) > 0 && e.reigns[len(e.reigns)-1].ID == best
	return last == now && leads
}

// since is when a candidate came to lead last, 0 where it never did.
func (c *curveData) since(id record.CandidateID) record.Millis {
	for _, r := range slices.Backward(c.reigns) {
		if r.ID == id {
			return r.At
		}
	}
	return 0
}

// snapshot copies the curves.
func (c *curveData) snapshot() view.Curves {
	var out view.Curves
	for _, p := range c.points {
		out.X, out.At = append(out.X, p.x), append(out.At, p.at)
		out.Best, out.Mean = append(out.Best, p.best), append(out.Mean, p.mean)
		out.QD, out.Coverage = append(out.QD, p.qd), append(out.Coverage, p.coverage)
	}
	out.Marks = append(out.Marks, c.marks[max(0, len(c.marks)-curvePoints):]...)
	out.Reigns = thinReigns(c.reigns)
	return out
}

// held is the value of the best by samples that decided nothing: while the best has none
// it stays where it was, at first with the root.
func (c *curveData) held(root float64) []float64 {
	out := make([]float64, len(c.points))
	for i, p := range c.points {
		if p.told {
			root = p.held
		}
		out[i] = root
	}
	return out
}

// thinReigns leaves at most curvePoints reigns: the first, and the last of each
// stretch.
func thinReigns(all []view.Reign) []view.Reign {
	step := 1
	if len(all) > curvePoints {
		step = (len(all) + curvePoints - 2) / (curvePoints - 1)
	}
	var out []view.Reign
	for i := len(all) - 1; i >= 0; i -= step {
		out = append(out, all[i])
	}
	if n := len(out); n > 0 && out[n-1] != all[0] {
		out = append(out, all[0])
	}
	slices.Reverse(out)
	return out
}
