package store_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"atoll/store"
	"atoll/store/record"
)

func evaluateJob(id record.JobID, c record.CandidateID) record.Job {
	return record.Job{ID: id, Kind: record.Evaluate, Candidate: c, Purpose: record.PurposeConfirm, Samples: 1}
}

func TestLeasesFollowPriorityThenKindThenNumber(t *testing.T) {
	w := open(t, record.Settings{})
	urgent := makeJob(9)
	urgent.Priority = 5
	w.add(makeJob(3), makeJob(2), evaluateJob(7, 0), record.Job{ID: 8, Kind: record.Assist}, urgent, evaluateJob(6, 0))
	for _, want := range []record.JobID{9, 6, 7, 8, 2, 3} {
		if got := w.lease().Job.ID; got != want {
			t.Fatalf("leased %s, want %s", got, want)
		}
	}
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrNoJob)
}

func TestAnAttemptBeginsWhereTheKindOfWorkBegins(t *testing.T) {
	w := open(t, record.Settings{})
	w.add(makeJob(1), evaluateJob(2, 0), record.Job{ID: 3, Kind: record.Assist})
	want := map[record.JobID]record.JobState{1: record.Editing, 2: record.Evaluating, 3: record.Editing}
	for range want {
		l := w.lease()
		if l.Job.State != want[l.Job.ID] || w.job(l.Job.ID).State != want[l.Job.ID] || l.Attempt != 1 || l.Until == 0 {
			t.Errorf("got lease %+v", l)
		}
	}
}

func TestANumberThatExistsIsLeftAsItIs(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	again := makeJob(1)
	again.Agent = "other"
	w.add(again, makeJob(2))
	if j := w.job(1); j.State != record.Editing || j.Agent != "offline" || j.Attempt != l.Attempt {
		t.Errorf("got %+v", j)
	}
	next, err := w.db.NextJobID(w.ctx, w.exp)
	w.ok(err)
	if next != 3 {
		t.Errorf("next number %s, want #3", next)
	}
}

func TestEveryStepOfALostLeaseIsRefusedAndChangesNothing(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	old := w.lease()
	if n, err := w.db.Requeue(w.ctx, w.exp); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for _, during := range []string{"while it is queued", "while another attempt runs"} {
		t.Run(during, func(t *testing.T) {
			before := len(w.kinds())
			_, _, err := w.db.Made(w.ctx, old, candidate(old, 50))
			wants(t, err, store.ErrLost)
			wants(t, w.db.Heartbeat(w.ctx, old, time.Minute), store.ErrLost)
			wants(t, w.db.Stage(w.ctx, old, record.Committed, record.Gated), store.ErrLost)
			wants(t, w.db.Hold(w.ctx, old, record.Gated, "why"), store.ErrLost)
			wants(t, w.db.SpendEvals(w.ctx, old, 1), store.ErrLost)
			wants(t, w.db.Reserve(w.ctx, old, 1), store.ErrLost)
			_, err = w.db.Finish(w.ctx, old, store.Outcome{State: record.Failed, Evals: 3})
			wants(t, err, store.ErrLost)
			if after := len(w.kinds()); after != before {
				t.Errorf("%d rows were added", after-before)
			}
			if _, err := w.db.Candidate(w.ctx, w.exp, 1); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("got error %v, want none found", err)
			}
		})
		if during == "while it is queued" {
			if l := w.lease(); l.Attempt != 2 {
				t.Fatalf("attempt %d", l.Attempt)
			}
		}
	}
}

func TestAHeartbeatProlongsALeaseAndExpiryRequeues(t *testing.T) {
	now := time.UnixMilli(1_000_000)
	w := &world{t: t, ctx: t.Context(), path: t.TempDir() + "/s.db"}
	w.db = mustOpen(t, w.path, store.Options{Now: func() time.Time { return now }})
	w.exp = w.experiment(record.Settings{})
	w.addMakes(1, 2)
	first, second := w.lease(), w.lease()
	now = now.Add(50 * time.Second)
	w.ok(w.db.Heartbeat(w.ctx, first, time.Minute))
	if got := w.job(1).LeaseUntil; got != record.Millis(now.Add(time.Minute).UnixMilli()) {
		t.Errorf("leased until %d", got)
	}
	now = now.Add(20 * time.Second)
	if n, err := w.db.RequeueExpired(w.ctx, w.exp); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	wants(t, w.db.Heartbeat(w.ctx, second, time.Minute), store.ErrLost)
	w.ok(w.db.Heartbeat(w.ctx, first, time.Minute))
}

