package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/engine/guard"
	"atoll/engine/work"
	"atoll/store"
	"atoll/store/record"
)

// GuardReport is what the guard found of a candidate; ok is false for one that it
// did not look at.
func GuardReport(ctx context.Context, ses *Session, exp record.ExperimentID, c *record.Candidate) (report guard.Report, ok bool, err error) {
	return guardReport(ctx, ses.DB, exp, c)
}

func guardReport(ctx context.Context, db *store.DB, exp record.ExperimentID, c *record.Candidate) (report guard.Report, ok bool, err error) {
	list, err := db.EvidenceOf(ctx, exp, c.Job)
	if err != nil {
		return report, false, err
	}
	for _, ev := range list {
		if ev.Kind == work.EvidenceGuard {
			report = guard.Report{}
			if err := json.Unmarshal(ev.Text, &report); err != nil {
				return report, false, fmt.Errorf("read what the guard found of %s: %w", c.ID, err)
			}
			ok = true
		}
	}
	return report, ok, nil
}
