package search

import (
	"math"
	"slices"
	"strings"

	"atoll/store/record"
)

// The adaptation of operator weights.
const (
	// DefaultAdapt bends weights mildly: an operator that yields four times
	// the mean gets twice its weight.
	DefaultAdapt = 0.5
	// maxBend bounds the bend: no weight changes by more than this factor.
	maxBend = 2.0
	// memory is how many jobs it takes until an old result counts 1/e.
	memory = 200
	// prior is how many jobs at the mean yield each operator starts with.
	prior = 20
)

// Event is the end of a make job.
type Event struct {
	Operator record.Operator
	Agent    string
	Target   string
	Parent   record.CandidateID
	Way      string          // by which the parent was drawn where several ways take turns, else ""
	State    record.JobState // Placed took a niche; Cancelled is not counted
	Best     bool            // became the best
	Usage    record.Usage
}

// Yield says how often something led somewhere. Low and High bound Rate with
// 95 % confidence.
type Yield struct {
	Name            string
	Tries           int // ended jobs, cancelled ones not counted
	Scored          int // measured
	Improved        int // took a niche
	Best            int // became the best
	Rate, Low, High float64
	Usage           record.Usage
}

// Stats fold the ends of make jobs. The zero value is empty and ready; a nil
// Stats can be read.
type Stats struct {
	operators, agents, targets map[string]*tally
	ways                       map[string]*tally // by which parents were drawn
	parents                    [][3]int32        // tries, niches taken, and jobs of a way since the last of these, by number
	events                     int
	bestAt, nicheAt            int // events when the best was found, and when a niche was taken
}

// tally counts one name. The three decayed counts are as of event number at.
type tally struct {
	yield                 Yield
	tries, improved, best float64
	at                    int
}

// Add folds one end.
func (s *Stats) Add(e Event) {
	if e.State == record.Cancelled || !e.State.Ended() {
		return
	}
	if s.operators == nil {
		s.operators, s.agents, s.targets, s.ways = map[string]*tally{}, map[string]*tally{}, map[string]*tally{}, map[string]*tally{}
	}
	s.events++
	if e.Best {
		s.bestAt = s.events
	}
	if e.State == record.Placed {
		s.nicheAt = s.events
	}
	s.count(s.operators, string(e.Operator), e, memory)
	s.count(s.agents, e.Agent, e, memory)
	s.count(s.targets, e.Target, e, memory)
	s.count(s.ways, e.Way, e, wayMemory)
	if e.Parent != record.NoCandidate {
		for int(e.Parent) >= len(s.parents) {
			s.parents = append(s.parents, [3]int32{})
		}
		n := &s.parents[e.Parent]
		n[0]++
		switch {
		case e.State == record.Placed:
			n[1]++
			n[2] = 0
		case e.Way != "":
			n[2]++
		}
	}
}

// Later notes what further samples of jobs that ended before brought: a niche, or a better best.
func (s *Stats) Later(niche, best bool) {
	if niche {
		s.nicheAt = s.events
	}
	if best {
		s.bestAt = s.events
	}
}

// Forget takes back an end that was added. A cost that it made unknown stays
// unknown.
func (s *Stats) Forget(e Event) {
	if e.State == record.Cancelled || !e.State.Ended() {
		return
	}
	s.discount(s.operators, string(e.Operator), e)
	s.discount(s.agents, e.Agent, e)
	s.discount(s.targets, e.Target, e)
	s.discount(s.ways, e.Way, e)
	if e.Parent != record.NoCandidate {
		n := &s.parents[e.Parent]
		n[0]--
		switch {
		case e.State == record.Placed:
			n[1]--
		case e.Way != "":
			n[2] = max(0, n[2]-1)
		}
	}
}

func (s *Stats) discount(m map[string]*tally, name string, e Event) {
	t := m[name]
	if t == nil {
		return
	}
	if t.yield.Tries == 1 {
		delete(m, name)
		return
	}
	t.tries = max(0, t.tries-1)
	t.yield.Tries--
	t.yield.Usage = t.yield.Usage.Without(e.Usage)
	switch e.State {
	case record.Placed:
		t.yield.Scored--
		t.yield.Improved--
		t.improved = max(0, t.improved-1)
	case record.Scored:
		t.yield.Scored--
	}
	if e.Best {
		t.yield.Best--
		t.best = max(0, t.best-1)
	}
}

