package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// openStrict is open with an experiment in strict order.
func openStrict(t testing.TB) *world {
	t.Helper()
	return openIn(t, true, record.Settings{})
}

// openIn is open with an experiment in strict order, or in that of completion.
func openIn(t testing.TB, strict bool, settings record.Settings) *world {
	t.Helper()
	w := open(t, settings)
	e, err := w.db.CreateExperiment(w.ctx, record.Experiment{
		Name: "another", RootCommit: hash(1), RootTree: hash(2), RootTime: 1000, Config: []byte("{}"), Strict: strict, Lookahead: 8,
	}, settings)
	w.ok(err)
	w.exp = e.ID
	return w
}

// measured ends a leased job with a value of its tree, taken from two samples.
func (w *world) measured(l record.Lease, tree int) {
	w.t.Helper()
	c := candidate(l, tree)
	c.Objective, c.Samples, c.Version = ptr(float64(tree)), 2, 1
	c.Metrics = []record.Metric{{Name: "score", Value: float64(tree)}}
	out := store.Outcome{State: record.Scored, Candidate: &c, Vector: []float32{1, 2}, Usage: record.Usage{Requests: 1, CostUSD: ptr(0.5)}}
	taken, err := w.db.SamplesOf(w.ctx, w.exp, record.CandidateID(l.Job.ID))
	w.ok(err)
	for i := range 2 - len(taken) {
		out.Samples = append(out.Samples, record.Sample{Repeat: i, Version: 1, Objective: float64(tree)})
	}
	w.finish(l, out)
}

func TestTheLowestNumberIsTheOriginalOfATreeInStrictOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		later func(w *world, l record.Lease) // what job 2 came to before job 1 had its commit
		after func(w *world, l record.Lease) // and after it
	}{
		{"when the later one only has its commit", nil, func(w *world, l record.Lease) {
			w.finish(l, store.Outcome{State: record.Cancelled, Usage: record.Usage{Requests: 1, CostUSD: ptr(0.5)}})
		}},
		{"when the later one is measured meanwhile", nil, func(w *world, l record.Lease) { w.measured(l, 100) }},
		{"when the later one was measured", func(w *world, l record.Lease) { w.measured(l, 100) }, nil},
		{"when the later one failed its tests", func(w *world, l record.Lease) {
			w.finish(l, store.Outcome{State: record.Failed, Class: record.ClassTest, Reason: "no"})
		}, nil},
		{"when the later one came to no verdict", func(w *world, l record.Lease) {
			w.finish(l, store.Outcome{State: record.Failed, Class: record.ClassInternal, Reason: "no"})
		}, nil},
		{"when the later one waits for a person", func(w *world, l record.Lease) {
			w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Gated))
			w.ok(w.db.Hold(w.ctx, l, record.Gated, "look"))
		}, nil},
		{"when the later one is about to wait for a person", nil, func(w *world, l record.Lease) {
			w.ok(w.db.Hold(w.ctx, l, record.Gated, "look"))
		}},
		{"when the later one was approved and waits for a worker", func(w *world, l record.Lease) {
			w.ok(w.db.Hold(w.ctx, l, record.Gated, "look"))
			w.ok(w.db.Release(w.ctx, w.exp, 2))
		}, nil},
		{"when the engine of the later one dies", nil, func(w *world, l record.Lease) {
			_, err := w.db.Requeue(w.ctx, w.exp)
			w.ok(err)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := openStrict(t)
			w.addMakes(1, 2)
			first, second := w.lease(), w.lease()
			w.made(second, 100)
			if c.later != nil {
				c.later(w, second)
			}
			dup, displaced, err := w.db.Made(w.ctx, first, candidate(first, 100))
			w.ok(err)
			if dup != record.NoCandidate || !slices.Equal(displaced, []record.JobID{2}) {
				t.Fatalf("job 1 is the duplicate of %s and displaces %v", dup, displaced)
			}
			if c.after != nil {
				c.after(w, second)
			}
			j := w.job(2)
			if j.State != record.Duplicate || j.Duplicate != 1 || j.Candidate != record.NoCandidate || j.Class != "" || j.Reason != "same tree as c1" {
				t.Errorf("job 2 is %s of %s (%s %q), candidate %s", j.State, j.Duplicate, j.Class, j.Reason, j.Candidate)
			}
			if j.HeldAt != "" || j.Approved {
				t.Errorf("job 2 was held at %q, approved %t: with one worker it never came to a review", j.HeldAt, j.Approved)
			}
			_, err = w.db.Candidate(w.ctx, w.exp, 2)
			wants(t, err, store.ErrNotFound)
			if kids, err := w.db.Children(w.ctx, w.exp, 0); err != nil || slices.Contains(kids, 2) {
				t.Errorf("c2 is still a child: %v, %v", kids, err)
			}
			var end record.LogRow
			w.ok(w.db.FoldLog(w.ctx, w.exp, 0, func(r record.FoldRow) error {
				if r.Job == 2 && r.Kind == record.LogEnd {
					end = r.LogRow
				}
				return nil
			}))
			if end.Candidate != record.NoCandidate || string(end.Data) != `{"state":"duplicate","reason":"same tree as c1"}` {
				t.Errorf("the log ends job 2 with %+v %s", end, end.Data)
			}
		})
	}
}

