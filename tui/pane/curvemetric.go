package pane

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// bestMetrics are the metrics of the candidates that were the best, read when a
// person first asks for one.
type bestMetrics struct {
	at    int      // 0 = the objective, else names[at-1]; any number until they are known
	names []string // as the evaluator reports them, without the objective; only grows
	of    map[record.CandidateID][]record.Metric
	era   string // experiment and objective version they are of
	has   string // state of the search they tell
	q     query
}

// bestAnswer is what a reader said about the candidates that were the best in
// one state of the search.
type bestAnswer struct {
	has string
	ids []record.CandidateID // newest first, then the root
	of  map[record.CandidateID][]record.Metric
}

// bestState is equal for two snapshots whose best candidates have the same
// metrics.
func bestState(s *view.Snapshot) string {
	last := view.Reign{ID: record.NoCandidate}
	if n := len(s.Curves.Reigns); n > 0 {
		last = s.Curves.Reigns[n-1]
	}
	return fmt.Sprint(len(s.Curves.Reigns), last, s.Best.Samples, s.Root.Samples)
}

func eraOf(s *view.Snapshot) string {
	return fmt.Sprint("metrics ", s.Experiment.ID, s.Experiment.Objective)
}

// everBest lists who was the best, newest first, and then the root.
func everBest(s *view.Snapshot) []record.CandidateID {
	var ids []record.CandidateID
	for _, r := range slices.Backward(s.Curves.Reigns) {
		ids = append(ids, r.ID)
	}
	return append(ids, record.Root)
}

// turn brings at into the range of what there is to show once that is known.
func (m *bestMetrics) turn() {
	if m.of != nil {
		n := 1 + max(1, len(m.names)) // without names one place tells that there are none
		m.at = (m.at%n + n) % n
	}
}

func (m *bestMetrics) name() string {
	if m.of == nil || m.at < 1 || m.at > len(m.names) {
		return ""
	}
	return m.names[m.at-1]
}

// value is the metric of a candidate, NaN where it is not known.
func (m *bestMetrics) value(id record.CandidateID) float64 {
	name := m.name()
	for _, x := range m.of[id] {
		if x.Name == name {
			return x.Value
		}
	}
	return math.NaN()
}

// values are those of all that were the best, and the root's.
func (m *bestMetrics) values(s *view.Snapshot) []float64 {
	var out []float64
	for _, id := range everBest(s) {
		out = append(out, m.value(id))
	}
	return out
}

// unit is what the values are counted in, "" where the evaluator does not say.
func (m *bestMetrics) unit(s *view.Snapshot) string {
	name := m.name()
	for _, id := range everBest(s) {
		for _, x := range m.of[id] {
			if x.Name == name && x.Unit != "" && !strings.EqualFold(x.Unit, name) {
				return x.Unit
			}
		}
	}
	return ""
}

// learn takes the names that are new. Those that are known keep their places.
func (m *bestMetrics) learn(a bestAnswer, objective string) {
	m.of, m.has = a.of, a.has
	for _, id := range a.ids {
		for _, x := range a.of[id] {
			if x.Name != objective && !slices.Contains(m.names, x.Name) {
				m.names = append(m.names, x.Name)
			}
		}
	}
	m.turn()
}

// cycleMetric goes on to the next metric, or back.
func (p *curvesPane) cycleMetric(by int) tea.Cmd {
	p.metrics.at += by
	p.metrics.turn()
	p.bump()
	return p.Load()
}

// show asks for the metrics while one is shown and the best changed.
func (p *curvesPane) Load() tea.Cmd {
	s, m := p.d.Snap, &p.metrics
	if era := eraOf(s); era != m.era {
		if m.of != nil { // another evaluator: its metrics are others
			p.metrics = bestMetrics{}
			p.bump()
		}
		m.era = era
	}
	if m.at == 0 || m.of != nil && m.has == bestState(s) || p.d.Reader == nil {
		return nil
	}
	r, ids, has := p.d.Reader, everBest(s), bestState(s)
	return m.q.ask(p.d, p.id, m.era, func(ctx context.Context) (any, error) {
		of, err := r.Metrics(ctx, ids)
		return bestAnswer{has: has, ids: ids, of: of}, err
	})
}

