package pane

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// Crash says that a command of the console panicked.
type Crash struct{ Where, Value, Stack string }

// Guard makes a command whose panic becomes a message instead of a dead
// terminal.
func Guard(where string, fn func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = Crash{where, fmt.Sprint(p), string(debug.Stack())}
			}
		}()
		return fn()
	}
}

// Loaded is the answer of a reader. key says to which question.
type Loaded struct {
	Pane ID
	key  string
	val  any
	err  error
}

// query is one kind of question of one pane, at most one under way. It asks
// again when the question or the snapshot changed, at most twice a second and a
// tenth of the time.
type query struct {
	key     string
	version uint64
	at      time.Time
	busy    bool
	done    bool // an answer to key arrived
	err     error
	took    atomic.Int64  // nanoseconds until the last answer
	latest  atomic.Uint64 // which question is the last one
}

const (
	typedFor   = 150 * time.Millisecond // how long a text rests before it is asked for
	askEvery   = 500 * time.Millisecond
	askTimeout = 15 * time.Second
)

// ask returns the command that asks, or nil when the answer is there or under
// way. The function runs outside the screen's goroutine.
func (q *query) ask(d *Shared, id ID, key string, fn func(ctx context.Context) (any, error)) tea.Cmd {
	return q.askTyped(d, id, key, false, fn)
}

// askTyped is ask for a question that may be in the middle of being typed: it
// is asked when no other followed for a moment.
func (q *query) askTyped(d *Shared, id ID, key string, typed bool, fn func(ctx context.Context) (any, error)) tea.Cmd {
	same := key == q.key
	if same && (q.busy || q.done && q.version == d.Snap.Version) {
		return nil
	}
	var wait time.Duration
	if same {
		every := max(askEvery, min(10*time.Duration(q.took.Load()), askTimeout))
		wait = min(every, every-d.Today().Sub(q.at))
	} else {
		q.done, q.err = false, nil
	}
	q.key, q.version, q.busy, q.at = key, d.Snap.Version, true, d.Today()
	ctx, pass, n := d.Ctx, d.Wait, q.latest.Add(1)
	return Guard("reader", func() tea.Msg {
		if wait > 0 && !pass(ctx, wait) {
			return nil
		}
		if typed && !same && (!pass(ctx, typedFor) || q.latest.Load() != n) {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		began := time.Now()
		v, err := fn(ctx)
		q.took.Store(int64(time.Since(began)))
		return Loaded{id, key, v, err}
	})
}

// accept reports whether an answer is to the present question.
func (q *query) accept(m Loaded) bool {
	if m.key != q.key {
		return false
	}
	q.busy, q.done, q.err = false, true, m.err
	return true
}

// Wait returns after a time, or false at once when the context ends before.
type Wait func(ctx context.Context, d time.Duration) bool

// Sleep is the [Wait] of the clock on the wall.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// Reader answers what a snapshot is too small for. Every method may be slow;
// the console calls them outside its own goroutine.
type Reader interface {
	Job(ctx context.Context, id record.JobID) (view.JobDetail, error)
	Jobs(ctx context.Context, q view.JobQuery) ([]view.JobLine, error)
	Candidate(ctx context.Context, id record.CandidateID) (view.CandidateDetail, error)
	Candidates(ctx context.Context, q view.CandidateQuery) ([]record.Candidate, error)
	// Claims tells what samples that decided nothing say of some candidates.
	Claims(ctx context.Context, ids []record.CandidateID) (view.Claims, error)
	// Diff returns the difference from a to b with lines of context around
	// each change.
	Diff(ctx context.Context, a, b record.CandidateID, lines int) ([]view.FilePatch, error)
	// Metrics returns the metrics of some candidates, without those never measured.
	Metrics(ctx context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error)
	Lineage(ctx context.Context, id record.CandidateID) (view.Lineage, error)
	// Survivors returns the lines of descent of all that hold a niche, as one
	// family of the root.
	Survivors(ctx context.Context) (view.Lineage, error)
	// Past tells how the experiment stood after a moment of its log, by its
	// number from 0; one below 0 means the newest.
	Past(ctx context.Context, at int) (view.Past, error)
	// Odds tells the chances of the next draws under other settings.
	Odds(ctx context.Context, draft record.Settings) (view.Odds, error)
	// NextPrompt tells what the agent of the next job would be told if the goal
	// were another.
	NextPrompt(ctx context.Context, goal string) (view.NextPrompt, error)
	// Front tells who is best in a way of its own.
	Front(ctx context.Context) (view.Front, error)
	Niche(ctx context.Context, cell int) (view.NicheDetail, error)
	Decisions(ctx context.Context, limit int) ([]record.Decision, error)
	Settings(ctx context.Context) ([]view.SettingInfo, error)
	Doctor(ctx context.Context) ([]view.CheckLine, error)
}
