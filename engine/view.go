package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"atoll/engine/search"
	"atoll/store"
	"atoll/store/record"
)

// view is what the search may know at this fold position.
func (s *State) view() search.View {
	return search.View{
		Archive: s.arch, Fold: s.folded, Root: record.Root, Selection: s.Config.Search.Selection,
		Inspirations: s.Settings.Inspirations, Operators: search.Weights(s.Settings.Operators),
		Agents: search.Weights(s.Settings.Agents), Targets: s.targetWeights(), AgentsFor: s.agentsFor(),
		Fits: s.fits, Stats: &s.yields, Adapt: search.DefaultAdapt,
	}
}

func (s *State) targetWeights() []search.Weighted {
	var out []search.Weighted
	proposed := 0.0
	for _, t := range s.Targets() {
		if t.By != "" {
			proposed += t.Weight
		}
		w := search.Weighted{Name: t.Name, Weight: t.Weight}
		if s.decided.frozen[t.Name] {
			w.Weight = 0
		}
		if b := s.decided.boosts[t.Name]; b > 0 {
			w.Boost, w.Until = b, math.MaxInt
		}
		out = append(out, w)
	}
	if len(s.Config.Targets) == 0 && proposed > 0 { // proposals are no fence: half of the jobs stay free
		out = append(out, search.Weighted{Weight: proposed})
	}
	return out
}

// offlineOperators are what the built-in agent can carry out.
var offlineOperators = map[record.Operator]bool{
	record.OpSeed: true, record.OpTune: true, record.OpMutate: true, record.OpCrossover: true, record.OpRepair: true,
}

// agentsFor names the agents that can carry out an operator: the offline agent
// its own, models everything but tune, a person only what is asked for by hand.
func (s *State) agentsFor() func(record.Operator) []string {
	kinds := map[string]string{"offline": "offline"}
	for _, a := range s.Config.Agents {
		kinds[a.Name] = a.Kind
	}
	names := make([]string, 0, len(kinds))
	for n := range kinds {
		names = append(names, n)
	}
	sort.Strings(names)
	return func(op record.Operator) []string {
		var out []string
		for _, n := range names {
			switch kinds[n] {
			case "offline":
				if !offlineOperators[op] {
					continue
				}
			case "human":
				continue
			default:
				if op == record.OpTune {
					continue
				}
			}
			out = append(out, n)
		}
		return out
	}
}

// fits says whether an operator makes sense now.
func (s *State) fits(op record.Operator) bool {
	switch op {
	case record.OpManual:
		return false
	case record.OpRepair:
		return len(s.broken) > 0
	case record.OpSeed:
		return s.scored < seedJobs
	}
	return true
}

// seedJobs is how many measured candidates end the first population.
const seedJobs = 16

// wouldTake reports whether a measured candidate would take a niche now, and
// whether it would be the best.
func (s *State) wouldTake(c *record.Candidate, vector []float32) (takes, best bool) {
	if s.arch == nil || c.Objective == nil {
		return false, false
	}
	adjusted := s.sign * *c.Objective
	if m := s.member(s.best); m == nil || adjusted > s.sign*m.obj {
		best = true
	}
	point := c.Measures
	if s.learned {
		if s.space == nil {
			return best, best
		}
		point = s.space.Project(vector)
	}
	cell, err := s.shape().Cell(point)
	if err != nil {
		return best, best
	}
	holder, ok := s.arch.Holder(cell)
	return !ok || adjusted > holder.Objective, best
}

