package store

import (
	"context"
	"math"

	"atoll/store/record"
)

// nano is a billionth of a dollar: the unit in which money is added up.
const nano = 1e9

// most is where sums stop: the statements that add up name it too.
const most = 9_000_000_000_000_000_000

// toNano is a finite amount in the unit in which money is added up.
func toNano(usd float64) int64 {
	return int64(math.Round(max(-most, min(usd*nano, most))))
}

// plus adds counts; what no integer holds is [most].
func plus(a, b int64) int64 {
	if b > 0 && a > most-b {
		return most
	}
	return a + b
}

func fromNano(n int64) float64  { return float64(n) / nano }
func finite(x float64) bool     { return !math.IsNaN(x) && !math.IsInf(x, 0) }
func finitePtr(x *float64) bool { return x == nil || finite(*x) }
func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// spent is a usage in the integers that are added up. A usage of nothing is
// neither priced nor unpriced.
type spent struct {
	requests, in, out         int64
	cost                      int64
	priced, unpriced, unmeter int64
}

func spentOf(u record.Usage) spent {
	s := spent{
		requests: int64(u.Requests), in: u.InputTokens, out: u.OutputTokens,
		unmeter: boolInt(u.Unmetered),
	}
	switch {
	case u.CostUSD != nil:
		s.cost, s.priced = toNano(*u.CostUSD), 1
	case u.Requests != 0 || u.Unmetered:
		s.unpriced = 1
	}
	return s
}

// usage turns sums back: one unknown cost makes the sum unknown.
func (s spent) usage() record.Usage {
	u := record.Usage{
		Requests: int(s.requests), InputTokens: s.in, OutputTokens: s.out, Unmetered: s.unmeter > 0,
	}
	if s.unpriced == 0 && s.priced > 0 {
		c := fromNano(s.cost)
		u.CostUSD = &c
	}
	return u
}

func (s *spent) add(o spent) {
	s.requests = plus(s.requests, o.requests)
	s.in = plus(s.in, o.in)
	s.out = plus(s.out, o.out)
	s.cost = plus(s.cost, o.cost)
	s.priced += o.priced
	s.unpriced += o.unpriced
	s.unmeter += o.unmeter
}

// totals are the columns of table total.
type totals struct {
	begun, evals            int64
	spent                   spent
	reserved, forfeit, wall int64
}

func (t *totals) add(o totals) {
	t.begun += o.begun
	t.evals += o.evals
	t.spent.add(o.spent)
	t.reserved += o.reserved
	t.forfeit += o.forfeit
	t.wall += o.wall
}

// money is what a money budget has to cover.
func (t totals) money() int64 { return plus(plus(t.spent.cost, t.reserved), t.forfeit) }

// tokens is what a budget of tokens has to cover.
func (t totals) tokens() int64 { return plus(t.spent.in, t.spent.out) }

func (t totals) args() []any {
	return []any{
		t.begun, t.evals, t.spent.requests, t.spent.in, t.spent.out, t.spent.cost,
		t.spent.priced, t.spent.unpriced, t.spent.unmeter, t.reserved, t.forfeit, t.wall,
	}
}

func scanTotals(r *row) totals {
	return totals{
		begun: r.int(), evals: r.int(),
		spent: spent{
			requests: r.int(), in: r.int(), out: r.int(), cost: r.int(),
			priced: r.int(), unpriced: r.int(), unmeter: r.int(),
		},
		reserved: r.int(), forfeit: r.int(), wall: r.int(),
	}
}

// limits are the budgets of the settings; 0 is no limit.
type limits struct{ jobs, evals, tokens, cost, wall int64 }

// The job kinds and states by their index in a census.
const (
	kinds  = 3
	states = 13
)

func kindIndex(k record.JobKind) int {
	switch k {
	case record.Make:
		return 0
	case record.Evaluate:
		return 1
	}
	return 2
}

func kindList() [kinds]record.JobKind {
	return [kinds]record.JobKind{record.Make, record.Evaluate, record.Assist}
}

func stateList() [states]record.JobState {
	return [states]record.JobState{
		record.Queued, record.Editing, record.Committed, record.Gated, record.Held, record.Evaluating,
		record.Placed, record.Scored, record.Rejected, record.Failed, record.Duplicate, record.Cancelled, record.Done,
	}
}

func stateIndex(s record.JobState) int {
	for i, x := range stateList() {
		if x == s {
			return i
		}
	}
	return -1
}

