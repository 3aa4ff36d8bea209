package engine

import (
	"context"

	"atoll/store/record"
)

// Metrics returns the medians of all metrics of some candidates. One that was
// never measured is not in the answer; one that the present objective version
// did not measure has those of an earlier one.
func (e *Engine) Metrics(ctx context.Context, ids []record.CandidateID) (map[record.CandidateID][]record.Metric, error) {
	return e.db.MetricsOf(ctx, e.exp, ids)
}
