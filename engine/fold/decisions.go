package fold

import (
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
)

// decisions is the part of the fold that people wrote: what they did, and what
// can be taken back or done again.
type decisions struct {
	All    []record.Decision // oldest first
	undo   []record.Decision // may be taken back, newest last
	redo   []record.Decision // taken back, newest last
	frozen map[string]bool   // targets
	boosts map[string]float64
	pinned map[record.CandidateID]bool
	refit  record.Seq // the last request for a new map
	ends   decidedEnds
}

// rejection is what the person who rejected a candidate last gave as reason.
func (ds *decisions) rejection(id record.CandidateID) string {
	for _, d := range slices.Backward(ds.All) {
		if d.Verb == record.Reject && d.Candidate == id {
			if d.Text == "" {
				return "rejected by " + d.Who
			}
			return d.Text
		}
	}
	return ""
}

// guardian is who decides where the guard of behaviour does.
const guardian = "guard"

// RejectedBy is who rejected a candidate last, for a sentence.
func (ds *decisions) RejectedBy(id record.CandidateID) string {
	switch who := ds.rejecter(id); who {
	case guardian:
		return "the guard"
	case "":
		return "somebody"
	default:
		return view.CleanLine(who)
	}
}

// rejecter is who rejected a candidate last, "" where nobody is known.
func (ds *decisions) rejecter(id record.CandidateID) string {
	for _, d := range slices.Backward(ds.All) {
		if d.Verb == record.Reject && d.Candidate == id && d.Who != "" {
			return d.Who
		}
	}
	return ""
}

// remember keeps the decision and moves it between the stacks. A decision that
// undoes an undo is a redo.
func (ds *decisions) remember(d record.Decision) {
	ds.All = append(ds.All, d)
	if d.Undoes == 0 {
		ds.redo = nil
		if d.Inverse != nil {
			ds.undo = append(ds.undo, d)
		}
		return
	}
	if i := find(ds.undo, d.Undoes); i >= 0 {
		ds.redo = append(ds.redo, ds.undo[i])
		ds.undo = append(ds.undo[:i], ds.undo[i+1:]...)
		return
	}
	if i := find(ds.redo, d.Undoes); i >= 0 {
		again := ds.redo[i]
		again.Seq, again.Group = d.Seq, d.Group
		ds.redo = append(ds.redo[:i], ds.redo[i+1:]...)
		ds.undo = append(ds.undo, again)
	}
}

// pin remembers which candidates are pinned; the store keeps it with them.
func (ds *decisions) pin(id record.CandidateID, on bool) {
	if ds.pinned == nil {
		ds.pinned = map[record.CandidateID]bool{}
	}
	ds.pinned[id] = on
}

// Pinned lists the candidates that are pinned, in no order.
func (ds *decisions) Pinned() []record.CandidateID {
	var ids []record.CandidateID
	for id, on := range ds.pinned {
		if on {
			ids = append(ids, id)
		}
	}
	return ids
}

func find(list []record.Decision, seq record.Seq) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Seq == seq {
			return i
		}
	}
	return -1
}