func TestACommitThatExistsIsNeverMadeAgain(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 1})
	w.addMakes(1, 2)
	l := w.lease()
	w.made(l, 70)
	w.ok(w.db.Stage(w.ctx, l, record.Committed, record.Gated))
	if _, err := w.db.Requeue(w.ctx, w.exp); err != nil {
		t.Fatal(err)
	}
	again := w.lease() // although the budget of one job is used up
	if again.Job.ID != 1 || again.Job.State != record.Committed || again.Job.Candidate != 1 || again.Attempt != 2 {
		t.Fatalf("got %+v", again.Job)
	}
	w.ok(w.db.Stage(w.ctx, again, record.Committed, record.Evaluating))
	w.finish(again, scored(1))
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
}

func TestAJobMovesOnToItsEvaluationsOrReservesNone(t *testing.T) {
	w := open(t, record.Settings{MaxEvals: 5})
	w.addMakes(1, 2)
	a, b := w.lease(), w.lease()
	w.made(a, 70)
	w.made(b, 71)
	wants(t, w.db.Evaluate(w.ctx, b, record.Editing, 1), store.ErrInvalid)
	wants(t, w.db.Evaluate(w.ctx, b, record.Gated, 1), store.ErrLost) // it is not gated
	w.ok(w.db.Evaluate(w.ctx, a, record.Committed, 3))
	wants(t, w.db.Evaluate(w.ctx, b, record.Committed, 3), store.ErrBudget)
	if x, y := w.job(1).State, w.job(2).State; x != record.Evaluating || y != record.Committed {
		t.Errorf("the jobs are %s and %s", x, y)
	}
	w.ok(w.db.Evaluate(w.ctx, b, record.Committed, 2)) // all that is left
	w.finish(a, scored(1))
	w.finish(b, scored(2))
}

func TestStagesThatDoNotExistAreRefused(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	for _, step := range [][2]record.JobState{
		{record.Editing, record.Committed},
		{record.Gated, record.Committed},
		{record.Gated, record.Held},
		{record.Evaluating, record.Scored},
		{record.Queued, record.Editing},
	} {
		wants(t, w.db.Stage(w.ctx, l, step[0], step[1]), store.ErrInvalid)
	}
	wants(t, w.db.Stage(w.ctx, l, record.Committed, record.Gated), store.ErrLost)
}

func TestBudgetsEndTheLeases(t *testing.T) {
	cost := 0.75
	for _, c := range []struct {
		name     string
		settings record.Settings
		use      store.Outcome
		which    string
		used     float64
	}{
		{"jobs", record.Settings{MaxJobs: 1}, store.Outcome{}, store.BudgetJobs, 1},
		{"evaluations", record.Settings{MaxEvals: 3}, store.Outcome{Evals: 3}, store.BudgetEvals, 3},
		{
			"tokens",
			record.Settings{MaxTokens: 100},
			store.Outcome{Usage: record.Usage{Requests: 1, InputTokens: 90, OutputTokens: 20}},
			store.BudgetTokens, 110,
		},
		{
			"money",
			record.Settings{MaxCostUSD: 0.5},
			store.Outcome{Usage: record.Usage{Requests: 1, CostUSD: &cost}},
			store.BudgetCost, 0.75,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, c.settings)
			w.addMakes(1, 2)
			l := w.lease()
			o := c.use
			o.State, o.Class = record.Failed, record.ClassBuild
			w.finish(l, o)
			_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
			wants(t, err, store.ErrBudget)
			var b *store.BudgetError
			if !errors.As(err, &b) || b.Which != c.which || b.Used != c.used {
				t.Errorf("got %v", err)
			}
			c.settings.MaxJobs, c.settings.MaxEvals, c.settings.MaxTokens, c.settings.MaxCostUSD = 0, 0, 0, 0
			_, err = w.db.PutSettings(w.ctx, w.exp, c.settings)
			w.ok(err)
			if l := w.lease(); l.Job.ID != 2 {
				t.Errorf("after raising the budget: leased %s", l.Job.ID)
			}
		})
	}
}

