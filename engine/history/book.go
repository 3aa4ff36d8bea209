// Package history tells how an experiment stood at any moment of its log.
//
// Its three nouns are the moment (a row of the log that changed something, by its
// number from the first), the walk (a state of its own, folded from the first row
// up to a moment) and the [Book], which keeps walks and the last answers.
//
// Caveats: rows carry the columns of jobs and candidates as they are now, and all
// moments are told under the present map. What a candidate showed before it was
// measured again is therefore not told, and niches can be compared from moment to
// moment. An answer costs at most one fold of the log, and mostly that from
// the walk before it.
package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// Log is what a past is made of; the store is one.
type Log interface {
	fold.Log
	Job(ctx context.Context, exp record.ExperimentID, id record.JobID) (record.Job, error)
	Candidate(ctx context.Context, exp record.ExperimentID, id record.CandidateID) (record.Candidate, error)
}

// ErrEmpty: nothing has happened yet.
var ErrEmpty = errors.New("the log has no moments yet")

// The bounds of what a book keeps.
const (
	answers = 96 // of the last questions
	window  = 48 // moments before the one asked for that are answered with it
	walks   = 3  // states left behind at earlier moments
	far     = 5_000
)

// Book answers how one experiment stood. It is safe for concurrent use; one
// question is answered at a time.
type Book struct {
	log Log
	exp record.ExperimentID

	mu      sync.Mutex
	layout  int // the map and the objective version of what is kept
	version int
	moments []moment
	walks   []*walk
	known   map[int]view.Past
	order   []int // of known, oldest answer first
}

type moment struct {
	seq     record.Seq
	at      record.Millis
	decided bool
}

// NewBook returns a book of an experiment. It reads nothing yet.
func NewBook(log Log, exp record.ExperimentID) *Book {
	return &Book{log: log, exp: exp, known: map[int]view.Past{}}
}

// At tells how the experiment stood after a moment, by its number from 0; one
// below 0 or beyond the end means the newest. mapVersion is the version of the
// present map: under another one all is told anew. The error is [ErrEmpty]
// before anything happened.
func (b *Book) At(ctx context.Context, at, mapVersion int) (view.Past, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exp, err := b.log.Experiment(ctx, b.exp)
	if err != nil {
		return view.Past{}, err
	}
	if b.layout != mapVersion || b.version != exp.Objective {
		b.layout, b.version, b.walks, b.order = mapVersion, exp.Objective, nil, nil
		clear(b.known)
	}
	if err := b.read(ctx); err != nil {
		return view.Past{}, err
	}
	n := len(b.moments)
	if n == 0 {
		return view.Past{}, ErrEmpty
	}
	if at < 0 || at >= n {
		at = n - 1
	}
	p, ok := b.known[at]
	if !ok {
		if err := b.tell(ctx, at); err != nil {
			return view.Past{}, fmt.Errorf("fold the log up to moment %d of %d: %w", at+1, n, err)
		}
		p = b.known[at]
	}
	p.Moments = n
	p.First, p.Last = b.moments[0].at, b.moments[n-1].at
	p.Before, p.After = b.decision(at, -1), b.decision(at, 1)
	return p, nil
}

// read takes the moments that are new.
func (b *Book) read(ctx context.Context) error {
	var last record.Seq
	if n := len(b.moments); n > 0 {
		last = b.moments[n-1].seq
	}
	return b.log.FoldLog(ctx, b.exp, last, func(row record.FoldRow) error {
		if row.Kind != record.LogMade {
			b.moments = append(b.moments, moment{row.Seq, row.At, row.Kind == record.LogDecision})
		}
		return nil
	})
}

// decision is the nearest moment in one direction at which a person decided, -1
// for none.
func (b *Book) decision(at, by int) int {
	for i := at + by; i >= 0 && i < len(b.moments); i += by {
		if b.moments[i].decided {
			return i
		}
	}
	return -1
}

// tell folds up to a moment and keeps the answers of those just before it.
func (b *Book) tell(ctx context.Context, at int) error {
	from := max(0, at-window)
	w, err := b.walkTo(ctx, b.moments[from].seq-1)
	if err != nil {
		return err
	}
	before, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	i := from
	err = w.upTo(ctx, b.moments[at].seq, func(row record.FoldRow) error {
		if row.Seq != b.moments[i].seq {
			return nil
		}
		snap, err := w.snapshot(ctx)
		if err != nil {
			return err
		}
		b.keep(i, view.Past{At: i, Seq: row.Seq, Time: row.At, Decided: b.moments[i].decided, Said: w.said, Changed: view.Changes(before, snap), Snap: snap})
		before = snap
		i++
		return nil
	})
	if err != nil {
		b.drop(w)
	}
	return err
}

func (b *Book) keep(i int, p view.Past) {
	if _, ok := b.known[i]; !ok {
		b.order = append(b.order, i)
	}
	b.known[i] = p
	for len(b.order) > answers {
		delete(b.known, b.order[0])
		b.order = b.order[1:]
	}
}

// walkTo returns a walk that stands at a position: the nearest one before it goes
// on, unless it is worth leaving where it is.
func (b *Book) walkTo(ctx context.Context, seq record.Seq) (*walk, error) {
	var best *walk
	for _, w := range b.walks {
		if w.seq <= seq && (best == nil || w.seq > best.seq) {
			best = w
		}
	}
	leave := best != nil && len(b.walks) < walks && best.seq > far && seq-best.seq > far
	if best == nil || leave {
		w, err := newWalk(ctx, b.log, b.exp)
		if err != nil {
			return nil, err
		}
		if len(b.walks) == walks { // the one furthest on is the quickest to replace from those before it
			b.walks = slices.DeleteFunc(b.walks, func(x *walk) bool {
				return x == slices.MaxFunc(b.walks, func(x, y *walk) int { return int(x.seq - y.seq) })
			})
		}
		b.walks = append(b.walks, w)
		best = w
	}
	if err := best.upTo(ctx, seq, func(record.FoldRow) error { return nil }); err != nil {
		b.drop(best)
		return nil, err
	}
	return best, nil
}

// drop forgets a walk that stopped half-way.
func (b *Book) drop(w *walk) {
	b.walks = slices.DeleteFunc(b.walks, func(x *walk) bool { return x == w })
}
