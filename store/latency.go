package store

import (
	"sync/atomic"
	"time"
)

// latencyBounds are the upper bounds of the classes that transactions are counted
// in.
var latencyBounds = [...]time.Duration{
	200 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second,
}

// latencies count how long writing transactions took, from their beginning to the
// end of the commit.
type latencies struct {
	classes [len(latencyBounds) + 1]atomic.Uint64
	sum     atomic.Int64 // nanoseconds
}

func (l *latencies) add(d time.Duration) {
	i := 0
	for i < len(latencyBounds) && d > latencyBounds[i] {
		i++
	}
	l.classes[i].Add(1)
	l.sum.Add(int64(d))
}

// Latency tells how long the writing transactions of this process took.
type Latency struct {
	Count   uint64
	Sum     time.Duration
	Buckets map[float64]uint64 // how many took at most so many seconds
}

// Latency returns the times so far; of a store that is only read all are 0.
func (db *DB) Latency() Latency {
	out := Latency{Buckets: map[float64]uint64{}}
	if db.writer == nil {
		return out
	}
	l := &db.writer.latency
	for i, bound := range latencyBounds {
		out.Count += l.classes[i].Load()
		out.Buckets[bound.Seconds()] = out.Count
	}
	out.Count += l.classes[len(latencyBounds)].Load()
	out.Sum = time.Duration(l.sum.Load())
	return out
}
