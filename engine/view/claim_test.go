package view_test

import (
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
)

func TestClaimsAreWrittenWithTheirEvidence(t *testing.T) {
	many := evidence.Summary{N: 16, Mean: 120, Dev: 1}
	root := evidence.Summary{N: 16, Mean: 100, Dev: 1}
	zero := evidence.Summary{N: 16, Mean: 0, Dev: 1}
	for name, c := range map[string]struct {
		claim       evidence.Claim
		value, gain string
	}{
		"where nothing varies the value is what it is": {evidence.Certain(120, 100, false), "120", "+20.00 %"},
		"no change is no negative zero":                {evidence.Certain(100, 100, true), "100", "+0.00 %"},
		"a root of 0 has no percentage":                {evidence.Certain(3, 0, true), "3", "-3"},
		"a confirmed gain":                             {evidence.Judge(evidence.Question{Candidate: many, Root: root}), "120 [119.1, 120.9] n 16", "+20.0 % [18.8, 21.2] confirmed"},
		"a confirmed gain on 0":                        {evidence.Judge(evidence.Question{Candidate: many, Root: zero}), "120 [119.1, 120.9] n 16", "+120 [118.8, 121.2] confirmed"},
		"no sample was held out":                       {evidence.Claim{Value: 120, Word: evidence.Unconfirmed}, "120 unconfirmed", "unconfirmed"},
		"one sample was held out":                      {evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 1, Mean: 120}, Root: root}), "120 n 1", "+20.0 % [13.9, 26.1] confirmed"},
		"a loss":                                       {evidence.Judge(evidence.Question{Candidate: root, Root: many}), "100 [99.12, 100.9] n 16", "within noise"},
	} {
		if got := view.ClaimValue(c.claim); got != c.value {
			t.Errorf("%s: value %q, expected %q", name, got, c.value)
		}
		if got := view.ClaimGain(c.claim); got != c.gain {
			t.Errorf("%s: gain %q, expected %q", name, got, c.gain)
		}
	}
}

func TestAValueIsToldAsWhatItIs(t *testing.T) {
	for name, c := range map[string]struct {
		s        view.Snapshot
		measured string
		want     string
	}{
		"a metric":                {view.Snapshot{Objective: "ns/op"}, "ns/op", "ns/op 0.81 unconfirmed"},
		"a ratio to the root's":   {view.Snapshot{Objective: "ns/op", Paired: true}, "ratio of ns/op to the root's", "0.81 unconfirmed of the root's ns/op"},
		"a metric without name":   {view.Snapshot{}, "objective", "objective 0.81 unconfirmed"},
		"a name for a terminal's": {view.Snapshot{Objective: "a\x1b[31mb"}, "ab", "ab 0.81 unconfirmed"},
	} {
		if got := c.s.Measured(); got != c.measured {
			t.Errorf("%s: %q, expected %q", name, got, c.measured)
		}
		if got := c.s.Valued("0.81 unconfirmed"); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
}
