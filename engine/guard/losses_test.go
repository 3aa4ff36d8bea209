package guard

import (
	"slices"
	"testing"

	"atoll/engine/guard/probe"
)

func TestGroupsThatOnlyEndTheProcessOfTheRootAreNotAskedAgain(t *testing.T) {
	died := func(groups ...string) *reply {
		r := &reply{fatal: map[site]string{}}
		for i, g := range groups {
			r.fatal[site{g, i}] = "does not come back"
		}
		return r
	}
	answered := &reply{cases: map[site]probe.Answer{{"f", 9}: {}}}
	for _, c := range []struct {
		what    string
		replies []*reply
		lost    []string
	}{
		{"none was asked", nil, nil},
		{"one case ended it", []*reply{died("f")}, nil},
		{"two of one survey did", []*reply{died("f", "f")}, []string{"f"}},
		{"one of each of two surveys did", []*reply{died("f", "g"), died("f")}, []string{"f"}},
		{"a case was answered before", []*reply{answered, died("f", "f")}, nil},
		{"a case was answered behind them", []*reply{died("f", "f"), answered}, nil},
	} {
		l := losses{}
		for _, r := range c.replies {
			l.learn(r)
		}
		if got := l.among([]string{"f", "g"}); !slices.Equal(got, c.lost) {
			t.Errorf("%s: %q are lost, want %q", c.what, got, c.lost)
		}
	}
}
