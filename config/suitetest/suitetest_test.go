package suitetest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

func TestEachLevelHasWhatThoseBeforeItHave(t *testing.T) {
	for _, tt := range []struct {
		name       string
		full, slow string
		wantFull   bool
		wantSlow   bool
		want       string
	}{
		{name: "nothing is asked for every day", want: "every day"},
		{name: "full is not yet slow", full: "1", wantFull: true, want: "full"},
		{name: "slow has the full form too", slow: "1", wantFull: true, wantSlow: true, want: "slow"},
		{name: "of both the longer counts", full: "1", slow: "1", wantFull: true, wantSlow: true, want: "slow"},
		{name: "a part of one is all", full: "1/1", wantFull: true, want: "full"},
		{name: "what is no part asks for nothing", full: "4/3", want: "every day"},
		{name: "only 1 asks for it", full: "0", slow: "no", want: "every day"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("ATOLL_FULL", tt.full)
			t.Setenv("ATOLL_SLOW", tt.slow)
			if got := suitetest.Pick("every day", "full", "slow"); got != tt.want {
				t.Errorf("the form is %q, want %q", got, tt.want)
			}
			for _, level := range []struct {
				name string
				skip func(testing.TB, string)
				runs bool
			}{{"full", suitetest.Full, tt.wantFull}, {"slow", suitetest.Slow, tt.wantSlow}} {
				skipped := true
				t.Run(level.name, func(t *testing.T) {
					t.Cleanup(func() { skipped = t.Skipped() })
					level.skip(t, "this test is about skipping")
				})
				if skipped == level.runs {
					t.Errorf("a test of the level %q is skipped: %t", level.name, skipped)
				}
			}
		})
	}
}

func TestEachLongTestIsInOneOfThreeParts(t *testing.T) {
	ran := map[string]int{}
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		t.Setenv("ATOLL_FULL", part)
		t.Setenv("ATOLL_SLOW", "")
		if !suitetest.IsFull() {
			t.Errorf("%s is not of the full level", part)
		}
		for _, name := range []string{"TestA", "TestB", "TestC", "TestD", "TestE", "TestF"} {
			for _, of := range []string{name, name + "/a_case"} {
				if !skips(of) {
					ran[of]++
				}
			}
			if skips(name) != skips(name+"/a_case") {
				t.Errorf("%s: %s and its subtest are in two", part, name)
			}
		}
	}
	for name, times := range ran {
		if times != 1 {
			t.Errorf("%s is in %d parts", name, times)
		}
	}
	if len(ran) != 12 {
		t.Errorf("%d of 12 tests are in one", len(ran))
	}
}

// skips reports whether Full skips a test of a name.
func skips(name string) bool {
	n := named{name: name}
	suitetest.Full(&n, "is long")
	return n.skipped
}

// named is a test that has a name, and can be skipped.
type named struct {
	testing.TB
	name    string
	skipped bool
}

func (n *named) Name() string         { return n.name }
func (n *named) Helper()              {}
func (n *named) Skipf(string, ...any) { n.skipped = true }

func TestEveryDayEachNthOfAListStandsForTheOthers(t *testing.T) {
	list := []int{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		name, full string
		n          int
		want       []int
	}{
		{name: "every second, from the first", n: 2, want: []int{1, 3, 5}},
		{name: "one where there are fewer", n: 9, want: []int{1}},
		{name: "all where more was asked for", n: 2, full: "1", want: list},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("ATOLL_FULL", tt.full)
			t.Setenv("ATOLL_SLOW", "")
			if got := suitetest.Every(tt.n, list); !slices.Equal(got, tt.want) {
				t.Errorf("of %v there are %v, want %v", list, got, tt.want)
			}
		})
	}
}

func TestBelowTheSlowLevelEachNthOfAListStandsForTheOthers(t *testing.T) {
	list := []int{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		name, full, slow string
		want             []int
	}{
		{name: "every day", want: []int{1, 3, 5}},
		{name: "before a change lands", full: "1", want: []int{1, 3, 5}},
		{name: "all where the slow level was asked for", slow: "1", want: list},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("ATOLL_FULL", tt.full)
			t.Setenv("ATOLL_SLOW", tt.slow)
			if got := suitetest.Some(2, list); !slices.Equal(got, tt.want) {
				t.Errorf("of %v there are %v, want %v", list, got, tt.want)
			}
		})
	}
}

func TestTheSystemsFoldersComeFirstOnPATH(t *testing.T) {
	manager, others := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(manager, "cargo"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	system := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	for _, tt := range []struct {
		name    string
		without []string
		want    []string
	}{
		{name: "others follow in their order", want: []string{manager, others}},
		{name: "one with a program that nobody runs is left out", without: []string{"cargo"}, want: []string{others}},
		{name: "the system's stay, whatever they have", without: []string{"sh"}, want: []string{manager, others}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", strings.Join([]string{manager, "/usr/bin", others}, ":"))
			suitetest.SystemFirst(tt.without...)
			if got := filepath.SplitList(os.Getenv("PATH")); !slices.Equal(got, append(slices.Clone(system), tt.want...)) {
				t.Errorf("PATH is %v, want %v and then %v", got, system, tt.want)
			}
		})
	}
}
