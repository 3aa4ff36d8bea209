package work

import (
	"context"
	"fmt"
	"strings"

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
