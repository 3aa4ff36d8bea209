package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"atoll/engine"
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
	if end.State != record.ExperimentStopped || len(end.Running) > 0 || len(l.jobs(record.Queued)) == 0 {
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
