package fold

import (
	"atoll/engine/view"
	"atoll/store/record"
)

type WaitingRead struct {
	Attempt   int
	Candidate record.Candidate
	Point     []float64 // where it would lie, nil when that is not known yet
}

// WaitingFor tells a held job, the niche that its candidate would take, and from
// whom.
func (a *standings) WaitingFor(j record.Job, r *WaitingRead) view.Held {
	h := view.Held{Job: j, Candidate: r.Candidate, Before: "measuring", Cell: -1, From: record.NoCandidate}
	if j.HeldAt == record.Evaluating {
		h.Before = "its niche"
	}
	if j.Reason != "" {
		h.Findings = []string{j.Reason}
	}
	if p := a.Candidate(r.Candidate.Parent()); p != nil && p.Scored {
		obj := p.Objective
		h.Parent = &obj
	}
	if a.arch == nil || len(r.Point) == 0 {
		return h
	}
	cell, err := a.shape().Cell(r.Point)
	if err != nil {
		return h
	}
	h.Cell = cell
	if holder, ok := a.arch.Holder(cell); ok {
		h.From = holder.ID
	}
	return h
}