func (p *curvesPane) Take(msg Loaded) {
	if !p.metrics.q.accept(msg) {
		return
	}
	if a, ok := msg.val.(bestAnswer); ok && msg.err == nil {
		if a.of == nil {
			a.of = map[record.CandidateID][]record.Metric{}
		}
		p.metrics.learn(a, p.d.Snap.Objective)
	}
	p.bump()
}

// metricTitle names the metric with its unit, and tells the best and the root as
// far as there is room.
func (p *curvesPane) metricTitle(left, how string) (string, string) {
	m, s, st := &p.metrics, p.d.Snap, p.d.St
	name := m.name()
	if name == "" {
		return left + how, ""
	}
	unit := ""
	if u := m.unit(s); u != "" {
		unit = st.Label.S(", " + plot.Fit(plot.Clean(u), min(plot.Width(plot.Clean(u)), 8)))
	}
	room := p.width - plot.Width(left) - plot.Width(how) - plot.Width(unit) - 4
	left += " " + st.Accent.S(widget.AxisName(name, max(8, min(room, 32)))) + unit + how
	var l widget.Line
	parts := [][3]string{
		{"best ", widget.Number(m.value(s.Best.ID)), ""},
		{" · root ", widget.Number(m.value(record.Root)), p.deciding()},
		{" · ", fmt.Sprintf("%d of %d", m.at, len(m.names)), " metrics"},
	}
	for i, t := range parts {
		if plot.Width(left)+l.W+plot.Width(t[0]+t[1]+t[2])+6 > p.width {
			break
		}
		col := st.Plain
		if i == 0 {
			col = st.Lines[metricLine]
		}
		l.Add(st.Label, t[0]).Add(col, t[1]).Add(st.Label, t[2])
	}
	return left, l.String()
}

// metricLine is the colour of a metric's line.
const metricLine = 2

// metricBody is the metric over the objective where there is room for both.
func (p *curvesPane) metricBody(c *view.Curves, x []float64, w, h int) []string {
	m, st := &p.metrics, p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached: only the snapshot is known")}
	case m.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+m.q.err.Error())}
	case m.of == nil:
		return p.word("loading", w, h)
	case m.name() == "":
		return p.word("the evaluator reports one metric only", w, h)
	case h < 20:
		return p.metricChart(c, x, w, h)
	}
	h1 := h * 5 / 9
	out := p.metricChart(c, x, w, h1)
	objective := "Objective"
	if name := measuredAs(p.d.Snap); name != "" {
		objective += " " + widget.AxisName(name, 32)
	}
	out = append(out, widget.Rule+st.Label.S(objective))
	return append(out, p.objective(c, x, w, h-h1-1)...)
}

// metricChart draws the metric of the best against the root's.
func (p *curvesPane) metricChart(c *view.Curves, x []float64, w, h int) []string {
	ch := p.chart()
	ch.LogY = p.scale.fit(p.metrics.values(p.d.Snap)).y()
	ch.Series = []plot.Series{p.metricSteps(c, x)}
	if root := p.metrics.value(record.Root); !math.IsNaN(root) {
		ch.Base, ch.BaseAs = root, "root"
	}
	ch.Marks = p.marks(c)
	return ch.Render(w, h)
}

// metricSteps is one step for each candidate that was the best.
func (p *curvesPane) metricSteps(c *view.Curves, x []float64) plot.Series {
	line := plot.Series{Name: "best", Step: true, Style: p.d.St.Lines[metricLine].SGR}
	if x = x[p.from(len(x)):]; p.scale.x() { // what is at zero has no place
		x = x[max(0, slices.IndexFunc(x, func(v float64) bool { return v > 0 })):]
	}
	for i, r := range c.Reigns {
		if len(x) == 0 {
			break
		}
		start, end := math.Max(x[0], p.x(c, r.X, r.At)), x[len(x)-1]
		if i+1 < len(c.Reigns) {
			next := c.Reigns[i+1]
			if end = p.x(c, next.X, next.At); end <= x[0] {
				continue // ended before what is shown
			}
		}
		v := p.metrics.value(r.ID)
		line.X, line.Y = append(line.X, start, math.Max(start, end)), append(line.Y, v, v)
	}
	return line
}
