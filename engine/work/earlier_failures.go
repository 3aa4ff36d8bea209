package work

import (
	"context"
	"strings"

	"atoll/engine/agent"
	"atoll/store"
	"atoll/store/record"
)

// failures are the newest failures that a job should know of: that of its
// parent itself, those of edits of the same parent, then those in its niche.
func (w *evaluatorFeedback) failures(ctx context.Context, j *agent.Job) ([]agent.Failure, error) {
	jobs, err := w.db.Jobs(ctx, w.exp(), store.JobFilter{Kind: record.Make, States: []record.JobState{record.Failed, record.Rejected}, Limit: failureLook})
	if err != nil {
		return nil, err
	}
	var parents []record.CandidateID
	for _, f := range jobs {
		parents = append(parents, f.Parent)
	}
	near, err := w.standing.Neighbours(ctx, j.Parent.ID, parents)
	if err != nil {
		return nil, err
	}
	var out []agent.Failure
	for _, wanted := range []func(f *record.Job) bool{
		func(f *record.Job) bool { return record.CandidateID(f.ID) == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent != j.Parent.ID && near[f.Parent] },
	} {
		for i := range jobs {
			f := &jobs[i]
			if len(out) == failureShown || !wanted(f) || f.Class == record.ClassBudget || f.Class == record.ClassAgent {
				continue
			}
			text, err := w.failure(ctx, f.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, agent.Failure{Job: f.ID, Class: f.Class, Reason: w.facts.publicText(f.Reason), Text: text})
		}
	}
	return out, nil
}

// failure is the end of what a failed job wrote.
func (w *evaluatorFeedback) failure(ctx context.Context, job record.JobID) (string, error) {
	all, err := w.db.EvidenceOf(ctx, w.exp(), job)
	if err != nil {
		return "", err
	}
	for _, suffix := range []string{"stderr", "stdout"} {
		for i := len(all) - 1; i >= 0; i-- {
			if text := strings.TrimSpace(string(all[i].Text)); strings.HasSuffix(all[i].Kind, suffix) && measured(all[i].Kind) && text != "" {
				return tail(w.facts.publicText(text), failureBytes), nil
			}
		}
	}
	return "", nil
}