// publish makes a snapshot of the state and gives it to the feed.
func (e *Engine) publish(last bool) {
	if e.st == nil {
		e.feed.Publish(&Snapshot{Loading: e.fatal == nil, Fatal: errText(e.fatal), At: e.opt.Now()})
		return
	}
	e.sync()
	e.rate.open()
	snap := e.st.Snapshot()
	snap.Fatal = errText(e.fatal)
	if snap.Best.ID == e.best.ID && snap.Best.ID != record.NoCandidate {
		snap.Best.Commit = e.best.Commit
	}
	if err := tellBest(context.Background(), e.db, e.exp, &snap.Best); err != nil {
		e.note("error", record.NoJob, err.Error())
	}
	e.best = snap.Best
	snap.Owner, snap.OwnerPID = e.owner, e.ses.OwnerPID()
	snap.At = e.opt.Now()
	if e.box != nil {
		snap.Rung = e.box.Rung().String()
	}
	if e.eval != nil {
		snap.Guarantees = e.eval.Guarantees()
	}
	if e.draining() && !last {
		snap.State = record.ExperimentDraining
	}
	snap.Running = e.live.all()
	snap.Log = e.logs.tail()
	snap.PerMinute = e.rate.perMinute(snap.At)
	if err := e.fillCounts(context.Background(), snap); err != nil {
		e.note("error", record.NoJob, "count jobs: "+err.Error())
	}
	e.fillReview(context.Background(), snap)
	for i := range snap.Grid.Cells {
		snap.Grid.Cells[i].Running = runningAt(snap.Running, e.st, snap.Grid.Cells[i].Index)
	}
	e.feed.Publish(snap)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func runningAt(running []Running, s *State, cell int) int {
	n := 0
	for _, r := range running {
		if s.arch == nil || r.Job.Parent < 0 {
			continue
		}
		if at, ok := s.arch.CellOf(r.Job.Parent); ok && at == cell {
			n++
		}
	}
	return n
}

func (e *Engine) fillCounts(ctx context.Context, snap *Snapshot) error {
	c, err := e.db.Counters(ctx, e.exp)
	if err != nil {
		return err
	}
	FillCounts(snap, c)
	if e.st.Run != record.ExperimentDone {
		snap.WallMS += e.opt.Now().Sub(e.wallFrom).Milliseconds()
	}
	if left := snap.Jobs.Max - snap.Jobs.Ended(); snap.Jobs.Max > 0 && snap.PerMinute > 0 && left > 0 {
		snap.ETA = time.Duration(float64(left) / snap.PerMinute * float64(time.Minute))
	}
	return nil
}

// FillCounts copies the store's totals into a snapshot.
func FillCounts(snap *Snapshot, c store.Counters) {
	limit := snap.Settings.MaxJobs
	n := func(states ...record.JobState) int { return c.Jobs(record.Make, states...) }
	snap.Jobs = Counts{
		Queued: n(record.Queued), Held: n(record.Held),
		Running: n(record.Editing, record.Committed, record.Gated, record.Evaluating),
		Placed:  n(record.Placed), Scored: n(record.Scored), Rejected: n(record.Rejected),
		Failed: n(record.Failed), Duplicate: n(record.Duplicate), Cancelled: n(record.Cancelled), Max: limit,
	}
	snap.Evals, snap.Usage, snap.WallMS = c.Evals, c.Usage, c.WallMS
	for _, r := range snap.Recent {
		snap.OwnMS += r.Job.OwnMS / float64(len(snap.Recent))
	}
}

// Snapshot tells the state as it is now, without what only a running engine
// knows.
func (s *State) Snapshot() *Snapshot {
	snap := &Snapshot{
		Fold: s.seq, Experiment: s.Exp, Settings: s.Settings, State: s.Run, Reason: s.Reason,
		Direction: s.Config.Evaluator.Direction, Objective: s.Config.Evaluator.Objective, Noisy: s.noisy,
		Space: s.report, Curves: s.curves.snapshot(), Failures: s.FailureGroups(),
		Operators: yieldsOf(s.yields.Operators(), s.Settings.Operators), Agents: yieldsOf(s.yields.Agents(), s.Settings.Agents),
		Targets: s.targetYields(), Shadow: s.shadowChoice(), Past: s.past, Notes: slices.Clone(s.notes),
	}
	snap.Experiment.State = s.Run
	snap.Root = s.standing(s.member(record.Root), 0)
	snap.Best = s.standing(s.member(s.best), s.curves.since())
	snap.Grid = s.grid()
	for i := len(s.recent) - 1; i >= 0 && len(snap.Recent) < recentCap; i-- {
		snap.Recent = append(snap.Recent, s.recent[i])
	}
	for i := len(s.decided.all) - 1; i >= 0 && len(snap.Decisions) < recentCap; i-- {
		snap.Decisions = append(snap.Decisions, s.decided.all[i])
	}
	return snap
}

func yieldsOf(list []search.Yield, weights map[string]float64) []Yield {
	out := make([]Yield, 0, len(list))
	seen := map[string]bool{}
	for _, y := range list {
		seen[y.Name] = true
		out = append(out, Yield{Name: y.Name, Weight: weights[y.Name], Tries: y.Tries, Scored: y.Scored, Improved: y.Improved, Best: y.Best, CostUSD: y.Usage.CostUSD, Boost: 1})
	}
	names := make([]string, 0, len(weights))
	for n := range weights {
		if !seen[n] {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		out = append(out, Yield{Name: n, Weight: weights[n], Boost: 1})
	}
	return out
}

func (s *State) targetYields() []Yield {
	weights, by := map[string]float64{}, map[string]string{}
	for _, t := range s.Targets() {
		weights[t.Name], by[t.Name] = t.Weight, t.By
	}
	out := slices.DeleteFunc(yieldsOf(s.yields.Targets(), weights), func(y Yield) bool { return y.Name == "" })
	for i := range out {
		out[i].By = by[out[i].Name]
		out[i].Frozen = s.decided.frozen[out[i].Name]
		if b := s.decided.boosts[out[i].Name]; b > 0 {
			out[i].Boost = b
		}
	}
	return out
}

func (s *State) standing(m *member, at record.Millis) Standing {
	if m == nil || !m.scored {
		return Standing{ID: record.NoCandidate, Cell: -1}
	}
	st := Standing{
		ID: m.id(), Objective: m.obj, Claimed: s.claim(m), MAD: s.did(m).mad, Samples: int(m.samples), Cell: -1, At: at,
		Percent: s.percent(m.obj),
	}
	if m.id() == record.Root {
		st.Commit = s.Exp.RootCommit
	}
	if cell, ok := s.arch.CellOf(m.id()); ok {
		st.Cell = cell
	}
	return st
}

// percent is the improvement on the root in percent of its size, positive is
// better; NaN when the root is 0.
func (s *State) percent(obj float64) float64 {
	if s.rootObj == 0 {
		return math.NaN()
	}
	return s.sign * (obj - s.rootObj) / math.Abs(s.rootObj) * 100
}

func (s *State) grid() Grid {
	shape := s.shape()
	g := Grid{Dims: shape.Dims(), Total: shape.Cells(), Map: s.report.Version}
	for i := range shape.Axes {
		g.Axes = append(g.Axes, Axis{Name: shape.Axes[i].Name, Edges: shape.EdgesOf(i)})
	}
	if s.learned && s.space == nil {
		g.NeedFit = s.Config.Map.MinFit
	}
	if s.arch == nil {
		return g
	}
	st := s.arch.Stats()
	g.Filled, g.Coverage, g.QD, g.QDNorm, g.Mean = st.Filled, st.Coverage, st.QD, st.QDNorm, s.sign*st.Mean
	g.Offset, g.Unplaced = s.arch.Offset(), s.arch.Unplaced()
	tried := s.arch.Tried()
	g.Cells = make([]Cell, 0, len(tried))
	runners := make([]record.CandidateID, 0, cellRunners*len(tried))
	for _, cell := range tried {
		from := len(runners)
		runners = s.arch.AppendRunners(runners, cell, cellRunners)
		c := s.cell(cell)
		c.Runners = runners[from:len(runners):len(runners)]
		g.Cells = append(g.Cells, c)
	}
	return g
}

// cellRunners is how many of those that lost a cell it lists.
const cellRunners = 5

// cell tells one cell without its runners.
func (s *State) cell(cell int) Cell {
	c := Cell{Index: cell, Elite: record.NoCandidate, Tries: s.arch.Tries(cell), Boost: s.arch.BoostOf(cell, s.folded)}
	holder, ok := s.arch.Holder(cell)
	if !ok {
		return c
	}
	m := s.member(holder.ID)
	c.Elite, c.Adjusted, c.Samples = holder.ID, holder.Objective, holder.Samples
	c.Objective = s.sign * holder.Objective
	c.Frozen = holder.Frozen
	c.Children, c.Improved = s.yields.Parent(holder.ID)
	if m != nil {
		d := s.did(m)
		c.MAD, c.Since, c.Fold = d.mad, d.since, d.wonAt
	}
	return c
}

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

// Place returns where a candidate lies now: its niche and its coordinates on
// the axes, nil while it has none.
func (s *State) Place(id record.CandidateID) (niche []int, point []float64) {
	m := s.member(id)
	if m == nil || s.arch == nil || !m.scored {
		return nil, nil
	}
	if cell, ok := s.arch.CellOf(id); ok {
		niche = s.Coords(cell)
	}
	return niche, s.pointOf(id)
}

// Coords returns the bin per axis of a flat cell index.
func (s *State) Coords(cell int) []int { return s.shape().Coords(cell) }

// Cell returns the flat index of the niche with these bins per axis.
func (s *State) Cell(coords []int) (int, error) {
	dims := s.shape().Dims()
	if len(coords) != len(dims) {
		return 0, fmt.Errorf("%w: a niche here has %d numbers, as in %s", ErrDecision, len(dims), cellName(make([]int, len(dims))))
	}
	cell := 0
	for i, c := range coords {
		if c < 0 || c >= dims[i] {
			return 0, fmt.Errorf("%w: niche %s is outside the map, which has %v cells", ErrDecision, cellName(coords), dims)
		}
		cell = cell*dims[i] + c
	}
	return cell, nil
}
