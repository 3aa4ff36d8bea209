package engine

import (
	"sort"
	"time"
)

// rateMeter counts folded jobs over the last minutes. What is folded before it
// opens, at the first snapshot, is the past.
type rateMeter struct {
	times []time.Time
	ready bool
}

func (r *rateMeter) open() { r.ready = true }

// rateWindow is the stretch of time a rate is told over.
const rateWindow = 2 * time.Minute

func (r *rateMeter) tick(now time.Time) {
	if !r.ready {
		return
	}
	r.times = append(r.times, now)
	if len(r.times) > 20000 {
		r.times = append(r.times[:0], r.times[len(r.times)/2:]...)
	}
}

// rest forgets the past: time in which nothing was to be done does not count.
func (r *rateMeter) rest() { r.times = r.times[:0] }

func (r *rateMeter) perMinute(now time.Time) float64 {
	i := sort.Search(len(r.times), func(i int) bool { return now.Sub(r.times[i]) <= rateWindow })
	r.times = r.times[i:]
	if len(r.times) < 2 {
		return 0
	}
	span := now.Sub(r.times[0])
	if span <= 0 {
		return 0
	}
	return float64(len(r.times)) / span.Minutes()
}
