package work

import (
	"strings"
	"testing"

	"atoll/store/record"
)

func TestWhatNoAgentCanUseIsBoundedAndPausesWhereABudgetStandsOnIt(t *testing.T) {
	for name, tc := range map[string]struct {
		said   record.Usage
		set    record.Settings
		cost   float64 // that is counted; below 0 = unknown
		pauses bool
	}{
		"what can be":            {record.Usage{Requests: 1, CostUSD: number(3)}, record.Settings{MaxCostUSD: 5}, 3, false},
		"too much":               {record.Usage{Requests: 1, CostUSD: number(1e300)}, record.Settings{MaxCostUSD: 5}, record.MostUSD, true},
		"too many tokens":        {record.Usage{Requests: 1, InputTokens: 1 << 62, CostUSD: number(1)}, record.Settings{MaxTokens: 5}, 1, true},
		"money back":             {record.Usage{Requests: 1, CostUSD: number(-1e10)}, record.Settings{MaxCostUSD: 5}, -1, true},
		"too much and no budget": {record.Usage{Requests: 1, CostUSD: number(1e300)}, record.Settings{}, record.MostUSD, false},
	} {
		t.Run(name, func(t *testing.T) {
			host := &fakeHost{}
			r := &attempt{run: &run{host: host, settings: func() record.Settings { return tc.set }}}
			r.lease.Job.ID = 7
			r.spend(tc.said)
			if r.usage.InputTokens > record.MostTokens {
				t.Errorf("%d tokens are counted", r.usage.InputTokens)
			}
			if c := r.usage.CostUSD; tc.cost < 0 && c != nil || tc.cost >= 0 && (c == nil || *c != tc.cost) {
				t.Errorf("the cost that is counted is %v, want %g", c, tc.cost)
			}
			if got := strings.Contains(host.told(), "#7 says that it used"); got != tc.pauses {
				t.Errorf("paused: %v, %q", got, host.told())
			}
		})
	}
}
