package agent_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"atoll/engine/agent"
	"atoll/store/record"
)

// drawn edits by the job's randomness; some jobs fail, some change nothing.
type drawn struct{ key string }

func (d drawn) Edit(_ context.Context, j agent.Job, _ agent.Tree) (agent.Result, error) {
	cost := j.Rand.Float64()
	usage := record.Usage{Requests: 1, InputTokens: j.Rand.Int64N(1000), CostUSD: &cost}
	switch j.Number % 10 {
	case 3:
		return agent.Result{}, agent.ErrNoChange
	case 7:
		return agent.Result{}, &agent.Error{Class: record.ClassTimeout, Reason: "too slow with " + d.key, Usage: usage}
	}
	data := make([]byte, 64)
	for i := range data {
		data[i] = byte(j.Rand.Uint32()) // not UTF-8
	}
	return agent.Result{
		Changes:  []record.Change{{Path: "bin/\xff.dat", Mode: record.Executable, Data: data}, {Path: "gone.txt"}},
		Usage:    usage,
		Intent:   fmt.Sprintf("draw %d with %s", j.Number, d.key),
		Evidence: []record.Evidence{{Kind: "prompt", Text: []byte("the key is " + d.key)}},
	}, nil
}

func drawnJob(n int) agent.Job {
	var tree record.Hash
	tree[0] = byte(n)
	return agent.Job{Number: record.JobID(n), Attempt: 1, Rand: rand.New(rand.NewPCG(9, uint64(n))), Parent: agent.Item{Tree: tree}}
}

func TestFiftyRecordedJobsReplayToTheSameChanges(t *testing.T) {
	const key = "sk-planted-0123456789abcdef"
	dir := filepath.Join(t.TempDir(), "tape")
	rec, err := agent.NewRecorder(drawn{key}, agent.RecorderOptions{Dir: dir, Redact: func(s string) string { return agent.Redact(s, key) }})
	if err != nil {
		t.Fatal(err)
	}
	type end struct {
		changes []record.Change
		class   record.Class
	}
	var want []end
	classOf := func(err error) record.Class {
		var e *agent.Error
		switch {
		case errors.Is(err, agent.ErrNoChange):
			return record.ClassNoChange
		case errors.As(err, &e):
			return e.Class
		}
		return record.ClassNone
	}
	for n := 1; n <= 50; n++ {
		res, err := rec.Edit(t.Context(), drawnJob(n), nil)
		want = append(want, end{res.Changes, classOf(err)})
	}
	play, err := agent.NewReplay(dir, "atoll.yaml")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for n := 50; n >= 1; n-- { // in any order
		res, err := play.Edit(t.Context(), drawnJob(n), nil)
		if got := (end{res.Changes, classOf(err)}); !reflect.DeepEqual(got, want[n-1]) {
			t.Fatalf("job %d replayed to %+v, want %+v", n, got, want[n-1])
		}
		if err != nil {
			failed++
		} else if *res.Usage.CostUSD != 0 || res.Usage.Requests != 0 {
			t.Errorf("a replayed job cost %+v", res.Usage)
		}
	}
	if failed != 10 {
		t.Errorf("%d failures replayed, want 10", failed)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 50 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil || bytes.Contains(data, []byte(key)) {
			t.Errorf("%s holds the key, or cannot be read: %v", f, err)
		}
	}
}

func TestReplayRefusesWhatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	if _, err := agent.NewReplay(dir, "atoll.yaml"); !errors.Is(err, agent.ErrNoRecording) {
		t.Errorf("an empty folder: %v", err)
	}
	rec, err := agent.NewRecorder(drawn{"k"}, agent.RecorderOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rec.Edit(t.Context(), drawnJob(1), nil); err != nil {
		t.Fatal(err)
	}
	play, err := agent.NewReplay(dir, "atoll.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := play.Edit(t.Context(), drawnJob(2), nil); !errors.Is(err, agent.ErrNoRecording) {
		t.Errorf("a job that was not recorded: %v", err)
	}
	other := drawnJob(1)
	other.Parent.Tree[5] = 1
	if _, err := play.Edit(t.Context(), other, nil); !errors.Is(err, agent.ErrOtherRecording) {
		t.Errorf("another parent: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "job-000001.json"), []byte(`{"version":1,"job":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := play.Edit(t.Context(), drawnJob(1), nil); !errors.Is(err, agent.ErrOtherRecording) {
		t.Errorf("a broken file: %v", err)
	}
}

func TestRecorderWritesNothingOfACancelledJob(t *testing.T) {
	dir := t.TempDir()
	rec, err := agent.NewRecorder(drawn{"k"}, agent.RecorderOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = rec.Edit(ctx, drawnJob(1), nil)
	if _, err := agent.ReadRecording(dir, 1); !errors.Is(err, agent.ErrNoRecording) {
		t.Errorf("error %v", err)
	}
}
