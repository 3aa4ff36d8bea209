package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

func TestARunWhoseTimeIsOverDoesNotWaitForEverForWhatItBegan(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": "#!/bin/sh\nsleep 3600\n"})
	l.create()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	eng := engine.New(l.ses, l.exp.ID, engine.Options{Who: "tester", Unattended: true, For: 200 * time.Millisecond, Silence: 800 * time.Millisecond})
	if err := eng.Run(ctx); err != nil {
		t.Fatal(err)
	}
	end := eng.Feed().Latest()
	if end.State != record.ExperimentStopped || end.Reason != view.TimeOver || len(end.Running) > 0 || len(l.jobs(record.Queued)) == 0 {
		t.Errorf("the run ended %s with %d jobs in work", end.State, len(end.Running))
	}
	var said []string
	for _, line := range end.Log {
		said = append(said, line.Text)
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"the time is over; the run ends when these are done, in 1s at the latest: #0 (", "put back into the queue: #0 ("} {
		if !strings.Contains(all, want) {
			t.Errorf("the log does not say %q:\n%s", want, all)
		}
	}
}

func TestHowLongJobsTookIsSaidOfThoseThatWereMeasured(t *testing.T) {
	t.Parallel()
	ended := func(kind record.JobKind, state record.JobState, edit, eval int64) view.Ended {
		return view.Ended{Job: record.Job{Kind: kind, State: state, EditMS: edit, EvalMS: eval}}
	}
	none := []view.Ended{
		ended(record.Make, record.Failed, 10, 90), ended(record.Make, record.Duplicate, 10, 0),
		ended(record.Make, record.Rejected, 20, 0), ended(record.Evaluate, record.Done, 0, 700),
	}
	if got := engine.Usual(none); got != "" {
		t.Errorf("where nothing was measured it says %q", got)
	}
	two := append(none, ended(record.Make, record.Scored, 100, 3900), ended(record.Make, record.Placed, 200, 5800))
	if got, want := engine.Usual(two), "; a measured candidate took about 5s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	measured := append(none, ended(record.Make, record.Scored, 100, 7900), ended(record.Make, record.Placed, 200, 11800), ended(record.Make, record.Scored, 0, 60000))
	if got, want := engine.Usual(measured), "; of the last 3 measured candidates the one in the middle took 12s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
