package guard

import (
	"slices"
	"testing"
)

func TestWhereNothingReachedTheChangeAllIsCloseToIt(t *testing.T) {
	all := []string{"Match", "Quote", "Split"}
	for name, c := range map[string]struct {
		changed, reached string
		want             []string
	}{
		"nothing":                    {"class", "", all},
		"what changed itself":        {"Quote", "", []string{"Quote"}},
		"what ran it":                {"class", "Split", []string{"Split"}},
		"what changed, and what ran": {"Match", "Split", []string{"Match", "Split"}},
	} {
		p := pair{direct: func(group string) bool { return group == c.changed }, reaching: map[string]bool{c.reached: true}}
		if got := p.closest(all); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
