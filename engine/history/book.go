// Package history tells how an experiment stood at any moment of its log.
//
// Its three nouns are the moment (a row of the log that changed something, by its
// number from the first), the walk (a state of its own, folded from the first row
// up to a moment) and the [Book], which keeps walks and the last answers.
//
// Caveats: all moments are told under the present map, so that niches can be compared
// from moment to moment. Rows from before their values were kept tell what a candidate
// showed later, when it was measured again. An answer costs at most one fold of the log, and mostly that from
// the walk before it.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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
	seen    record.Seq // rows up to here are read
	owed    map[consequence]owing
	sets    []pending // settings that were decided and are not in force yet
	walks   []*walk
	known   map[int]view.Past
	order   []int // of known, oldest answer first
}

type moment struct {
	seq      record.Seq // of its last row
	at       record.Millis
	decided  bool
	group    record.Seq // the first of the decisions that were made together
	decision record.Seq // the last of them
}

// carries reports whether the moment is that of a decision.
func (m *moment) carries(by record.Seq) bool {
	return m.decided && m.group <= by && by <= m.decision
}

// consequence is a row that carries a decision out.
type consequence struct {
	kind  string // of the row, and for states which
	about record.JobID
}

// owing is how many rows of a kind decisions will have, and the last of those.
type owing struct {
	n  int
	by record.Seq
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

// read takes the moments that are new. Decisions that were made together are one. What
// carries them out belongs to their moment, which tells what they change, unless
// something else happened before.
func (b *Book) read(ctx context.Context) error {
	var last record.Seq
	if n := len(b.moments); n > 0 {
		last = b.moments[n-1].seq
	}
	return b.log.FoldLog(ctx, b.exp, max(last, b.seen), func(row record.FoldRow) error {
		b.seen = row.Seq
		if row.Kind == record.LogMade {
			return nil
		}
		n := len(b.moments) - 1
		if by := b.carriesOut(row); by != 0 && n >= 0 && b.moments[n].carries(by) {
			b.extend(n, row)
			return nil
		}
		m := moment{seq: row.Seq, at: row.At, decided: row.Kind == record.LogDecision}
		if m.decided {
			m.group, m.decision = cmp.Or(groupOf(row), row.Seq), row.Seq
			b.owe(row)
			if n >= 0 && b.moments[n].decided && b.moments[n].group == m.group {
				b.moments[n].decision = row.Seq
				b.extend(n, row)
				return nil
			}
		}
		b.moments = append(b.moments, m)
		return nil
	})
}

// extend lets a moment end with a later row.
func (b *Book) extend(i int, row record.FoldRow) {
	b.moments[i].seq = row.Seq
	delete(b.known, i)
}

// owe notes which row will carry a decision out.
func (b *Book) owe(row record.FoldRow) {
	var d record.Decision
	if json.Unmarshal(row.Data, &d) != nil {
		return
	}
	var c consequence
	switch d.Verb {
	case record.Set:
		var fields map[string]any
		if json.Unmarshal(d.Args, &fields) == nil {
			b.sets = append(b.sets, pending{row.Seq, fields})
		}
		return
	case record.WriteNote:
		c = consequence{string(record.LogNote), record.NoJob}
	case record.Pause:
		c = consequence{string(record.LogState) + string(record.ExperimentPaused), record.NoJob}
	case record.Resume:
		c = consequence{string(record.LogState) + string(record.ExperimentRunning), record.NoJob}
	case record.Hold, record.Restore:
		c = consequence{string(record.LogHeld), record.JobID(d.Candidate)}
	case record.Reject:
		c = consequence{string(record.LogEnd) + string(record.Rejected), record.JobID(d.Candidate)}
	default:
		return
	}
	if b.owed == nil {
		b.owed = map[consequence]owing{}
	}
	b.owed[c] = owing{b.owed[c].n + 1, row.Seq}
}

// soon is how many rows later a decision is carried out at most.
const soon = 500

// carriesOut returns the last decision that a row of this kind carries out, 0 for
// none.
func (b *Book) carriesOut(row record.FoldRow) record.Seq {
	c := consequence{string(row.Kind), row.Job}
	switch row.Kind {
	case record.LogSetting:
		return b.putInForce(row)
	case record.LogState:
		var d record.StateData
		_ = json.Unmarshal(row.Data, &d) // what is none matches nothing
		c.kind += string(d.State)
	case record.LogEnd:
		var d record.EndData
		_ = json.Unmarshal(row.Data, &d)
		c.kind += string(d.State)
	case record.LogNote:
		c.about = record.NoJob
	}
	o, ok := b.owed[c]
	if !ok {
		return 0
	}
	if o.n--; o.n == 0 {
		delete(b.owed, c)
	} else {
		b.owed[c] = o
	}
	if row.Seq-o.by > soon {
		delete(b.owed, c)
		return 0
	}
	return o.by
}

// pending are fields of the settings that a decision changed.
type pending struct {
	by     record.Seq
	fields map[string]any
}

// putInForce returns the last decision whose settings a row has, 0 for none.
func (b *Book) putInForce(row record.FoldRow) record.Seq {
	var now map[string]any
	if json.Unmarshal(row.Data, &now) != nil {
		return 0
	}
	var by record.Seq
	b.sets = slices.DeleteFunc(b.sets, func(p pending) bool {
		for field, v := range p.fields {
			if !reflect.DeepEqual(now[field], v) { // what a row does not name is null
				return row.Seq-p.by > soon
			}
		}
		by = p.by
		return true
	})
	return by
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
	var before record.Seq
	if from > 0 {
		before = b.moments[from-1].seq
	}
	w, err := b.walkTo(ctx, before)
	if err != nil {
		return err
	}
	was, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	w.said = nil
	i := from
	err = w.upTo(ctx, b.moments[at].seq, func(row record.FoldRow) error {
		if row.Seq != b.moments[i].seq {
			return nil
		}
		snap, err := w.snapshot(ctx)
		if err != nil {
			return err
		}
		b.keep(i, view.Past{At: i, Seq: row.Seq, Time: b.moments[i].at, Decided: b.moments[i].decided, Said: w.said, Changed: view.Changes(was, snap), Snap: snap})
		was, w.said = snap, nil
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
	if err := best.upTo(ctx, seq, func(record.FoldRow) error { best.said = nil; return nil }); err != nil {
		b.drop(best)
		return nil, err
	}
	return best, nil
}

// drop forgets a walk that stopped half-way.
func (b *Book) drop(w *walk) {
	b.walks = slices.DeleteFunc(b.walks, func(x *walk) bool { return x == w })
}
