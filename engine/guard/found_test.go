package guard

import (
	"slices"
	"testing"
	"time"
)

func TestTheFirstDifferenceThatNobodyAcceptedIsToldOnceItIsKnown(t *testing.T) {
	t.Parallel()
	var told []string
	g, err := New(&worker{}, Options{Accept: []string{"kit.f"}, Found: func(d Difference) { told = append(told, d.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	c := &check{g: g, budget: &budget{left: time.Minute}}
	differs := func(where string) {
		c.report.Differences = append(c.report.Differences, Difference{Where: where, Kind: Output, Input: where + "(1)", Root: "1", Candidate: "2"})
	}
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing differs", func() { c.doing("comparing kit.f") }, nil},
		{"what may differ does", func() { differs("kit.f"); c.doing("comparing kit.g") }, nil},
		{"another one does", func() { differs("kit.g"); c.doing("comparing kit.h") }, []string{"kit.g(1) gave 1 and gives 2"}},
		{"a third one does", func() { differs("kit.h"); c.shorten() }, []string{"kit.g(1) gave 1 and gives 2"}},
	} {
		if step.do(); !slices.Equal(told, step.want) {
			t.Errorf("%s: told %q, want %q", step.name, told, step.want)
		}
	}
}
