package suitetest_test

import (
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
