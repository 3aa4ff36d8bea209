package record_test

import (
	"math"
	"testing"

	"atoll/store/record"
)

func TestAUsageIsBelievedWithinItsBounds(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	for name, tc := range map[string]struct {
		said, want record.Usage
	}{
		"nothing":                {record.Usage{}, record.Usage{}},
		"what an agent may use":  {record.Usage{Requests: 3, InputTokens: 9, OutputTokens: 8, CostUSD: usd(7)}, record.Usage{Requests: 3, InputTokens: 9, OutputTokens: 8, CostUSD: usd(7)}},
		"the bounds":             {record.Usage{Requests: record.MostRequests, InputTokens: record.MostTokens, CostUSD: usd(record.MostUSD)}, record.Usage{Requests: record.MostRequests, InputTokens: record.MostTokens, CostUSD: usd(record.MostUSD)}},
		"more tokens than exist": {record.Usage{InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64}, record.Usage{InputTokens: record.MostTokens, OutputTokens: record.MostTokens, Unmetered: true}},
		"more money than exists": {record.Usage{CostUSD: usd(1e300)}, record.Usage{CostUSD: usd(record.MostUSD), Unmetered: true}},
		"money without end":      {record.Usage{CostUSD: usd(math.Inf(1))}, record.Usage{CostUSD: usd(record.MostUSD), Unmetered: true}},
		"less than nothing":      {record.Usage{Requests: -1, InputTokens: -2, OutputTokens: -3, CostUSD: usd(-4)}, record.Usage{Unmetered: true}},
		"a cost that is none":    {record.Usage{InputTokens: 5, CostUSD: usd(math.NaN())}, record.Usage{InputTokens: 5, Unmetered: true}},
		"too many requests":      {record.Usage{Requests: math.MaxInt}, record.Usage{Requests: record.MostRequests, Unmetered: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := tc.said.Bounded()
			if got.Requests != tc.want.Requests || got.InputTokens != tc.want.InputTokens || got.OutputTokens != tc.want.OutputTokens || got.Unmetered != tc.want.Unmetered {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
			if a, b := got.CostUSD, tc.want.CostUSD; (a == nil) != (b == nil) || a != nil && *a != *b {
				t.Errorf("got the cost %v, want %v", a, b)
			}
			if ok == tc.want.Unmetered {
				t.Errorf("it is believed: %v", ok)
			}
			if again, ok := got.Bounded(); !ok || again.InputTokens != got.InputTokens {
				t.Errorf("what is bounded is not believed: %+v", again)
			}
		})
	}
}

func TestSumsOfUsagesStayAtTheLargestThatThereIs(t *testing.T) {
	u := record.Usage{Requests: math.MaxInt, InputTokens: math.MaxInt64, OutputTokens: math.MaxInt64}
	if got := u.Add(u); got.Requests != math.MaxInt || got.InputTokens != math.MaxInt64 || got.OutputTokens != math.MaxInt64 {
		t.Errorf("%+v", got)
	}
}
