package output_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"atoll/engine/eval/output"
	"atoll/store/record"
)

func TestParseReport(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // name=value pairs in order
		err      string
	}{
		{"the contract's form", `{"summary":"ok","metrics":[{"name":"score","value":1.5,"unit":"s","higher_is_better":false,"details":{"a":1}}]}`, "score=1.5", ""},
		{"an object of numbers", `{"metrics":{"a":1,"b":-2e3}}`, "a=1 b=-2000", ""},
		{"unknown fields are passed over", `{"metrics":{"a":1},"future":[1,{"x":null}]}`, "a=1", ""},
		{"a byte order mark and blanks around", "\xef\xbb\xbf {\"metrics\":{\"a\":1}} \n", "a=1", ""},
		{"nothing at all", "", "", "it is empty"},
		{"no object", `[1]`, "", "it is a list, expected a JSON object"},
		{"cut in the middle", `{"metrics":[{"name":`, "", "ends in the middle"},
		{"NaN as Python writes it", `{"metrics":[{"name":"a","value":NaN}]}`, "", "NaN is no JSON number: a metric must be finite"},
		{"Infinity as Python writes it", `{"metrics":[{"name":"a","value":-Infinity}]}`, "", "Infinity is no JSON number"},
		{"a number no float64 holds", `{"metrics":{"a":1e999}}`, "", `the value 1e999 of "a" is not finite`},
		{"a number as text", `{"metrics":{"a":"1.5"}}`, "", `is the text "1.5", expected a number (write it without quotes)`},
		{"a truth value", `{"metrics":[{"name":"a","value":true}]}`, "", "is true or false, expected a number"},
		{"null", `{"metrics":[{"name":"a","value":null}]}`, "", "is null, expected a number"},
		{"a metric twice", `{"metrics":[{"name":"a","value":1},{"name":"a","value":2}]}`, "", `the metric "a" is reported twice`},
		{"a field twice", `{"metrics":{"a":1},"metrics":{"a":2}}`, "", `the field "metrics" is written twice`},
		{"a value twice", `{"metrics":[{"name":"a","value":1,"value":9}]}`, "", `the field "value" is written twice`},
		{"no metrics", `{"summary":"x"}`, "", `has no field "metrics"`},
		{"empty metrics", `{"metrics":[]}`, "", "metrics is empty"},
		{"a metric without a name", `{"metrics":[{"value":1}]}`, "", "metric 1: it has no name"},
		{"a metric without a value", `{"metrics":[{"name":"a"}]}`, "", `"a" has no value`},
		{"an empty name", `{"metrics":{"":1}}`, "", "an empty name"},
		{"a name with a control character", `{"metrics":{"a\u001bb":1}}`, "", "holds a control character"},
		{"a name with blanks around", `{"metrics":{" a":1}}`, "", "begins or ends with a blank"},
		{"a long name", `{"metrics":{"` + strings.Repeat("x", 101) + `":1}}`, "", "longer than 100 bytes"},
		{"a direction as text", `{"metrics":[{"name":"a","value":1,"higher_is_better":"no"}]}`, "", "expected true or false"},
		{"a summary that is no text", `{"summary":3,"metrics":{"a":1}}`, "", "summary is the number 3"},
		{"something after the object", `{"metrics":{"a":1}} {"metrics":{"a":2}}`, "", "something follows"},
		{"Python's repr", `{'metrics': 1}`, "", "double quotes"},
		{"nested too deep", strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80), "", "nested deeper than 64"},
		{"a failure needs no metrics", `{"failure":{"class":"build","reason":"no"}}`, "", ""},
		{"a failure of unknown class", `{"failure":{"class":"gate","reason":"no"}}`, "", `the class "gate"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := output.ParseReport([]byte(tt.in))
			checkErr(t, err, tt.err)
			if got := pairs(r.Metrics); err == nil && got != tt.want {
				t.Errorf("metrics %q, want %q", got, tt.want)
			}
		})
	}
}

func checkErr(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Fatalf("unexpected error: %v", err)
	case want != "" && err == nil:
		t.Fatalf("no error, want %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("error %q, want it to hold %q", err, want)
	case err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl):
		t.Errorf("control character in %q", err)
	}
}

func pairs(list []record.Metric) string {
	var s []string
	for _, m := range list {
		s = append(s, fmt.Sprintf("%s=%g", m.Name, m.Value))
	}
	return strings.Join(s, " ")
}

func TestParseReportKeepsTextsClean(t *testing.T) {
	r, err := output.ParseReport([]byte(`{"summary":"a\u001b[31mred\u001b[0m\nb","metrics":[{"name":"a","value":-0.0,"unit":"m\u0007s"}],
		"tests":["one",{"name":"two","ok":true}],"logs":["x\u001b]0;title\u0007y",{"k":1}],"artifacts":{"plot":"\u001b[2Jtext","table":{"a":[1,2]}},"extra":{"deep":[1,"\u001b[2J"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary != "ared b" || r.Metrics[0].Unit != "ms" || math.Signbit(r.Metrics[0].Value) {
		t.Errorf("summary %q, metric %+v", r.Summary, r.Metrics[0])
	}
	if strings.Join(r.Tests, ",") != "one,two" || r.Logs != "xy\n{\"k\":1}\n" {
		t.Errorf("tests %q, logs %q", r.Tests, r.Logs)
	}
	if r.Artifacts["plot"] != "text" || r.Artifacts["table"] != `{"a":[1,2]}` {
		t.Errorf("artifacts %q", r.Artifacts)
	}
	if strings.ContainsRune(string(r.Extra), 0x1b) {
		t.Errorf("extra %q", r.Extra)
	}
}

func TestParseReportTakesManyMetricsUpToACap(t *testing.T) {
	many := func(n int) []byte {
		var list []map[string]any
		for i := range n {
			list = append(list, map[string]any{"name": fmt.Sprintf("m%d", i), "value": i})
		}
		text, err := json.Marshal(map[string]any{"metrics": list})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	r, err := output.ParseReport(many(output.MaxMetrics))
	if err != nil || len(r.Metrics) != output.MaxMetrics {
		t.Errorf("%d metrics: %v", len(r.Metrics), err)
	}
	_, err = output.ParseReport(many(output.MaxMetrics + 1))
	checkErr(t, err, "513 metrics, more than the 512 allowed")
}

func TestParseOutputs(t *testing.T) {
	number := func(b []byte) (output.Report, error) { return output.ParseLastNumber(b, "score") }
	for _, tt := range []struct {
		name  string
		parse func([]byte) (output.Report, error)
		in    string
		want  string
		err   string
	}{
		{"the last line is the number", number, "warming up\n 53.42 \n\n", "score=53.42", ""},
		{"an exponent is understood", number, "1.5e-7", "score=1.5e-07", ""},
		{"zero counts", number, "0\n", "score=0", ""},
		{"prose is no number", number, "took 5 ms", "", `the last line of stdout, "took 5 ms", is not a number`},
		{"nan is refused", number, "nan", "", "is not finite"},
		{"inf is refused", number, "-inf", "", "is not finite"},
		{"overflow is refused", number, "1e400", "", "is not finite"},
		{"hexadecimal is refused", number, "0x10", "", "is not a number"},
		{"underscores are refused", number, "1_000", "", "is not a number"},
		{"nothing printed", number, " \n", "", "stdout is empty"},

		{"the last JSON line counts", output.ParseLastJSON, "{\"metrics\":{\"a\":1}}\nlog\n{\"metrics\":{\"a\":2}}\n", "a=2", ""},
		{"prose after it is passed over", output.ParseLastJSON, "{\"metrics\":{\"a\":1}}\ndone", "a=1", ""},
		{"flat numbers are metrics", output.ParseLastJSON, `{"time_ms": 12.5, "ok": true, "inner": {"x": 1, "s": "t"}}`, "time_ms=12.5 inner.x=1", ""},
		{"an object over several lines", output.ParseLastJSON, "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": 2\n  }\n}\n", "a=1 b.c=2", ""},
		{"no number in it", output.ParseLastJSON, `{"a":"b"}`, "", "holds no number"},
		{"no JSON line", output.ParseLastJSON, "hello", "", `no line of stdout begins a JSON object; the last one is "hello"`},
		{"a broken line", output.ParseLastJSON, `{"a": nan}`, "", "nan is no JSON number"},

		{"equals and colon", output.ParsePairs, "start\nscore      : 0.5\ntime = 12.5 ms\nurl: http://x:80\n12:30: 4\n", "score=0.5 time=12.5", ""},
		{"an equals sign inside a name", output.ParsePairs, "n=100/ns=5", "n=100/ns=5", ""},
		{"a name twice", output.ParsePairs, "a=1\na=2", "", `"a" is reported twice`},
		{"marked lines alone count", output.ParsePairs, "step: 1\nstep: 2\nMETRIC loss=0.5\nMETRIC acc = 0.9", "loss=0.5 acc=0.9", ""},
		{"a marked line must be well formed", output.ParsePairs, "METRIC loss=high", "", `"high" is not a number`},
		{"a value that is not finite", output.ParsePairs, "a = nan", "", "is not finite"},
		{"names and numbers with spaces between them", output.ParsePairs, "start now\nscore 0.5\nelapsed 12.5 ms\n3 4\nof 3 4 5\n", "score=0.5 elapsed=12.5", ""},
		{"pairs beside names and numbers", output.ParsePairs, "epoch 5\nloss = 0.5\n", "loss=0.5", ""},
		{"no pair at all", output.ParsePairs, "hello\nworld: peace", "", "no line of stdout is name = number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.parse([]byte(tt.in))
			checkErr(t, err, tt.err)
			if got := pairs(r.Metrics); err == nil && got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseGoBench(t *testing.T) {
	const out = "goos: linux\nBenchmarkSort/n=100-8   \t 1000\t 100 ns/op\t 16 B/op\t 0 allocs/op\n" +
		"BenchmarkSort/n=100-8 1000 300 ns/op 16 B/op 0 allocs/op\nBenchmarkSort/n=100-8 1000 110 ns/op 16 B/op 0 allocs/op\n" +
		"BenchmarkFind-8 10 990 ns/op 4 B/op 1 allocs/op 5.5 hits/op\nPASS\nok \tm\t1.2s\n"
	r, err := output.ParseGoBench([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, m := range r.Metrics {
		got[m.Name] = m.Value
	}
	for name, want := range map[string]float64{
		"ns/op": math.Sqrt(110 * 990), "B/op": 10, "allocs/op": 0.5, "Sort/n=100 ns/op": 110, "Find ns/op": 990, "Find hits/op": 5.5, "Sort/n=100 allocs/op": 0,
	} {
		if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9 {
			t.Errorf("%s = %g (%v), want %g", name, v, ok, want)
		}
	}
	if r.Metrics[0].Name != "ns/op" || *r.Metrics[0].Higher {
		t.Errorf("first metric %+v", r.Metrics[0])
	}
	one, err := output.ParseGoBench([]byte("BenchmarkA/case-2 10 5 ns/op\nBenchmarkB 10 5 ns/op\n"))
	if err != nil || one.Metrics[1].Name != "A/case-2 ns/op" {
		t.Errorf("one processor: %v %v", one.Metrics, err)
	}
	_, err = output.ParseGoBench([]byte("PASS\n"))
	checkErr(t, err, "no benchmark line")
	_, err = output.ParseGoBench([]byte("BenchmarkA 10 +Inf ns/op\n"))
	checkErr(t, err, "is not finite")
}

func TestParseTestResults(t *testing.T) {
	const events = `{"Action":"run","Package":"m","Test":"TestA"}
{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"output","Package":"m","Test":"TestB","Output":"    b_test.go:3: want 2\n"}
{"Action":"fail","Package":"m","Test":"TestB"}
{"Action":"skip","Package":"m","Test":"TestC"}
{"Action":"fail","Package":"m"}
`
	r, err := output.ParseGoTest([]byte(events))
	if err != nil || pairs(r.Metrics) != "pass_rate=0.3333333333333333 tests_passed=1 tests_failed=1 tests_skipped=1 tests_total=3" {
		t.Errorf("%s %v", pairs(r.Metrics), err)
	}
	if !strings.Contains(r.Artifacts["m TestB"], "want 2") {
		t.Errorf("artifacts %v", r.Artifacts)
	}
	_, err = output.ParseGoTest([]byte("nothing here\n"))
	checkErr(t, err, "no test ran")
	r, err = output.ParseGoTest([]byte(`{"ImportPath":"m","Action":"build-output","Output":"# m\n"}
{"ImportPath":"m","Action":"build-output","Output":"./a.go:3:5: undefined: x\n"}
{"ImportPath":"m","Action":"build-fail"}`))
	if err != nil || r.Failure == nil || r.Failure.Class != record.ClassBuild || r.Failure.Reason != "a.go:3: undefined: x" {
		t.Errorf("%+v %v", r.Failure, err)
	}

	const junit = `<?xml version="1.0"?><testsuites><testsuite name="pytest" errors="0" failures="1">
<testcase classname="t" name="a" time="0.1"/><testcase classname="t" name="b"><failure message="assert 1 == 2">E  AssertionError</failure></testcase>
<testcase classname="t" name="c"><skipped message="no"/></testcase></testsuite></testsuites>`
	r, err = output.ParseJUnit([]byte(junit))
	if err != nil || r.Metrics[0].Value != 1.0/3 || !strings.Contains(r.Artifacts["t.b"], "assert 1 == 2") {
		t.Errorf("%s %v %v", pairs(r.Metrics), r.Artifacts, err)
	}
	r, err = output.ParseJUnit([]byte(`<testsuite><testcase name="t"><error message="collection failure">t.py:1: in x
    import y
E   ModuleNotFoundError: No module named 'y'</error></testcase><testcase name="ok"/></testsuite>`))
	if err != nil || r.Failure == nil || r.Failure.Class != record.ClassBuild || !strings.Contains(r.Failure.Reason, "No module named 'y'") {
		t.Errorf("%+v %v", r.Failure, err)
	}
	_, err = output.ParseJUnit([]byte("<testsuite"))
	checkErr(t, err, "cannot be read")
}

func TestParseHyperfine(t *testing.T) {
	r, err := output.ParseHyperfine([]byte(`{"results":[{"command":"x","mean":0.2,"stddev":0.01,"median":0.19,"user":0.1,"system":0.02,"min":0.18,"max":0.25,"times":[0.18,0.19,0.25],"exit_codes":[0,0,0]},
		{"command":"y","median":0.4,"times":[0.4],"exit_codes":[0]}]}`))
	if err != nil || pairs(r.Metrics) != "median=0.19 mean=0.2 min=0.18 max=0.25 stddev=0.01 user=0.1 system=0.02 2.median=0.4" {
		t.Errorf("%s %v", pairs(r.Metrics), err)
	}
	r, err = output.ParseHyperfine([]byte(`{"results":[{"command":"x","median":0.1,"exit_codes":[0,3]}]}`))
	if err != nil || r.Failure == nil {
		t.Errorf("a run that failed: %+v %v", r, err)
	}
	_, err = output.ParseHyperfine([]byte(`{"results":[]}`))
	checkErr(t, err, "no result")
}

// checkParsed holds for whatever a parser accepts.
func checkParsed(t *testing.T, r output.Report) {
	t.Helper()
	if len(r.Metrics) == 0 && r.Failure == nil {
		t.Error("accepted without metric or failure")
	}
	seen := map[string]bool{}
	for _, m := range r.Metrics {
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) || m.Name == "" || len(m.Name) > output.MaxNameBytes || seen[m.Name] {
			t.Errorf("accepted %+v", m)
		}
		if strings.ContainsFunc(m.Name+m.Unit+r.Summary, unicode.IsControl) {
			t.Errorf("control character in %+v, %q", m, r.Summary)
		}
		seen[m.Name] = true
	}
	if len(r.Metrics) > output.MaxMetrics {
		t.Errorf("%d metrics", len(r.Metrics))
	}
	if r.Extra != nil && !json.Valid(r.Extra) {
		t.Errorf("extra is no JSON: %q", r.Extra)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"summary":"s","metrics":[{"name":"a","value":1,"unit":"u"}],"tests":["t"],"logs":"l","artifacts":{"a":1},"extra":{"x":[1]},"failure":{"class":"test","reason":"r"}}`))
	f.Add([]byte("a = 1\nMETRIC b: 2 ms\n{\"a\":1}\n5"))
	f.Add([]byte("a x 1,234.5 ops/sec ±0.5% (90 runs sampled)\nb: 2 runs per second"))
	f.Add([]byte("BenchmarkA-2 10 5 ns/op\n{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"T\"}"))
	f.Add([]byte(`<testsuite><testcase name="a"><failure message="m">t</failure></testcase></testsuite>`))
	f.Add([]byte(`{"results":[{"command":"c","median":1,"times":[1],"exit_codes":[0]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) (output.Report, error){
			output.ParseReport, output.ParseLastJSON, output.ParsePairs, output.ParseSuite, output.ParseGoBench, output.ParseGoTest, output.ParseJUnit, output.ParseHyperfine,
			func(b []byte) (output.Report, error) { return output.ParseLastNumber(b, "score") },
		} {
			r, err := parse(data)
			if err == nil {
				checkParsed(t, r)
			} else if strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("control character in the error %q", err)
			}
		}
	})
}
