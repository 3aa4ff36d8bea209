package cli

import (
	"testing"

	"atoll/engine/view"
)

func TestEndsOfJobsAreCountedWithWhatWasRejectedAfterwards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		s    view.Snapshot
		want string
	}{
		"none ended":      {view.Snapshot{}, "0 ended"},
		"none rejected":   {view.Snapshot{Jobs: view.Counts{Placed: 2, Held: 1, Max: 9}}, "2/9 ended, 2 placed, 1 held"},
		"one afterwards":  {view.Snapshot{Jobs: view.Counts{Scored: 3}, Rejections: view.Rejections{Guard: 1}}, "3 ended, 3 scored; of the measured ones rejected: 1 by the guard"},
		"two afterwards":  {view.Snapshot{Jobs: view.Counts{Scored: 3}, Rejections: view.Rejections{People: 2, Guard: 1}}, "3 ended, 3 scored; of the measured ones rejected: 2 by people and 1 by the guard"},
		"while it waited": {view.Snapshot{Jobs: view.Counts{Scored: 3, Rejected: 2}, Rejections: view.Rejections{Held: 1}}, "5 ended, 3 scored, 2 rejected (1 by people)"},
	} {
		if got := countsText(&c.s); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
