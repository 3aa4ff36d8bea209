package tui

import (
	"fmt"
	"math"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// candidateCard tells a candidate in a few lines: where it comes from, what it
// measures, how that compares with parent and root.
func candidateCard(d *desk, c *view.CandidateDetail, w int) []string {
	st := d.st
	k := &c.Candidate
	var l line
	l.add(st.Ident, candidateName(k.ID)).gap(1).add(st.Label, k.Commit.Short()).gap(1).add(st.state(string(k.Status)), string(k.Status))
	if c.Cell >= 0 {
		l.gap(1).add(st.Ident, niche(&d.snap.Grid, c.Cell))
	}
	if c.Frozen {
		l.gap(1).add(st.Accent, "frozen")
	}
	if k.Pinned {
		l.gap(1).add(st.Accent, "pinned")
	}
	if c.Boost > 0 && c.Boost != 1 {
		l.gap(1).add(st.Accent, fmt.Sprintf("x%g", c.Boost))
	}
	out := []string{l.String()}
	l = line{}
	l.add(st.Plain, string(k.Operator)).add(st.Label, " by ").add(st.Plain, k.Agent)
	if k.Target != "" {
		l.add(st.Label, " on ").add(st.Plain, k.Target)
	}
	role := record.Role("")
	for _, p := range k.Parents {
		sep := " "
		if p.Role != role {
			role = p.Role
			if sep = " " + string(role) + " "; role == record.RoleParent {
				sep = " from "
			}
		}
		if l.w+plot.Width(sep+candidateName(p.ID)) > w { // goes on below
			out = append(out, l.String())
			l = line{}
		}
		l.add(st.Label, sep).add(st.Ident, candidateName(p.ID))
	}
	out = append(out, l.String())
	if k.Intent != "" {
		for i, t := range wrapText("“"+plot.Clean(k.Intent)+"”", w) {
			if i == 2 {
				break
			}
			out = append(out, st.Plain.S(t))
		}
	}
	if k.Reason != "" {
		out = append(out, st.Bad.S(words(": ", string(k.Class), k.Reason)))
	}
	out = append(out, scoreLine(d, c))
	return append(out, metricTable(d, c, w)...)
}

// scoreLine is the objective with samples, spread and the held-out value.
func scoreLine(d *desk, c *view.CandidateDetail) string {
	st := d.st
	k := &c.Candidate
	var l line
	l.add(st.Strong, optional(k.Objective)).add(st.Label, pastMark(d, k))
	if !math.IsNaN(c.Percent) && k.Objective != nil && k.ID != record.Root {
		l.gap(1).add(gainStyle(st, c.Percent), percent(c.Percent)).add(st.Label, " on root")
	}
	if k.Samples > 1 || k.MAD > 0 {
		l.add(st.Label, fmt.Sprintf(" ±%s n=%d", plot.Short(k.MAD), k.Samples))
	}
	if k.Claimed != nil {
		l.add(st.Label, " · held-out ").add(st.Plain, number(*k.Claimed)).add(st.Label, fmt.Sprintf(" n=%d", k.ClaimedSamples))
	}
	return l.String()
}

// pastMark marks a value of an earlier objective version, which is compared with
// nothing.
func pastMark(d *desk, c *record.Candidate) string {
	if c.Objective == nil || d.snap == nil || max(1, c.Version) >= d.snap.Experiment.Objective {
		return ""
	}
	return fmt.Sprintf(" v%d", c.Version)
}

func gainStyle(st *Styles, v float64) style {
	switch {
	case v > 0:
		return st.Good
	case v < 0:
		return st.Bad
	}
	return st.Label
}

// metricTable lists the metrics beside those of parent and root.
func metricTable(d *desk, c *view.CandidateDetail, w int) []string {
	st := d.st
	if len(c.Candidate.Metrics) == 0 {
		return nil
	}
	name := min(18, max(10, w-32))
	var head line
	head.fit(st.Label, "metric", name).right(st.Label, "value", 10).right(st.Label, "on parent", 11).right(st.Label, "on root", 11)
	out := []string{head.String()}
	for _, m := range c.Candidate.Metrics {
		var l line
		col := st.Plain
		if m.Name == d.snap.Objective {
			col = st.Strong
		}
		l.fit(col, m.Name, name).right(col, number(m.Value), 10)
		for _, other := range []*record.Candidate{c.Parent, c.Root} {
			v, ok := metricOf(other, m.Name)
			if !ok {
				l.right(st.Label, "-", 11)
				continue
			}
			diff := m.Value - v
			good := diff
			if m.Higher != nil && !*m.Higher || m.Higher == nil && m.Name == d.snap.Objective && d.snap.Direction == "minimize" {
				good = -diff
			}
			l.right(gainStyle(st, good), brief(diff), 11)
		}
		if m.Unit != "" {
			l.gap(1).add(st.Label, m.Unit)
		}
		out = append(out, l.String())
	}
	return out
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