// census counts jobs by kind and state.
type census [kinds][states]int

func (c *census) count(k record.JobKind, s record.JobState, n int) {
	if i := stateIndex(s); i >= 0 {
		c[kindIndex(k)][i] += n
	}
}

// ledger holds what a transaction changes in the totals of an experiment, and
// the totals themselves once a budget was asked for.
type ledger struct {
	loaded bool
	base   totals
	limits limits
	delta  totals
	jobs   census
}

// now returns the totals as the transaction sees them.
func (l *ledger) now() totals {
	t := l.base
	t.add(l.delta)
	return t
}

// ledger returns the ledger of an experiment and remembers it as it was before
// the present op.
func (t *tx) ledger(exp record.ExperimentID) *ledger {
	l := t.ledgers[exp]
	if l == nil {
		l = &ledger{}
		if t.ledgers == nil {
			t.ledgers = map[record.ExperimentID]*ledger{}
		}
		t.ledgers[exp] = l
	}
	if _, ok := t.saved[exp]; !ok {
		if t.saved == nil {
			t.saved = map[record.ExperimentID]ledger{}
		}
		t.saved[exp] = *l
	}
	return l
}

// budget returns the ledger with totals and limits read.
func (t *tx) budget(exp record.ExperimentID) (*ledger, error) {
	l := t.ledger(exp)
	if l.loaded {
		return l, nil
	}
	ok, err := t.one(sqlBudget, []any{exp}, func(r *row) {
		l.base = scanTotals(r)
		l.limits = limits{r.int(), r.int(), r.int(), r.int(), r.int()}
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, notFound("experiment %d", exp)
	}
	l.loaded = true
	return l, nil
}

// moved counts a job that changed its state.
func (t *tx) moved(exp record.ExperimentID, kind record.JobKind, from, to record.JobState) {
	l := t.ledger(exp)
	l.jobs.count(kind, from, -1)
	l.jobs.count(kind, to, 1)
}

// store adds the changes to the tables.
func (l *ledger) store(c *conn, exp record.ExperimentID) error {
	if l.delta != (totals{}) {
		if _, err := c.exec(sqlTotalAdd, append([]any{exp}, l.delta.args()...)...); err != nil {
			return err
		}
	}
	if l.jobs == (census{}) {
		return nil
	}
	kindNames, stateNames := kindList(), stateList()
	for k := range l.jobs {
		for s, n := range l.jobs[k] {
			if n == 0 {
				continue
			}
			if _, err := c.exec(sqlJobCountAdd, exp, kindNames[k], stateNames[s], n); err != nil {
				return err
			}
		}
	}
	return nil
}

// Counters are the totals of an experiment.
type Counters struct {
	census census

	Begun       int          // make jobs that count against Settings.MaxJobs: leased once, or ended
	Evals       int          // runs of one stage, those reserved included
	Usage       record.Usage // the cost is nil when a part of it is unknown
	KnownUSD    float64      // the known part of the cost
	ReservedUSD float64      // of requests that run
	ForfeitUSD  float64      // of requests whose process died; counted in full against the budget
	WallMS      int64        // time with a running engine
}

// Jobs counts the jobs of a kind in any of the states; without states, all.
func (c Counters) Jobs(kind record.JobKind, in ...record.JobState) int {
	n := 0
	for i, s := range stateList() {
		want := len(in) == 0
		for _, x := range in {
			want = want || x == s
		}
		if want {
			n += c.census[kindIndex(kind)][i]
		}
	}
	return n
}

// Counters returns the totals of an experiment, in constant time.
func (db *DB) Counters(ctx context.Context, exp record.ExperimentID) (Counters, error) {
	var c Counters
	err := db.read(ctx, func(r *conn) error {
		ok, err := r.one(ctx, sqlTotal, []any{exp}, func(r *row) {
			t := scanTotals(r)
			c.Begun, c.Evals, c.Usage = int(t.begun), int(t.evals), t.spent.usage()
			c.KnownUSD, c.ReservedUSD, c.ForfeitUSD = fromNano(t.spent.cost), fromNano(t.reserved), fromNano(t.forfeit)
			c.WallMS = t.wall
		})
		if err != nil {
			return err
		}
		if !ok {
			return notFound("experiment %d", exp)
		}
		return r.query(ctx, sqlJobCounts, []any{exp}, func(r *row) error {
			c.census.count(record.JobKind(r.text()), record.JobState(r.text()), r.num())
			return nil
		})
	})
	return c, doing("read the counters", err)
}
