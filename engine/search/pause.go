package search

import "fmt"

// Pause says since how many jobs nothing better was found, of how many.
type Pause struct {
	Best, Niche int // since the best was found, and since a niche was taken
	Of          int // jobs that ended
}

// Pause tells since when nothing better was found.
func (s *Stats) Pause() Pause {
	if s == nil {
		return Pause{}
	}
	return Pause{s.events - s.bestAt, s.events - s.nicheAt, s.events}
}

// Mapless says that there were no niches to take until now: the pause without one begins
// with the first map.
func (s *Stats) Mapless() { s.nicheAt = s.events }

// Stalled reports whether the search stands: no better best for a quarter of all jobs, 100 at
// least, or no niche taken for a tenth of them, 50 at least.
func (p Pause) Stalled() bool { return p.Best >= max(100, p.Of/4) || p.Niche >= max(50, p.Of/10) }

func (p Pause) String() string {
	if p.Niche >= max(50, p.Of/10) {
		return fmt.Sprintf("no niche was taken in the last %d jobs", p.Niche)
	}
	return fmt.Sprintf("no better best in the last %d jobs", p.Best)
}
