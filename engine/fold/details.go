package fold

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"atoll/engine/archive"
	"atoll/engine/view"
	"atoll/store/record"
)

// TellStatus gives a candidate of the store the status it has now: elite when it
// holds a niche, rejected when a person rejected it after it was scored.
func (st *steering) TellStatus(c *record.Candidate) {
	m := st.Candidate(c.ID)
	switch {
	case m == nil:
	case m.Rejected:
		c.Status = record.StatusRejected
		if c.Reason == "" {
			c.Reason = st.Decided.rejection(c.ID)
		}
	case m.withheld:
		c.Status = record.StatusHeld
	case c.Status == record.StatusScored && st.arch != nil && st.arch.Holds(c.ID):
		c.Status = record.StatusElite
	}
}

// Ranked lists those who compete, or the elites, in the order of a query.
func (a *standings) Ranked(q view.CandidateQuery, limit int) []record.CandidateID {
	if a.arch == nil {
		return nil
	}
	var list []archive.Holder
	switch {
	case q.Elites:
		list = a.arch.Holders()
		slices.SortFunc(list, func(x, y archive.Holder) int { return order(q, x, y) })
	case q.Behind != nil:
		list = a.arch.Best(math.MaxInt)
	default:
		list = a.arch.Best(limit)
	}
	if q.Behind != nil {
		list = a.behind(q, list)
	}
	var out []record.CandidateID
	for _, h := range list[:min(len(list), limit)] {
		out = append(out, h.ID)
	}
	return out
}

// order compares two by the order of a query for the best or for elites.
func order(q view.CandidateQuery, x, y archive.Holder) int {
	switch {
	case !q.Best:
		return cmp.Compare(y.ID, x.ID)
	case q.Elites:
		return cmp.Or(cmp.Compare(y.Objective, x.Objective), cmp.Compare(y.ID, x.ID))
	}
	return cmp.Or(cmp.Compare(y.Objective, x.Objective), cmp.Compare(y.Samples, x.Samples), cmp.Compare(x.ID, y.ID))
}

// behind cuts a list to those who follow one, also where that one is not in it any more.
func (a *standings) behind(q view.CandidateQuery, list []archive.Holder) []archive.Holder {
	last := archive.Holder{ID: *q.Behind}
	if m := a.Candidate(last.ID); m != nil {
		last.Objective, last.Samples = a.Sign*m.Objective, int(m.Samples)
	}
	if i := slices.IndexFunc(list, func(h archive.Holder) bool { return h.ID == last.ID }); i >= 0 {
		return list[i+1:]
	}
	i := slices.IndexFunc(list, func(h archive.Holder) bool { return order(q, last, h) < 0 })
	if i < 0 {
		return nil
	}
	return list[i:]
}

// BranchesOf are the branches that a candidate was written to, oldest first, those without its
// last edits included.
func (ds *decisions) BranchesOf(id record.CandidateID) (list []view.Branch) {
	for _, x := range ds.All {
		if x.Verb != record.Promote {
			continue
		}
		b := view.Branch{Name: x.Text, Of: x.Candidate}
		if len(x.Args) > 0 {
			_ = json.Unmarshal(x.Args, &b.Promotion) // what is none says nothing
		}
		if x.Candidate == id || b.Left > 0 && b.From == id {
			list = append(list, b)
		}
	}
	return list
}

// verified is the last branch of a candidate whose gain was verified there, nil for none.
func (ds *decisions) verified(id record.CandidateID) *view.Branch {
	list := ds.BranchesOf(id)
	for i, b := range slices.Backward(list) {
		if b.Base != "" {
			return &list[i]
		}
	}
	return nil
}

func (s *State) FillDetail(d *view.CandidateDetail) {
	d.Branches = s.Decided.BranchesOf(d.Candidate.ID)
	m := s.Candidate(d.Candidate.ID)
	if m == nil || s.arch == nil {
		return
	}
	if m.Told() {
		d.Claim, _ = s.ClaimOf(m.ID())
		d.Percent = view.ClaimPercent(d.Claim)
		d.Frozen = s.arch.IsFrozen(m.ID())
	}
	if cell, ok := s.cellOf(m.ID()); ok {
		d.Cell, d.Boost = cell, s.arch.BoostOf(cell, s.folded)
	}
	for p := m; p != nil && p.ID() != record.Root; p = s.Candidate(p.Parent()) {
		d.Depth++
	}
}

// FillNiche tells a niche: who held it one after another, now and before. It returns who
// holds it and who lost to them, best first.
func (a *standings) FillNiche(d *view.NicheDetail) (holder record.CandidateID, runners []record.CandidateID) {
	holder = record.NoCandidate
	if a.arch == nil || d.Cell < 0 || d.Cell >= a.shape().Cells() {
		return holder, nil
	}
	d.Tries = a.arch.Tries(d.Cell) - a.landAgain()[d.Cell]
	if h, ok := a.arch.Holder(d.Cell); ok {
		holder = h.ID
	}
	for _, r := range a.arch.Runners(d.Cell, 20) {
		runners = append(runners, r.ID)
	}
	d.History = a.takeovers(d.Cell, 100)
	return holder, runners
}

// jobsFromBack is how many candidates are looked through for the jobs of a
// niche, newest first.
const jobsFromBack = 20_000

// JobsFrom lists the newest jobs whose parent lies in a niche.
func (a *standings) JobsFrom(cell, limit int) []record.JobID {
	if a.arch == nil {
		return nil
	}
	var out []record.JobID
	last := a.candidates.last()
	for id := last; id > max(record.Root, last-jobsFromBack) && len(out) < limit; id-- {
		if m := a.Candidate(id); m != nil {
			if at, ok := a.arch.CellOf(m.Parent()); ok && at == cell {
				out = append(out, m.Job())
			}
		}
	}
	return out
}

// takeovers tells who held a niche under the present map, newest first.
func (a *standings) takeovers(cell, limit int) []view.Takeover {
	if a.arch == nil {
		return nil
	}
	var out []view.Takeover
	before := archive.Holder{ID: record.NoCandidate}
	holder, held := a.arch.Holder(cell)
	for _, h := range a.arch.Succession(cell) {
		if held && before.ID == holder.ID && a.arch.IsFrozen(holder.ID) {
			break // nobody follows who is frozen
		}
		m := a.Candidate(h.ID)
		t := view.Takeover{At: m.created, Candidate: h.ID, From: before.ID, Objective: m.Objective, Delta: math.NaN(), Why: "new niche"}
		if before.ID != record.NoCandidate {
			t.Delta, t.Why = h.Objective-before.Objective, "better"
		}
		out, before = append(out, t), h
	}
	slices.Reverse(out)
	if len(out) > limit {
		out = out[:limit]
	}
	return out
}
