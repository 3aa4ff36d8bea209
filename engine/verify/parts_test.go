package verify

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	rounds(&f, 9, 0.01, map[string]float64{"Parse": 0.5, "Print": 1.2, "Sort": 1})
	if err := f.judgeParts(DefaultRounds); err != nil {
		t.Fatal(err)
	}
	if got := f.PartsLine(); got != "of 3 (level 0.95 for all together), 1 better (Parse ns/op), 1 worse, 1 as before as far as can be told (Sort ns/op)" {
		t.Errorf("it says %q", got)
	}
	worse := f.Worse()
	if len(worse) != 1 || worse[0].Metric != "Print ns/op" || f.Parts[0].Metric != "Print ns/op" || len(worse[0].Before) != 9 {
		t.Fatalf("worse are %v of %v", worse, f.Parts)
	}
	if text := worse[0].String(); !strings.HasPrefix(text, "Print ns/op +2") || !strings.Contains(text, " to +2") {
		t.Errorf("it is told as %q", text)
	}
	r := Report{Figures: &f}
	if text := r.Message(); !strings.Contains(text, "\nWorse: Print ns/op +2") || !strings.Contains(text, "\nEach alone: of 3 (level 0.95 for all together), ") {
		t.Errorf("the message is\n%s", text)
	}
}

func TestOfManyPartsThatStayHardlyEverOneIsToldToHaveMoved(t *testing.T) {
	for name, parts := range map[string]int{"two": 2, "nine": 9, "sixty": 60} {
		t.Run(name, func(t *testing.T) {
			const runs = 400
			rng, told, better := rand.New(rand.NewPCG(1, uint64(parts))), 0, 0
			for range runs {
				f := Figures{Metric: "ns/op", Minimize: true}
				names := make([]string, parts+1)
				for i := range names {
					names[i] = fmt.Sprintf("F%d ns/op", i)
				}
				measured := func(first float64) (s side) { // the first part is the one that changed
					for i, n := range names {
						v := 100 * math.Exp(0.03*rng.NormFloat64())
						if i == 0 {
							v *= first
						}
						s.metrics, s.value = append(s.metrics, record.Metric{Name: n, Value: v, Unit: "ns/op"}), s.value+math.Log(v)
					}
					s.value = math.Exp(s.value / float64(len(names)))
					return s
				}
				for done := false; !done; {
					f.add(measured(1), measured(0.5))
					var err error
					if done, err = f.done(true, DefaultRounds); err != nil {
						t.Fatal(err)
					}
				}
				if err := f.judgeParts(DefaultRounds); err != nil {
					t.Fatal(err)
				}
				wrong := false
				for i := range f.Parts {
					switch moved := f.Parts[i].Moved(true); {
					case f.Parts[i].Metric == names[0]:
						better += max(0, moved)
					case moved != 0:
						wrong = true
					}
				}
				if wrong {
					told++
				}
			}
			t.Logf("of %d parts that stay one is told to have moved in %d of %d runs; the one that is twice as fast is told in %d", parts, told, runs, better)
			if told > runs/20 || better < runs {
				t.Errorf("of %d parts that stay one is told to have moved in %d of %d runs; the one that is twice as fast is told in %d", parts, told, runs, better)
			}
		})
	}
}

func TestTheFirstLookIsOfEnoughRoundsToTellSomethingOfEveryPart(t *testing.T) {
	for _, c := range []struct{ parts, most, first int }{{0, 32, 8}, {1, 32, 8}, {2, 32, 8}, {3, 32, 9}, {9, 32, 11}, {100, 32, 14}, {9, 8, 8}, {2, 8, 8}} {
		f := Figures{Minimize: true, Parts: make([]Part, c.parts)}
		for i := range f.Parts {
			f.Parts[i] = Part{Metric: fmt.Sprintf("F%d ns/op", i), Before: times(c.first, 10, 11), After: times(c.first, 5, 5.4)}
		}
		f.Before, f.After = times(c.first, 10), times(c.first, 5)
		if got := f.looks(c.most); got[0] != c.first || got[len(got)-1] != c.most {
			t.Errorf("of %d parts with %d rounds at most it looks after %v, want first after %d", c.parts, c.most, got, c.first)
		}
		if err := f.judgeParts(c.most); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("of %d (level 0.95 for all together), %d better, 0 worse", c.parts, c.parts)
		switch {
		case c.parts < 2:
			want = ""
		case c.parts == 9 && c.most == 8:
			want = "of 9, 8 rounds are too few to tell how each moved"
		}
		if got := f.PartsLine(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("of %d parts it says %q, want %q", c.parts, got, want)
		}
	}
}

func TestWhereMoreIsBetterAFallIsWorse(t *testing.T) {
	f := Figures{Metric: "ns/op"}
	rounds(&f, 9, 0.01, map[string]float64{"Parse": 0.5, "Print": 1.2, "Sort": 1})
	if err := f.judgeParts(DefaultRounds); err != nil {
		t.Fatal(err)
	}
	if worse := f.Worse(); len(worse) != 1 || worse[0].Metric != "Parse ns/op" {
		t.Errorf("worse are %v", worse)
	}
}

func TestPartsOfExactValuesAreExact(t *testing.T) {
	f := Figures{Metric: "ns/op", Minimize: true, Word: evidence.Exact}
	rounds(&f, 2, 0, map[string]float64{"Parse": 0.5, "Print": 1.01, "Sort": 1})
	if err := f.judgeParts(DefaultRounds); err != nil {
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
	for i := range 9 {
		slow := 1 + 0.01*float64(i%3)
		f.add(us(60*slow, 1800*slow, 2*slow, 30), us(27, 1800*slow*(0.99+0.02*float64(i%2)), 0.4*slow, 33*slow))
	}
	if err := f.judgeParts(DefaultRounds); err != nil || len(f.Parts) != 3 {
		t.Fatalf("the parts are %v (%v)", f.Parts, err)
	}
	if got := f.PartsLine(); got != "of 3 (level 0.95 for all together), 1 better (words.spell us), 1 worse, 1 as before as far as can be told (words.count us)" {
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
	if err := f.judgeParts(DefaultRounds); err != nil || len(f.Parts) != 2 || f.Parts[0].Metric == "A ns/op" || len(f.Parts[0].Before) != 6 {
		t.Errorf("the parts are %v (%v)", f.Parts, err)
	}
	f = Figures{Metric: "ns/op", Minimize: true}
	f.add(side{1, all.metrics[2:]}, side{1, all.metrics[2:]})
	if err := f.judgeParts(DefaultRounds); err != nil || f.Parts != nil || f.PartsLine() != "" {
		t.Errorf("a single benchmark is the metric itself: %v (%v)", f.Parts, err)
	}
}