func TestWhatWasMeasuredOfADisplacedCandidateBelongsToItsOriginal(t *testing.T) {
	w := openStrict(t)
	w.addMakes(1, 2)
	first, second := w.lease(), w.lease()
	w.made(second, 100)
	w.measured(second, 100)
	w.made(first, 100)
	samples, err := w.db.SamplesOf(w.ctx, w.exp, 1)
	w.ok(err)
	if len(samples) != 2 || samples[0].Job != 1 || samples[0].Objective != 100 {
		t.Errorf("c1 has the samples %+v", samples)
	}
	if left, err := w.db.SamplesOf(w.ctx, w.exp, 2); err != nil || len(left) != 0 {
		t.Errorf("c2 has samples still: %v, %v", left, err)
	}
	if j := w.job(2); j.Usage.CostUSD == nil || *j.Usage.CostUSD != 0.5 {
		t.Errorf("what job 2 cost is %+v", j.Usage)
	}
}

func TestDuplicatesOfADisplacedCandidateNameItsOriginal(t *testing.T) {
	w := openStrict(t)
	w.addMakes(1, 3)
	leases := []record.Lease{w.lease(), w.lease(), w.lease()}
	w.made(leases[1], 100)
	if dup, _, err := w.db.Made(w.ctx, leases[2], candidate(leases[2], 100)); dup != 2 || err != nil {
		t.Fatalf("job 3 is the duplicate of %s, %v", dup, err)
	}
	w.made(leases[0], 100)
	if j := w.job(3); j.Duplicate != 1 || j.Reason != "same tree as c1" {
		t.Errorf("job 3 is the duplicate of %s (%s)", j.Duplicate, j.Reason)
	}
}

func TestAWorkerThatLookedBeforeNamesTheOriginalOfNow(t *testing.T) {
	for name, reason := range map[string]func(record.CandidateID) string{"of a tree": store.SameTree, "of a product": store.SameProduct} {
		t.Run(name, func(t *testing.T) {
			w := openStrict(t)
			w.addMakes(1, 3)
			leases := []record.Lease{w.lease(), w.lease(), w.lease()}
			w.made(leases[1], 100) // job 3 looks now: its original is c2
			w.made(leases[0], 100)
			w.finish(leases[2], store.Outcome{State: record.Duplicate, Duplicate: 2, Reason: reason(2)})
			if j := w.job(3); j.Duplicate != 1 || j.Reason != reason(1) {
				t.Errorf("job 3 is the duplicate of %s (%s)", j.Duplicate, j.Reason)
			}
		})
	}
}

func TestInCompletionOrderTheFirstCommitIsTheOriginal(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	first, second := w.lease(), w.lease()
	w.made(second, 100)
	if dup, displaced, err := w.db.Made(w.ctx, first, candidate(first, 100)); dup != 2 || len(displaced) != 0 || err != nil {
		t.Errorf("job 1 is the duplicate of %s and displaces %v, %v", dup, displaced, err)
	}
}

// TestStrictOrderEndsAlikeHoweverItsJobsInterleave has random workers bring jobs to
// few trees, and compares how they end with one worker.
func TestStrictOrderEndsAlikeHoweverItsJobsInterleave(t *testing.T) {
	const jobs = 24
	for seed := range uint64(12) {
		var one []string
		for _, workers := range []int{1, 2, 4, 8} {
			got := interleave(t, rand.New(rand.NewPCG(seed, uint64(workers))), jobs, workers, func(job record.JobID) int {
				return 100 + rand.New(rand.NewPCG(seed, uint64(job))).IntN(jobs/2)
			})
			if one == nil {
				one = got
			}
			if !slices.Equal(got, one) {
				t.Fatalf("seed %d: %d workers end\n%v\none ends\n%v", seed, workers, got, one)
			}
		}
	}
}

// interleave carries jobs to their ends, of up to some workers at a time a random
// one by a step, and tells the ends.
func interleave(t *testing.T, rng *rand.Rand, jobs, workers int, tree func(record.JobID) int) []string {
	w := openStrict(t)
	w.addMakes(1, record.JobID(jobs))
	var open []record.Lease
	made := map[record.JobID]bool{}
	for {
		if len(open) < workers {
			l, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
			if err == nil {
				open = append(open, *l)
			} else if wants(t, err, store.ErrNoJob); len(open) == 0 {
				break
			}
		}
		i := rng.IntN(len(open))
		l := open[i]
		if !made[l.Job.ID] {
			made[l.Job.ID] = true
			dup, _, err := w.db.Made(w.ctx, l, candidate(l, tree(l.Job.ID)))
			if w.ok(err); dup == record.NoCandidate {
				continue
			}
		} else {
			w.measured(l, tree(l.Job.ID))
		}
		open = slices.Delete(open, i, i+1)
	}
	var ends []string
	for id := record.JobID(1); id <= record.JobID(jobs); id++ {
		j := w.job(id)
		c, err := w.db.Candidate(w.ctx, w.exp, record.CandidateID(id))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		ends = append(ends, fmt.Sprintln(j.ID, j.State, j.Duplicate, j.Reason, j.Candidate, c.Tree, c.Status, c.Objective != nil))
	}
	w.ok(w.db.Integrity(w.ctx))
	return ends
}
