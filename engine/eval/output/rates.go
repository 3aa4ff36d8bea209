package output

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"atoll/store/record"
)

// rateLine finds "parse x 1,234.5 ops/sec", "parse: 1,234 ops/s" and the like.
var rateLine = regexp.MustCompile(`^\s*(.*?[^\s:=])(?:\s*[:=]\s*|\s+x\s+|\s+)([0-9][0-9,]*(?:\.[0-9]+)?) *(?i:ops?|runs|iterations|calls) ?(?i:/|per) ?(?i:s|secs?|seconds?)\b`)

// ParseRates reads what suites of benchmarks print that run each case for a while, as benchmark.js does: a line
// such as "parse x 1,234 ops/sec ±0.5% (90 runs sampled)" for each. Each is one metric, "parse ops/s"; the geometric
// mean of all comes first, as "ops/s of 12 cases": a candidate that loses a case, which such a suite passes over, has
// no metric of that name. Other lines are passed over. A case that comes twice is told apart by its number.
func ParseRates(stdout []byte) (Report, error) {
	var each []record.Metric
	var tests []string
	seen := map[string]int{}
	logs := 0.0
	for l := range strings.Lines(Clean(string(stdout))) {
		f := rateLine.FindStringSubmatch(l)
		if f == nil {
			continue
		}
		v, err := StrictFloat(strings.ReplaceAll(f[2], ",", ""))
		switch {
		case err != nil:
			return Report{}, fmt.Errorf("the line %q of stdout: %q %w", clip(OneLine(l, 200), 60), f[2], err)
		case v <= 0:
			return Report{}, fmt.Errorf("the line %q of stdout tells a rate of 0", clip(OneLine(l, 200), 60))
		}
		name := clipBytes(strings.Trim(OneLine(f[1], 80), "│| "), MaxNameBytes-len(" (999) ops/s"))
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		logs += math.Log(v)
		tests = append(tests, name)
		each = append(each, record.Metric{Name: name + " ops/s", Value: v, Unit: "ops/s", Higher: higher(true)})
	}
	if len(each) == 0 {
		return Report{}, errors.New("no line of stdout tells how often a case runs in a second, such as \"parse x 1,234 ops/sec\"")
	}
	mean := record.Metric{Name: "ops/s of " + record.Plural(len(each), "case"), Value: math.Exp(logs / float64(len(each))), Unit: "ops/s", Higher: higher(true)}
	r := Report{Metrics: append([]record.Metric{mean}, each...), Tests: tests, Summary: record.Plural(len(each), "case")}
	if len(r.Metrics) > MaxMetrics {
		return Report{}, fmt.Errorf("stdout tells rates of %d cases, and at most %d are read", len(each), MaxMetrics-1)
	}
	return r, checkMetrics(r.Metrics)
}
