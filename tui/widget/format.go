package widget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"atoll/store/record"
	"atoll/tui/plot"
)

// Named is a name with its unit, once where both are the same word.
func Named(name, unit, between string) string {
	return Words(between, name, Unless(strings.EqualFold(name, unit), unit))
}

// Number writes an objective or a metric: four decimals where they say
// something, fewer for large values, powers of ten at the extremes.
func Number(v float64) string {
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

// Signed writes a difference with its sign; zero is 0.
func Signed(v float64) string {
	if s := Number(v); v > 0 && s != "-" {
		return "+" + s
	}
	return Number(v)
}

func Percent(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", v)
}

// Duration writes a time span in its two largest units.
func Duration(d time.Duration) string {
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

// Ago writes the age of an event in one unit.
func Ago(d time.Duration) string {
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

func Millis(m record.Millis) time.Time { return time.UnixMilli(int64(m)) }

// Clock writes a time of day in local time.
func Clock(t time.Time) string {
	if t.IsZero() || t.UnixMilli() == 0 {
		return "--:--:--"
	}
	return t.Format("15:04:05")
}

// Brief writes a difference in at most eight cells.
func Brief(v float64) string {
	if v > 0 {
		return "+" + Narrow(v, 7)
	}
	return Narrow(v, 8)
}

// Narrow writes a number as [Number] does, and with fewer digits where w cells
// have no room for it, powers of ten last; six are the least.
func Narrow(v float64, w int) string {
	s := Number(v)
	if a := math.Abs(v); a >= 1 && a < 1e7 {
		for digits := 3; len(s) > w && digits >= 0; digits-- {
			s = strconv.FormatFloat(v, 'f', digits, 64)
		}
	}
	for digits := 3; len(s) > w && digits >= 0; digits-- {
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits, 64), "e")
		if digits > 0 {
			mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		}
		sign, n := strings.Trim(exp[:1], "+"), strings.TrimLeft(exp[1:], "0")
		s = mantissa + "e" + sign + n
	}
	return s
}

// Money writes dollars; what was not measured is unknown, never 0.
func Money(v *float64) string {
	if v == nil {
		return "unknown"
	}
	if *v != 0 && math.Abs(*v) < 0.01 {
		return fmt.Sprintf("$%.4f", *v)
	}
	return fmt.Sprintf("$%.2f", *v)
}

func Count(n int64) string { return plot.Short(float64(n)) }

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// IDWidth is the width of a column of numbers such as #341 or c128: one cell
// more for a number that would touch the next column.
func IDWidth(id int64) int {
	w := 7
	for id >= 100_000 {
		w, id = w+1, id/10
	}
	return w
}

// Change writes the size of a diff: +12 -3.
func Change(added, removed int) string { return fmt.Sprintf("+%d -%d", added, removed) }

// Words joins what is not empty by a separator.
func Words(sep string, parts ...string) string {
	kept := parts[:0:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, sep)
}

// Thousands writes a count with a comma between groups of three digits.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func MillisText(ms int64) string {
	if ms <= 0 {
		return "-"
	}
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// Fits reports whether a filter accepts a row: every word must be in one of
// its fields; a leading ! inverts.
func Fits(filter string, fields ...string) bool {
	filter = strings.TrimSpace(strings.ToLower(filter))
	if filter == "" || filter == "!" {
		return true
	}
	rest, not := strings.CutPrefix(filter, "!")
	all := strings.ToLower(strings.Join(fields, "\x1f"))
	for _, word := range strings.Fields(rest) {
		if !strings.Contains(all, word) {
			return not
		}
	}
	return !not
}

func OneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func OrNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
