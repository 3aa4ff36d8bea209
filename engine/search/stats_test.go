package search_test

import (
	"math"
	"reflect"
	"testing"

	"atoll/engine/search"
	"atoll/store/record"
)

func TestWilsonIntervals(t *testing.T) {
	for _, tt := range []struct {
		hits, tries int
		low, high   float64
	}{ // from the formula worked by hand to four digits
		{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {1, 100, 0.0018, 0.0545},
	} {
		low, high := search.Wilson(tt.hits, tt.tries)
		if math.Abs(low-tt.low) > 1e-4 || math.Abs(high-tt.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %v to %v", tt.hits, tt.tries, low, high, tt.low, tt.high)
		}
	}
}

func TestYieldsAreCounted(t *testing.T) {
	var s search.Stats
	cost := 0.5
	paid := record.Usage{Requests: 1, CostUSD: &cost}
	for _, e := range []search.Event{
		{Operator: "mutate", Agent: "chat", Target: "core", Parent: 1, State: record.Placed, Best: true, Usage: paid},
		{Operator: "mutate", Agent: "chat", Parent: 1, State: record.Scored, Usage: paid},
		{Operator: "mutate", Agent: "offline", Parent: 2, State: record.Failed},
		{Operator: "crossover", Agent: "offline", Parent: 2, State: record.Duplicate},
		{Operator: "mutate", Agent: "offline", Parent: 2, State: record.Cancelled},
		{Operator: "mutate", Agent: "offline", Parent: 2, State: record.Evaluating},
	} {
		s.Add(e)
	}
	ops := s.Operators()
	if len(ops) != 2 || ops[0].Name != "crossover" || ops[0].Tries != 1 || ops[0].Scored != 0 {
		t.Fatalf("operators %+v", ops)
	}
	if m := ops[1]; m.Tries != 3 || m.Scored != 2 || m.Improved != 1 || m.Best != 1 || math.Abs(m.Rate-1./3) > 1e-12 || !(m.Low < m.Rate && m.Rate < m.High) {
		t.Errorf("mutate %+v", m)
	}
	agents := s.Agents()
	if agents[0].Name != "chat" || *agents[0].Usage.CostUSD != 1 || agents[1].Usage.CostUSD != nil {
		t.Errorf("agents %+v", agents)
	}
	if targets := s.Targets(); len(targets) != 1 || targets[0].Name != "core" {
		t.Errorf("targets %+v", targets)
	}
	if tries, improved := s.Parent(1); tries != 2 || improved != 1 {
		t.Errorf("parent: %d, %d", tries, improved)
	}
	var none *search.Stats
	if none.Operators() != nil {
		t.Error("a nil Stats has yields")
	}
}

func TestAnEndThatIsTakenBackLeavesTheYieldsAsTheyWere(t *testing.T) {
	half, quarter := 0.5, 0.25
	before := search.Event{Operator: "mutate", Agent: "chat", Target: "core", Parent: 1, State: record.Scored, Usage: record.Usage{Requests: 1, InputTokens: 10, CostUSD: &half}}
	for _, e := range []search.Event{
		{Operator: "mutate", Agent: "chat", Target: "core", Parent: 1, State: record.Placed, Best: true, Usage: record.Usage{Requests: 2, InputTokens: 5, CostUSD: &quarter}},
		{Operator: "mutate", Agent: "chat", Parent: 2, State: record.Scored, Usage: record.Usage{Requests: 2, CostUSD: &quarter}},
		{Operator: "tune", Agent: "offline", Target: "rest", Parent: 1, State: record.Failed},
		{Operator: "tune", Agent: "offline", Parent: 3, State: record.Rejected},
		{Operator: "mutate", Agent: "chat", Parent: 1, State: record.Cancelled},
	} {
		t.Run(string(e.State)+" by "+string(e.Operator), func(t *testing.T) {
			var s search.Stats
			s.Add(before)
			all := func() []any {
				tries, improved := s.Parent(e.Parent)
				return []any{s.Operators(), s.Agents(), s.Targets(), tries, improved}
			}
			was := all()
			s.Add(e)
			s.Forget(e)
			if got := all(); !reflect.DeepEqual(got, was) {
				t.Errorf("%+v, not %+v", got, was)
			}
		})
	}
}

func TestWeightsBendMildlyToTheYieldOfLate(t *testing.T) {
	ops := []search.Weighted{{Name: "a", Weight: 1}, {Name: "b", Weight: 2}, {Name: "new", Weight: 1}, {Name: "off"}}
	feed := func(s *search.Stats, good, bad record.Operator, n int) {
		for range n {
			s.Add(search.Event{Operator: good, State: record.Placed})
			s.Add(search.Event{Operator: bad, State: record.Scored})
		}
	}
	var s search.Stats
	if got := search.Adapted(ops, &s, 1); got[0].Weight != 1 || got[1].Weight != 2 {
		t.Errorf("without results: %+v", got)
	}
	feed(&s, "a", "b", 300)
	// The last 300 pairs count as 95 each: a has (95+10)/(95+20) of mean 1/2.
	for _, tt := range []struct{ strength, a, b float64 }{{0, 1, 2}, {search.DefaultAdapt, 1.35, 1}, {1, 1.83, 1}, {9, 1.83, 1}} {
		got := search.Adapted(ops, &s, tt.strength)
		if math.Abs(got[0].Weight-tt.a) > 0.02 || math.Abs(got[1].Weight-tt.b) > 0.02 {
			t.Errorf("strength %v: %v and %v, want %v and %v", tt.strength, got[0].Weight, got[1].Weight, tt.a, tt.b)
		}
		if got[2].Weight != 1 && math.Abs(got[2].Weight-1) > 1e-9 || got[3].Weight != 0 {
			t.Errorf("strength %v: the untried got %v, the one without weight %v", tt.strength, got[2].Weight, got[3].Weight)
		}
		if ops[0].Weight != 1 {
			t.Fatal("the weights given were changed")
		}
	}
	feed(&s, "b", "a", 300) // the tide turns
	if got := search.Adapted(ops, &s, 1); got[0].Weight > 0.8 || got[1].Weight < 2.5 {
		t.Errorf("old results still rule: %+v", got)
	}
}
