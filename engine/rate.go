package engine

import (
	"sort"
	"time"
)

// rateMeter counts folded jobs over the last minutes in which the experiment ran. What
// is folded while it rests counts nothing.
type rateMeter struct {
	times []time.Time
	since time.Time // when the experiment began to run, or went on; zero while it rests
}

// rateWindow is the stretch of time a rate is told over.
const rateWindow = 2 * time.Minute

// begin counts from now on, unless it counts already.
func (r *rateMeter) begin(now time.Time) {
	if r.since.IsZero() {
		r.since = now
	}
}

// tick counts a job.
func (r *rateMeter) tick(now time.Time) {
	if r.since.IsZero() {
		return
	}
	r.times = append(r.times, now)
	if len(r.times) > 20000 {
		r.times = append(r.times[:0], r.times[len(r.times)/2:]...)
		r.since = r.times[0]
	}
}

// rest forgets the past: time in which nothing was to be done does not count.
func (r *rateMeter) rest() { r.times, r.since = r.times[:0], time.Time{} }

// perMinute is the rate since the experiment went on, 0 where nothing can be said yet.
func (r *rateMeter) perMinute(now time.Time) float64 {
	if from := now.Add(-rateWindow); r.since.Before(from) {
		r.since = from
	}
	i := sort.Search(len(r.times), func(i int) bool { return !r.times[i].Before(r.since) })
	r.times = r.times[i:]
	span := now.Sub(r.since)
	if len(r.times) < 2 || span <= 0 {
		return 0
	}
	return float64(len(r.times)) / span.Minutes()
}
