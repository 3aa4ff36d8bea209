package work

import (
	"context"
	"encoding/json"

	"atoll/engine/gate"
	"atoll/store"
	"atoll/store/record"
)

// gatekeeper decides whether a candidate may run: the gate, the reviewer, and
// where the settings ask for it a person.
type gatekeeper struct {
	*candidates
	scope   *scope
	changed *changedPaths
	health  *healthiness
}

// check checks the candidate's diff before any of its code runs. nil without an
// error: the job has ended.
func (w *gatekeeper) check(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) (*gate.Verdict, error) {
	w.live.stage(r.lease.Job.ID, record.Committed, "gate")
	diffs, err := r.changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	changes, err := w.repo.Changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	v := gate.Check(w.scope.policy, diffs, changes, c.Operator)
	if len(v.Findings) > 0 {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		r.evidence = append(r.evidence, record.Evidence{Kind: "gate", Text: text})
	}
	if v.Rejected {
		c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, v.Reason()
		return nil, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: v.Reason(), Candidate: c})
	}
	if ended, err := w.unhealthy(ctx, r, c); ended || err != nil {
		return nil, err
	}
	if r.lease.Job.State == record.Committed {
		if ended, err := w.review(ctx, r, c, parentTree, v); ended || err != nil {
			return nil, err
		}
		if w.reviewed(r) { // which may have cost something: once is enough
			if err := w.db.Stage(ctx, r.lease, record.Committed, record.Gated); err != nil {
				return nil, err
			}
			r.lease.Job.State = record.Gated
		}
	}
	w.live.stage(r.lease.Job.ID, record.Gated, "gate")
	return &v, nil
}
