package engine

import (
	"testing"
	"time"
)

func TestARateIsThatOfTheTimeInWhichTheExperimentRan(t *testing.T) {
	var r rateMeter
	now := time.Unix(1_000_000, 0)
	run := func(jobs int, each time.Duration) {
		r.begin(now)
		for range jobs {
			now = now.Add(each)
			r.tick(now)
		}
	}
	near := func(when string, want float64) {
		t.Helper()
		if got := r.perMinute(now); got < 0.95*want || got > 1.05*want {
			t.Errorf("%s: %.1f a minute, not %.1f", when, got, want)
		}
	}
	r.tick(now)
	if got := r.perMinute(now); got != 0 {
		t.Errorf("before it runs: %.1f a minute", got)
	}
	run(100, 2*time.Second)
	near("a job every other second", 30)
	r.rest()
	now = now.Add(time.Hour)
	r.begin(now)
	now = now.Add(4 * time.Second)
	r.tick(now)
	r.tick(now.Add(time.Millisecond)) // two workers end together
	near("just after it went on", 30)
	run(30, 2*time.Second)
	near("a while after", 30)
}
