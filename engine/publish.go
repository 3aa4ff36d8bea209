package engine

import (
	"context"
	"math"
	"slices"
	"sort"
	"time"

	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// publish makes a snapshot of the state and gives it to the feed.
func (e *Engine) publish(last bool) {
	if e.st == nil {
		e.feed.Publish(&view.Snapshot{Loading: e.fatal == nil, Fatal: errText(e.fatal), At: e.opt.Now()})
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

func runningAt(running []view.Running, s *State, cell int) int {
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

func (e *Engine) fillCounts(ctx context.Context, snap *view.Snapshot) error {
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
func FillCounts(snap *view.Snapshot, c store.Counters) {
	limit := snap.Settings.MaxJobs
	n := func(states ...record.JobState) int { return c.Jobs(record.Make, states...) }
	snap.Jobs = view.Counts{
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
func (s *State) Snapshot() *view.Snapshot {
	snap := &view.Snapshot{
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

func yieldsOf(list []search.Yield, weights map[string]float64) []view.Yield {
	out := make([]view.Yield, 0, len(list))
	seen := map[string]bool{}
	for _, y := range list {
		seen[y.Name] = true
		out = append(out, view.Yield{Name: y.Name, Weight: weights[y.Name], Tries: y.Tries, Scored: y.Scored, Improved: y.Improved, Best: y.Best, CostUSD: y.Usage.CostUSD, Boost: 1})
	}
	names := make([]string, 0, len(weights))
	for n := range weights {
		if !seen[n] {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		out = append(out, view.Yield{Name: n, Weight: weights[n], Boost: 1})
	}
	return out
}

func (s *State) targetYields() []view.Yield {
	weights, by := map[string]float64{}, map[string]string{}
	for _, t := range s.Targets() {
		weights[t.Name], by[t.Name] = t.Weight, t.By
	}
	out := slices.DeleteFunc(yieldsOf(s.yields.Targets(), weights), func(y view.Yield) bool { return y.Name == "" })
	for i := range out {
		out[i].By = by[out[i].Name]
		out[i].Frozen = s.decided.frozen[out[i].Name]
		if b := s.decided.boosts[out[i].Name]; b > 0 {
			out[i].Boost = b
		}
	}
	return out
}

func (s *State) standing(m *member, at record.Millis) view.Standing {
	if m == nil || !m.scored {
		return view.Standing{ID: record.NoCandidate, Cell: -1}
	}
	st := view.Standing{
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

func (s *State) grid() view.Grid {
	shape := s.shape()
	g := view.Grid{Dims: shape.Dims(), Total: shape.Cells(), Map: s.report.Version}
	for i := range shape.Axes {
		g.Axes = append(g.Axes, view.Axis{Name: shape.Axes[i].Name, Edges: shape.EdgesOf(i)})
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
	g.Cells = make([]view.Cell, 0, len(tried))
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
func (s *State) cell(cell int) view.Cell {
	c := view.Cell{Index: cell, Elite: record.NoCandidate, Tries: s.arch.Tries(cell), Boost: s.arch.BoostOf(cell, s.folded)}
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
