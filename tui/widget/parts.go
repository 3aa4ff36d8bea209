package widget

import (
	"slices"
	"strings"

	"atoll/tui/plot"
)

// Part is a piece of a header line. Parts of low rank go first when room is
// short.
type Part struct {
	Text string // styled
	Rank int
}

// Squeeze joins parts with two spaces in w cells, leaving out the least
// important ones that have no room. The gap widens between left and right.
func Squeeze(left, right []Part, w int) string {
	ranks := make([]int, 0, len(left)+len(right))
	for _, p := range slices.Concat(left, right) {
		ranks = append(ranks, p.Rank)
	}
	slices.Sort(ranks)
	in := map[int]bool{} // ranks that have room
	var l, r string
	lw, rw := 0, 0
	for _, rank := range slices.Backward(slices.Compact(ranks)) {
		in[rank] = true
		tl, tlw := Joined(ranked(left, in))
		tr, trw := Joined(ranked(right, in))
		if gap := min(2*trw, 2); tlw+gap+trw > w && lw+rw > 0 {
			in[rank] = false
			continue
		}
		l, r, lw, rw = tl, tr, tlw, trw
	}
	if lw+rw > w {
		return plot.Fit(l+r, w)
	}
	return l + strings.Repeat(" ", w-lw-rw) + r
}

// ranked are the parts of some ranks.
func ranked(parts []Part, in map[int]bool) (out []Part) {
	for _, p := range parts {
		if in[p.Rank] {
			out = append(out, p)
		}
	}
	return out
}

func Joined(ps []Part) (string, int) {
	var l Line
	for i, p := range ps {
		if i > 0 {
			l.Gap(2)
		}
		l.Raw(p.Text)
	}
	return l.String(), l.W
}
