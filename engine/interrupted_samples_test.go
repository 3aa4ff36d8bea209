package engine_test

import (
	"slices"
	"strings"
	"testing"

	"atoll/engine/view"
	"atoll/store/record"
)

func TestARunThatAPersonEndsDoesNotWaitForManyLongSamplesAndKeepsThoseThatAreTaken(t *testing.T) {
	t.Parallel()
	l := bareLab(t, map[string]string{"program.txt": program, "measure.sh": "#!/bin/sh\nsleep 2\nprintf 'score=1\\nfirst=1\\nsecond=1\\n'\n"})
	l.begin(l.loaded(strings.Replace(labYAML, "root_repeats: 2", "root_repeats: 8", 1)))
	eng, stop := l.start()
	seen := l.await(eng, "the root is measured", func(s *view.Snapshot) bool { return len(s.Running) > 0 })
	stop() // in the first of eight samples
	job := seen.Running[0].Job.ID
	if waiting := l.jobs(record.Queued); !slices.ContainsFunc(waiting, func(j record.Job) bool { return j.ID == job }) {
		t.Fatalf("in the queue are %+v", waiting)
	}
	kept, err := l.ses.DB.KeptSamples(t.Context(), l.exp.ID, job)
	if err != nil || len(kept) == 0 || len(kept) > 4 {
		t.Errorf("%d samples are kept: %v", len(kept), err)
	}
	said := func(l view.LogLine) bool { return strings.Contains(l.Text, "is put back while it is measured") }
	if end := eng.Feed().Latest(); !slices.ContainsFunc(end.Log, said) {
		t.Errorf("nobody says so: %+v", end.Log)
	}
}
