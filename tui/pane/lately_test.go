package pane

import (
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestLatelyIsToldFromTheOldestToTheNewest(t *testing.T) {
	var recent []view.Ended // newest first: the older half failed, the newer took niches
	for i := range 40 {
		e := view.Ended{Job: record.Job{Kind: record.Make, Operator: record.OpTune, State: record.Placed}}
		if i >= 20 {
			e.Job.State = record.Failed
		}
		recent = append(recent, e)
	}
	d := &Shared{Snap: &view.Snapshot{Recent: recent}}
	for _, c := range []struct {
		name string
		op   record.Operator
		want string
	}{
		{"the share of each stretch", record.OpTune, "▁▁▁▁▁█████"},
		{"what was not tried says nothing", record.OpMutate, "          "},
	} {
		if got := d.lately(func(e *view.Ended) bool { return e.Job.Operator == c.op }, placed); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	if got := (&Shared{Snap: &view.Snapshot{}}).lately(placed, placed); got != "" {
		t.Errorf("without jobs it says %q", got)
	}
}
