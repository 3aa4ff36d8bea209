package view_test

import (
	"testing"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestAValueThatVariesIsNeverToldWithoutItsEvidence(t *testing.T) {
	v := 120.1234
	summary := func(mean float64) evidence.Summary { return evidence.Summary{N: 16, Mean: mean, Dev: 1} }
	gain := evidence.Judge(evidence.Question{Candidate: summary(120), Root: summary(100)})
	loss := evidence.Judge(evidence.Question{Candidate: summary(100), Root: summary(120)})
	one := evidence.Judge(evidence.Question{Candidate: evidence.Summary{N: 1, Mean: 120}, Root: summary(100)})
	for name, c := range map[string]struct {
		told  view.Told
		forms []string // in ever fewer cells
	}{
		"nothing varies":         {view.Told{ID: 3, Value: &v}, []string{"120.123"}},
		"not measured":           {view.Told{ID: 3, Noisy: true}, []string{"-"}},
		"nothing was held out":   {view.Told{ID: 3, Value: &v, Noisy: true}, []string{"120.123 unconfirmed", "120.1 unconfirmed", "120 unconfirmed", "120.1 unconf.", "120 unconf.", "120.1 ?", "120 ?"}},
		"the root, not held out": {view.Told{ID: record.Root, Value: &v, Noisy: true}, []string{"120.123"}},
		"a gain":                 {view.Told{ID: 3, Value: &v, Claim: &gain, Noisy: true}, []string{"120 [119.1, 120.9] n 16", "120 ±0.88 n 16", "120 confirmed", "120 conf.", "120"}},
		"no gain":                {view.Told{ID: 3, Value: &v, Claim: &loss, Noisy: true}, []string{"100 [99.12, 100.9] n 16 within noise", "100 ±0.88 n 16 within noise", "100 within noise", "100 noise", "100 ?"}},
		"one sample":             {view.Told{ID: 3, Value: &v, Claim: &one, Noisy: true}, []string{"120 n 1"}},
	} {
		if got := c.told.String(); got != c.forms[0] {
			t.Errorf("%s: %q, expected %q", name, got, c.forms[0])
		}
		for i, want := range c.forms {
			if got := c.told.In(len([]rune(want))); got != want {
				t.Errorf("%s in %d cells: %q, expected %q", name, len([]rune(want)), got, want)
			}
			if name != "one sample" && i == len(c.forms)-1 {
				if got := c.told.In(1); got != want {
					t.Errorf("%s in one cell: %q, expected %q", name, got, want)
				}
			}
		}
	}
}
