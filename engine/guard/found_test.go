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

func TestTestsThatArePlayedAreCountedAndNotNamed(t *testing.T) {
	t.Parallel()
	functions, tests := pair{name: "kit"}, pair{name: "kit", played: map[string]bool{}}
	groups := []string{"f", "g", "h"}
	if got, want := functions.someOf(groups), "kit.f and 2 more functions"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := tests.someOf(groups), "3 tests with other values"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFileOfTestsOfPythonIsKnownByItsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"test.py": true, "kit/tests.py": true, "test_kit.py": true, "kit_test.py": true, "tests/helpers.py": true, "conftest.py": true, "setup.py": true,
		"kit.py": false, "testing.py": false, "latest.py": false, "kit/contest.py": false,
	} {
		if got := isPythonTest(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
