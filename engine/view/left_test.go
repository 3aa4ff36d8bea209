package view_test

import (
	"testing"
	"time"

	"atoll/engine/view"
)

func TestARunGoesOnUntilItsJobsAreDoneOrItsTimeIsOver(t *testing.T) {
	now := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		eta    time.Duration
		ends   time.Time
		want   time.Duration
		byTime bool
	}{
		"nothing is known":                    {0, time.Time{}, 0, false},
		"its time is not bounded":             {time.Hour, time.Time{}, time.Hour, false},
		"its time is over first":              {81 * time.Minute, now.Add(89 * time.Second), 89 * time.Second, true},
		"its jobs are done first":             {time.Minute, now.Add(time.Hour), time.Minute, false},
		"it is not known when jobs are done":  {0, now.Add(time.Minute), time.Minute, true},
		"its time was over, and jobs go on":   {time.Hour, now.Add(-time.Minute), 0, true},
		"its time was over, and nothing else": {0, now.Add(-time.Minute), 0, true},
	} {
		if left, byTime := view.Left(c.eta, c.ends, now); left != c.want || byTime != c.byTime {
			t.Errorf("%s: %v by time %v, want %v by time %v", name, left, byTime, c.want, c.byTime)
		}
	}
}
