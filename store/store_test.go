package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// world is an open store with one experiment in it.
type world struct {
	t    testing.TB
	db   *store.DB
	exp  record.ExperimentID
	ctx  context.Context
	path string
}

// open makes a store in a directory of the test and checks its integrity at
// the end.
func open(t testing.TB, settings record.Settings) *world {
	t.Helper()
	return openWith(t, settings, store.Options{})
}

func openWith(t testing.TB, settings record.Settings, o store.Options) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), path: filepath.Join(t.TempDir(), "atoll.db")}
	w.db = mustOpen(t, w.path, o)
	t.Cleanup(func() {
		if err := w.db.Integrity(w.ctx); err != nil && !errors.Is(err, store.ErrClosed) {
			t.Errorf("integrity after the test: %v", err)
		}
	})
	w.exp = w.experiment(settings)
	return w
}

func mustOpen(t testing.TB, path string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), path, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func (w *world) experiment(settings record.Settings) record.ExperimentID {
	w.t.Helper()
	e, err := w.db.CreateExperiment(w.ctx, record.Experiment{
		Name: "main", RootCommit: hash(1), RootTree: hash(2), RootTime: 1000, Seed: 1 << 63, Config: []byte("{}"),
	}, settings)
	w.ok(err)
	return e.ID
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// hash makes a distinct object name of a number.
func hash(n int) (h record.Hash) {
	for i := range 8 {
		h[19-i] = byte(n >> (8 * i))
	}
	return h
}

func (w *world) add(jobs ...record.Job) {
	w.t.Helper()
	for i := range jobs {
		jobs[i].Experiment = w.exp
	}
	w.ok(w.db.AddJobs(w.ctx, jobs))
}

func (w *world) addMakes(from, to record.JobID) {
	w.t.Helper()
	for id := from; id <= to; id++ {
		w.add(makeJob(id))
	}
}

func makeJob(id record.JobID) record.Job {
	return record.Job{ID: id, Kind: record.Make, Operator: record.OpTune, Agent: "offline"}
}

func (w *world) lease() record.Lease {
	w.t.Helper()
	l, err := w.db.Lease(w.ctx, w.exp, "w1", time.Minute)
	w.ok(err)
	return *l
}

func (w *world) made(l record.Lease, tree int) {
	w.t.Helper()
	dup, _, err := w.db.Made(w.ctx, l, candidate(l, tree))
	w.ok(err)
	if dup != record.NoCandidate {
		w.t.Fatalf("tree %d of job %s is a duplicate of %s", tree, l.Job.ID, dup)
	}
}

func candidate(l record.Lease, tree int) record.Candidate {
	return record.Candidate{
		Commit: hash(tree + 1<<32), Tree: hash(tree), Operator: l.Job.Operator, Agent: l.Job.Agent,
		Parents: []record.ParentRef{{ID: l.Job.Parent, Role: record.RoleParent}},
		Intent:  "speed up the loop",
	}
}

// scored is an outcome with one sample.
func scored(value float64) store.Outcome {
	return store.Outcome{
		State: record.Scored,
		Candidate: &record.Candidate{
			Objective: &value, Samples: 1, Measures: []float64{value, 2 * value},
			Metrics: []record.Metric{{Name: "score", Value: value}},
		},
		Samples: []record.Sample{{Objective: value}},
	}
}

func (w *world) finish(l record.Lease, o store.Outcome) record.Seq {
	w.t.Helper()
	seq, err := w.db.Finish(w.ctx, l, o)
	w.ok(err)
	return seq
}

// through takes the next queued make job all the way.
func (w *world) through(tree int, value float64) record.JobID {
	w.t.Helper()
	l := w.lease()
	w.made(l, tree)
	w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Gated))
	w.ok(w.db.Stage(w.ctx, l, record.Gated, record.Evaluating))
	w.finish(l, scored(value))
	return l.Job.ID
}

func (w *world) job(id record.JobID) record.Job {
	w.t.Helper()
	j, err := w.db.Job(w.ctx, w.exp, id)
	w.ok(err)
	return j
}

func (w *world) candidate(id record.CandidateID) record.Candidate {
	w.t.Helper()
	c, err := w.db.Candidate(w.ctx, w.exp, id)
	w.ok(err)
	return c
}

// kinds returns the kinds of all rows of the log.
func (w *world) kinds() []record.LogKind {
	w.t.Helper()
	rows, err := w.db.Log(w.ctx, w.exp, 0, 100000)
	w.ok(err)
	var kinds []record.LogKind
	for i, r := range rows {
		if i > 0 && r.Seq <= rows[i-1].Seq {
			w.t.Fatalf("row %d follows row %d", r.Seq, rows[i-1].Seq)
		}
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

func wants(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func TestAJobGoesAllTheWay(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 10})
	w.addMakes(1, 1)
	id := w.through(100, 7.5)

	j := w.job(id)
	if j.State != record.Scored || j.Candidate != 1 || j.Attempt != 1 || j.Ended == 0 || j.LeaseUntil != 0 {
		t.Errorf("got job %+v", j)
	}
	c := w.candidate(1)
	if c.Status != record.StatusScored || *c.Objective != 7.5 || c.Samples != 1 || c.Scored == 0 ||
		c.Measures[1] != 15 || c.Metrics[0].Name != "score" || c.Parent() != record.Root || c.Tree != hash(100) {
		t.Errorf("got candidate %+v", c)
	}
	samples, err := w.db.SamplesOf(w.ctx, w.exp, 1)
	w.ok(err)
	if len(samples) != 1 || samples[0].Objective != 7.5 || samples[0].Job != id {
		t.Errorf("got samples %+v", samples)
	}
	want := []record.LogKind{
		record.LogExperiment, record.LogJob, record.LogLease, record.LogMade, record.LogStage, record.LogStage, record.LogEnd,
	}
	got := w.kinds()
	if len(got) != len(want) {
		t.Fatalf("got rows %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got rows %v, want %v", got, want)
		}
	}
}

// lines walks over the lines of a text.
func lines(text string) func(func(string) bool) {
	return strings.SplitSeq(text, "\n")
}

// fileSize is the length of the store and its write-ahead log.
func (w *world) fileSize() int64 {
	w.t.Helper()
	size := int64(0)
	for _, name := range []string{w.path, w.path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

func (w *world) walSize() int64 {
	info, err := os.Stat(w.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}
