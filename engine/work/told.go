package work

import (
	"encoding/json"
	"fmt"
	"slices"

	"atoll/config"
	"atoll/engine/guard"
	"atoll/engine/view"
	"atoll/store/record"
)

// BehaviourTold says in one line what the guard found of a candidate, by the evidence of its job, or that it is to look in
// time; "" where it is not to. objective is the metric that the experiment searches on.
func BehaviourTold(cfg config.Config, objective string, c *record.Candidate, kept []record.Evidence) (string, error) {
	for _, e := range slices.Backward(kept) {
		if e.Kind != EvidenceGuard {
			continue
		}
		var report guard.Report
		if err := json.Unmarshal(e.Text, &report); err != nil {
			return "", fmt.Errorf("read what the guard found of %s: %w", c.ID, err)
		}
		return view.CleanLine(report.Summary()), nil
	}
	if c.ID == record.Root || c.Objective == nil || !Guards(cfg, objective, c.Metrics) {
		return "", nil
	}
	return "behaviour " + view.NotComparedYet, nil
}
