package simulate

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"atoll/store/record"
)

// The names and sizes of what is searched.
const (
	objective = "value"
	bins      = 16   // of each axis
	stride    = 0.05 // how far a child lies from its parent on an axis, about
	gain      = 0.05 // the part of the way to the best that a child which improves closes, about
)

// errMap: the axes of a simulated search are named.
var errMap = errors.New("a simulated search has no learned map")

// spot is where a candidate lies: how much of the way to the best it went, and its
// axes.
type spot struct{ way, x, y float32 }

// land is what there is to find.
type land struct {
	plan  Plan
	spots []spot // by number of candidate
}

func newLand(p Plan) *land { return &land{plan: p, spots: []spot{{0, 0.5, 0.5}}} }

// put keeps where a candidate lies.
func (l *land) put(id record.CandidateID, s spot) {
	for int(id) >= len(l.spots) {
		l.spots = append(l.spots, spot{})
	}
	l.spots[id] = s
}

// columns are what the fold reads of a candidate that was measured.
func (l *land) columns(id record.CandidateID) *record.FoldCandidate {
	s := l.spots[id]
	value := 100 * (1 + float64(s.way))
	return &record.FoldCandidate{
		ID: id, Parent: record.NoCandidate, Agent: "offline", Status: record.StatusScored, Objective: &value, Samples: 1, Version: 1,
		State: record.Scored, Measures: []float64{float64(s.x), float64(s.y)},
	}
}

func (l *land) root() *record.FoldCandidate { return l.columns(record.Root) }

// failed puts a candidate that does not work where its parent lies.
func (l *land) failed(id, parent record.CandidateID) { l.put(id, l.spots[parent]) }

// child draws what became of an edit.
func (l *land) child(k *work) *record.FoldCandidate {
	id := record.CandidateID(k.job.ID)
	p := l.spots[k.job.Parent]
	step := float32(gain * k.rng.ExpFloat64())
	if k.rng.Float64() < l.plan.Yield {
		p.way += (1 - p.way) * min(step, 1)
	} else {
		p.way -= step * (1 + p.way) / 2
	}
	p.x = within(p.x + float32(stride*k.rng.NormFloat64()))
	p.y = within(p.y + float32(stride*k.rng.NormFloat64()))
	l.put(id, p)
	c := l.columns(id)
	c.Parent, c.Operator, c.Agent = k.job.Parent, k.job.Operator, k.job.Agent
	return c
}

func within(v float32) float32 { return min(max(v, 0), 0.999) }

// sortedTasks are tasks by the number of their job.
func sortedTasks(m map[*work]bool) []*work {
	out := make([]*work, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b *work) int { return cmp.Compare(a.job.ID, b.job.ID) })
	return out
}

// look notes how the search stands, at moments that lie ever further apart.
func (w *world) look() {
	if w.now < w.every {
		return
	}
	w.every = max(w.now+w.now/4, time.Second)
	w.out.Points = append(w.out.Points, w.point())
}

func (w *world) point() Point {
	s := w.st.Archive().Stats()
	return Point{Seconds: w.now.Seconds(), Jobs: w.out.Jobs, Best: round(w.st.Candidate(w.st.Best).Objective), Filled: s.Filled, Cost: math.Round(w.out.Cost*1e6) / 1e6}
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// conclude works out the sums.
func (w *world) conclude() {
	o := &w.out
	o.Machines, o.Slots = w.plan.Machines, w.plan.Machines*w.plan.Slots
	o.Seconds = w.now.Seconds()
	for i := range w.machines {
		for k := range w.machines[i].tasks {
			w.measuring += w.now - k.began
		}
	}
	if o.Seconds > 0 {
		o.PerHour = float64(o.Jobs) / o.Seconds * 3600
		o.Busy = w.measuring.Seconds() / (o.Seconds * float64(o.Slots))
	}
	if w.fetched > 0 {
		o.WaitSlot = w.waitSlot.Seconds() / float64(w.fetched)
		o.WaitJob = w.idleTime.Seconds() / float64(w.fetched)
	}
	o.Agents = dearest(w.agents)
	if o.Jobs > 0 {
		o.PerJob = o.Cost / float64(o.Jobs)
		o.Stale = float64(w.stale) / float64(o.Jobs)
	}
	last := w.point()
	if n := len(o.Points); n > 0 && o.Points[n-1].Seconds == last.Seconds {
		o.Points = o.Points[:n-1]
	}
	o.Points = append(o.Points, last)
	o.Best, o.Filled = last.Best, last.Filled
	if o.Ended == "" {
		o.Ended = "nothing left"
	}
	o.Limit = w.limit()
}

// limit says what held the search back.
func (w *world) limit() string {
	o := &w.out
	switch {
	case o.Busy > 0.9:
		return "the slots: they are busy nearly all the time"
	case w.plan.Overhead > 0 && float64(o.Jobs)*w.plan.Overhead.Seconds() > 0.9*o.Seconds:
		return "the run itself: it commits and folds one job at a time"
	case w.plan.Strict && w.plan.Lookahead < o.Slots+o.Slots/4:
		return "order strict: at most lookahead jobs are in work at the same time"
	case o.Ended == "cost" && o.Jobs < 20*o.Slots:
		return "the cost: what it may cost is used up before the slots are filled for long"
	case o.Jobs < 20*o.Slots:
		return "the number of jobs: the end, at which slots run empty, is much of the whole"
	case w.plan.Strict:
		return "order strict: a slow job holds up what comes after it"
	}
	return "the edits: slots wait for candidates"
}
