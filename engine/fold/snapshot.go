package fold

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"atoll/engine/archive"
	"atoll/engine/behavior"
	"atoll/engine/evidence"
	"atoll/engine/search"
	"atoll/engine/view"
	"atoll/store/record"
)

// Snapshot tells the state as it is now, without what only a running engine
// knows.
func (s *State) Snapshot() *view.Snapshot {
	snap := &view.Snapshot{
		Fold: s.Seq, Experiment: s.Exp, Settings: s.SettingsInForce(), State: s.Run, Reason: s.Reason,
		Direction: s.Config.Evaluator.Direction, Objective: s.Config.Evaluator.Objective, Paired: s.Config.Evaluator.Paired, Noisy: s.Noisy,
		Repeats: s.Config.Evaluator.Repeats,
		Space:   s.Report, Curves: s.curves.snapshot(), Failures: s.failures.groups(int(s.candidates.last())),
		Operators: yieldsOf(s.yields.Operators(), s.Settings.Operators), Agents: yieldsOf(s.yields.Agents(), s.Settings.Agents),
		Targets: s.targetYields(), Shadow: s.ShadowChoice(), Past: s.past, Notes: slices.Clone(s.notes),
		Islands: s.isles.view(), Stalled: stalledText(s),
	}
	if s.Config.Search.Selection == search.Mixed {
		weights := map[string]float64{}
		for _, w := range s.yields.Shares(s.stalled) {
			weights[w.Name] = w.Share
		}
		snap.Ways = yieldsOf(s.yields.Ways(), weights)
	}
	snap.Experiment.State = s.Run
	snap.Root = s.standing(s.Candidate(record.Root), 0)
	snap.Best = s.standing(s.Candidate(s.Best), s.curves.since(s.Best))
	snap.Best.Verified = s.Decided.verified(s.Best)
	snap.Hope = hope(s)
	if sure := sure(s, &snap.Best); sure != nil && s.Best != record.Root {
		snap.Best, snap.Hope = *sure, leads(s)
	} else {
		snap.Sure = sure
	}
	snap.Rejections = rejections(s)
	if s.Noisy {
		snap.Curves.Best = s.curves.held(snap.Root.Claim.Value)
	}
	snap.Grid = s.grid()
	for i := len(s.recent) - 1; i >= 0 && len(snap.Recent) < recentCap; i-- {
		e := s.recent[i].Ended
		if e.Objective != nil {
			e.Claim = s.HeldOut(e.Job.Candidate)
			if m := s.Candidate(e.Job.Candidate); m != nil && m.Scored && s.Noisy {
				now := m.Objective
				e.Objective = &now
			}
		}
		snap.Recent = append(snap.Recent, e)
	}
	for i := len(s.Decided.All) - 1; i >= 0 && len(snap.Decisions) < recentCap; i-- {
		snap.Decisions = append(snap.Decisions, s.Decided.All[i])
	}
	snap.Undo, snap.Redo = s.positions()
	return snap
}

// hope is who looks better than the best by more than noise explains, or than the root by
// anything, and leads once it has been measured further.
func hope(s *State) *view.Rival {
	if !s.Noisy {
		return nil
	}
	best, m := s.Candidate(s.Best), s.rivalOfBest()
	if best == nil || m == nil {
		return nil
	}
	plain := s.runner(m).Plain(s.runner(best), s.Evidence.noise.Dev())
	if !plain && (s.Best != record.Root || !s.better(m, best)) {
		return nil
	}
	return &view.Rival{ID: m.ID(), Objective: m.Objective, Samples: int(m.Samples), Plain: plain}
}

// leads is who leads without a proof, beside somebody whose gain is proven.
func leads(s *State) *view.Rival {
	m := s.Candidate(s.Best)
	return &view.Rival{ID: m.ID(), Objective: m.Objective, Samples: int(m.Samples), Leads: true}
}

