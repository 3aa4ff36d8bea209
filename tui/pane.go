package tui

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
)

// scope is where a binding holds. A pane lists the scopes it has, the most
// special first.
type scope string

// The scopes of the key table.
const (
	inAll        scope = "everywhere"
	inList       scope = "lists"
	inText       scope = "long texts"
	inJob        scope = "one job"
	inDoctor     scope = "doctor"
	inNiches     scope = "niches"
	inCandidates scope = "candidates"
	inJobs       scope = "jobs"
	inReview     scope = "review"
	inDiff       scope = "differences"
	inCurves     scope = "curves"
	inLog        scope = "log"
	inNotes      scope = "notes and goal"
	inDecisions  scope = "decisions"
	inSettings   scope = "settings"
	inTargets    scope = "targets"
)

// motion is a move of the cursor or of the view.
type motion int

const (
	up motion = iota
	down
	left
	right
	pageUp
	pageDown
	top
	bottom
	rowStart
	rowEnd
	wheelUp
	wheelDown
)

// selection is what the cursor of a pane stands on. Absent ids are
// NoCandidate, NoJob and -1.
type selection struct {
	cand   record.CandidateID
	job    record.JobID
	state  record.JobState // of the job, "" = unknown
	cell   int
	held   bool
	target string
}

func nothing() selection {
	return selection{cand: record.NoCandidate, job: record.NoJob, cell: -1}
}

// pane is one region of the screen or a whole screen. body returns lines that
// fit w x h cells; the box cuts and pads them. The result is kept until rev,
// the snapshot, the size, the focus or the styles change.
type pane interface {
	title() (left, right string) // styled
	body(w, h int, focus bool) []string
	rev() uint64
	timed() bool // shows elapsed time
	scopes() []scope
	sel() selection
	move(m motion) tea.Cmd
	click(x, y int) tea.Cmd // inside the box
	show() tea.Cmd          // visible now, or the snapshot changed: ask for what is missing
	take(m loadedMsg)       // an answer for this pane
	filter() (text string, ok bool)
	setFilter(text string)
}

// base gives every pane its defaults. Panes embed it.
type base struct {
	d       *desk
	id      paneID
	version uint64
}

func (b *base) rev() uint64            { return b.version }
func (b *base) bump()                  { b.version++ }
func (b *base) timed() bool            { return false }
func (b *base) sel() selection         { return nothing() }
func (b *base) move(motion) tea.Cmd    { return nil }
func (b *base) click(int, int) tea.Cmd { return nil }
func (b *base) show() tea.Cmd          { return nil }
func (b *base) take(loadedMsg)         {}
func (b *base) filter() (string, bool) { return "", false }
func (b *base) setFilter(string)       {}

// heading returns a pane's title: its number and its name.
func (b *base) heading(key, name string) string {
	if key == "" {
		return b.d.st.Strong.S(name)
	}
	return b.d.st.Label.S(key) + " " + b.d.st.Strong.S(name)
}

// loadedMsg is the answer of a reader. key says to which question.
type loadedMsg struct {
	pane paneID
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
func (q *query) ask(d *desk, id paneID, key string, fn func(ctx context.Context) (any, error)) tea.Cmd {
	return q.askTyped(d, id, key, false, fn)
}

// askTyped is ask for a question that may be in the middle of being typed: it
// is asked when no other followed for a moment.
func (q *query) askTyped(d *desk, id paneID, key string, typed bool, fn func(ctx context.Context) (any, error)) tea.Cmd {
	same := key == q.key
	if same && (q.busy || q.done && q.version == d.snap.Version) {
		return nil
	}
	var wait time.Duration
	if same {
		every := max(askEvery, min(10*time.Duration(q.took.Load()), askTimeout))
		wait = min(every, every-d.now().Sub(q.at))
	} else {
		q.done, q.err = false, nil
	}
	q.key, q.version, q.busy, q.at = key, d.snap.Version, true, d.now()
	ctx, n := d.ctx, q.latest.Add(1)
	return guard("reader", func() tea.Msg {
		if wait > 0 && !sleep(ctx, wait) {
			return nil
		}
		if typed && !same && (!sleep(ctx, typedFor) || q.latest.Load() != n) {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		began := time.Now()
		v, err := fn(ctx)
		q.took.Store(int64(time.Since(began)))
		return loadedMsg{id, key, v, err}
	})
}

// accept reports whether an answer is to the present question.
func (q *query) accept(m loadedMsg) bool {
	if m.key != q.key {
		return false
	}
	q.busy, q.done, q.err = false, true, m.err
	return true
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
