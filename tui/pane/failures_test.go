package pane

import (
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/tuitest"
)

func TestTheTitleOfTheFailuresCountsWhatTheListTells(t *testing.T) {
	s := tuitest.Snapshot(8)
	s.Jobs.Failed = 0 // the measurement of the root is no job of the search
	s.Failures = []view.FailureGroup{{Class: record.ClassTest, Reason: "the data is gone", Count: 1, Sample: 0}}
	b := newBench(t, s, nil, Failures, 100, 10)
	if _, right := b.p.Title(); !strings.Contains(right, "1 failure") || strings.Contains(right, "failures") {
		t.Errorf("the title says %q", right)
	}
}
