// Package output reads what an evaluator put out, strictly: the result as JSON, numbers
// on standard output, the tables of test and benchmark tools, and the one plain line in
// which a failed command says why. Everything that it returns is clean text and finite
// numbers. It also sums up repeated values.
package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"atoll/store/record"
)

// Bounds of what an evaluator may report.
const (
	MaxMetrics     = 512
	MaxNameBytes   = 100
	maxReportBytes = 8 << 20
	MaxTextBytes   = 64 << 10
	maxArtifacts   = 64
	maxIdentity    = 2048
)

// Report is what an evaluator says, checked: every value is finite, names are
// unique, texts carry no control sequences.
type Report struct {
	Summary   string
	Metrics   []record.Metric // in the order they were written
	Tests     []string
	Logs      string
	Artifacts map[string]string
	Extra     []byte // compact JSON, nil when absent
	// Identity names what was really measured, such as the hash of a build:
	// candidates of one identity are one program. "" when absent.
	Identity string
	// Failure is set when the evaluator itself says that the candidate failed;
	// Metrics may then be empty.
	Failure *Failure
}

// Failure is a candidate's failure as an evaluator reports it.
type Failure struct {
	Class  record.Class
	Reason string
}

// ParseReport reads the result of the evaluator contract:
//
//	{"summary": "...", "metrics": [{"name", "value", "unit"?, "higher_is_better"?, "details"?}],
//	 "tests"?, "logs"?, "artifacts"?, "extra"?, "identity"?, "failure"?: {"class"?, "reason"}}
//
// metrics may also be an object of numbers. Unknown fields are ignored; a field
// or metric written twice, a value that is text, true, null or not finite, and
// more than [MaxMetrics] metrics are refused. The error is one line for people.
func ParseReport(data []byte) (Report, error) {
	if len(data) > maxReportBytes {
		return Report{}, fmt.Errorf("the result has %d bytes, more than the %d allowed", len(data), maxReportBytes)
	}
	o, err := decodeObject(data)
	if err != nil {
		return Report{}, fmt.Errorf("the result cannot be read: %w", err)
	}
	return reportOf(o)
}

func reportOf(o object) (Report, error) {
	var r Report
	var err error
	if r.Failure, err = failureOf(o); err != nil {
		return Report{}, err
	}
	if v, ok := o.get("summary"); ok && v != nil {
		s, isText := v.(string)
		if !isText {
			return Report{}, fmt.Errorf("summary is %s, expected text", kindOf(v))
		}
		r.Summary = OneLine(s, 500)
	}
	list, ok := o.get("metrics")
	if !ok && r.Failure == nil {
		return Report{}, errors.New(`the result has no field "metrics": write {"metrics": [{"name": "score", "value": 1.5}]}`)
	}
	if ok {
		if r.Metrics, err = metricsOf(list); err != nil {
			return Report{}, err
		}
	}
	if len(r.Metrics) == 0 && r.Failure == nil {
		return Report{}, errors.New("metrics is empty: report at least one")
	}
	r.Tests = testsOf(o)
	r.Logs = logsOf(o)
	r.Artifacts = artifactsOf(o)
	if v, ok := o.get("identity"); ok && v != nil {
		if r.Identity, ok = v.(string); !ok || len(r.Identity) > maxIdentity {
			return Report{}, fmt.Errorf("identity is %s, expected a text of at most %d bytes", kindOf(v), maxIdentity)
		}
	}
	if v, ok := o.get("extra"); ok && v != nil {
		r.Extra = plainJSON(v)
	}
	return r, nil
}

// failureOf reads the optional field failure.
func failureOf(o object) (*Failure, error) {
	v, ok := o.get("failure")
	if !ok || v == nil {
		return nil, nil
	}
	f := Failure{Class: record.ClassTest}
	switch v := v.(type) {
	case string:
		f.Reason = OneLine(v, MaxReason)
	case object:
		if reason, ok := v.get("reason"); ok {
			text, _ := reason.(string)
			f.Reason = OneLine(text, MaxReason)
		}
		if class, ok := v.get("class"); ok {
			text, _ := class.(string)
			f.Class = record.Class(text)
		}
	default:
		return nil, fmt.Errorf("failure is %s, expected text or an object with reason and class", kindOf(v))
	}
	switch f.Class {
	case record.ClassBuild, record.ClassTest, record.ClassTimeout, record.ClassMemory,
		record.ClassOutput, record.ClassCrash, record.ClassMetric:
	default:
		return nil, fmt.Errorf("failure has the class %q: use build, test, timeout, memory, output, crash or metric", clip(string(f.Class), 40))
	}
	if f.Reason == "" {
		f.Reason = "the evaluator reported a failure without a reason"
	}
	return &f, nil
}

func metricsOf(v any) ([]record.Metric, error) {
	var list []record.Metric
	switch v := v.(type) {
	case []any:
		if len(v) > MaxMetrics {
			return nil, fmt.Errorf("%d metrics, more than the %d allowed", len(v), MaxMetrics)
		}
		for i, e := range v {
			m, err := metricOf(e)
			if err != nil {
				return nil, fmt.Errorf("metric %d: %w", i+1, err)
			}
			list = append(list, m)
		}
	case object:
		if len(v) > MaxMetrics {
			return nil, fmt.Errorf("%d metrics, more than the %d allowed", len(v), MaxMetrics)
		}
		for _, f := range v {
			value, err := finite(f.key, f.value)
			if err != nil {
				return nil, err
			}
			list = append(list, record.Metric{Name: f.key, Value: value})
		}
	default:
		return nil, fmt.Errorf("metrics is %s, expected a list", kindOf(v))
	}
	return list, checkMetrics(list)
}

