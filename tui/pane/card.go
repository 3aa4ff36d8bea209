package pane

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// candidateCard tells a candidate in a few lines: where it comes from, what it
// measures, how that compares with parent and root.
func candidateCard(d *Shared, c *view.CandidateDetail, w int) []string {
	st := d.St
	k := &c.Candidate
	var l widget.Line
	l.Add(st.Ident, CandidateName(k.ID)).Gap(1).Add(st.Label, k.Commit.Short()).Gap(1).Add(st.State(string(k.Status)), string(k.Status))
	if c.Cell >= 0 {
		l.Gap(1).Add(st.Ident, Niche(&d.Snap.Grid, c.Cell))
	}
	if c.Frozen {
		l.Gap(1).Add(st.Accent, "frozen")
	}
	if k.Pinned {
		l.Gap(1).Add(st.Accent, "pinned")
	}
	if c.Boost > 0 && c.Boost != 1 {
		l.Gap(1).Add(st.Accent, fmt.Sprintf("x%g", c.Boost))
	}
	out := []string{l.String()}
	l = widget.Line{}
	if k.ID == record.Root {
		l.Add(st.Label, "the commit that the search started from")
	} else {
		l.Add(st.Plain, string(k.Operator)).Add(st.Label, " by ").Add(st.Plain, k.Agent)
	}
	if k.Target != "" {
		l.Add(st.Label, " on ").Add(st.Plain, k.Target)
	}
	role := record.Role("")
	for _, p := range k.Parents {
		sep := " "
		if p.Role != role {
			role = p.Role
			switch sep = " " + string(role) + " "; role {
			case record.RoleParent:
				sep = " from "
			case record.RoleCrossover:
				sep = " with "
			case record.RoleInspiration:
				sep = " beside "
			}
		}
		if l.W+plot.Width(sep+CandidateName(p.ID)) > w { // goes on below
			out = append(out, l.String())
			l = widget.Line{}
		}
		l.Add(st.Label, sep).Add(st.Ident, CandidateName(p.ID))
	}
	out = append(out, l.String())
	if k.Intent != "" {
		for i, t := range widget.WrapText("“"+plot.Clean(k.Intent)+"”", w) {
			if i == 2 {
				break
			}
			out = append(out, st.Plain.S(t))
		}
	}
	if k.Reason != "" {
		out = append(out, st.Bad.S(widget.Words(": ", string(k.Class), k.Reason)))
	}
	out = append(out, scoreLine(d, c))
	out = append(out, behaviourLines(d, c.Behaviour, w)...)
	return append(out, metricTable(d, c, w)...)
}

// behaviourLines tell of the behaviour of a candidate in two lines at most; none where nothing is told of it.
func behaviourLines(d *Shared, text string, w int) []string {
	if text == "" {
		return nil
	}
	lines := widget.WrapText(text, w)
	var out []string
	for _, t := range lines[:min(2, len(lines))] {
		out = append(out, d.St.Label.S(t))
	}
	return out
}

// candidateLine tells a candidate in one line.
func candidateLine(d *Shared, c *view.CandidateDetail) []string {
	st, k := d.St, &c.Candidate
	var l widget.Line
	l.Add(st.Ident, CandidateName(k.ID)).Gap(1).Add(st.State(string(k.Status)), string(k.Status))
	if c.Cell >= 0 {
		l.Gap(1).Add(st.Ident, Niche(&d.Snap.Grid, c.Cell))
	}
	l.Gap(2).Raw(scoreLine(d, c))
	if k.Intent != "" {
		l.Gap(2).Add(st.Label, "“"+k.Intent+"”")
	}
	return []string{l.String()}
}

// titleScore is the objective in few cells, with the gain on the root or the word
// that says why there is none to claim.
func titleScore(d *Shared, c *view.CandidateDetail) string {
	st, k := d.St, &c.Candidate
	if k.Objective == nil {
		return st.State(string(k.Status)).S(string(k.Status))
	}
	claim := d.claimOf(c)
	out := d.valueStyle(k.ID, k.Objective, claim).S(d.told(k.ID, k.Objective, claim, whole)) + st.Label.S(pastMark(d, k))
	if k.ID != record.Root && !math.IsNaN(c.Percent) {
		out += " " + gainStyle(st, c.Percent).S(widget.Percent(c.Percent))
	}
	return out
}

// scoreLine is the value with its evidence, and the gain where it may be told.
func scoreLine(d *Shared, c *view.CandidateDetail) string {
	st := d.St
	k, claim := &c.Candidate, d.claimOf(c)
	var l widget.Line
	if k.ID == record.Root && d.Snap.Paired && k.Objective != nil {
		return st.Plain.S(plot.Clean(d.Snap.RootText()))
	}
	l.Add(d.valueStyle(k.ID, k.Objective, claim), d.told(k.ID, k.Objective, claim, whole)).Add(st.Label, pastMark(d, k))
	if !math.IsNaN(c.Percent) && k.Objective != nil && k.ID != record.Root {
		l.Gap(1).Add(gainStyle(st, c.Percent), widget.Percent(c.Percent)).Add(st.Label, " on root")
	}
	if !d.Snap.Noisy && k.Samples > 1 {
		l.Add(st.Label, fmt.Sprintf(" n=%d", k.Samples))
	}
	return l.String()
}

