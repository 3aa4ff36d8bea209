package pane

import (
	"strings"
	"testing"
	"time"

	"atoll/engine/view"
	"atoll/tui/tuitest"
)

func TestTheLogTellsWhatManyJobsHaveInCommonOnce(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Log = []view.LogLine{
		{At: tuitest.Now(), Level: "warn", Job: 1, Text: "#1 failed: the agent changed nothing"},
		{At: tuitest.Now(), Level: "warn", Job: 2, Text: "c2 failed: exit 1"},
		{At: tuitest.Now(), Level: "warn", Job: 3, Text: "#3 failed: the agent changed nothing"},
	}
	b := newBench(t, s, nil, Log, 100, 10)
	got := b.frame()
	if strings.Count(got, "changed nothing") != 1 || !strings.Contains(got, "#3 failed: the agent changed nothing; 2 jobs so far") || strings.Contains(got, "exit 1;") {
		t.Errorf("the log says\n%s", got)
	}
	b.p.(*logPane).SetFilter("nothing")
	if got := b.frame(); strings.Count(got, "changed nothing") != 2 {
		t.Errorf("a search finds\n%s", got)
	}
}

func TestLinesThatAreHeardOfLateStandWhereTheyHappened(t *testing.T) {
	s, at := tuitest.Snapshot(8), tuitest.Now()
	s.Log = []view.LogLine{
		{N: 1, At: at.Add(-2 * time.Second), Level: "info", Text: "the second"},
		{N: 2, At: at.Add(-3 * time.Second), Level: "info", Text: "the first"},
		{N: 3, At: at.Add(-time.Second), Level: "info", Text: "the third"},
	}
	got := newBench(t, s, nil, Log, 100, 10).frame()
	if a, b, c := strings.Index(got, "the first"), strings.Index(got, "the second"), strings.Index(got, "the third"); a < 0 || a > b || b > c {
		t.Errorf("the log says\n%s", got)
	}
	if s.Log[0].N != 1 {
		t.Error("the snapshot, which others read as well, was sorted")
	}
}

func TestAnEmptyLogSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(*view.Snapshot)
		want string
	}{
		"who runs it":   {func(s *view.Snapshot) { s.Owner, s.OwnerPID = true, 7 }, "nothing logged"},
		"who looks on":  {func(s *view.Snapshot) { s.Owner, s.OwnerPID = false, 4711 }, "what process 4711, which runs it, says of itself stands where it was started"},
		"nobody runs":   {func(s *view.Snapshot) { s.Owner, s.OwnerPID = false, 0 }, "nothing logged"},
		"it is loading": {func(s *view.Snapshot) { s.Owner, s.OwnerPID, s.Loading = false, 4711, true }, "loading"},
	} {
		s := tuitest.Snapshot(8)
		s.Log = nil
		c.of(s)
		if got := newBench(t, s, nil, Log, 110, 10).frame(); !strings.Contains(got, c.want) {
			t.Errorf("%s: the log says\n%s", name, got)
		}
	}
}