// rejections counts the candidates that are rejected by decision, by who decided last.
func rejections(s *State) (n view.Rejections) {
	seen := map[record.CandidateID]bool{}
	for i := range s.Decided.All {
		d := &s.Decided.All[i]
		m := s.Candidate(d.Candidate)
		if d.Verb != record.Reject || m == nil || !m.Rejected || seen[d.Candidate] {
			continue
		}
		seen[d.Candidate] = true
		switch {
		case s.Origin(m).Status == record.StatusRejected:
			n.Held++
		case s.Decided.rejecter(d.Candidate) == guardian:
			n.Guard++
		default:
			n.People++
		}
	}
	return n
}

// sure is who gained the most of those whose gain is confirmed, else who was verified by a
// promotion last, where nothing of that is true of who leads, which is decided without a test.
// Where the root leads it is the latter alone.
func sure(s *State, leader *view.Standing) *view.Standing {
	if claim, ok := s.ClaimOf(s.Best); !s.Noisy || !ok || claim.Word == evidence.Confirmed || leader.Verified != nil {
		return nil
	}
	if s.Best != record.Root {
		if st := surest(s.standings); st != nil {
			st.Verified, st.At = s.Decided.verified(st.ID), s.curves.since(st.ID)
			return st
		}
	}
	for _, d := range slices.Backward(s.Decided.All) {
		m := s.Candidate(d.Candidate)
		if d.Verb != record.Promote || m == nil || m.Out() || !m.Scored {
			continue
		}
		if b := s.Decided.verified(d.Candidate); b != nil {
			st := s.standing(m, s.curves.since(m.ID()))
			st.Verified = b
			return &st
		}
	}
	return nil
}

// surest is who gained the most of those whose gain is confirmed, nil for nobody.
func surest(a *standings) *view.Standing {
	var most *view.Standing
	for id := range a.Evidence.ranks {
		m := a.Candidate(id)
		if m == nil || m.Out() || !m.Scored {
			continue
		}
		st := a.standing(m, 0)
		if st.Claim.Word == evidence.Confirmed && (most == nil || cmp.Or(cmp.Compare(a.Sign*most.Claim.Value, a.Sign*st.Claim.Value), cmp.Compare(st.ID, most.ID)) < 0) {
			most = &st
		}
	}
	return most
}

func yieldsOf(list []search.Yield, weights map[string]float64) []view.Yield {
	out := make([]view.Yield, 0, len(list))
	seen := map[string]bool{}
	for _, y := range list {
		seen[y.Name] = true
		out = append(out, view.Yield{Name: y.Name, Weight: weights[y.Name], Tries: y.Tries, Scored: y.Scored, Improved: y.Improved, Best: y.Best, Low: y.Low, High: y.High, CostUSD: y.Usage.CostUSD, Boost: 1})
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
		out[i].Frozen = s.Decided.frozen[out[i].Name]
		if b := s.Decided.boosts[out[i].Name]; b > 0 {
			out[i].Boost = b
		}
	}
	return out
}

func (a *standings) standing(m *Candidate, at record.Millis) view.Standing {
	if m == nil || !m.Scored {
		return view.Standing{ID: record.NoCandidate, Cell: -1}
	}
	st := view.Standing{
		ID: m.ID(), Objective: m.Objective, Claimed: a.claim(m), MAD: a.Trials(m).mad, Samples: int(m.Samples), Cell: -1, At: at,
	}
	st.Claim, _ = a.ClaimOf(m.ID())
	st.Percent = view.ClaimPercent(st.Claim)
	if m.ID() == record.Root {
		st.Commit = a.Exp.RootCommit
	}
	if cell, ok := a.arch.CellOf(m.ID()); ok {
		st.Cell = cell
	}
	return st
}

