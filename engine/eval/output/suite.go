package output

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atoll/store/record"
)

// suiteKind is a way in which suites of benchmarks tell what a case takes.
type suiteKind struct {
	unit   string
	higher bool
	line   *regexp.Regexp     // of a case: its name, the figure, and the unit that it is in where there are several
	in     map[string]float64 // what the figure is multiplied by, by its unit
	counts bool               // whether how often a case ran stands behind its name
}

// suiteKinds are the known ones; of those with equally many cases the first counts.
var suiteKinds = []suiteKind{
	{"ops/s", true, regexp.MustCompile(`^(.*?[^\s:=])(?:\s*[:=]\s*|\s+x\s+|\s+)([0-9][0-9,]*(?:\.[0-9]+)?) *(?i:ops?|runs|iterations|calls) ?(?i:/|per) ?(?i:s|secs?|seconds?)\b()`), map[string]float64{"": 1}, true},
	{"ns/op", false, regexp.MustCompile(`^(.*?[^\s:=])(?:\s*[:=]\s*|\s+)([0-9][0-9,]*(?:\.[0-9]+)?) *(ps|ns|us|µs|μs|ms|s)/iter\b`), map[string]float64{"ps": 1e-3, "ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}, false},
	{"ns/op", false, regexp.MustCompile(`^(.*?[^\s:=])(?:\s*[:=]\s*|\s+)([0-9][0-9,]*(?:\.[0-9]+)?) *(ns|us|µs|μs|ms|s) ?(?:/|per) ?(?:op|iter|iteration|call|run)\b`), map[string]float64{"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}, true},
	{"ms", false, regexp.MustCompile(`^(.*?[^\s:=]) *: *` + timeFigure + `$`), inMs, true},
}

// inWords is how scripts tell what something took. It counts where nothing else can be read: a program that reports a score says
// such things of its progress.
var inWords = suiteKind{"ms", false, regexp.MustCompile(`^(?:(.*?[^\s:=,;])[,;]?\s+)??(?i:(?:(?:was )?(?:done|finished|completed)|took|takes|ran|elapsed)\s+)?(?i:(?:in|for|is|was|about|->)\s+)?` + timeFigure + `[.!]?$`), inMs, true}

// timeFigure is what something took and its unit.
const timeFigure = `([0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?) *(ns|us|µs|μs|ms|s|secs?|seconds?|msecs?|milliseconds?|microseconds?)`

// inMs is what a time is multiplied by, by its unit, to be in ms.
var inMs = map[string]float64{
	"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "μs": 1e-3, "microsecond": 1e-3, "microseconds": 1e-3, "ms": 1, "msec": 1, "msecs": 1, "millisecond": 1, "milliseconds": 1,
	"s": 1e3, "sec": 1e3, "secs": 1e3, "second": 1e3, "seconds": 1e3,
}

// ParseSuite reads what suites of benchmarks print: for each case a line such as "parse x 1,234 ops/sec ±0.5% (90 runs
// sampled)" of benchmark.js, "Quick_sort 100000  5519511.0 ns/op", "parse  634.90 ns/iter" of mitata, or "insert one by
// one: 1.92s" of console.time, or a row of a table, as tinybench and vitest draw. Each is one metric, "parse ops/s"; the geometric mean of all comes first, as "ops/s
// of 12 cases": a candidate that loses a case, which such a suite passes over, has no metric of that name. Other lines are
// passed over. A case that comes twice is told apart by its number.
func ParseSuite(stdout []byte) (Report, error) {
	text := Clean(string(stdout))
	var kind *suiteKind
	var cases []suiteCase
	for i := range suiteKinds {
		k := &suiteKinds[i]
		if found := slices.Concat(k.cases(text), k.rows(text), k.ranked(text)); len(found) > len(cases) {
			kind, cases = k, found
		}
	}
	if len(cases) == 0 && !pairsOrNumber(stdout) {
		kind, cases = &inWords, inWords.cases(text)
	}
	switch n := len(cases); {
	case n == 0:
		return Report{}, errors.New("no line of stdout tells how often a case runs in a second or what it takes, such as \"parse x 1,234 ops/sec\" or \"parse: 12.5ms\"")
	case n >= MaxMetrics:
		return Report{}, fmt.Errorf("stdout tells of %d cases, and at most %d are read", n, MaxMetrics-1)
	}
	return kind.report(cases)
}

// pairsOrNumber reports whether stdout has lines of name = number, or of a name and a number that is no time, or a number on its last line.
func pairsOrNumber(stdout []byte) bool {
	_, noNumber := ParseLastNumber(stdout, "time")
	lines := strings.Split(string(stdout), "\n")
	written, err := writtenPairs(lines)
	return noNumber == nil || err != nil || len(written) > 0 ||
		slices.ContainsFunc(spacedPairs(lines), func(m record.Metric) bool { return inMs[m.Unit] == 0 })
}

// suiteCase is one case of a suite.
type suiteCase struct {
	name  string
	value float64 // in the unit of its kind
}

// number reads a figure such as 1,234.5.
func (k *suiteKind) number(figure, unit string) (float64, bool) {
	v, err := StrictFloat(strings.ReplaceAll(figure, ",", ""))
	return v * k.in[unit], err == nil && k.in[unit] > 0
}

// cases are those that lines tell.
func (k *suiteKind) cases(text string) []suiteCase {
	var out []suiteCase
	for l := range strings.Lines(text) {
		f := k.line.FindStringSubmatch(strings.Trim(l, " \t\n│|"))
		if f == nil {
			continue
		}
		if v, ok := k.number(f[2], f[3]); ok {
			name := f[1]
			if k.counts {
				name = withoutCounts(name)
			}
			out = append(out, suiteCase{OrElse(leaders.ReplaceAllString(name, ""), "time"), v})
		}
	}
	return out
}

// leaders are the dots that lead from a name to a figure.
var leaders = regexp.MustCompile(` *\.{3,}$`)

// withoutCounts leaves out how often a case ran, which stands behind its name.
func withoutCounts(name string) string {
	fields := strings.Fields(name)
	n := len(fields)
	for n > 1 && strings.Trim(fields[n-1], "0123456789,.") == "" {
		n--
	}
	return strings.Join(fields[:n], " ")
}

var (
	columnUnit = regexp.MustCompile(`(?i)\((ops/s|ns|us|µs|μs|ms|s)\)`)
	columnName = regexp.MustCompile(`(?i)\b(?:name|task|benchmark|case|function)\b`)
	leading    = regexp.MustCompile(`^[0-9][0-9,]*(?:\.[0-9]+)?`)
)

// rows are the cases of a table that is drawn with │: the column of its unit, of medians where there is one.
func (k *suiteKind) rows(text string) []suiteCase {
	var out []suiteCase
	name, at, unit := -1, -1, ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if !strings.HasPrefix(l, "│") {
			continue
		}
		cells := strings.Split(strings.Trim(l, "│"), "│")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " '\"")
		}
		if at < 0 {
			name, at, unit = k.columns(cells)
			continue
		}
		if max(name, at) < len(cells) && cells[name] != "" {
			if v, ok := k.number(leading.FindString(cells[at]), unit); ok {
				out = append(out, suiteCase{cells[name], v})
			}
		}
	}
	return out
}

// columns finds in the head of a table the names of cases and what they take; at is -1 where it does not tell both.
func (k *suiteKind) columns(head []string) (name, at int, unit string) {
	name, at = -1, -1
	for i, h := range head {
		if name < 0 && columnName.MatchString(h) {
			name = i
		}
		m := columnUnit.FindStringSubmatch(h)
		if m == nil || (strings.ToLower(m[1]) == "ops/s") != k.higher || k.unit == "ms" {
			continue
		}
		if at < 0 || strings.Contains(strings.ToLower(h), "med") && !strings.Contains(strings.ToLower(head[at]), "med") {
			at, unit = i, strings.ToLower(m[1])
		}
	}
	if k.higher {
		unit = ""
	}
	if name < 0 || at < 0 {
		return -1, -1, ""
	}
	return name, at, unit
}

// What vitest prints: the group of a table, which is a file and what it describes, and a row, which begins with a dot:
// the name of a case, how often it runs in a second, seven times, the error and the number of samples.
var (
	groupOfRows = regexp.MustCompile(`^✓ .*? > (.+?)(?: +[0-9.]+m?s)?$`)
	rankedRow   = regexp.MustCompile(`^· +(.*\S) +([0-9][0-9,]*(?:\.[0-9]+)?)(?: +[0-9][0-9,]*(?:\.[0-9]+)?){7} +±[0-9.,]+% +[0-9,]+\b`)
)

// ranked are the cases of the tables of vitest, each named behind its group: several groups have cases of one name.
func (k *suiteKind) ranked(text string) []suiteCase {
	if !k.higher {
		return nil
	}
	var out []suiteCase
	group := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "✓") {
			group = ""
			if g := groupOfRows.FindStringSubmatch(l); g != nil {
				group = g[1] + " > "
			}
		}
		f := rankedRow.FindStringSubmatch(l)
		if f == nil {
			continue
		}
		if v, ok := k.number(f[2], ""); ok {
			out = append(out, suiteCase{group + f[1], v})
		}
	}
	return out
}

func (k *suiteKind) report(cases []suiteCase) (Report, error) {
	r, logs, seen := Report{Summary: record.Plural(len(cases), "case")}, 0.0, map[string]int{}
	for _, c := range cases {
		if c.value <= 0 {
			return Report{}, fmt.Errorf("stdout tells that %q has 0 %s", clip(OneLine(c.name, 200), 60), k.unit)
		}
		name := clipBytes(OneLine(c.name, 80), MaxNameBytes-len(" (999) ops/s"))
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
		logs += math.Log(c.value)
		r.Tests = append(r.Tests, name)
		r.Metrics = append(r.Metrics, k.metric(name+" "+k.unit, c.value))
	}
	mean := k.metric(k.unit+" of "+record.Plural(len(cases), "case"), math.Exp(logs/float64(len(cases))))
	r.Metrics = append([]record.Metric{mean}, r.Metrics...)
	return r, checkMetrics(r.Metrics)
}

func (k *suiteKind) metric(name string, v float64) record.Metric {
	return record.Metric{Name: name, Value: v, Unit: k.unit, Higher: higher(k.higher)}
}
