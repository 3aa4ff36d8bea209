package agent

import (
	"fmt"
	"math"
	"sync"
)

// Shadow is a bandit that looks on: it is told what each agent brought and at
// what cost, and says whom it would have asked; [Shadow.Earned] bends weights by what it has
// seen. Its index is that of fractional
// KUBE (Tran-Thanh, Chapman, Rogers, Jennings: Knapsack based optimal policies
// for budget-limited multi-armed bandits, AAAI 2012): (mean reward +
// sqrt(2 ln t / n)) / mean cost. While the cost of any agent is unknown, or none
// costs anything, all costs are taken as equal, which is UCB1 (Auer,
// Cesa-Bianchi, Fischer 2002). It is safe for concurrent use.
type Shadow struct {
	mu     sync.Mutex
	arms   []shadowArm
	index  map[string]int
	rounds int
	asked  int
	agreed int
}

type shadowArm struct {
	name       string
	n          int
	reward     float64
	cost       float64
	costSquare float64 // sum of the squares of costs
	known      int     // runs with a known cost
}

// NewShadow makes a bandit over the named agents, in this order for ties.
func NewShadow(names []string) *Shadow {
	s := &Shadow{index: map[string]int{}}
	for _, name := range names {
		s.arm(name)
	}
	return s
}

// arm returns the index of an agent, and adds it when it is new.
func (s *Shadow) arm(name string) int {
	i, ok := s.index[name]
	if !ok {
		i = len(s.arms)
		s.index[name] = i
		s.arms = append(s.arms, shadowArm{name: name})
	}
	return i
}

// Suggestion is whom the bandit would have asked and why.
type Suggestion struct {
	Agent string
	Why   string
}

// Suggest says whom the bandit would ask now. "" when it knows no agent.
func (s *Shadow) Suggest() Suggestion {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, why := s.best()
	if i < 0 {
		return Suggestion{Why: "no agents"}
	}
	return Suggestion{Agent: s.arms[i].name, Why: why}
}

// Compare is Suggest beside what was chosen really: it counts towards Agreement.
func (s *Shadow) Compare(chosen string) Suggestion {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.arm(chosen)
	i, why := s.best()
	s.asked++
	if i == c {
		s.agreed++
	}
	return Suggestion{Agent: s.arms[i].name, Why: why}
}

// best returns the arm with the highest index; the first of equals.
func (s *Shadow) best() (int, string) {
	costs := s.costsKnown()
	at, top, why := -1, math.Inf(-1), ""
	for i := range s.arms {
		a := &s.arms[i]
		if a.n == 0 {
			return i, "never tried"
		}
		mean, cost := a.reward/float64(a.n), 1.0
		bound := math.Sqrt(2 * math.Log(float64(s.rounds)) / float64(a.n))
		if costs {
			cost = a.cost / float64(a.known)
		}
		if v := (mean + bound) / cost; v > top {
			at, top = i, v
			why = fmt.Sprintf("reward %.3f + %.3f from %d runs", mean, bound, a.n)
			if costs {
				why += fmt.Sprintf(", for $%.4f each", cost)
			} else {
				why += ", costs unknown or nothing"
			}
		}
	}
	return at, why
}

// costsKnown reports that every agent that ran has a known cost above nothing.
func (s *Shadow) costsKnown() bool {
	for i := range s.arms {
		if a := &s.arms[i]; a.n > 0 && (a.known < a.n || a.cost <= 0) {
			return false
		}
	}
	return true
}

// Observe tells what a run of an agent brought: reward in [0, 1] (1 = what was
// hoped for), cost in US dollars or nil where it is unknown. Rewards that are
// no number count as 0.
func (s *Shadow) Observe(name string, reward float64, cost *float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.arms[s.arm(name)]
	a.n++
	s.rounds++
	if reward > 0 {
		a.reward += math.Min(reward, 1)
	}
	if cost != nil && *cost >= 0 && !math.IsInf(*cost, 0) {
		a.known++
		a.cost += *cost
		a.costSquare += *cost * *cost
	}
}

// Agreement returns how many of the compared choices were the bandit's as well.
func (s *Shadow) Agreement() (agreed, compared int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agreed, s.asked
}
