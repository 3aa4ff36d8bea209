package pane

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

// when writes the time of day, or the date when it is another day's.
func when(d *Shared, m record.Millis) string {
	t := widget.Millis(m)
	if age := d.Now().Sub(t); m > 0 && (age > 20*time.Hour || age < -time.Hour) {
		return t.Format("Jan 02")
	}
	return widget.Clock(t)
}

// CandidateName writes c128, or "-" for none.
func CandidateName(id record.CandidateID) string {
	switch {
	case id < 0:
		return "-"
	case id == record.Root:
		return "root"
	}
	return id.String()
}

// Niche writes a flat index as (12,5).
func Niche(g *view.Grid, cell int) string {
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

// nicheWidth is the width of a column of niches.
func nicheWidth(g *view.Grid) int {
	w := 2
	for _, n := range g.Dims {
		w += len(strconv.Itoa(max(n-1, 0))) + 1
	}
	return max(7, w+1)
}

func costText(u record.Usage) string {
	switch {
	case u.Requests == 0 && !u.Unmetered && u.CostUSD == nil:
		return "-"
	case u.CostUSD == nil:
		return "unknown"
	}
	return widget.Money(u.CostUSD)
}

func last(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[len(v)-1]
}

// Loading says how far the log was read.
func Loading(s *view.Snapshot) string {
	if s.Rows == 0 {
		return "loading"
	}
	return fmt.Sprintf("reading the log, %s of %s", widget.Thousands(s.Read), widget.Thousands(s.Rows))
}

func millisSpan(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// costWords is what was spent, in words where nothing was.
func costWords(u record.Usage) string {
	if t := costText(u); t != "-" {
		return t
	}
	return "no cost"
}
