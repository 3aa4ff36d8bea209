package pane

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// axisUnits are the units of the metrics that are axes, as the root reports them.
// They are asked for once for each evaluator.
type axisUnits struct {
	of  string // the evaluator that they are known for
	by  map[string]string
	ask query
}

// mostUnit is how many cells of a unit are told.
const mostUnit = 8

// load asks for what is not known.
func (u *axisUnits) load(d *Shared, id ID) tea.Cmd {
	key := fmt.Sprint("units ", experimentOf(d.Snap))
	if u.of == key || d.Snap.Root.ID < 0 || len(d.Snap.Grid.Axes) == 0 {
		return nil
	}
	r := d.Reader
	return u.ask.ask(d, id, key, func(ctx context.Context) (any, error) { return r.Candidate(ctx, record.Root) })
}

// take accepts an answer, and reports whether it was one.
func (u *axisUnits) take(m Loaded) bool {
	root, ok := m.val.(view.CandidateDetail)
	if !ok || !u.ask.accept(m) {
		return false
	}
	u.of, u.by = u.ask.key, map[string]string{}
	for _, metric := range root.Candidate.Metrics {
		unit := plot.Clean(metric.Unit)
		u.by[metric.Name] = plot.Fit(unit, min(plot.Width(unit), mostUnit))
	}
	return true
}

// named is the name of an axis with its unit, in about w cells; "…" ends a name that lost words.
func (u *axisUnits) named(axis string, w int) string {
	unit := u.unit(axis)
	if unit != "" {
		w -= plot.Width(unit) + 2
	}
	w = max(8, w)
	return widget.Words(", ", widget.CutAxis(axis, w), unit)
}

// after is the unit as it follows a value of an axis.
func (u *axisUnits) after(axis string) string {
	return widget.Unless(u.unit(axis) == "", " "+u.unit(axis))
}

// unit is that of an axis, "" also where it is the axis' own name.
func (u *axisUnits) unit(axis string) string {
	return widget.Unless(strings.EqualFold(u.by[axis], axis), u.by[axis])
}

// experimentOf tells one evaluator of one experiment from others.
func experimentOf(s *view.Snapshot) string {
	return fmt.Sprint(int64(s.Experiment.ID), " ", s.Experiment.Objective)
}