// pastMark marks a value of an earlier objective version, which is compared with
// nothing.
func pastMark(d *Shared, c *record.Candidate) string {
	if c.Objective == nil || d.Snap == nil || max(1, c.Version) >= d.Snap.Experiment.Objective {
		return ""
	}
	return fmt.Sprintf(" v%d", c.Version)
}

func gainStyle(st *widget.Styles, v float64) widget.Style {
	switch {
	case v > 0:
		return st.Good
	case v < 0:
		return st.Bad
	}
	return st.Label
}

// metricTable lists the metrics, with what they gain on those of parent and root; the root gains nothing on itself.
func metricTable(d *Shared, c *view.CandidateDetail, w int) []string {
	st := d.St
	if len(c.Candidate.Metrics) == 0 {
		return nil
	}
	name := 18
	for _, m := range c.Candidate.Metrics {
		name = max(name, plot.Width(m.Name)+4)
	}
	name = max(10, min(name, w-22-metricWidth))
	var head widget.Line
	head.Col(st.Label, "metric", name).Right(st.Label, cmp.Or(d.ofSample(), "value"), metricWidth)
	var others []*record.Candidate
	if c.Candidate.ID != record.Root {
		others = []*record.Candidate{c.Parent, c.Root}
		head.RightCol(st.Label, "on parent", 11).RightCol(st.Label, "on root", 11)
	}
	out := []string{head.String()}
	names := make([]string, len(c.Candidate.Metrics))
	for i, m := range c.Candidate.Metrics {
		names[i] = m.Name
	}
	labels, low := widget.Apart(names, name-3), false
	for _, m := range c.Candidate.Metrics {
		if d.Snap.Noisy && m.Name == searchedOn(d) { // the line above tells it, by other samples
			continue
		}
		var l widget.Line
		col := st.Plain
		if m.Name == d.Snap.Objective {
			col = st.Strong
		}
		label := labels[m.Name]
		if d.lowerIsBetter(&m) {
			label, low = label+" ↓", true
		}
		unit := widget.Unless(strings.EqualFold(m.Unit, m.Name), m.Unit)
		if with := widget.Words(", ", label, unit); plot.Width(with) < name { // all three figures have it
			label, unit = with, ""
		}
		l.Col(col, label, name).Right(col, widget.Number(m.Value), metricWidth)
		for _, other := range others {
			gainOn(d, &l, &m, other)
		}
		if unit != "" && l.W+1+plot.Width(unit) <= w { // a figure counts more
			l.Gap(1).Add(st.Label, unit)
		}
		out = append(out, l.String())
	}
	if low && len(others) > 0 {
		out = append(out, st.Label.S(plot.Fit("↓ lower is better; what is gained is +", min(w, 38))))
	}
	return out
}

// gainOn adds what a metric gains on that of another candidate.
func gainOn(d *Shared, l *widget.Line, m *record.Metric, other *record.Candidate) {
	v, ok := metricOf(other, m.Name)
	if !ok {
		l.Right(d.St.Label, "-", 11)
		return
	}
	gain, told := d.better(m, level(m.Value-v, v))
	style := d.St.Plain
	if told {
		style = gainStyle(d.St, gain)
	}
	l.Right(style, widget.Brief(gain), 11)
}

// searchedOn is the metric that values are: the objective, or its ratio to the root's.
func searchedOn(d *Shared) string {
	if d.Snap.Paired {
		return d.Snap.Objective + ".ratio"
	}
	return d.Snap.Objective
}

// metricWidth is the width of the values of metrics.
const metricWidth = 10

// lowerIsBetter reports whether a metric is known to be better where it is less.
func (d *Shared) lowerIsBetter(m *record.Metric) bool {
	return m.Higher != nil && !*m.Higher || m.Higher == nil && m.Name == d.Snap.Objective && d.Snap.Direction == "minimize"
}

// better reads a difference of a metric as a gain, + is better, where it is told which
// way is better.
func (d *Shared) better(m *record.Metric, diff float64) (gain float64, told bool) {
	if d.lowerIsBetter(m) {
		return -diff, true
	}
	return diff, m.Higher != nil || m.Name == d.Snap.Objective
}

// Spread writes the spread of so many samples.
func (d *Shared) Spread(mad float64, n int) string {
	sign := "±"
	if d.Glyphs == plot.ASCII {
		sign = "+-"
	}
	return fmt.Sprintf("%s%s n=%d", sign, plot.Short(mad), n)
}

func metricOf(c *record.Candidate, name string) (float64, bool) {
	if c == nil {
		return 0, false
	}
	for _, m := range c.Metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}
