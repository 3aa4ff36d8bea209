package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atoll/store/record"
)

// The ways a result comes out of an evaluator.
const (
	OutputFile   = "result-file"    // the file named by ATOLL_RESULT
	OutputJSON   = "last-json-line" // the last line of stdout that begins an object
	OutputNumber = "last-number"    // the last line of stdout, one number
	OutputPairs  = "name=value"     // every line of stdout that is name = number
	OutputSuite  = "suite"          // what a suite of benchmarks prints on stdout of its cases
	OutputNone   = "none"           // stages only: the exit code is the result
)

// ParseLastNumber reads the last line of stdout that is not empty. It must be
// one finite number and nothing else; name is what the metric is called.
func ParseLastNumber(stdout []byte, name string) (Report, error) {
	line := lastLine(stdout)
	if line == "" {
		return Report{}, errors.New("stdout is empty, expected a number on its last line")
	}
	v, err := StrictFloat(line)
	if err != nil {
		return Report{}, fmt.Errorf("the last line of stdout, %q, %w", clip(line, 60), err)
	}
	r := Report{Metrics: []record.Metric{{Name: name, Value: v}}}
	return r, checkMetrics(r.Metrics)
}

// ParseLastJSON reads the last line of stdout that begins with a brace, or the
// whole of stdout when that is one object. Without a field "metrics" its
// numbers are the metrics, those of an object inside it under "outer.inner".
func ParseLastJSON(stdout []byte) (Report, error) {
	text := strings.TrimSpace(string(stdout))
	if text == "" {
		return Report{}, errors.New("stdout is empty, expected a JSON object on its last line")
	}
	var o object
	var err error
	line := ""
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "{") {
			line = l
		}
	}
	if line == "" {
		return Report{}, fmt.Errorf("no line of stdout begins a JSON object; the last one is %q", clip(OneLine(lastLine(stdout), 200), 60))
	}
	if o, err = decodeObject([]byte(line)); err != nil {
		// An object over several lines: all of stdout has to be it.
		whole, wholeErr := decodeObject([]byte(text))
		if wholeErr != nil {
			return Report{}, fmt.Errorf("the last JSON line of stdout cannot be read: %w", err)
		}
		o = whole
	}
	_, contract := o.get("metrics")
	_, failed := o.get("failure")
	if contract || failed {
		return reportOf(o)
	}
	return flatReport(o)
}

// flatReport takes the numbers of an object as metrics, one level deep.
func flatReport(o object) (Report, error) {
	var r Report
	add := func(name string, v any) error {
		if _, number := v.(json.Number); !number {
			return nil
		}
		f, err := finite(name, v)
		if err == nil {
			r.Metrics = append(r.Metrics, record.Metric{Name: name, Value: f})
		}
		return err
	}
	for _, m := range o {
		if inner, ok := m.value.(object); ok {
			for _, n := range inner {
				if err := add(m.key+"."+n.key, n.value); err != nil {
					return Report{}, err
				}
			}
			continue
		}
		if err := add(m.key, m.value); err != nil {
			return Report{}, err
		}
	}
	if len(r.Metrics) == 0 {
		return Report{}, errors.New("the JSON object holds no number")
	}
	if s, ok := o.get("summary"); ok {
		if text, ok := s.(string); ok {
			r.Summary = OneLine(text, 500)
		}
	}
	return r, checkMetrics(r.Metrics)
}

// ParsePairs reads lines such as "score = 1.5", "time_ms: 12" or
// "throughput=3.2 MB/s" from stdout. Other lines are passed over. When any line
// begins with "METRIC ", only those count, and each must be well formed. A name
// that comes twice is refused: nobody could say which one counts. Where no line is of this form those of a name, a number and at most
// a unit with spaces between them count ("score 0.83").
func ParsePairs(stdout []byte) (Report, error) {
	lines := strings.Split(string(stdout), "\n")
	metrics, err := writtenPairs(lines)
	if err != nil {
		return Report{}, err
	}
	if len(metrics) == 0 {
		metrics = spacedPairs(lines)
	}
	if len(metrics) == 0 {
		return Report{}, errors.New("no line of stdout is name = number")
	}
	return Report{Metrics: metrics}, checkMetrics(metrics)
}

// writtenPairs are the lines that are name = number or name: number, or of those that are marked all.
func writtenPairs(lines []string) ([]record.Metric, error) {
	const mark = "METRIC "
	marked := false
	for _, l := range lines {
		marked = marked || strings.HasPrefix(strings.TrimSpace(l), mark)
	}
	var out []record.Metric
	for _, l := range lines {
		l = strings.TrimSpace(l)
		rest, has := strings.CutPrefix(l, mark)
		if marked && !has {
			continue
		}
		m, err := pairOf(strings.TrimSpace(rest))
		switch {
		case err == nil:
			out = append(out, m)
		case marked || errors.Is(err, errNotFinite):
			return nil, fmt.Errorf("the line %q of stdout: %w", clip(OneLine(l, 200), 60), err)
		}
		if len(out) > MaxMetrics {
			break
		}
	}
	return out, nil
}

// spacedPairs are the lines that are a plain name, a number and at most a unit, as print("score", x) of Python writes them.
func spacedPairs(lines []string) []record.Metric {
	var out []record.Metric
	for _, l := range lines {
		name, rest, _ := strings.Cut(strings.TrimSpace(l), " ")
		m, err := pairOf(name + "=" + rest)
		prose := len(m.Unit) > len("req/s") && inMs[m.Unit] == 0 // loading 3 modules
		if err == nil && !prose && len(out) <= MaxMetrics {
			out = append(out, m)
		}
	}
	return out
}

func pairOf(line string) (record.Metric, error) {
	i := strings.LastIndexByte(line, '=')
	if i < 0 {
		i = strings.LastIndexByte(line, ':')
	}
	if i <= 0 {
		return record.Metric{}, errors.New("it is not name = number")
	}
	name := strings.TrimSpace(line[:i])
	if !plainName(name) {
		return record.Metric{}, fmt.Errorf("%q is no plain name", clip(name, 40))
	}
	fields := strings.Fields(line[i+1:])
	if len(fields) == 0 || len(fields) > 2 {
		return record.Metric{}, errors.New("expected a number and at most a unit after the name")
	}
	v, err := StrictFloat(fields[0])
	if err != nil {
		return record.Metric{}, fmt.Errorf("%q %w", clip(fields[0], 40), err)
	}
	m := record.Metric{Name: name, Value: v}
	if len(fields) == 2 {
		m.Unit = OneLine(fields[1], 32)
	}
	return m, nil
}

// plainName tells names from the prose of a log.
func plainName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		inside := r >= '0' && r <= '9' || strings.ContainsRune("./-%=@", r)
		if !letter && (i == 0 || !inside) {
			return false
		}
	}
	return s != ""
}

var errNotFinite = errors.New("is not finite")

// StrictFloat reads a decimal number. It knows exponents, and refuses what
// strconv takes beyond that: hexadecimal, underscores, infinities.
func StrictFloat(s string) (float64, error) {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan", "inf", "infinity":
		return 0, errNotFinite
	}
	for _, r := range s {
		if (r < '0' || r > '9') && !strings.ContainsRune("+-.eE", r) {
			return 0, errors.New("is not a number")
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if math.IsInf(v, 0) {
		return 0, errNotFinite
	}
	if err != nil {
		return 0, errors.New("is not a number")
	}
	return v + 0, nil
}

func lastLine(text []byte) string {
	s := strings.TrimSpace(string(text))
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSpace(s)
}
