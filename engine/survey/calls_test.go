package survey

import (
	"slices"
	"testing"
	"time"
)

func TestFunctionsThatTakeNextToNoTimeOfTheTestsAreLeftOut(t *testing.T) {
	many := func(n int, seconds float64) (list []*calledOften) {
		for range n {
			list = append(list, &calledOften{Name: "m:f", seconds: seconds})
		}
		return list
	}
	for _, c := range []struct {
		name   string
		given  []*calledOften
		kept   []string
		shares []float64
		left   []string
	}{
		{
			"a helper beside the function that does the work",
			[]*calledOften{{Name: "tab:separated", seconds: 8e-6}, {Name: "tab:tabulate", seconds: 0.67}},
			[]string{"tab:tabulate"},
			[]float64{1},
			[]string{"tab.separated"},
		},
		{
			"two that both count",
			[]*calledOften{{Name: "m:print", seconds: 1}, {Name: "m:parse", seconds: 3}, {Name: "lib/x.js:", seconds: 0.149}},
			[]string{"m:parse", "m:print"},
			[]float64{0.75, 0.25},
			[]string{"lib/x.js"},
		},
		{
			"one at the bound",
			[]*calledOften{{Name: "m:a", seconds: 1}, {Name: "m:b", seconds: negligible}},
			[]string{"m:a", "m:b"},
			[]float64{0.9524, 0.0476},
			nil,
		},
		{
			"many of which each takes a small part", many(60, 0.1),
			slices.Repeat([]string{"m:f"}, mostFunctions), slices.Repeat([]float64{1. / mostFunctions}, mostFunctions), nil,
		},
		{"times too short to be seen", many(2, 0), []string{"m:f", "m:f"}, []float64{0, 0}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorded{Functions: c.given}
			left := r.weigh()
			var kept []string
			var shares []float64
			for _, f := range r.Functions {
				kept, shares = append(kept, f.Name), append(shares, f.Share)
			}
			if !slices.Equal(kept, c.kept) || !slices.Equal(shares, c.shares) || !slices.Equal(left, c.left) {
				t.Errorf("kept %v with %v, left out %v; want %v with %v, %v", kept, shares, left, c.kept, c.shares, c.left)
			}
		})
	}
}

func TestTheTimeOfAFunctionIsThatOfACallTimesTheCallsOfTheTests(t *testing.T) {
	calls := func(micros ...float64) (list []answer) {
		for _, us := range micros {
			list = append(list, answer{Micros: us})
		}
		return list
	}
	f := &calledOften{Count: 100, Calls: make([]call, 4)}
	f.keep(calls(15000, 9000, 12000, 30000), calls(15000, 12000, 9000, 30000))
	if len(f.Calls) != 1 || f.seconds < 1.099 || f.seconds > 1.101 { // a mean of 11 ms, though one call fits the bound
		t.Errorf("%d calls are kept, and all take %v s", len(f.Calls), f.seconds)
	}
}

func TestTheHottestFunctionIsFirstThoughItIsTwoOfOneName(t *testing.T) {
	list := merged([]hot{{"a.py", "slow", 0.08}, {"a.py", "twice", 0.06}, {"b.py", "cold", 0.05}, {"a.py", "twice", 0.05}})
	if len(list) != 3 || list[0].symbol != "twice" || list[1].symbol != "slow" || list[2].symbol != "cold" {
		t.Errorf("they are %v", list)
	}
}

func TestATimeoutIsAFewTimesTheSlowestRunOfTheRoot(t *testing.T) {
	for _, c := range []struct {
		language string
		took     time.Duration
		want     time.Duration
	}{
		{"python", 200 * time.Millisecond, 15 * time.Second},
		{"python", 3 * time.Second, 15 * time.Second},
		{"javascript", 3100 * time.Millisecond, 20 * time.Second},
		{"python", 10200 * time.Millisecond, 55 * time.Second},
		{"python", 40 * time.Second, 200 * time.Second},
		{"go", 200 * time.Millisecond, 15 * time.Second}, // what it builds is built already
		{"go", 3 * time.Second, 25 * time.Second},
		{"", 10 * time.Second, time.Minute},
	} {
		if got := patience(c.language, c.took); got != c.want {
			t.Errorf("%s in %q: %s, want %s", c.took, c.language, got, c.want)
		}
	}
}
