package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/guard"
	"atoll/engine/view"
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

// RejectDifferent keeps in what a candidate was found to differ from the root outside of a run, and has
// the guard reject it for that, as in one.
func RejectDifferent(ctx context.Context, ses *Session, st *fold.State, c *record.Candidate, report *guard.Report) error {
	ds, err := st.PrepareStep([]record.Decision{work.Rejection(c.ID, view.CleanLine(report.Summary()))})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return fmt.Errorf("keep what the guard found of %s: %w", c.ID, err)
	}
	job, err := ses.DB.Job(ctx, st.Exp.ID, c.Job)
	if err != nil {
		return err
	}
	if err := ses.DB.PutEvidence(ctx, st.Exp.ID, []record.Evidence{{Job: c.Job, Attempt: job.Attempt, Kind: work.EvidenceGuard, Text: text}}); err != nil {
		return err
	}
	_, err = ses.DB.AppendDecisions(ctx, st.Exp.ID, ds...)
	return err
}
