package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// fill writes n ended make jobs in the way of the engine, many at a time, so
// that groups form.
func (w *world) fill(from record.JobID, n, workers int) {
	w.t.Helper()
	const batch = 500
	for lo := 0; lo < n; lo += batch {
		hi := min(n, lo+batch)
		jobs := make([]record.Job, 0, batch)
		for i := lo; i < hi; i++ {
			j := makeJob(from + record.JobID(i))
			j.Inspirations = []record.CandidateID{1, 2}
			jobs = append(jobs, j)
		}
		w.add(jobs...)
		errs := make(chan error, workers)
		var left atomic.Int64
		left.Store(int64(hi - lo))
		for range workers {
			go func() {
				for left.Add(-1) >= 0 {
					if err := w.cycle(); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range workers {
			w.ok(<-errs)
		}
	}
}

// cycle takes one job all the way, with the evidence and the vector of a usual
// one.
func (w *world) cycle() error {
	l, err := w.db.Lease(w.ctx, w.exp, "w1", time.Minute)
	if err != nil {
		return err
	}
	id := int(l.Job.ID)
	if _, _, err := w.db.Made(w.ctx, *l, candidate(*l, 1000+id)); err != nil {
		return err
	}
	if err := w.db.Stage(w.ctx, *l, record.Committed, record.Gated); err != nil {
		return err
	}
	if err := w.db.Stage(w.ctx, *l, record.Gated, record.Evaluating); err != nil {
		return err
	}
	o := scored(float64(id%1000) / 3)
	o.Evals, o.EditMS, o.EvalMS, o.OwnMS = 1, 3, 200, 1.5
	_, err = w.db.Finish(w.ctx, *l, o)
	return err
}

// BenchmarkJob is a whole job by one worker, each step its own commit, and by
// eight workers at once.
func BenchmarkJob(b *testing.B) {
	for _, workers := range []int{1, 8} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			w := open(b, record.Settings{})
			w.fill(1, 2000, 8)
			before := cpu(b)
			b.ResetTimer()
			w.fill(2001, b.N, workers)
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}

// cpu is the processor time that this process has used, which does not depend
// on what else runs on the machine.
func cpu(b testing.TB) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// big returns a store with 100,000 ended make jobs, made once per run of the
// benchmarks.
const bigJobs = 100_000

func big(b *testing.B) *world {
	b.Helper()
	w := open(b, record.Settings{})
	w.fill(1, bigJobs, 8)
	return w
}

func BenchmarkRead100k(b *testing.B) {
	w := big(b)
	if info, err := os.Stat(w.path); err == nil {
		b.Logf("file: %d MiB", info.Size()>>20)
	}
	b.Run("FoldLog", func(b *testing.B) {
		before := cpu(b)
		defer func() { b.ReportMetric(float64((cpu(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op") }()
		for b.Loop() {
			ends := 0
			w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
				if r.Kind == record.LogEnd && r.Cand != nil && r.Cand.Objective != nil {
					ends++
				}
				return nil
			}))
			if ends != bigJobs {
				b.Fatalf("%d ends", ends)
			}
		}
	})
	b.Run("EachCandidate", func(b *testing.B) {
		for b.Loop() {
			w.ok(w.db.EachCandidate(w.ctx, w.exp, record.NoCandidate, func(*record.Candidate) error { return nil }))
		}
	})
	b.Run("JobsPage", func(b *testing.B) {
		for b.Loop() {
			jobs, err := w.db.Jobs(w.ctx, w.exp, store.JobFilter{Before: 50_000, Limit: 50})
			w.ok(err)
			if len(jobs) != 50 {
				b.Fatal(len(jobs))
			}
		}
	})
	b.Run("JobsPageRareState", func(b *testing.B) {
		for b.Loop() {
			_, err := w.db.Jobs(w.ctx, w.exp, store.JobFilter{States: []record.JobState{record.Failed, record.Held}, Limit: 50})
			w.ok(err)
		}
	})
	b.Run("JobsTextNoHit", func(b *testing.B) {
		for b.Loop() {
			_, err := w.db.Jobs(w.ctx, w.exp, store.JobFilter{Text: "nowhere to be found", Limit: 50})
			w.ok(err)
		}
	})
	b.Run("Counters", func(b *testing.B) {
		for b.Loop() {
			_, err := w.db.Counters(w.ctx, w.exp)
			w.ok(err)
		}
	})
	b.Run("Changed", func(b *testing.B) {
		for b.Loop() {
			_, err := w.db.Changed(w.ctx)
			w.ok(err)
		}
	})
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			db, err := store.Open(context.Background(), w.path, store.Options{})
			w.ok(err)
			w.ok(db.Close())
		}
	})
	b.Run("OpenReadOnlyFirstPage", func(b *testing.B) {
		for b.Loop() {
			db, err := store.Open(context.Background(), w.path, store.Options{ReadOnly: true})
			w.ok(err)
			_, err = db.Jobs(w.ctx, w.exp, store.JobFilter{Limit: 50})
			w.ok(err)
			w.ok(db.Close())
		}
	})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.Logf("Go heap %d MiB, resident %s", m.HeapAlloc>>20, resident())
}

func resident() string {
	data, err := os.ReadFile(filepath.Join("/proc", "self", "status"))
	if err != nil {
		return "unknown"
	}
	for line := range lines(string(data)) {
		if len(line) > 6 && line[:6] == "VmRSS:" {
			return line[6:]
		}
	}
	return "unknown"
}
