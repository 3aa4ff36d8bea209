package widget

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

func TestTablesAreOrderedByWhatTheirFieldsSay(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     string
		up, down string
	}{
		{"numbers of candidates", "c9,c10,root,c2", "c2,c9,c10,root", "c10,c9,c2,root"},
		{"differences", "+0.2,-0.1,-,+0.0004", "-0.1,+0.0004,+0.2,-", "+0.2,+0.0004,-0.1,-"},
		{"times in two units", "410 ms,1.2 s,12 ms,-", "12 ms,410 ms,1.2 s,-", "1.2 s,410 ms,12 ms,-"},
		{"money", "$1.20,$0.0312,unknown", "$0.0312,$1.20,unknown", "$1.20,$0.0312,unknown"},
		{"words", "tune,Mutate,,repair", "Mutate,repair,tune,", "tune,repair,Mutate,"},
		{"changes by their lines", "+100 -2,+12 -3,+9 -99,-", "+12 -3,+100 -2,+9 -99,-", "+9 -99,+100 -2,+12 -3,-"},
		{"breakthroughs are figures", "* +0.5,+0.7", "* +0.5,+0.7", "+0.7,* +0.5"},
	} {
		rows := strings.Split(c.rows, ",")
		tab := Table[string]{St: NewStyles(true, colorprofile.ASCII), Columns: []Column[string]{{Head: " what", Cell: func(r string) (Style, string) { return Style{}, r }}}}
		sorted := func() string {
			var out []string
			for _, i := range tab.Sort(len(rows), func(i int) string { return rows[i] }) {
				out = append(out, rows[i])
			}
			return strings.Join(out, ",")
		}
		if got := sorted(); got != c.rows {
			t.Errorf("%s: without an order they come as %s", c.name, got)
		}
		tab.Order.Toggle("what")
		if got := sorted(); got != c.down {
			t.Errorf("%s: the largest first: %s", c.name, got)
		}
		tab.Order.Toggle("what")
		if got := sorted(); got != c.up {
			t.Errorf("%s: the smallest first: %s", c.name, got)
		}
		tab.Order.Toggle("what")
		if got := sorted(); got != c.rows {
			t.Errorf("%s: a third time leaves %s", c.name, got)
		}
		if !slices.Equal(tab.Heads(), []string{"what"}) {
			t.Errorf("headings %q", tab.Heads())
		}
	}
}
