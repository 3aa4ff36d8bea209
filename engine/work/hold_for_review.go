package work

import (
	"context"
	"strings"

	"atoll/engine/gate"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// holdBefore holds a candidate for a person before any of its code runs, when
// the settings ask for it.
func (w *gatekeeper) holdBefore(ctx context.Context, r *attempt, c *record.Candidate, v gate.Verdict) (bool, error) {
	mode := w.settings().Review
	if mode == "" || mode == "off" || r.lease.Job.Approved {
		return false, nil
	}
	reason := view.HeldByRule("review.measure")
	if mode == "risky" {
		diffs, err := w.diffOf(ctx, c)
		if err != nil {
			return false, err
		}
		before, err := w.changed.before(ctx)
		if err != nil {
			return false, err
		}
		why := gate.Risky(v, diffs, before, false)
		if len(why) == 0 {
			return false, nil
		}
		reason = strings.Join(why, "; ")
	}
	return true, r.hold(ctx, record.Gated, reason, store.Outcome{})
}

// holdNiche says why a person has to decide before the candidate takes its
// niche, or nothing.
func (w *gatekeeper) holdNiche(ctx context.Context, r *attempt, c *record.Candidate, vector []float32) string {
	mode := w.settings().ReviewNiche
	if mode == "" || mode == "off" || r.lease.Job.Approved {
		return ""
	}
	takes, best, err := w.standing.WouldTake(ctx, c, vector)
	if err != nil || !takes {
		return ""
	}
	if mode == "all" {
		return view.HeldByRule("review.niche")
	}
	diffs, err := w.diffOf(ctx, c)
	if err != nil {
		return ""
	}
	before, err := w.changed.before(ctx)
	if err != nil {
		return ""
	}
	why := gate.Risky(gate.Verdict{}, diffs, before, best)
	if len(why) == 0 {
		return ""
	}
	return why[0]
}
