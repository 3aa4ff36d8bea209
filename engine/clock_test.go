package engine_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store/record"
)

// jumping is the clock of a machine that somebody sets: now and then it is off by up to
// ten days, forwards or backwards, and it goes on from there.
func jumping(seed uint64) func() time.Time {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 7))
	off := time.Duration(0)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(5) == 0 {
			off = time.Duration(rng.IntN(20*24*3600)-10*24*3600) * time.Second
		}
		return time.Now().Round(0).Add(off)
	}
}

// clock opens the session of the lab anew under another clock.
func (l *lab) clock(now func() time.Time) {
	l.t.Helper()
	dir := l.ses.Dir
	if err := l.ses.Close(); err != nil {
		l.t.Fatal(err)
	}
	target, err := gitops.Inspect(l.t.Context(), l.repo)
	if err != nil {
		l.t.Fatal(err)
	}
	if l.ses, err = engine.OpenSession(l.t.Context(), engine.SessionOptions{Dir: dir, Target: target, Cache: filepath.Join(dir, "cache"), Create: true, Now: now}); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := l.ses.Close(); err != nil {
			l.t.Error(err)
		}
	})
}

func TestTimeInWhichNothingIsToBeDoneIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, pause := range []bool{false, true} {
		t.Run(fmt.Sprintf("paused %v", pause), func(t *testing.T) {
			t.Parallel()
			l := bareLab(t, map[string]string{"program.txt": dials, "measure.sh": measure})
			var ahead atomic.Int64
			l.clock(func() time.Time { return time.Now().Round(0).Add(time.Duration(ahead.Load())) })
			l.begin(l.loaded(dialsYAML, "budget.jobs=6", "review.niche=all"))
			l.run()
			eng, stop := l.startWith(engine.Options{KeepState: true})
			defer func() { stop() }()
			s := l.await(eng, "it is read", func(s *view.Snapshot) bool { return s.Owner })
			if pause {
				if _, err := eng.Decide(t.Context(), decision(record.Pause)); err != nil {
					t.Fatal(err)
				}
				l.await(eng, "it is paused", func(s *view.Snapshot) bool { return s.State == record.ExperimentPaused })
			}
			ahead.Add(int64(10 * time.Hour))
			if _, err := eng.Decide(t.Context(), about(record.Approve, s.Review[0].Candidate.ID)); err != nil {
				t.Fatal(err)
			}
			settled(t, l, eng)
			ahead.Add(int64(10 * time.Hour))
			if _, err := eng.Undo(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			settled(t, l, eng)
			if s = eng.Feed().Latest(); s.WallMS > time.Hour.Milliseconds() {
				t.Errorf("the console says %s were used", time.Duration(s.WallMS)*time.Millisecond)
			}
			ahead.Add(int64(10 * time.Hour))
			stop()
			if c, err := l.ses.DB.Counters(t.Context(), l.exp.ID); err != nil || c.WallMS > time.Hour.Milliseconds() {
				t.Errorf("the store says %s were used, %v", time.Duration(c.WallMS)*time.Millisecond, err)
			}
		})
	}
}

func TestAClockThatIsSetForwardsAndBackwardsChangesNoResult(t *testing.T) {
	t.Parallel()
	results := map[bool][2][]string{}
	for _, jumps := range []bool{false, true} {
		l := bareLab(t, map[string]string{"program.txt": dials, "measure.sh": measure})
		if jumps {
			l.clock(jumping(1))
		}
		l.begin(l.loaded(dialsYAML, "seed=3", "workers=3", fmt.Sprint("budget.jobs=", suitetest.Pick(14, 30, 100)), fmt.Sprint("budget.wall=", time.Hour)))
		if err := engine.New(l.ses, l.exp.ID, engine.Options{Unattended: true}).Run(t.Context()); err != nil {
			t.Fatalf("jumps %v: %v", jumps, err)
		}
		results[jumps] = [2][]string{l.ends(), l.candidates()}
		c, err := l.ses.DB.Counters(t.Context(), l.exp.ID)
		if err != nil || c.WallMS < 0 || c.WallMS > time.Hour.Milliseconds() {
			t.Errorf("jumps %v: %d ms of running time, %v", jumps, c.WallMS, err)
		}
		if err := l.ses.DB.Integrity(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for i, what := range []string{"jobs end", "candidates are"} {
		if diff := same(results[false][i], results[true][i]); diff != "" {
			t.Errorf("%s otherwise under a clock that jumps:\n%s", what, diff)
		}
	}
}