// checkMetrics holds the rules on names for every way metrics come in.
func checkMetrics(list []record.Metric) error {
	if len(list) > MaxMetrics {
		return fmt.Errorf("%d metrics, more than the %d allowed", len(list), MaxMetrics)
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		if err := CheckName(m.Name); err != nil {
			return err
		}
		if seen[m.Name] {
			return fmt.Errorf("the metric %q is reported twice", m.Name)
		}
		seen[m.Name] = true
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return fmt.Errorf("the metric %q is not finite", m.Name)
		}
	}
	return nil
}

func metricOf(v any) (record.Metric, error) {
	var m record.Metric
	o, ok := v.(object)
	if !ok {
		return m, fmt.Errorf(`%s, expected {"name": ..., "value": ...}`, kindOf(v))
	}
	name, ok := o.get("name")
	if !ok {
		return m, errors.New("it has no name")
	}
	if m.Name, ok = name.(string); !ok {
		return m, fmt.Errorf("its name is %s, expected text", kindOf(name))
	}
	value, ok := o.get("value")
	if !ok {
		return m, fmt.Errorf("%q has no value", clip(m.Name, 60))
	}
	var err error
	if m.Value, err = finite(m.Name, value); err != nil {
		return m, err
	}
	if unit, ok := o.get("unit"); ok && unit != nil {
		text, ok := unit.(string)
		if !ok {
			return m, fmt.Errorf("the unit of %q is %s, expected text", clip(m.Name, 60), kindOf(unit))
		}
		m.Unit = OneLine(text, 32)
	}
	if higher, ok := o.get("higher_is_better"); ok && higher != nil {
		b, ok := higher.(bool)
		if !ok {
			return m, fmt.Errorf("higher_is_better of %q is %s, expected true or false", clip(m.Name, 60), kindOf(higher))
		}
		m.Higher = &b
	}
	return m, nil
}

// finite reads a JSON number that a float64 can hold.
func finite(name string, v any) (float64, error) {
	n, ok := v.(json.Number)
	if !ok {
		hint := ""
		if _, text := v.(string); text {
			hint = " (write it without quotes)"
		}
		return 0, fmt.Errorf("the value of %q is %s, expected a number%s", clip(name, 60), kindOf(v), hint)
	}
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, fmt.Errorf("the value %s of %q is not finite", clip(n.String(), 40), clip(name, 60))
	}
	return f + 0, nil
}

// CheckName refuses names that cannot be shown or addressed.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("a metric has an empty name")
	case len(name) > MaxNameBytes:
		return fmt.Errorf("the metric name %q is longer than %d bytes", clip(name, 40), MaxNameBytes)
	case !utf8.ValidString(name):
		return fmt.Errorf("the metric name %q is not UTF-8", clip(name, 40))
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("the metric name %q begins or ends with a blank", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the metric name %q holds a control character", name)
		}
	}
	return nil
}

// testsOf reads tests, or tests_executed as some evaluators call it: a list of
// names or of objects with a name.
func testsOf(o object) []string {
	v, ok := o.get("tests")
	if !ok {
		v, _ = o.get("tests_executed")
	}
	list, ok := v.([]any)
	if !ok {
		if text, ok := v.(string); ok && text != "" {
			return []string{OneLine(text, 200)}
		}
		return nil
	}
	var names []string
	for _, e := range list {
		switch e := e.(type) {
		case string:
			names = append(names, OneLine(e, 200))
		case object:
			if name, ok := e.get("name"); ok {
				text, _ := name.(string)
				names = append(names, OneLine(text, 200))
			}
		}
		if len(names) == 1000 {
			break
		}
	}
	return names
}

func logsOf(o object) string {
	v, _ := o.get("logs")
	switch v := v.(type) {
	case string:
		return clipBytes(Clean(v), MaxTextBytes)
	case []any:
		var b strings.Builder
		for _, e := range v {
			b.WriteString(textOf(e))
			b.WriteByte('\n')
			if b.Len() > MaxTextBytes {
				break
			}
		}
		return clipBytes(b.String(), MaxTextBytes)
	}
	return ""
}

// artifactsOf reads named texts; other JSON is kept as text. A list of objects
// with key or name is read as such too.
func artifactsOf(o object) map[string]string {
	v, _ := o.get("artifacts")
	found := map[string]string{}
	put := func(name, text string) {
		if name = OneLine(name, MaxNameBytes); name != "" && len(found) < maxArtifacts {
			found[name] = clipBytes(text, MaxTextBytes)
		}
	}
	switch v := v.(type) {
	case object:
		for _, m := range v {
			put(m.key, textOf(m.value))
		}
	case []any:
		for i, e := range v {
			name := strconv.Itoa(i + 1)
			if a, ok := e.(object); ok {
				for _, key := range []string{"key", "name"} {
					if text, ok := a.get(key); ok {
						name = textOf(text)
						break
					}
				}
			}
			put(name, textOf(e))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

func textOf(v any) string {
	if s, ok := v.(string); ok {
		return Clean(s)
	}
	return string(plainJSON(v))
}

// SortedKeys returns the names of artifacts in order.
func SortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// higher is a pointer to a direction of a metric.
func higher(b bool) *bool { return &b }

func metric(name string, value float64, unit string, up bool) record.Metric {
	return record.Metric{Name: name, Value: value, Unit: unit, Higher: higher(up)}
}
