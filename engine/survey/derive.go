package survey

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"atoll/config"
	"atoll/store/record"
)

// building is what a candidate may take longer because it is built: on the root all may be
// built already.
const building = 10 * time.Second

// patience is the timeout for something of which the slowest run on the root took so long:
// five times that, for a machine that is busier than now, and at least 15 s. A candidate that
// never ends costs all of it.
func patience(language string, took time.Duration) time.Duration {
	t := 5 * took
	if language != "python" && language != "javascript" {
		t += building
	}
	const least, step = 15 * time.Second, 5 * time.Second
	return max(least, (t + step - 1).Truncate(step))
}

// The search that is proposed: about half an hour, within bounds.
const (
	searchTime = 30 * time.Minute
	fewestJobs = 20
	mostJobs   = 1000
)

// budget proposes jobs and wall time from what one evaluation takes.
func (s *survey) budget() {
	each := s.m.Wall * time.Duration(max(1, s.m.Repeats))
	if s.m.Paired && s.m.Options == nil {
		each *= 2
	}
	each = max(each+s.tests, time.Second)
	s.each = each
	jobs := int(searchTime / each)
	s.m.Jobs = min(mostJobs, max(fewestJobs, jobs-jobs%10, config.Defaults().Workers*int(TryTime(each)/each)))
	if len(s.m.Axes) == 0 { // the first learned map needs candidates to learn from
		s.m.Jobs = max(s.m.Jobs, 2*config.Defaults().Map.MinFit)
	}
	wall := 2 * time.Duration(s.m.Jobs) * each // challenges and repeats come on top of the jobs
	s.m.Wall = max(10*time.Minute, (wall + 10*time.Minute - 1).Truncate(10*time.Minute))
	s.Say(fmt.Sprintf("one evaluation takes about %s, so %d jobs are proposed", roundTime(each), s.m.Jobs))
}

// TryTime is a time in which a first run shows something: that of some dozens of candidates, of
// which each takes so long.
func TryTime(each time.Duration) time.Duration {
	for _, t := range []time.Duration{5 * time.Minute, 15 * time.Minute, 30 * time.Minute} {
		if t >= 20*each {
			return t
		}
	}
	return max(time.Hour, (20 * each).Round(time.Hour))
}

// axesOf proposes two axes, or none, from metrics beside the objective that say
// something about the shape of a solution. The root lies in the middle.
func axesOf(metrics []record.Metric, objective string) []config.Axis {
	var axes []config.Axis
	for _, m := range metrics {
		if len(axes) == 2 || m.Name == objective || strings.Contains(m.Name, " ") || !shapely(m.Name, m.Unit) || m.Value < leastShape {
			continue
		}
		axes = append(axes, config.Axis{Metric: m.Name, Min: 0, Max: roundUp(2 * m.Value), Bins: 10})
	}
	if len(axes) < 2 {
		return nil // on one line few solutions have room; the learned map has two axes
	}
	return axes
}

// leastShape is the least value of a metric that leaves room below it: an axis
// from 0 to 1.2 allocations tells nothing.
const leastShape = 2

// shapely are the metrics that tell kinds of solutions apart.
func shapely(name, unit string) bool {
	if unit == "B/op" || unit == "allocs/op" {
		return true
	}
	for _, w := range []string{"size", "bytes", "kb", "mb", "kib", "mib", "memory", "rss", "alloc", "lines", "complexity", "depth", "nodes", "count", "params", "parameters", "length", "steps", "terms"} {
		lower := strings.ToLower(name)
		if lower == w || strings.HasPrefix(lower, w+"_") || strings.HasSuffix(lower, "_"+w) || strings.Contains(lower, "_"+w+"_") {
			return true
		}
	}
	return false
}

// roundUp keeps two digits.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	r, err := strconv.ParseFloat(strconv.FormatFloat(math.Ceil(v/unit-1e-9)*unit, 'g', 2, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// spreadOf is the range of values as a share of their middle.
func spreadOf(values []float64) float64 {
	lo, hi := slices.Min(values), slices.Max(values)
	if hi == lo {
		return 0
	}
	return (hi - lo) / max(math.Abs(hi), math.Abs(lo))
}

func spreadText(spread float64) string {
	if spread == 0 {
		return "the same"
	}
	return fmt.Sprintf("varying by %s %%", short2(100*spread))
}

// short2 writes two digits: more are not known of what few samples tell.
func short2(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 2, 64), 64)
	if err != nil {
		return short(v)
	}
	return readable(rounded)
}

// stepOf is the largest power of ten that all of some values are multiples of; 0 where they do
// not differ, so that they tell nothing of the clock.
func stepOf(values []float64) float64 {
	if len(values) == 0 || slices.Min(values) == slices.Max(values) {
		return 0
	}
	for power := 9; power >= -9; power-- {
		step := math.Pow10(power)
		if step <= slices.Max(values) && !slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v/step-math.Round(v/step)) > 1e-9 }) {
			return step
		}
	}
	return 0
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// figureText tells a metric of some value with its unit, once: a metric of a benchmark
// is named by its unit.
func figureText(m record.Metric, value float64) string {
	switch m.Unit {
	case "":
		return m.Name + " = " + readable(value)
	case m.Name:
		return readable(value) + " " + m.Unit
	}
	return fmt.Sprintf("%s = %s %s", m.Name, readable(value), m.Unit)
}

// readable writes four digits; a large number in groups of three, without an exponent.
func readable(v float64) string {
	const groupsFrom, exponentFrom = 1e4, 1e15
	if a := math.Abs(v); a < groupsFrom || a >= exponentFrom {
		return short(v)
	}
	rounded, err := strconv.ParseFloat(short(v), 64)
	if err != nil {
		return short(v)
	}
	text := strconv.FormatFloat(math.Abs(rounded), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if v < 0 {
		return "-" + text
	}
	return text
}

func roundTime(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond)
	case d < time.Minute:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

func valueOf(metrics []record.Metric, name string) (float64, bool) {
	for _, m := range metrics {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}

func union(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// someOf names up to n of a list.
func someOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}
