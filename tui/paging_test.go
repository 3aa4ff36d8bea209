package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/pane"
	"atoll/tui/tuitest"
)

// long is a reader of a long history. One job and one candidate in it, both
// old, are about a needle.
type long struct {
	*tuitest.Reader
	n int
}

const needle = 17

func (l *long) Jobs(_ context.Context, q view.JobQuery) ([]view.JobLine, error) {
	var out []view.JobLine
	for id := record.JobID(l.n); id > 0 && len(out) < q.Limit; id-- {
		j := record.Job{ID: id, Kind: record.Make, State: record.Scored, Operator: record.OpTune, Agent: "offline", Candidate: record.CandidateID(id)}
		if id == needle {
			j.State, j.Reason = record.Failed, "a needle broke"
		}
		if strings.Contains(fmt.Sprint(j.Reason, " ", j.Operator, " #", id), q.Text) {
			out = append(out, view.JobLine{Job: j, Objective: tuitest.F(float64(id))})
		}
	}
	return out, nil
}

func (l *long) Candidates(_ context.Context, q view.CandidateQuery) ([]record.Candidate, error) {
	var out []record.Candidate
	for id := record.CandidateID(l.n); id > 0 && len(out) < q.Limit; id-- {
		c := record.Candidate{ID: id, Operator: record.OpTune, Status: record.StatusScored, Objective: tuitest.F(float64(id))}
		if id == needle {
			c.Intent = "thread a needle"
		}
		if strings.Contains(fmt.Sprint(c.Intent, " ", c.Operator, " c", id), q.Text) {
			out = append(out, c)
		}
	}
	return out, nil
}

func longRig(t *testing.T, n int) *rig {
	s := tuitest.Snapshot(16)
	s.Running, s.Recent = nil, nil
	return newRig(t, s, 120, 36, func(o *Options) { o.Reader = &long{&tuitest.Reader{Snap: s}, n} })
}

func TestALongListGrowsWhenTheCursorComesToItsEnd(t *testing.T) {
	for name, open := range map[string][]string{"jobs": {"2", "z"}, "candidates": {"c"}} {
		t.Run(name, func(t *testing.T) {
			r := longRig(t, 3000)
			r.keys(open...)
			wants := func(text string) {
				t.Helper()
				if s := ansi.Strip(r.app.frame()); !strings.Contains(s, text) {
					t.Fatalf("%q is not there:\n%s", text, s)
				}
			}
			wants("500 shown, there are more")
			for range 500 {
				r.keys("j")
			}
			wants("c2500 ")
			wants("1000 shown, there are more")
			r.keys("G")
			wants("3000 shown ─")
			if s := ansi.Strip(r.app.frame()); !strings.Contains(s, "c1  ") || strings.Contains(s, "loading") {
				t.Errorf("the end of the list:\n%s", s)
			}
		})
	}
}

func TestAFilterFindsWhatIsNotInTheList(t *testing.T) {
	for name, open := range map[string][]string{"jobs": {"2", "z"}, "candidates": {"c"}} {
		for _, text := range []string{"needle", "tune needle", "c17", "!#zzz"} {
			t.Run(name+" "+text, func(t *testing.T) {
				r := longRig(t, 2000)
				r.keys(open...)
				r.keys("/")
				r.typing(text)
				r.keys("enter")
				if strings.HasPrefix(text, "!") { // all fit
					if s := ansi.Strip(r.app.frame()); !strings.Contains(s, "2000 shown") {
						t.Errorf("%q leaves\n%s", text, s)
					}
					return
				}
				if s := ansi.Strip(r.app.frame()); !strings.Contains(s, "c17 ") {
					t.Errorf("%q does not find it:\n%s", text, s)
				}
			})
		}
	}
}

// worked is the processor time of this process so far: what a busy machine does
// beside it does not count.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// frameLimit is what a frame may cost in a history of a hundred thousand.
const frameLimit = 50 * time.Millisecond

func TestAHundredThousandRowsScrollSortAndFilterAtOnce(t *testing.T) {
	limit := frameLimit
	if testing.Short() { // under the race detector
		limit *= 10
	}
	for name, open := range map[string][]string{"jobs": {"2", "z"}, "candidates": {"c"}} {
		t.Run(name, func(t *testing.T) {
			r := longRig(t, 100_000)
			r.keys(open...)
			r.keys("G", "G")
			sorter, ok := r.app.Current().(pane.Sorter)
			if !ok {
				t.Fatal("the table cannot be sorted")
			}
			for _, c := range []struct {
				what string
				do   func(i int)
			}{
				{"scrolling", func(int) { r.keys("k") }},
				{"paging", func(int) { r.keys("pgup") }},
				{"sorting by figures", func(int) { sorter.Order().Toggle("value"); r.app.d.Gen++; _ = r.app.frame() }},
				{"scrolling what is sorted", func(int) { r.keys("k") }},
				{"filtering", func(i int) { r.app.Current().SetFilter([]string{"tune", "c9", "x"}[i%3]); _ = r.app.frame() }},
			} {
				var took []time.Duration
				for i := range 9 {
					before := worked(t)
					c.do(i)
					took = append(took, worked(t)-before)
				}
				slices.Sort(took)
				t.Logf("%s: %.2g ms of processor time in the middle, %.2g ms at most", c.what, took[len(took)/2].Seconds()*1e3, took[len(took)-1].Seconds()*1e3)
				if mid := took[len(took)/2]; mid > limit {
					t.Errorf("%s: a frame costs %s, not %s", c.what, mid, limit)
				} else {
					t.Logf("%s: %s a frame", c.what, mid.Round(10*time.Microsecond))
				}
			}
		})
	}
}
