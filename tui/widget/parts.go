package widget

import (
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
// important ones. The gap widens between left and right.
func Squeeze(left, right []Part, w int) string {
	for {
		l, lw := Joined(left)
		r, rw := Joined(right)
		need := lw + rw
		if rw > 0 {
			need += 2
		}
		if need <= w {
			return l + strings.Repeat(" ", w-lw-rw) + r
		}
		if !dropLeast(&left, &right) {
			return plot.Fit(l+" "+r, w)
		}
	}
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

func dropLeast(left, right *[]Part) bool {
	best, side, at := 1000, left, -1
	for _, s := range []*[]Part{left, right} {
		for i, p := range *s {
			if p.Rank < best {
				best, side, at = p.Rank, s, i
			}
		}
	}
	if at < 0 || len(*left)+len(*right) <= 1 {
		return false
	}
	*side = append(append([]Part(nil), (*side)[:at]...), (*side)[at+1:]...)
	return true
}
