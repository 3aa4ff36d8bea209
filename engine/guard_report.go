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

// KeepDifference keeps in what a candidate differs from the root as was found outside of a run, and appends
// the decision, prepared, by which the guard rejects it for that. The log is told at once to whoever looks on.
func KeepDifference(ctx context.Context, ses *Session, exp record.ExperimentID, c *record.Candidate, report *guard.Report, d record.Decision) error {
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("keep what the guard found of %s: %w", c.ID, err)
	}
	job, err := ses.DB.Job(ctx, exp, c.Job)
	if err != nil {
		return err
	}
	if err := ses.DB.PutEvidence(ctx, exp, []record.Evidence{{Job: c.Job, Attempt: job.Attempt, Kind: work.EvidenceGuard, Text: text}}); err != nil {
		return err
	}
	_, err = ses.DB.AppendDecisions(ctx, exp, d)
	return err
}
