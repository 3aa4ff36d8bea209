package door

import (
	"context"
	"sync"

	"atoll/engine/query"
	"atoll/engine/view"
	"atoll/store/record"
)

// ringRows is how many rows of the log are kept for those who follow it, so that
// any number of them costs one query.
const ringRows = 4096

// Log hands the rows of an experiment's log to any number of followers.
type Log struct {
	reader *query.Reader

	mu      sync.Mutex
	ring    []record.LogRow // the newest ones, oldest first
	from    record.Seq      // the ring has every row behind this one
	changed chan struct{}   // closed and replaced when rows are added
}

func newLog(r *query.Reader) *Log {
	return &Log{reader: r, from: -1, changed: make(chan struct{})}
}

// follow adds rows as they are written, until ctx ends.
func (l *Log) follow(ctx context.Context, feed *view.Feed) {
	for version := uint64(0); ; {
		s, err := feed.Wait(ctx, version)
		if err != nil {
			return
		}
		version = s.Version
		if s.Loading {
			continue
		}
		for l.read(ctx) {
		}
	}
}

// read takes one page of new rows and reports whether there may be more.
func (l *Log) read(ctx context.Context) bool {
	l.mu.Lock()
	last, begun := l.last(), l.from >= 0
	l.mu.Unlock()
	if !begun {
		tail, err := l.reader.LogTail(ctx, ringRows)
		if err != nil {
			return false
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.from = 0
		if len(tail) > 0 {
			l.from = tail[0].Seq - 1
		}
		l.add(tail)
		return false
	}
	rows, err := l.reader.Log(ctx, last, ringRows)
	if err != nil || len(rows) == 0 {
		return false // the next state asks again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(rows)
	return len(rows) == ringRows
}

func (l *Log) last() record.Seq {
	if len(l.ring) == 0 {
		return max(l.from, 0)
	}
	return l.ring[len(l.ring)-1].Seq
}

// add is called with the lock.
func (l *Log) add(rows []record.LogRow) {
	l.ring = append(l.ring, rows...)
	if more := len(l.ring) - ringRows; more > 0 {
		l.from = l.ring[more-1].Seq
		l.ring = append(make([]record.LogRow, 0, ringRows+ringRows/4), l.ring[more:]...)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// After returns rows behind a position, oldest first, and a channel that is closed
// when there are more than those known now.
func (l *Log) After(ctx context.Context, after record.Seq, limit int) ([]record.LogRow, <-chan struct{}, error) {
	l.mu.Lock()
	changed := l.changed
	if l.from >= 0 && after >= l.from {
		i := len(l.ring)
		for i > 0 && l.ring[i-1].Seq > after {
			i--
		}
		rows := l.ring[i:min(len(l.ring), i+limit)]
		l.mu.Unlock()
		return rows[:len(rows):len(rows)], changed, nil
	}
	l.mu.Unlock()
	rows, err := l.reader.Log(ctx, after, limit)
	return rows, changed, err
}
