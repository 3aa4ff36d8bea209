package output

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestWhatASuiteOfBenchmarksPrintsIsRead(t *testing.T) {
	for _, c := range []struct {
		name, stdout string
		names        []string
		values       []float64
	}{
		{
			"benchmark.js", "parse x 14,380,275 ops/sec ±0.55% (93 runs sampled)\nstringify#big x 400 ops/sec ±1.02% (88 runs sampled)\nFastest is parse\n",
			[]string{"ops/s of 2 cases", "parse ops/s", "stringify#big ops/s"},
			[]float64{math.Sqrt(14380275 * 400), 14380275, 400},
		},
		{
			"with colours, a frame and a fraction", "│ \x1b[32m  short text\x1b[0m: \x1b[1m1,024.5 ops/s\x1b[0m, ±1.2 %\n",
			[]string{"ops/s of 1 case", "short text ops/s"},
			[]float64{1024.5, 1024.5},
		},
		{
			"a case that comes twice", "a x 4 ops/sec\nb = 2 runs per second\na x 1 ops/sec\n",
			[]string{"ops/s of 3 cases", "a ops/s", "b ops/s", "a (2) ops/s"},
			[]float64{2, 4, 2, 1},
		},
		{
			"times for each operation, with how often it ran", "Running tests\nQuick_sort 100000 x86_64   182   5519.5 ns/op\nHeap sort      12   2 ms/op\n",
			[]string{"ns/op of 2 cases", "Quick_sort 100000 x86_64 ns/op", "Heap sort ns/op"},
			[]float64{math.Sqrt(5519.5 * 2e6), 5519.5, 2e6},
		},
		{
			"times of console.time, and settings", "number: 1000000\nmaxFill: 16\ninsert one by one: 1.923s\n1000 searches 10%: 250.5ms\n",
			[]string{"ms of 2 cases", "insert one by one ms", "1000 searches 10% ms"},
			[]float64{math.Sqrt(1923 * 250.5), 1923, 250.5},
		},
		{
			"times in the words of scripts", "loading 3 modules\nsum of squares 20000 took 12.5 ms\nparsed all in 1.5 seconds.\nwords, 250 us\n",
			[]string{"ms of 3 cases", "sum of squares ms", "parsed all ms", "words ms"},
			[]float64{math.Cbrt(12.5 * 1500 * 0.25), 12.5, 1500, 0.25},
		},
		{
			"a time alone, with an exponent", "took 4.5e-05 s\n",
			[]string{"ms of 1 case", "time ms"},
			[]float64{0.045, 0.045},
		},
		{
			"a time with its unit alone", "0.25 seconds\n",
			[]string{"ms of 1 case", "time ms"},
			[]float64{250, 250},
		},
		{
			"a sentence that ends with a time", "Finished in 0.81s\n",
			[]string{"ms of 1 case", "time ms"},
			[]float64{810, 810},
		},
		{
			"a table of tinybench", "┌───┬───┐\n│ (index) │ Task name │ Latency avg (ns) │ Throughput avg (ops/s) │ Throughput med (ops/s) │ Samples │\n├───┼───┤\n│ 0 │ 'leven' │ '13570 ± 14.98%' │ '222181 ± 0.05%' │ '9 ± 502' │ 73690 │\n│ 1 │ 'two words' │ '1 ± 1%' │ '7 ± 1%' │ '4 ± 30' │ 7 │\n└───┴───┘\n",
			[]string{"ops/s of 2 cases", "leven ops/s", "two words ops/s"},
			[]float64{6, 9, 4},
		},
		{
			"a table of times alone", "│ (index) │ Task Name │ Average Time (µs) │ Margin │\n│ 0 │ 'a' │ 2.5 │ '±1%' │\n",
			[]string{"ns/op of 1 case", "a ns/op"},
			[]float64{2500, 2500},
		},
		{
			"tables of vitest, with colours, and a summary", " RUN  v3.2.7 /tree\n\n \x1b[32m✓\x1b[39m src/a.bench.ts > match \x1b[33m5284\x1b[2mms\x1b[22m\x1b[39m\n     name   hz   min   max   mean   p75   p99   p995   p999   rme   samples\n" +
				"   · \x1b[1mstatic 10 path\x1b[22m  1,396,115.50  0.0002  15.3324  0.0007  0.0002   0.0004   0.0005   0.0025  ±20.98%   698,058   fastest\n   · multi  4.00  0.4021  20.5612  1.2726  0.5279  16.5243  20.0385  20.5612  ±21.79%      393\n   · lost  NaN  NaN  NaN  NaN  NaN  NaN  NaN  NaN  ±NaN%  0\n" +
				"\n ✓ src/b.bench.ts 697ms\n   · multi  9.00  0.4  20.5  1.2  0.5  16.5  20.0  20.5  ±21.79%  393\n\n BENCH  Summary\n\n  static 10 path - src/a.bench.ts > match\n    4.79x faster than multi\n",
			[]string{"ops/s of 3 cases", "match > static 10 path ops/s", "match > multi ops/s", "multi ops/s"},
			[]float64{math.Cbrt(1396115.5 * 4 * 9), 1396115.5, 4, 9},
		},
		{
			"what mitata prints", "clk: ~0.64 GHz\n\nbenchmark        avg (min … max) p75 / p99    (min … top 1%)\n----------------------\na name of 12.5 ns in it    \x1b[1m\x1b[33m634.90 ps\x1b[0m\x1b[1m/iter\x1b[0m 283.94 ps █\n          (281.01 ps … 7.29 µs) 582.03 ps █\nsize 10      1.49 µs/iter 1.94 µs █    \nsize 1000    84.50 µs/iter 95.70 µs █\nbad          error: lost\n\nsummary\n  size 10\n   61.41x faster than size 1000\n",
			[]string{"ns/op of 3 cases", "a name of 12.5 ns in it ns/op", "size 10 ns/op", "size 1000 ns/op"},
			[]float64{math.Cbrt(0.6349 * 1490 * 84500), 0.6349, 1490, 84500},
		},
		{
			"names with dots that lead to the figure", "short string......... x 25 ops/sec ±1%\nv1.2. x 4 ops/sec\n",
			[]string{"ops/s of 2 cases", "short string ops/s", "v1.2. ops/s"},
			[]float64{10, 25, 4},
		},
		{
			"a name with figures", "10 x 10 matrix x 25 ops/sec\n",
			[]string{"ops/s of 1 case", "10 x 10 matrix ops/s"},
			[]float64{25, 25},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ParseSuite([]byte(c.stdout))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for i, m := range r.Metrics {
				names = append(names, m.Name)
				if i < len(c.values) && math.Abs(m.Value-c.values[i]) > 1e-9*c.values[i] || m.Higher == nil || *m.Higher != (m.Unit == "ops/s") {
					t.Errorf("%s is %v, want %v", m.Name, m.Value, c.values[i])
				}
			}
			if !slices.Equal(names, c.names) {
				t.Errorf("the metrics are %q, want %q", names, c.names)
			}
			if len(r.Tests) != len(names)-1 {
				t.Errorf("the cases are %q: one that vanished is not missed", r.Tests)
			}
		})
	}
}

func TestWhatIsNoSuiteIsRefused(t *testing.T) {
	for _, c := range []struct{ name, stdout, why string }{
		{"nothing", "", "no line of stdout tells"},
		{"words", "loading 40 modules in 3 folders\n12 ms of 40\n", "no line of stdout tells"},
		{"a score beside what loading took", "score 0.83\nloading took 12 ms\n", "no line of stdout tells"},
		{"a pair beside what loading took", "total = 12 ms\nloading took 12 ms\n", "no line of stdout tells"},
		{"a number behind what loading took", "loading took 12 ms\n0.5\n", "no line of stdout tells"},
		{"nothing done in a second", "parse x 0 ops/sec\n", "has 0 ops/s"},
		{"too many", strings.Repeat("a x 3 ops/sec\n", MaxMetrics), "at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r, err := ParseSuite([]byte(c.stdout)); err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("got %v, %v", r.Metrics, err)
			}
		})
	}
}
