package tui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

// metered is a console whose machine is measured: half a core more every second.
func metered(t *testing.T, w, h int) *rig {
	r := newRig(t, tuitest.Snapshot(16), w, h, func(o *Options) {
		o.Meter = func(context.Context, int) (view.Resources, error) { return view.Resources{}, nil }
	})
	for i := range 12 {
		at := tuitest.Now().Add(time.Duration(i) * time.Second)
		r.send(sampleMsg{took: view.Resources{At: at, CPU: time.Duration(i*i) * time.Second / 8, Memory: int64(i) << 25, Disk: 14 << 20, Free: 20 << 30}})
	}
	return r
}

func TestCostAndResourcesStandInAStrip(t *testing.T) {
	for _, c := range []struct {
		name  string
		w, h  int
		keys  []string
		wants []string
		not   string
	}{
		{"above the keys of the dashboard", 200, 60, nil, []string{"cpu 2.6 cores ", "memory 352 MB ", "disk 14 MB free 20.0 GB", "requests 41", "cost $1.32", "took a niche 15/46", "failed 1/46"}, ""},
		{"what matters least goes first where room is short", 120, 36, nil, []string{"cpu 2.6 cores ", "memory 352 MB ", "failed 1/46"}, "free 20"},
		{"small screens have it among the yields", 80, 24, nil, nil, "cpu"},
		{"one to a line among the yields", 80, 30, []string{"7"}, []string{"Cost and resources", "cpu", "2.6"}, ""},
		{"not over another screen", 120, 36, []string{"c"}, nil, "memory"},
		{"not in the past", 120, 36, []string{"H"}, nil, "memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := metered(t, c.w, c.h)
			r.keys(c.keys...)
			r.tells(c.wants, c.not)
			exact(t, c.name, r.app.frame(), c.w, c.h)
		})
	}
}

func TestTheStripCountsWhatTheHeaderCounts(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 200, 60)
	s := *r.app.d.Snap
	n := 0
	for i := range s.Recent {
		if s.Recent[i].Job.Kind == record.Make {
			n++
		}
	}
	s.Jobs = view.Counts{Scored: n - 1, Failed: 1, Max: 400}
	r = newRig(t, &s, 120, 36)
	r.keys("7")
	r.tells([]string{fmt.Sprintf("%d/400 jobs", n), fmt.Sprintf(" 1 of %d jobs ", n)}, " of last ")
}

func TestWhatIsMeasuredIsTheProcessThatRunsTheExperiment(t *testing.T) {
	r := newRig(t, tuitest.Snapshot(16), 120, 36)
	var pids []int
	s := &sampler{d: r.app.d, meter: func(_ context.Context, pid int) (view.Resources, error) {
		pids = append(pids, pid)
		return view.Resources{At: tuitest.Now(), Memory: int64(pid)}, nil
	}}
	measure := func(cmd tea.Cmd) {
		t.Helper()
		if cmd == nil {
			t.Fatal("nothing is measured")
		}
		s.measured(cmd().(sampleMsg))
	}
	snap := *r.app.d.Snap
	snap.OwnerPID, snap.Loading = 0, true
	r.app.d.Snap = &snap
	if s.due() != nil {
		t.Error("it is measured before it is known who runs it")
	}
	snap.OwnerPID, snap.Loading = 4711, false
	measure(s.due())
	if s.changed() != nil || s.due() != nil {
		t.Error("it is measured again at once")
	}
	snap.OwnerPID = 4712
	measure(s.changed())
	if !slices.Equal(pids, []int{4711, 4712}) {
		t.Errorf("measured %v", pids)
	}
}
