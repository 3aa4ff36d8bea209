package work

import (
	"context"
	"strings"

	"atoll/engine/gate"
	"atoll/store"
	"atoll/store/record"
)

// holdBefore holds a candidate for a person before any of its code runs, when
// the settings ask for it.
func (r *jobRun) holdBefore(ctx context.Context, c *record.Candidate, v gate.Verdict) (bool, error) {
	mode := r.w.settings().Review
	if mode == "" || mode == "off" || r.lease.Job.Approved {
		return false, nil
	}
	reason := "every candidate is reviewed before it is measured"
	if mode == "risky" {
		diffs, err := r.w.diffOf(ctx, c)
		if err != nil {
			return false, err
		}
		before, err := r.w.touchedBefore(ctx)
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

// hold stops the job until a person decides, with all that was gathered.
func (r *jobRun) hold(ctx context.Context, at record.JobState, reason string, out store.Outcome) error {
	r.fill(&out)
	return r.w.db.Hold(context.WithoutCancel(ctx), r.lease, at, reason, out)
}

// reviewNiche says why a person has to decide before the candidate takes its
// niche, or nothing.
func (r *jobRun) reviewNiche(ctx context.Context, c *record.Candidate, vector []float32) string {
	mode := r.w.settings().ReviewNiche
	if mode == "" || mode == "off" || r.lease.Job.Approved {
		return ""
	}
	takes, best, err := r.w.standing.WouldTake(ctx, c, vector)
	if err != nil || !takes {
		return ""
	}
	if mode == "all" {
		return "every new elite is reviewed"
	}
	diffs, err := r.w.diffOf(ctx, c)
	if err != nil {
		return ""
	}
	before, err := r.w.touchedBefore(ctx)
	if err != nil {
		return ""
	}
	why := gate.Risky(gate.Verdict{}, diffs, before, best)
	if len(why) == 0 {
		return ""
	}
	return why[0]
}
