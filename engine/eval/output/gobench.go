package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"atoll/store/record"
)

// ParseGoBench reads the output of go test -bench. Each benchmark and unit is
// one metric, "Name unit", the median over -count; a metric named by the unit
// alone is the mean over the benchmarks and comes first (ns/op leads): the
// geometric mean, but of B/op and allocs/op, which may be 0, the arithmetic one.
func ParseGoBench(stdout []byte) (Report, error) { return parseGoBench(stdout, Median) }

// ParseGoBenchLow is [ParseGoBench] with the mean of the lowest third of the times
// in the place of their median: what disturbs a short run only makes it longer.
func ParseGoBenchLow(stdout []byte) (Report, error) { return parseGoBench(stdout, lowest) }

func parseGoBench(stdout []byte, time func([]float64) float64) (Report, error) {
	b := benchTable{values: map[string][]float64{}, time: time}
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for scan.Scan() {
		if err := b.line(strings.TrimSpace(scan.Text())); err != nil {
			return Report{}, err
		}
	}
	if err := scan.Err(); err != nil {
		return Report{}, fmt.Errorf("read the benchmark output: %w", err)
	}
	if len(b.names) == 0 {
		return Report{}, errors.New("no benchmark line in stdout: do the benchmarks match -bench?")
	}
	return b.report()
}

type benchTable struct {
	names  []string // benchmarks, in order
	units  []string // in order
	values map[string][]float64
	time   func([]float64) float64 // of the repeats of one benchmark
}

// line reads "BenchmarkX-8   100   12.3 ns/op   4 B/op". Other lines pass.
func (b *benchTable) line(text string) error {
	f := strings.Fields(text)
	if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || !AllDigits(f[1]) {
		return nil
	}
	name := strings.TrimPrefix(f[0], "Benchmark")
	if !contains(b.names, name) {
		b.names = append(b.names, name)
	}
	for i := 2; i+1 < len(f); i += 2 {
		v, err := StrictFloat(f[i])
		if err != nil {
			return fmt.Errorf("the benchmark line %q: %q %w", clip(OneLine(text, 200), 80), f[i], err)
		}
		if !contains(b.units, f[i+1]) {
			b.units = append(b.units, f[i+1])
		}
		b.values[name+" "+f[i+1]] = append(b.values[name+" "+f[i+1]], v)
	}
	return nil
}

func (b *benchTable) report() (Report, error) {
	suffix := commonSuffix(b.names)
	var means, each []record.Metric
	for _, unit := range b.units {
		logs, sum, n := 0.0, 0.0, 0
		for _, name := range b.names {
			values, ok := b.values[name+" "+unit]
			if !ok {
				continue
			}
			m := Median(values)
			if unit == "ns/op" {
				m = b.time(values)
			}
			logs += math.Log(m)
			sum += m
			n++
			each = append(each, benchMetric(strings.TrimSuffix(name, suffix)+" "+unit, m, unit))
		}
		mean := math.Exp(logs / float64(n))
		if unit == "B/op" || unit == "allocs/op" { // often 0, and added up in memory
			means = append(means, benchMetric(unit, sum/float64(n), unit))
		} else if !math.IsNaN(mean) && !math.IsInf(mean, 0) && mean > 0 {
			means = append(means, benchMetric(unit, mean, unit))
		}
	}
	r := Report{Metrics: append(means, each...)}
	if len(r.Metrics) > MaxMetrics {
		r.Metrics = r.Metrics[:MaxMetrics]
	}
	r.Summary = fmt.Sprintf("%d benchmarks", len(b.names))
	for _, n := range b.names {
		r.Tests = append(r.Tests, "Benchmark"+n)
	}
	return r, checkMetrics(r.Metrics)
}

// lowest is the mean of the lowest third, of one value at least.
func lowest(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := max(1, len(sorted)/3)
	sum := 0.0
	for _, v := range sorted[:n] {
		sum += v
	}
	return sum / float64(n)
}