func TestWallTimeIsABudget(t *testing.T) {
	w := open(t, record.Settings{MaxWallMS: 1000})
	w.addMakes(1, 1)
	w.ok(w.db.AddWall(w.ctx, w.exp, 1000))
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
	c, err := w.db.Counters(w.ctx, w.exp)
	w.ok(err)
	if c.WallMS != 1000 {
		t.Errorf("wall %d", c.WallMS)
	}
}

func TestABudgetOfJobsLetsOtherWorkPass(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 1})
	first := makeJob(1)
	urgent := makeJob(2)
	urgent.Priority = 9
	w.add(first)
	w.lease()
	w.add(urgent, evaluateJob(3, 0), record.Job{ID: 4, Kind: record.Assist})
	if got := w.lease().Job.ID; got != 3 {
		t.Errorf("leased %s, want #3", got)
	}
	if got := w.lease().Job.ID; got != 4 {
		t.Errorf("leased %s, want #4", got)
	}
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
}

func TestHeldAndCancelledJobsCountAgainstTheBudget(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 2})
	w.addMakes(1, 3)
	if ok, err := w.db.CancelQueued(w.ctx, w.exp, 3, "no need"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	l := w.lease()
	w.made(l, 40)
	w.ok(w.db.Hold(w.ctx, l, record.Gated, "risky"))
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
	w.ok(w.db.Release(w.ctx, w.exp, 1))
	if got := w.lease(); got.Job.ID != 1 || got.Job.State != record.Gated {
		t.Errorf("got %+v", got.Job)
	}
}

func TestNothingQueuedIsNoBudgetProblem(t *testing.T) {
	w := open(t, record.Settings{MaxJobs: 1})
	w.addMakes(1, 1)
	w.lease()
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrNoJob)
}

func TestEvaluationsAreReservedBeforeTheyRun(t *testing.T) {
	w := open(t, record.Settings{MaxEvals: 5})
	w.addMakes(1, 2)
	a, b := w.lease(), w.lease()
	w.ok(w.db.SpendEvals(w.ctx, a, 3))
	wants(t, w.db.SpendEvals(w.ctx, b, 3), store.ErrBudget)
	w.ok(w.db.SpendEvals(w.ctx, b, 2))
	w.ok(w.db.SpendEvals(w.ctx, b, -1))
	wants(t, w.db.SpendEvals(w.ctx, b, -2), store.ErrInvalid)
	w.finish(a, store.Outcome{State: record.Failed, Evals: 3}) // those reserved
	w.finish(b, store.Outcome{State: record.Failed, Evals: 2}) // one beyond
	w.addMakes(3, 3)
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
	_, err = w.db.PutSettings(w.ctx, w.exp, record.Settings{MaxEvals: 8})
	w.ok(err)
	l := w.lease()
	w.ok(w.db.SpendEvals(w.ctx, l, 3))
	w.finish(l, store.Outcome{State: record.Failed, Evals: 1}) // the quick stage was enough
	c, err := w.db.Counters(w.ctx, w.exp)
	w.ok(err)
	if c.Evals != 6 {
		t.Errorf("%d evaluations, want 6", c.Evals)
	}
}

func TestMoneyIsReservedAndSettled(t *testing.T) {
	w := open(t, record.Settings{MaxCostUSD: 1})
	w.addMakes(1, 2)
	a, b := w.lease(), w.lease()
	w.ok(w.db.Reserve(w.ctx, a, 0.7))
	wants(t, w.db.Reserve(w.ctx, b, 0.4), store.ErrBudget)
	w.ok(w.db.Settle(w.ctx, a, 0.7, record.Usage{Requests: 1, InputTokens: 10, CostUSD: ptr(0.1)}))
	w.ok(w.db.Reserve(w.ctx, b, 0.9))
	c := w.counters()
	if c.KnownUSD != 0.1 || c.ReservedUSD != 0.9 || *c.Usage.CostUSD != 0.1 || c.Usage.InputTokens != 10 {
		t.Errorf("got %+v", c)
	}
	// The process of b dies: its money is as good as spent.
	if _, err := w.db.Requeue(w.ctx, w.exp); err != nil {
		t.Fatal(err)
	}
	c = w.counters()
	if c.ReservedUSD != 0 || c.ForfeitUSD != 0.9 {
		t.Errorf("got %+v", c)
	}
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
	// It lives after all, and tells late what it used: counted, too.
	w.ok(w.db.Settle(w.ctx, b, 0.9, record.Usage{Requests: 1, CostUSD: ptr(0.2)}))
	if c = w.counters(); c.KnownUSD != 0.3 || c.ForfeitUSD != 0.9 {
		t.Errorf("got %+v", c)
	}
}