func (s *Stats) count(m map[string]*tally, name string, e Event, lasts float64) {
	if name == "" {
		return
	}
	t := m[name]
	if t == nil {
		t = &tally{yield: Yield{Name: name}, at: s.events}
		m[name] = t
	}
	fade := math.Exp(-float64(s.events-t.at) / lasts)
	t.tries, t.improved, t.best, t.at = t.tries*fade+1, t.improved*fade, t.best*fade, s.events
	t.yield.Tries++
	t.yield.Usage = t.yield.Usage.Add(e.Usage)
	switch e.State {
	case record.Placed:
		t.yield.Scored++
		t.yield.Improved++
		t.improved++
	case record.Scored:
		t.yield.Scored++
	}
	if e.Best {
		t.yield.Best++
		t.best++
	}
}

// Operators returns the yields of the operators by name.
func (s *Stats) Operators() []Yield { return s.list(func() map[string]*tally { return s.operators }) }

// Agents returns the yields of the agents by name.
func (s *Stats) Agents() []Yield { return s.list(func() map[string]*tally { return s.agents }) }

// Targets returns the yields of the targets by name.
func (s *Stats) Targets() []Yield { return s.list(func() map[string]*tally { return s.targets }) }

// Ways returns the yields of the ways by which parents were drawn, by name.
func (s *Stats) Ways() []Yield { return s.list(func() map[string]*tally { return s.ways }) }

func (s *Stats) list(of func() map[string]*tally) []Yield {
	if s == nil {
		return nil
	}
	var out []Yield
	for _, t := range of() {
		y := t.yield
		y.Rate = float64(y.Improved) / float64(y.Tries)
		y.Low, y.High = Wilson(y.Improved, y.Tries)
		out = append(out, y)
	}
	slices.SortFunc(out, func(a, b Yield) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Parent returns how many jobs edited a candidate and how many of them took a
// niche.
func (s *Stats) Parent(id record.CandidateID) (tries, improved int) {
	if s == nil || id < 0 || int(id) >= len(s.parents) {
		return 0, 0
	}
	n := s.parents[id]
	return int(n[0]), int(n[1])
}

// Rested is how much less a parent is drawn where ways take turns, the more of its children
// in a row took no niche: 1/(1+n/12).
func (s *Stats) Rested(id record.CandidateID) float64 {
	if s == nil || id < 0 || int(id) >= len(s.parents) {
		return 1
	}
	return 1 / (1 + float64(s.parents[id][2])/restHalf)
}

// restHalf is how many children in vain halve the chance of a parent.
const restHalf = 12

// Wilson returns the score interval of a share at 95 % (Wilson 1927); 0 to 1
// when nothing was tried.
func Wilson(hits, tries int) (low, high float64) {
	if tries <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	n, p := float64(tries), float64(hits)/float64(tries)
	mid := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (mid-half)/scale), min(1, (mid+half)/scale)
}

// Adapted returns the weights bent by the yield of late: each is multiplied by
// (its rate / the mean rate)^strength, within 1/MaxBend and MaxBend. Rates are
// counted over the last few hundred jobs and pulled to the mean while an
// operator was tried little. Strength 0, or no stats, changes nothing.
func Adapted(ops []Weighted, s *Stats, strength float64) []Weighted {
	out := slices.Clone(ops)
	if s == nil || !(strength > 0) || s.events == 0 {
		return out
	}
	strength = min(strength, 1)
	late := make([][2]float64, len(ops))
	tries, improved := 0.0, 0.0
	for i, w := range ops {
		if t := s.operators[w.Name]; t != nil {
			fade := math.Exp(-float64(s.events-t.at) / memory)
			late[i] = [2]float64{t.tries * fade, t.improved * fade}
		}
		tries, improved = tries+late[i][0], improved+late[i][1]
	}
	mean := (improved + 1) / (tries + 2)
	for i := range out {
		rate := (late[i][1] + prior*mean) / (late[i][0] + prior)
		out[i].Weight *= max(1/maxBend, min(maxBend, math.Pow(rate/mean, strength)))
	}
	return out
}