func (s *State) grid() view.Grid {
	shape := s.shape()
	g := view.Grid{Dims: shape.Dims(), Total: shape.Cells(), Map: s.Report.Version}
	g.Axes = axesOf(shape)
	if s.Unfitted() {
		g.NeedFit, g.Distinct, g.FromFirst = s.Config.Map.MinFit, len(s.kinds), s.Config.Map.Provisional
	}
	if s.arch == nil {
		return g
	}
	st := s.arch.Stats()
	g.Filled, g.Coverage, g.QD, g.QDNorm, g.Mean = st.Filled, st.Coverage, st.QD, st.QDNorm, s.Sign*st.Mean
	if s.Noisy {
		g.QD, g.Unconfirmed = toldQD(s.standings)
		g.QDNorm = g.QD / float64(st.Total)
	}
	g.Offset, g.Unplaced = s.arch.Offset(), s.arch.Unplaced()
	tried := s.arch.Tried()
	g.Cells = make([]view.Cell, 0, len(tried))
	runners := make([]record.CandidateID, 0, cellRunners*len(tried))
	again := s.landAgain()
	for _, cell := range tried {
		from := len(runners)
		runners = s.arch.AppendRunners(runners, cell, cellRunners)
		c := s.cell(cell)
		if c.Tries -= again[cell]; c.Tries <= 0 && c.Elite == record.NoCandidate {
			continue
		}
		c.Runners = runners[from:len(runners):len(runners)]
		g.Cells = append(g.Cells, c)
	}
	return g
}

// axesOf are the axes that a map is shown on. Regions are shown by their numbers, in
// rows by the first axis and in columns by the second.
func axesOf(shape archive.Shape) []view.Axis {
	var out []view.Axis
	for i, a := range shape.Axes {
		if shape.Regions == nil {
			out = append(out, view.Axis{Name: a.Name, Edges: shape.EdgesOf(i)})
		} else if i < 2 {
			n := shape.Dims()[i]
			counted := archive.Shape{Axes: []archive.Axis{{Hi: float64(n), Bins: n}}}
			out = append(out, view.Axis{Name: "regions by " + a.Name, Edges: counted.EdgesOf(0)})
		}
	}
	return out
}

// toldQD is the QD score by samples that decided nothing, and how many niches have none:
// those count with the samples that decided.
func toldQD(a *standings) (score float64, unconfirmed int) {
	for _, h := range a.arch.Holders() {
		value := h.Objective
		if d := a.Trials(a.Candidate(h.ID)); d.HeldOut.N > 0 {
			value = a.Sign * d.HeldOut.Mean
		} else if h.ID != record.Root {
			unconfirmed++
		}
		score += value - a.arch.Offset()
	}
	return score, unconfirmed
}

// landAgain counts by niche the candidates that landed there and wait for a person
// again.
func (a *standings) landAgain() map[int]int {
	n := map[int]int{}
	for id := range a.again {
		if cell, ok := a.arch.CellOf(id); ok {
			n[cell]++
		}
	}
	return n
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
	m := s.Candidate(holder.ID)
	c.Elite, c.Adjusted, c.Samples = holder.ID, holder.Objective, holder.Samples
	c.Objective, c.Claim = s.Sign*holder.Objective, s.HeldOut(holder.ID)
	c.Frozen = holder.Frozen
	c.Children, c.Improved = s.yields.Parent(holder.ID)
	if m != nil {
		d := s.Trials(m)
		c.MAD, c.Since, c.Fold = d.mad, d.since, d.wonAt
	}
	return c
}

func SpaceText(r record.SpaceReport) string {
	axes := strings.Join(r.Axes, " | ")
	switch {
	case r.Cause == behavior.CauseProvisional:
		return fmt.Sprintf("map %d, until there are enough candidates to learn one: axes %s", r.Version, axes)
	case r.Cause == behavior.CauseFirst && r.Version > 1:
		return fmt.Sprintf("map %d -> %d, the first that is learned: %d niches gained, %d lost; axes %s", r.Version-1, r.Version, r.Gained, r.Lost, axes)
	case r.Version <= 1:
		return fmt.Sprintf("map 1: %d niches filled, axes %s", r.Gained, axes)
	case r.Cause == behavior.CauseSpread:
		return fmt.Sprintf("map %d -> %d: the same axes, with niches where the candidates are; %.0f %% moved niche, %.0f %% of the elites by more than one, %d niches gained, %d lost",
			r.Version-1, r.Version, 100*r.Moved, 100*r.Far, r.Gained, r.Lost)
	}
	return fmt.Sprintf("map %d -> %d (%s): %.0f %% moved niche, %.0f %% of the elites by more than one, %d niches gained, %d lost, axes turned %.0f degrees; axes %s",
		r.Version-1, r.Version, r.Cause, 100*r.Moved, 100*r.Far, r.Gained, r.Lost, r.Degrees, axes)
}