func TestNoUsageIsTooLargeToBeAddedUp(t *testing.T) {
	w := open(t, record.Settings{MaxTokens: 100, MaxCostUSD: 100})
	w.addMakes(1, 3)
	a, b := w.lease(), w.lease()
	huge := record.Usage{Requests: math.MaxInt, InputTokens: math.MaxInt64, OutputTokens: 9_200_000_000_000_000_000, CostUSD: ptr(1e300)}
	w.ok(w.db.AddUsage(w.ctx, a, huge))
	w.ok(w.db.Settle(w.ctx, a, 1e300, huge))
	w.ok(w.db.AddUsage(w.ctx, b, record.Usage{CostUSD: ptr(1e10)}))
	wants(t, w.db.Reserve(w.ctx, b, 1e300), store.ErrBudget)
	w.finish(a, store.Outcome{State: record.Failed, Usage: huge})
	w.finish(b, store.Outcome{State: record.Failed, Usage: huge})
	c := w.counters()
	for name, n := range map[string]float64{"requests": float64(c.Usage.Requests), "tokens in": float64(c.Usage.InputTokens), "tokens out": float64(c.Usage.OutputTokens), "money": *c.Usage.CostUSD * 1e9} {
		if n != 9e18 {
			t.Errorf("%g %s, want the largest that there is", n, name)
		}
	}
	if u := w.job(2).Usage; u.InputTokens < 9e18 || *u.CostUSD < 1e9 {
		t.Errorf("the job used %+v", u)
	}
	_, err := w.db.Lease(w.ctx, w.exp, "w", time.Minute)
	wants(t, err, store.ErrBudget)
}

func TestNoReservationIsTooLargeToBeAddedUp(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	a, b := w.lease(), w.lease()
	for _, l := range []record.Lease{a, a, b} {
		w.ok(w.db.Reserve(w.ctx, l, 1e300))
	}
	if _, err := w.db.Requeue(w.ctx, w.exp); err != nil { // their process died
		t.Fatal(err)
	}
	w.ok(w.db.Settle(w.ctx, a, 1e300, record.Usage{CostUSD: ptr(1e300)})) // it tells late what it used
	if c := w.counters(); c.ForfeitUSD != 3*record.MostUSD || c.ReservedUSD != 0 {
		t.Errorf("got %+v", c)
	}
}

func TestAnUnknownCostMakesTheSumUnknown(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 1)
	l := w.lease()
	if c := w.counters(); c.Usage.CostUSD != nil {
		t.Errorf("nothing was used, but it cost %v", *c.Usage.CostUSD)
	}
	w.ok(w.db.AddUsage(w.ctx, l, record.Usage{Requests: 1, CostUSD: ptr(0.1)}))
	w.ok(w.db.AddUsage(w.ctx, l, record.Usage{Requests: 2, CostUSD: ptr(0.2)}))
	if u := w.job(1).Usage; u.Requests != 3 || *u.CostUSD != 0.3 {
		t.Errorf("got %+v, cost %v", u, *u.CostUSD)
	}
	w.finish(l, store.Outcome{State: record.Failed, Usage: record.Usage{Requests: 1, Unmetered: true}})
	c := w.counters()
	if j := w.job(1); j.Usage.CostUSD != nil || !j.Usage.Unmetered || c.Usage.CostUSD != nil || c.KnownUSD != 0.3 {
		t.Errorf("got %+v and %+v", j.Usage, c)
	}
}

func ptr(x float64) *float64 { return &x }

func (w *world) counters() store.Counters {
	w.t.Helper()
	c, err := w.db.Counters(w.ctx, w.exp)
	w.ok(err)
	return c
}

func TestPriorityChangesWhileAJobWaits(t *testing.T) {
	w := open(t, record.Settings{})
	w.addMakes(1, 2)
	w.ok(w.db.SetPriority(w.ctx, w.exp, 2, 3))
	if got := w.lease().Job.ID; got != 2 {
		t.Errorf("leased %s, want #2", got)
	}
	wants(t, w.db.SetPriority(w.ctx, w.exp, 2, 0), store.ErrLost)
	wants(t, w.db.SetPriority(w.ctx, w.exp, 77, 0), store.ErrNotFound)
}
