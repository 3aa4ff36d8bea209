package engine_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"atoll/config/suitetest"
	"atoll/engine"
	"atoll/gitops"
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

func TestAClockThatIsSetForwardsAndBackwardsChangesNoResult(t *testing.T) {
	t.Parallel()
	results := map[bool][2][]string{}
	for _, jumps := range []bool{false, true} {
		l := bareLab(t, map[string]string{"program.txt": dials, "measure.sh": measure})
		if jumps {
			dir := l.ses.Dir
			if err := l.ses.Close(); err != nil {
				t.Fatal(err)
			}
			target, err := gitops.Inspect(t.Context(), l.repo)
			if err != nil {
				t.Fatal(err)
			}
			if l.ses, err = engine.OpenSession(t.Context(), engine.SessionOptions{Dir: dir, Target: target, Cache: filepath.Join(dir, "cache"), Create: true, Now: jumping(1)}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := l.ses.Close(); err != nil {
					t.Error(err)
				}
			})
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