func benchMetric(name string, v float64, unit string) record.Metric {
	m := record.Metric{Name: clipBytes(name, MaxNameBytes), Value: v, Unit: unit}
	switch unit {
	case "ns/op", "B/op", "allocs/op":
		m.Higher = higher(false)
	case "MB/s":
		m.Higher = higher(true)
	}
	return m
}

// commonSuffix is the "-8" that all names carry when GOMAXPROCS is not 1. A
// number that only some names end with belongs to them.
func commonSuffix(names []string) string {
	i := strings.LastIndexByte(names[0], '-')
	if i < 0 || !AllDigits(names[0][i+1:]) {
		return ""
	}
	suffix := names[0][i:]
	for _, n := range names {
		if !strings.HasSuffix(n, suffix) {
			return ""
		}
	}
	return suffix
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// testEvent is one line of go test -json.
type testEvent struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// ParseGoTest counts the tests of go test -json: pass_rate, tests_passed,
// tests_failed, tests_skipped, tests_total. A skipped test did not pass. A
// package that does not build makes the whole a build failure: its tests would
// else vanish from the count.
func ParseGoTest(stdout []byte) (Report, error) {
	result := map[string]string{}
	output := map[string]string{}
	var order []string
	var broken string
	scan := bufio.NewScanner(bytes.NewReader(stdout))
	scan.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for scan.Scan() {
		var e testEvent
		if !bytes.HasPrefix(bytes.TrimSpace(scan.Bytes()), []byte("{")) || json.Unmarshal(scan.Bytes(), &e) != nil {
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "build-output":
			if l := strings.TrimSpace(e.Output); broken == "" && l != "" && !strings.HasPrefix(l, "#") {
				broken = l
			}
		case "build-fail":
			broken = OrElse(broken, e.ImportPath+" does not build")
		case "output":
			if strings.Contains(e.Output, "[build failed]") || strings.Contains(e.Output, "[setup failed]") {
				broken = OrElse(broken, strings.TrimSpace(e.Output))
			}
			if len(output[key]) < 8<<10 {
				output[key] += e.Output
			}
		case "pass", "fail", "skip":
			if e.Test == "" {
				continue
			}
			if _, known := result[key]; !known {
				order = append(order, key)
			}
			result[key] = e.Action
		}
	}
	if err := scan.Err(); err != nil {
		return Report{}, fmt.Errorf("read the test output: %w", err)
	}
	if broken != "" {
		return Report{Failure: &Failure{Class: record.ClassBuild, Reason: NewTelling().Line(broken, "")}}, nil
	}
	var t testCount
	for _, key := range order {
		t.add(strings.TrimSpace(key), result[key], output[key])
	}
	return t.report()
}

// testCount gathers test results for the two test adapters.
type testCount struct {
	passed, failed, skipped int
	names                   []string
	failures                map[string]string
}

func (t *testCount) add(name, result, output string) {
	if len(t.names) < 1000 {
		t.names = append(t.names, OneLine(name, 200))
	}
	switch result {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
	default:
		t.failed++
		if t.failures == nil {
			t.failures = map[string]string{}
		}
		if len(t.failures) < maxArtifacts {
			text, _ := Tail(Clean(output), 8<<10)
			t.failures[clipBytes(OneLine(name, 200), MaxNameBytes)] = text
		}
	}
}

func (t *testCount) report() (Report, error) {
	total := t.passed + t.failed + t.skipped
	if total == 0 {
		return Report{}, errors.New("no test ran")
	}
	return Report{
		Summary: fmt.Sprintf("%d of %d tests pass", t.passed, total),
		Metrics: []record.Metric{
			metric("pass_rate", float64(t.passed)/float64(total), "", true),
			metric("tests_passed", float64(t.passed), "", true),
			metric("tests_failed", float64(t.failed), "", false),
			metric("tests_skipped", float64(t.skipped), "", false),
			metric("tests_total", float64(total), "", true),
		},
		Tests: t.names, Artifacts: t.failures,
	}, nil
}
