package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"atoll/engine/eval/output"
	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

// pastValue is what a candidate was worth under an earlier objective version.
type pastValue struct {
	Version   int     `json:"objective_version"`
	Objective float64 `json:"objective"`
	Samples   int     `json:"samples"`
}

// history reads what a candidate was worth before it was measured as it is now.
func (o *opened) history(ctx context.Context, c record.Candidate) ([]pastValue, error) {
	samples, err := o.DB.SamplesOf(ctx, o.exp.ID, c.ID)
	if err != nil {
		return nil, err
	}
	values := map[int][]float64{}
	for _, s := range samples {
		if s.Version < c.Version && !s.HeldOut {
			values[s.Version] = append(values[s.Version], s.Objective)
		}
	}
	var out []pastValue
	for _, v := range slices.Sorted(maps.Keys(values)) {
		out = append(out, pastValue{Version: v, Objective: output.Median(values[v]), Samples: len(values[v])})
	}
	return out, nil
}

// valueText is the value of a candidate with its evidence, marked where it is history.
func (o *opened) valueText(l candidateLine) string {
	if l.Value != "" {
		return l.Value
	}
	text := objectiveText(l.Objective)
	if l.Objective != nil && l.Version < o.exp.Objective {
		text += fmt.Sprintf(" (objective version %d)", l.Version)
	}
	return text
}

// toldAlone is the value of a candidate that has no place in the fold yet: in strict order
// its turn has not come, or a person is to decide. "" where it has none under the present
// objective.
func (o *opened) toldAlone(c *record.Candidate) string {
	if c.Objective == nil || max(1, c.Version) < o.exp.Objective {
		return ""
	}
	return view.Told{ID: c.ID, Value: c.Objective, Noisy: o.state.Noisy}.String()
}

// told is a candidate's value with its evidence, "" where it has none under the present
// objective.
func (o *opened) told(id record.CandidateID) string {
	claim, ok := o.state.ClaimOf(id)
	if !ok {
		return ""
	}
	return view.ToldValue(id, claim)
}

// pastText tells an objective version that ended, in its own values.
func pastText(p record.PastObjective) string {
	text := fmt.Sprintf("past  objective version %d", p.Version)
	if p.Metric != "" {
		text += " (" + view.CleanLine(p.Metric) + ")"
	}
	if p.Root == nil {
		return text + ": the root was never measured"
	}
	text += fmt.Sprintf(": root %s", view.FormatValue(*p.Root))
	if p.Value != nil {
		text += fmt.Sprintf(", best %s %s", p.Best, view.FormatValue(*p.Value))
		if p.Evidence != "" && p.Evidence != string(evidence.Exact) {
			text += " (" + view.CleanLine(p.Evidence) + ")"
		}
	}
	return text + fmt.Sprintf(", %d measured, %d niches", p.Scored, p.Filled)
}
