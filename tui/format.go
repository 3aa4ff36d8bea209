package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// number writes an objective or a metric: four decimals where they say
// something, fewer for large values, powers of ten at the extremes.
func number(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a == 0:
		return "0"
	case a >= 1e7 || a < 1e-4:
		return strconv.FormatFloat(v, 'e', 3, 64)
	case a >= 1e4:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// signed writes a difference with its sign; zero is 0.
func signed(v float64) string {
	if s := number(v); v > 0 && s != "-" {
		return "+" + s
	}
	return number(v)
}

func optional(v *float64) string {
	if v == nil {
		return "-"
	}
	return number(*v)
}

func percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", v)
}

// duration writes a time span in its two largest units.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

// ago writes the age of an event in one unit.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	}
	return fmt.Sprintf("%dd ago", int(d.Hours())/24)
}

func millis(m record.Millis) time.Time { return time.UnixMilli(int64(m)) }

// clock writes a time of day in local time.
func clock(t time.Time) string {
	if t.IsZero() || t.UnixMilli() == 0 {
		return "--:--:--"
	}
	return t.Format("15:04:05")
}

// when writes the time of day, or the date when it is another day's.
func when(d *desk, m record.Millis) string {
	t := millis(m)
	if age := d.now().Sub(t); m > 0 && (age > 20*time.Hour || age < -time.Hour) {
		return t.Format("Jan 02")
	}
	return clock(t)
}

// brief writes a difference in at most eight cells.
func brief(v float64) string {
	if s := signed(v); len(s) <= 8 {
		return s
	}
	s := strconv.FormatFloat(v, 'e', 1, 64)
	s = strings.Replace(strings.Replace(s, "e-0", "e-", 1), "e+0", "e", 1)
	if v > 0 {
		s = "+" + s
	}
	return s
}

// money writes dollars; what was not measured is unknown, never 0.
func money(v *float64) string {
	if v == nil {
		return "unknown"
	}
	if *v != 0 && math.Abs(*v) < 0.01 {
		return fmt.Sprintf("$%.4f", *v)
	}
	return fmt.Sprintf("$%.2f", *v)
}

func count(n int64) string { return plot.Short(float64(n)) }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// candidateName writes c128, or "-" for none.
func candidateName(id record.CandidateID) string {
	switch {
	case id < 0:
		return "-"
	case id == record.Root:
		return "root"
	}
	return id.String()
}

// niche writes a flat index as (12,5).
func niche(g *view.Grid, cell int) string {
	at := coords(g.Dims, cell)
	if at == nil {
		return ""
	}
	parts := make([]string, len(at))
	for i, v := range at {
		parts[i] = strconv.Itoa(v)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// coords splits a flat index, axis 0 slowest; nil when it is no cell.
func coords(dims []int, cell int) []int {
	total := 1
	for _, d := range dims {
		if d <= 0 {
			return nil
		}
		total *= d
	}
	if cell < 0 || cell >= total || len(dims) == 0 {
		return nil
	}
	out := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		out[i] = cell % dims[i]
		cell /= dims[i]
	}
	return out
}

// flat is the inverse of coords.
func flat(dims, at []int) int {
	n := 0
	for i, d := range dims {
		if i < len(at) {
			n = n*d + at[i]
		}
	}
	return n
}

// idWidth is the width of a column of numbers such as #341 or c128: one cell
// more for a number that would touch the next column.
func idWidth(id int64) int {
	w := 7
	for id >= 100_000 {
		w, id = w+1, id/10
	}
	return w
}

// nicheWidth is the width of a column of niches.
func nicheWidth(g *view.Grid) int {
	w := 2
	for _, n := range g.Dims {
		w += len(strconv.Itoa(max(n-1, 0))) + 1
	}
	return max(7, w+1)
}

// change writes the size of a diff: +12 -3.
func change(added, removed int) string { return fmt.Sprintf("+%d -%d", added, removed) }

// words joins what is not empty by a separator.
func words(sep string, parts ...string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

// thousands writes a count with a comma between groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
