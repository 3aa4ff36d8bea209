package probe

import (
	"slices"
	"strings"
	"time"
)

// mostLayouts bounds the layouts of a code by which moments are written.
const mostLayouts = 20

// moments are those that a layout writes: one in UTC with a fraction, one that is east of it, one before 1970.
var moments = []time.Time{
	time.Date(2014, 1, 2, 15, 4, 7, 250_000_000, time.UTC),
	time.Date(2023, 11, 30, 6, 5, 0, 0, time.FixedZone("EST", 5*3600+1800)),
	time.Date(1965, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3*3600)),
}

// isLayout reports a text by which package time writes moments.
func isLayout(s string) bool {
	return strings.Contains(s, "2006") || strings.Contains(s, "15:04") || strings.Contains(s, "Jan") && strings.Contains(s, "2")
}

// writtenMoments are moments in the layouts among some texts.
func writtenMoments(texts []string) []string {
	var out []string
	n := 0
	for _, s := range texts {
		if !isLayout(s) {
			continue
		}
		if n++; n > mostLayouts {
			break
		}
		for _, m := range moments {
			if written := m.Format(s); written != s && !slices.Contains(out, written) {
				out = append(out, written)
			}
		}
	}
	return out
}

// withMoments has moments in the layouts of the changed code among its texts, and as its edges.
func withMoments(lits Literals) Literals {
	var edges []string
	for _, c := range lits.Edges {
		if c.Str != nil {
			edges = append(edges, *c.Str)
		}
	}
	lits.NearStrings = slices.Concat(lits.NearStrings, writtenMoments(lits.NearStrings))
	for _, s := range writtenMoments(edges) {
		lits.Edges = append(slices.Clip(lits.Edges), Constant{Str: &s})
	}
	return lits
}
