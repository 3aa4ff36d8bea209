package agent

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// keptShare is what is left of the weight of an agent that is shown to bring less: enough to
// notice that it got better.
const keptShare = 0.2

// surely is how many standard errors a bound of a yield lies away: 99 % on both sides.
const surely = 2.576

// Lagging is an agent of which the evidence says that it brings less than another.
type Lagging struct {
	Agent  string
	AtMost float64 // upper bound of its yield: rewards for a dollar, or for a run where costs are not known
	Than   string  // the agent that brings more
	Least  float64 // lower bound of that agent's yield
	Dollar bool    // yields are for a dollar
}

// String says it in one line.
func (l Lagging) String() string {
	per := "a run"
	if l.Dollar {
		per = "a dollar"
	}
	return fmt.Sprintf("%s takes at most %.3g niches for %s, %s at least %.3g", l.Agent, l.AtMost, per, l.Than, l.Least)
}

// Earned returns the weights as the evidence bends them: an agent whose yield, at the upper end
// of its 99 % interval, lies below that of another at its lower end keeps a fifth of its weight
// (successive elimination, Even-Dar, Mannor and Mansour 2006, which never ends here: a fifth goes on
// telling). An agent of weight 0 is left out. The weights are new; nothing changes while
// nothing is shown.
func (s *Shadow) Earned(weights map[string]float64) (map[string]float64, []Lagging) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := maps.Clone(weights)
	costs := s.costsKnown()
	var best Lagging // Than and Least alone
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if i, ok := s.index[name]; ok && weights[name] > 0 {
			if low, _ := s.arms[i].yield(costs); low > best.Least {
				best = Lagging{Than: name, Least: low, Dollar: costs}
			}
		}
	}
	var behind []Lagging
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		i, ok := s.index[name]
		if !ok || weights[name] <= 0 || name == best.Than {
			continue
		}
		if _, high := s.arms[i].yield(costs); high < best.Least {
			l := best
			l.Agent, l.AtMost = name, high
			behind = append(behind, l)
			out[name] *= keptShare
		}
	}
	return out, behind
}

// yield returns the bounds of what an agent brings: the score interval of its rewards
// (Wilson 1927), for a dollar where costs count, by the bounds of its mean cost.
func (a *shadowArm) yield(costs bool) (low, high float64) {
	if a.n == 0 {
		return 0, math.Inf(1)
	}
	n, p := float64(a.n), a.reward/float64(a.n)
	mid, scale := p+surely*surely/(2*n), 1+surely*surely/n
	half := surely * math.Sqrt(p*(1-p)/n+surely*surely/(4*n*n))
	low, high = max(0, (mid-half)/scale), min(1, (mid+half)/scale)
	if !costs {
		return low, high
	}
	mean := a.cost / n
	if a.n < 2 {
		return 0, math.Inf(1)
	}
	off := surely * math.Sqrt(max(0, a.costSquare/n-mean*mean)/(n-1))
	high = math.Inf(1)
	if mean > off {
		high = min(1, (mid+half)/scale) / (mean - off)
	}
	return low / (mean + off), high
}
