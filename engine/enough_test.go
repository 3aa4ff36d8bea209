package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"atoll/engine"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store/record"
)

// runUntil runs the experiment to its end under a condition that ends it before.
func (l *lab) runUntil(enough func(*fold.State) string) *view.Snapshot {
	l.t.Helper()
	eng := engine.New(l.ses, l.exp.ID, engine.Options{
		Who: "tester", Unattended: true, Enough: func(_ context.Context, st *fold.State) (string, error) { return enough(st), nil },
	})
	ctx, cancel := context.WithTimeout(l.t.Context(), deadline)
	defer cancel()
	if err := eng.Run(ctx); err != nil {
		l.t.Fatalf("run: %v", err)
	}
	return eng.Feed().Latest()
}

// above is a condition: something is nearer to ten than this.
func above(score float64) func(*fold.State) string {
	return func(st *fold.State) string {
		if m := st.Candidate(st.Best); m != nil && m.Objective > score {
			return m.ID().String() + " is near enough"
		}
		return ""
	}
}

func TestARunThatHasEnoughMakesTheSameJobsWithAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	var want []string
	for _, workers := range []string{"1", "4"} {
		l := newLab(t, "workers="+workers, "order=strict", "lookahead=3", "budget.jobs=400")
		s := l.runUntil(above(-1))
		if s.State != record.ExperimentDone || !strings.Contains(s.Reason, "is near enough; ") || s.Best.Objective <= -1 || s.Root.Objective > -1 {
			t.Fatalf("the run with %s workers is %s (%s), the best has %v", workers, s.State, s.Reason, s.Best.Objective)
		}
		got := l.ends()
		if len(got) >= 400 {
			t.Errorf("it made %d jobs", len(got))
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("with %s workers the jobs ended\n%s\nwith one\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestARunWhoseRootIsEnoughMakesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := l.runUntil(func(*fold.State) string { return "the root will do" })
	if s.State != record.ExperimentDone || s.Reason != "the root will do; 0 jobs done" {
		t.Errorf("the run is %s (%s)", s.State, s.Reason)
	}
}

func TestARunGoesOnWhenWhatWasEnoughIsTakenBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := l.runUntil(func(st *fold.State) string {
		if st.FoldCount() == 6 {
			return "six will do"
		}
		return ""
	})
	if s.State != record.ExperimentDone || s.Reason != "24 jobs done" {
		t.Errorf("the run is %s (%s), want all 24 jobs", s.State, s.Reason)
	}
}

func TestARunThatGoesOnDoesNotAskAgainAboutThePast(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	asked := map[int]int{}
	count := func(st *fold.State) string {
		asked[st.FoldCount()]++
		if st.FoldCount() == 9 {
			return "nine will do"
		}
		return ""
	}
	eng, stop := l.startWith(engine.Options{Unattended: true, Enough: func(_ context.Context, st *fold.State) (string, error) { return count(st), nil }})
	l.await(eng, "three jobs ended", func(s *view.Snapshot) bool { return s.Jobs.Ended() >= 3 })
	stop()
	l.runUntil(count)
	for position, n := range asked {
		if n > 1 && position != 9 {
			t.Errorf("position %d was asked about %d times", position, n)
		}
	}
}
