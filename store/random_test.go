package store_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

// TestCountersEqualAFullCountAfterAnything does random things to random jobs,
// allowed or not, and compares the totals with a full count as it goes.
func TestCountersEqualAFullCountAfterAnything(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 99))
		w := openIn(t, seed%2 == 1, record.Settings{MaxJobs: 60, MaxEvals: 150, MaxTokens: 20_000, MaxCostUSD: 12})
		r := &random{world: w, rng: rng}
		for i := range 500 {
			if err := r.step(); err != nil && !expected(err) {
				t.Fatalf("seed %d, step %d: %v", seed, i, err)
			}
			if i%50 == 49 {
				w.ok(w.db.Integrity(w.ctx))
				r.budgetsHold()
			}
		}
		if c := w.counters(); c.Begun < 10 || c.Evals == 0 || c.KnownUSD == 0 {
			t.Errorf("seed %d did next to nothing: %+v", seed, c)
		}
	}
}

func expected(err error) bool {
	for _, e := range []error{store.ErrLost, store.ErrNoJob, store.ErrBudget, store.ErrInvalid, store.ErrNotFound} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

type random struct {
	*world
	rng    *rand.Rand
	leases []record.Lease // in force or not
	jobs   int
}

func (r *random) usage() record.Usage {
	u := record.Usage{Requests: r.rng.IntN(2), InputTokens: int64(r.rng.IntN(100)), Unmetered: r.rng.IntN(20) == 0}
	if r.rng.IntN(2) == 0 {
		u.CostUSD = ptr(float64(r.rng.IntN(1000)) / 3000)
	}
	return u
}

func (r *random) outcome() store.Outcome {
	ends := []record.JobState{record.Placed, record.Scored, record.Rejected, record.Failed, record.Cancelled, record.Done, record.Held}
	o := store.Outcome{State: ends[r.rng.IntN(len(ends))], Usage: r.usage(), Evals: r.rng.IntN(4), OwnMS: 1}
	if r.rng.IntN(2) == 0 {
		o.Candidate = &record.Candidate{Objective: ptr(r.rng.Float64())}
	}
	return o
}

func (r *random) step() error {
	job := record.JobID(r.rng.IntN(r.jobs + 1))
	switch r.rng.IntN(8) {
	case 0:
		kinds := []record.JobKind{record.Make, record.Make, record.Evaluate, record.Assist}
		r.jobs++
		j := record.Job{Experiment: r.exp, ID: record.JobID(r.jobs), Kind: kinds[r.rng.IntN(len(kinds))], Priority: r.rng.IntN(3)}
		return r.db.AddJobs(r.ctx, []record.Job{j})
	case 1, 2:
		l, err := r.db.Lease(r.ctx, r.exp, "w", time.Minute)
		if err == nil {
			r.leases = append(r.leases, *l)
		}
		return err
	case 3:
		return r.person(job)
	}
	if len(r.leases) == 0 {
		return nil
	}
	return r.worker(r.leases[r.rng.IntN(len(r.leases))])
}

func (r *random) person(job record.JobID) error {
	switch r.rng.IntN(9) {
	case 0, 1:
		return r.db.Release(r.ctx, r.exp, job)
	case 2:
		return r.db.EndHeld(r.ctx, r.exp, job, record.Rejected, record.ClassReview, "no")
	case 3:
		_, err := r.db.CancelQueued(r.ctx, r.exp, job, "no")
		return err
	case 4, 5:
		return r.db.Reopen(r.ctx, r.exp, job)
	case 6:
		return r.db.SetPriority(r.ctx, r.exp, job, r.rng.IntN(9))
	case 7:
		return r.db.Place(r.ctx, r.exp, job)
	}
	if r.rng.IntN(4) == 0 {
		_, err := r.db.Requeue(r.ctx, r.exp)
		return err
	}
	return r.db.AddWall(r.ctx, r.exp, 5)
}

func (r *random) worker(l record.Lease) error {
	switch r.rng.IntN(9) {
	case 0, 1:
		_, _, err := r.db.Made(r.ctx, l, candidate(l, 100+r.rng.IntN(80)))
		return err
	case 2:
		return r.db.Stage(r.ctx, l, record.Committed, record.Gated)
	case 3:
		return r.db.Stage(r.ctx, l, record.Gated, record.Evaluating)
	case 4:
		return r.db.SpendEvals(r.ctx, l, r.rng.IntN(4)-1)
	case 5:
		return r.db.Reserve(r.ctx, l, r.rng.Float64()/4)
	case 6:
		return r.db.Settle(r.ctx, l, r.rng.Float64()/4, r.usage())
	case 7:
		if r.rng.IntN(2) == 0 {
			return r.db.Hold(r.ctx, l, record.Gated, "why")
		}
		return r.db.Hold(r.ctx, l, record.Evaluating, "why", r.outcome())
	}
	_, err := r.db.Finish(r.ctx, l, r.outcome())
	return err
}

// budgetsHold checks that no more make jobs began than the budget allows.
func (r *random) budgetsHold() {
	r.t.Helper()
	c := r.counters()
	unleased := 0
	jobs, err := r.db.Jobs(r.ctx, r.exp, store.JobFilter{Kind: record.Make, Limit: 10_000})
	r.ok(err)
	for _, j := range jobs {
		if j.Attempt == 0 && j.State.Ended() {
			unleased++
		}
	}
	if begun := c.Begun - unleased; begun > 60 {
		r.t.Fatalf("%d make jobs were leased, 60 are allowed", begun)
	}
}
