package verify

import (
	"strings"
	"testing"

	"atoll/engine/evidence"
	"atoll/store/record"
)

// rounds adds as many of two benchmarks with their mean; ratios are what a winner
// needs of the time of each.
func rounds(f *Figures, n int, jitter float64, ratios map[string]float64) {
	for i := range n {
		slow := 1 + jitter*float64(i%3)
		metrics := func(of func(name string) float64) (s side) {
			s.value = 1
			for _, name := range []string{"Parse", "Print", "Sort"} {
				s.value *= of(name)
				s.metrics = append(s.metrics, record.Metric{Name: name + " ns/op", Value: slow * of(name), Unit: "ns/op"}, record.Metric{Name: name + " B/op", Value: 8, Unit: "B/op"})
			}
			s.metrics = append(s.metrics, record.Metric{Name: "ns/op", Value: s.value, Unit: "ns/op"})
			return s
		}
		f.add(metrics(func(string) float64 { return 100 }), metrics(func(name string) float64 {
			return 100 * ratios[name] * (1 + jitter*float64(i%2-i%4/2))
		}))
	}
}

func TestAMeanThatGainsTellsWhatGotSlower(t *testing.T) {
	f := Figures{Metric: "ns/op", Minimize: true}
	rounds(&f, 8, 0.01, map[string]float64{"Parse": 0.5, "Print": 1.2, "Sort": 1})
	if err := f.judgeParts(); err != nil {
		t.Fatal(err)
	}
	if got := f.PartsLine(); got != "of 3, 1 better (Parse ns/op), 1 worse, 1 as before as far as can be told (Sort ns/op)" {
		t.Errorf("it says %q", got)
	}
	worse := f.Worse()
	if len(worse) != 1 || worse[0].Metric != "Print ns/op" || f.Parts[0].Metric != "Print ns/op" || len(worse[0].Before) != 8 {
		t.Fatalf("worse are %v of %v", worse, f.Parts)
	}
	if text := worse[0].String(); !strings.HasPrefix(text, "Print ns/op +2") || !strings.Contains(text, " to +2") {
		t.Errorf("it is told as %q", text)
	}
	r := Report{Figures: &f}
	if text := r.Message(); !strings.Contains(text, "\nWorse: Print ns/op +2") || !strings.Contains(text, "\nEach alone, at the level 0.95: of 3, ") {
		t.Errorf("the message is\n%s", text)
	}
}

func TestWhereMoreIsBetterAFallIsWorse(t *testing.T) {
	f := Figures{Metric: "ns/op"}
	rounds(&f, 8, 0.01, map[string]float64{"Parse": 0.5, "Print": 1.2, "Sort": 1})
	if err := f.judgeParts(); err != nil {
		t.Fatal(err)
	}
	if worse := f.Worse(); len(worse) != 1 || worse[0].Metric != "Parse ns/op" {
		t.Errorf("worse are %v", worse)
	}
}

func TestPartsOfExactValuesAreExact(t *testing.T) {
	f := Figures{Metric: "ns/op", Minimize: true, Word: evidence.Exact}
	rounds(&f, 2, 0, map[string]float64{"Parse": 0.5, "Print": 1.01, "Sort": 1})
	if err := f.judgeParts(); err != nil {
		t.Fatal(err)
	}
	if got := f.PartsLine(); got != "of 3, 1 better (Parse ns/op), 1 worse, 1 as before as far as can be told (Sort ns/op)" {
		t.Errorf("it says %q", got)
	}
}

func TestFunctionsThatAMeanOfTimesIsOfAreItsParts(t *testing.T) {
	us := func(values ...float64) (s side) {
		s.value = values[0]
		for i, name := range []string{"time_us", "words.count us", "words.spell us", "words.split us"} {
			s.metrics = append(s.metrics, record.Metric{Name: name, Value: values[i], Unit: "us"})
		}
		s.metrics = append(s.metrics, record.Metric{Name: "load us", Value: 1, Unit: "ms"}, record.Metric{Name: "peak_us", Value: 1, Unit: "us"})
		return s
	}
	f := Figures{Metric: "time_us", Minimize: true}
	for i := range 8 {
		slow := 1 + 0.01*float64(i%3)
		f.add(us(60*slow, 1800*slow, 2*slow, 30), us(27, 1800*slow*(0.99+0.02*float64(i%2)), 0.4*slow, 33*slow))
	}
	if err := f.judgeParts(); err != nil || len(f.Parts) != 3 {
		t.Fatalf("the parts are %v (%v)", f.Parts, err)
	}
	if got := f.PartsLine(); got != "of 3, 1 better (words.spell us), 1 worse, 1 as before as far as can be told (words.count us)" {
		t.Errorf("it says %q", got)
	}
	if worse := f.Worse(); len(worse) != 1 || worse[0].Metric != "words.split us" {
		t.Errorf("worse are %v", worse)
	}
	f = Figures{Metric: "time_us", Minimize: true}
	f.add(us(60, 1800, 2, 30), us(60, 1800, 2, 30))
	for i := range f.Parts {
		if !strings.HasSuffix(f.Parts[i].Metric, " us") || f.Parts[i].Metric == "load us" {
			t.Errorf("%s is a part", f.Parts[i].Metric)
		}
	}
}

func TestWhatIsMissingInARoundIsNoPart(t *testing.T) {
	f := Figures{Metric: "ns/op", Minimize: true}
	all := side{1, []record.Metric{{Name: "A ns/op", Value: 1}, {Name: "B ns/op", Value: 1}, {Name: "C ns/op", Value: 1}, {Name: "ns/op", Value: 1}}}
	for i := range 6 {
		after := all
		if i == 3 {
			after.metrics = all.metrics[1:]
		}
		f.add(all, after)
	}
	if err := f.judgeParts(); err != nil || len(f.Parts) != 2 || f.Parts[0].Metric == "A ns/op" || len(f.Parts[0].Before) != 6 {
		t.Errorf("the parts are %v (%v)", f.Parts, err)
	}
	f = Figures{Metric: "ns/op", Minimize: true}
	f.add(side{1, all.metrics[2:]}, side{1, all.metrics[2:]})
	if err := f.judgeParts(); err != nil || f.Parts != nil || f.PartsLine() != "" {
		t.Errorf("a single benchmark is the metric itself: %v (%v)", f.Parts, err)
	}
}
