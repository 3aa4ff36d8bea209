package work

import (
	"context"
	"fmt"
	"strings"

	"atoll/engine/agent"
	"atoll/store"
	"atoll/store/record"
)

// evaluatorFeedback is what the evaluator said of candidates, as far as agents may know.
type evaluatorFeedback struct{ *run }

// The bounds of what is told of it.
const (
	feedbackBytes = 16 << 10
	failureBytes  = 2 << 10
	failureShown  = 5
	failureLook   = 50 // newest failures looked through
)

// measured reports whether a piece of evidence is what the evaluator said, and
// not what an agent was told or answered.
func measured(kind string) bool {
	return strings.HasSuffix(kind, "stderr") || strings.HasSuffix(kind, "stdout") || strings.HasSuffix(kind, "result") || strings.HasPrefix(kind, "artifact ")
}

// of is what the evaluator said of a candidate, without a line that
// names a private metric.
func (w *evaluatorFeedback) of(ctx context.Context, id record.CandidateID) ([]record.Evidence, error) {
	all, err := w.db.EvidenceOf(ctx, w.exp(), record.JobID(id))
	if err != nil {
		return nil, fmt.Errorf("read what the evaluator said of %s: %w", id, err)
	}
	var out []record.Evidence
	room := feedbackBytes
	for _, ev := range all {
		if !measured(ev.Kind) || strings.HasSuffix(ev.Kind, "result") && len(w.facts.Config.Evaluator.Private) > 0 {
			continue
		}
		text := tail(w.facts.publicText(string(ev.Text)), room)
		if room -= len(text); strings.TrimSpace(text) != "" {
			ev.Text = []byte(text)
			out = append(out, ev)
		}
	}
	return out, nil
}

// tail is the end of a text, at most n bytes, from the beginning of a line
// where it is cut.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	text = text[len(text)-n:]
	if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
		text = rest
	}
	return strings.ToValidUTF8(text, "")
}

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
