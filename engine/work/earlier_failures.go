package work

import (
	"context"
	"strings"

	"atoll/engine/agent"
	"atoll/store"
	"atoll/store/record"
)

// failures are the newest failures that a job should know of: that of its
// parent itself, those of edits of the same parent, then those in its niche. Of
// those with one reason it is the first; the others are counted.
func (w *evaluatorFeedback) failures(ctx context.Context, j *agent.Job, seen *Outlook) ([]agent.Failure, error) {
	before, near := record.JobID(0), map[record.CandidateID]bool{}
	if seen != nil {
		before = seen.Folded
		for _, id := range seen.Near {
			near[id] = true
		}
	}
	jobs, err := w.newest(ctx, before)
	if err != nil {
		return nil, err
	}
	if seen == nil {
		var parents []record.CandidateID
		for _, f := range jobs {
			parents = append(parents, f.Parent)
		}
		if near, err = w.standing.Neighbours(ctx, j.Parent.ID, parents); err != nil {
			return nil, err
		}
	}
	var out []agent.Failure
	place := map[string]int{} // of a class and reason in out
	told := map[record.JobID]bool{}
	for _, wanted := range []func(f *record.Job) bool{
		func(f *record.Job) bool { return record.CandidateID(f.ID) == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent != j.Parent.ID && near[f.Parent] },
	} {
		for i := range jobs {
			f := &jobs[i]
			if told[f.ID] || !wanted(f) || f.Class == record.ClassBudget || f.Class == record.ClassAgent {
				continue
			}
			told[f.ID] = true
			reason := w.facts.publicText(f.Reason)
			key := sameFailure(f.Class, reason)
			if i, known := place[key]; known {
				out[i].Alike++
				continue
			}
			if len(out) == failureShown {
				continue
			}
			shown, err := w.failed(ctx, f, reason)
			if err != nil {
				return nil, err
			}
			place[key], out = len(out), append(out, shown)
		}
	}
	return out, nil
}

// newest are the newest jobs that failed, of lower numbers than one; 0: of all.
func (w *evaluatorFeedback) newest(ctx context.Context, before record.JobID) ([]record.Job, error) {
	return w.db.Jobs(ctx, w.exp(), store.JobFilter{
		Kind: record.Make, States: []record.JobState{record.Failed, record.Rejected}, Before: before, Limit: failureLook,
	})
}

// sameFailure is equal for failures of one reason, whatever numbers (lines, columns,
// values) it names.
func sameFailure(class record.Class, reason string) string {
	return string(class) + " " + strings.Map(func(r rune) rune {
		if r == '.' || '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, reason)
}

// failed tells of one failure what it was to do, what it changed and what came of it.
func (w *evaluatorFeedback) failed(ctx context.Context, f *record.Job, reason string) (agent.Failure, error) {
	out := agent.Failure{Job: f.ID, Class: f.Class, Reason: reason}
	var err error
	if out.Text, err = w.failure(ctx, f.ID); err != nil {
		return out, err
	}
	c, err := w.db.Candidate(ctx, w.exp(), record.CandidateID(f.ID))
	if err != nil {
		return out, nil // it made no commit
	}
	out.Intent = c.Intent
	parent, err := w.db.Candidate(ctx, w.exp(), c.Parent())
	if err != nil {
		return out, nil
	}
	text, err := w.repo.PatchText(ctx, parent.Tree, c.Tree)
	if err != nil {
		return out, nil // its objects are gone; what it said is told all the same
	}
	if len(text) > failureBytes {
		text = append(text[:failureBytes:failureBytes], "\n... cut here\n"...)
	}
	out.Diff = strings.ToValidUTF8(string(text), "")
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
