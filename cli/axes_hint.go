package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atoll/config"
	"atoll/engine/view"
	"atoll/store/record"
)

// What otherAxes looks at and tells at most, and how many different values make an axis.
const (
	axesAsked  = 100 // elites
	axesTold   = 3
	axesValues = 4
)

// otherAxes names the metrics by which elites differ where the map is learned from the code:
// any of them could be an axis. Times say how busy the machine was and are left out. metrics
// reads those of a candidate.
func otherAxes(ctx context.Context, s *view.Snapshot, metrics func(context.Context, record.CandidateID) ([]record.Metric, error)) (string, error) {
	if s.Grid.Map == 0 || s.Loading {
		return "", nil
	}
	values := map[string][]float64{}
	asked := 0
	for i := range s.Grid.Cells {
		id := s.Grid.Cells[i].Elite
		if id == record.NoCandidate || asked == axesAsked {
			continue
		}
		asked++
		list, err := metrics(ctx, id)
		if err != nil {
			return "", fmt.Errorf("read the metrics of %s: %w", id, err)
		}
		for _, m := range list {
			if !ofObjective(m.Name, s.Objective) && !config.TimeLike(m.Name, m.Unit) {
				values[m.Name] = append(values[m.Name], m.Value)
			}
		}
	}
	return axesText(values), nil
}

// ofObjective reports whether a metric is the objective, or came of measuring it beside the
// root.
func ofObjective(name, objective string) bool {
	base := strings.TrimSuffix(objective, ".ratio")
	return slices.Contains([]string{objective, base, base + ".ratio", base + ".root"}, name)
}

// axesText names metrics with the range of their values.
func axesText(values map[string][]float64) string {
	var found []string
	for name, list := range values {
		slices.Sort(list)
		if kinds := slices.Compact(slices.Clone(list)); len(kinds) >= axesValues {
			found = append(found, fmt.Sprintf("%s %s to %s", view.CleanLine(name), view.FormatValue(list[0]), view.FormatValue(list[len(list)-1])))
		}
	}
	slices.Sort(found)
	if more := len(found) - axesTold; more > 0 {
		found = append(found[:axesTold], fmt.Sprintf("%d more", more))
	}
	return strings.Join(found, ", ")
}
