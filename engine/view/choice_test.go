package view_test

import (
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestAChanceIsToldInPerCentAndNoneWhereNothingWasDrawn(t *testing.T) {
	for _, c := range [][2]string{
		{"c19 is 1 of 5 elites, by rank with chance 0.076", "c19 is 1 of 5 elites, by rank with a chance of 7.6 %"},
		{"c255 is 1 of 82 elites, by rank with chance 0.5, boosted x2", "c255 is 1 of 82 elites, by rank with a chance of 50 %, boosted x2"},
		{"tune with chance 0.77", "tune with a chance of 77 %"},
		{"agent offline with chance 1.00", "offline, there was no other"},
		{"c0 is 1 of 1 elites, by rank with chance 1", "c0 is the only elite"},
		{"c0 is 1 of the best 1 before there is a map", "c0 is the only one yet, before there is a map"},
		{"target right", "target right"},
	} {
		if got := view.ChanceWords(c[0]); got != c[1] {
			t.Errorf("%q is told as %q, want %q", c[0], got, c[1])
		}
	}
}

func TestAChoiceNamesOfWhatEachChanceIs(t *testing.T) {
	j := record.NewJob(1, 3, record.Make)
	j.Parent, j.Operator, j.Agent = 145, record.OpMutate, "offline"
	for _, c := range [][2]string{
		{"", ""},
		{
			"c145 is 1 of 3 elites, uniform with chance 0.33; mutate with chance 0.05; agent offline with chance 1.00; beside it at distance 1 c167",
			"parent c145 is 1 of 3 elites, uniform with a chance of 33 % | operator mutate with a chance of 5.0 % | agent offline, there was no other | beside it at distance 1 c167",
		},
		{"c145 is given by hand; mutate given by hand; agent offline with chance 0.25", "parent c145 is given by hand | operator mutate given by hand | agent offline with a chance of 25 %"},
		{"c145 failed, its parent c3 works; repair", "c145 failed, its parent c3 works | repair"},
	} {
		j.Why = c[0]
		if got := strings.Join(view.ChoiceWords(j), " | "); got != c[1] {
			t.Errorf("%q is told as\n%q, want\n%q", c[0], got, c[1])
		}
	}
}
