package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"atoll/store/record"
)

// A lane is the order in which queued jobs of one priority are served, and what
// budgets they need.
const (
	laneMeasure  = iota // evaluate jobs
	laneRecord          // measured and approved: only their end is to be written
	laneContinue        // a commit exists: never made again
	laneAssist
	laneAgain // began once, but no commit came of it
	laneMake  // new make jobs
	lanes
)

const allLanes = 1<<lanes - 1

func firstLane(k record.JobKind) int {
	switch k {
	case record.Evaluate:
		return laneMeasure
	case record.Assist:
		return laneAssist
	}
	return laneMake
}

// lane returns the lane of a job that goes back to the queue.
func (f *fence) lane(approved bool) int {
	switch {
	case f.kind == record.Evaluate:
		return laneMeasure
	case f.kind == record.Assist:
		return laneAssist
	case f.candidate >= 0 && approved && f.heldAt == record.Evaluating:
		return laneRecord
	case f.candidate >= 0:
		return laneContinue
	case f.attempt > 0:
		return laneAgain
	}
	return laneMake
}

// startState is where an attempt begins: a commit that exists is not made
// again, and what a person approved is not held again.
func startState(j *record.Job) record.JobState {
	switch {
	case j.Kind == record.Evaluate:
		return record.Evaluating
	case j.Kind == record.Assist || j.Candidate < 0:
		return record.Editing
	case j.Approved:
		return j.HeldAt
	}
	return record.Committed
}

// refuse returns the first budget that forbids to lease from a lane, or nil.
func (l *ledger) refuse(lane int) error {
	t, max := l.now(), l.limits
	needs := func(list ...int) bool { return slices.Contains(list, lane) }
	switch {
	case max.wall > 0 && t.wall >= max.wall && lane != laneRecord:
		return &BudgetError{Which: BudgetWall, Used: float64(t.wall), Max: float64(max.wall)}
	case max.jobs > 0 && t.begun >= max.jobs && needs(laneMake):
		return &BudgetError{Which: BudgetJobs, Used: float64(t.begun), Max: float64(max.jobs)}
	case max.evals > 0 && t.evals >= max.evals && needs(laneMeasure, laneContinue, laneAgain, laneMake):
		return &BudgetError{Which: BudgetEvals, Used: float64(t.evals), Max: float64(max.evals)}
	case max.tokens > 0 && t.tokens() >= max.tokens && needs(laneAssist, laneAgain, laneMake):
		return &BudgetError{Which: BudgetTokens, Used: float64(t.tokens()), Max: float64(max.tokens)}
	case max.cost > 0 && t.money() >= max.cost && needs(laneAssist, laneAgain, laneMake):
		return &BudgetError{Which: BudgetCost, Used: fromNano(t.money()), Max: fromNano(max.cost)}
	}
	return nil
}

// Lease gives the next queued job to a worker until ttl from now: the highest
// priority first, then evaluate before make (and of the make jobs, those that
// have a commit), then the lowest number. Jobs that no budget forbids pass those
// that one does. A make job counts against MaxJobs once, when it is leased for
// the first time or ended unleased.
//
// Job.State says where to begin: an attempt whose job has a candidate begins
// committed, after an approval where it was held, and never edits again.
// Errors: [ErrNoJob], [ErrBudget] (a [BudgetError]) when only budgets stand in
// the way.
func (db *DB) Lease(ctx context.Context, exp record.ExperimentID, worker string, ttl time.Duration) (*record.Lease, error) {
	if ttl < time.Millisecond || worker == "" {
		return nil, fmt.Errorf("lease a job to %q for %s: %w", worker, ttl, ErrInvalid)
	}
	var lease *record.Lease
	err := db.write(ctx, "lease a job", func(t *tx) error {
		j, err := t.top(exp)
		if err != nil {
			return err
		}
		lease = &record.Lease{Worker: worker, Attempt: j.Attempt + 1, Until: t.now + record.Millis(ttl.Milliseconds())}
		state := startState(&j)
		err = t.must(ErrLost, sqlJobLease, exp, j.ID, j.Attempt, state, worker, lease.Until, t.now)
		if err != nil {
			return err
		}
		t.moved(exp, j.Kind, record.Queued, state)
		if j.Kind == record.Make && j.Attempt == 0 {
			t.ledger(exp).delta.begun++
		}
		j.State, j.Attempt, j.LeaseUntil = state, lease.Attempt, lease.Until
		if j.Started == 0 {
			j.Started = t.now
		}
		lease.Job = j
		_, err = t.log(exp, record.LogLease, j.ID, j.Candidate, nil)
		return err
	})
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// top finds the job to lease.
func (t *tx) top(exp record.ExperimentID) (record.Job, error) {
	l, err := t.budget(exp)
	if err != nil {
		return record.Job{}, err
	}
	open := 0
	for lane := range lanes {
		if l.refuse(lane) == nil {
			open |= 1 << lane
		}
	}
	var j record.Job
	scan := func(r *row) { j = scanJob(r) }
	if open != 0 {
		if ok, err := t.one(sqlJobTop, []any{exp, open}, scan); err != nil || ok {
			return j, err
		}
	}
	if open == allLanes {
		return j, ErrNoJob
	}
	ok, err := t.one(sqlJobTop, []any{exp, allLanes}, scan)
	if err != nil {
		return j, err
	}
	if !ok {
		return j, ErrNoJob
	}
	f := fence{kind: j.Kind, attempt: j.Attempt, candidate: j.Candidate, heldAt: j.HeldAt}
	return j, l.refuse(f.lane(j.Approved))
}

// fence is what a transition has to know of the job before it.
type fence struct {
	kind      record.JobKind
	state     record.JobState
	attempt   int
	candidate record.CandidateID
	evals     int64
	open      int64 // evaluations reserved by this attempt
	reserved  int64 // money
	heldAt    record.JobState
	approved  bool
	class     record.Class
	reason    string
	heldFor   string
	was       string // JSON of the end before it waited again, "" = none
	duplicate record.CandidateID
}

// displaced reports whether a job of a lower number came to the same tree while
// this one ran.
func (f *fence) displaced() bool { return f.state.Running() && f.duplicate >= 0 }

// recalled reports whether the approval was taken back while the job ran.
func (f *fence) recalled() bool { return f.state.Running() && f.heldAt != "" && !f.approved }

// fence reads a job inside of the transaction.
func (t *tx) fence(exp record.ExperimentID, id record.JobID) (fence, error) {
	var f fence
	ok, err := t.one(sqlJobFence, []any{exp, id}, func(r *row) {
		f = fence{
			kind: record.JobKind(r.text()), state: record.JobState(r.text()), attempt: r.num(),
			candidate: record.CandidateID(r.int()), evals: r.int(), open: r.int(), reserved: r.int(),
			heldAt: record.JobState(r.text()), approved: r.bool(), class: record.Class(r.text()),
			reason: r.text(), heldFor: r.text(), was: r.text(), duplicate: record.CandidateID(r.int()),
		}
	})
	if err == nil && !ok {
		err = notFound("job %s", id)
	}
	return f, err
}

// leased reads the job of a lease, and refuses a lease that is not in force.
func (t *tx) leased(l record.Lease) (fence, error) {
	f, err := t.fence(l.Job.Experiment, l.Job.ID)
	if err == nil && (f.attempt != l.Attempt || !f.state.Running()) {
		err = ErrLost
	}
	return f, err
}

func leaseName(what string, l record.Lease) string {
	return what + " job " + l.Job.ID.String()
}

// Heartbeat prolongs a lease until ttl from now. [ErrLost] says that the worker
// should drop the job.
func (db *DB) Heartbeat(ctx context.Context, l record.Lease, ttl time.Duration) error {
	if ttl < time.Millisecond {
		return fmt.Errorf("prolong a lease by %s: %w", ttl, ErrInvalid)
	}
	return db.write(ctx, leaseName("prolong the lease of", l), func(t *tx) error {
		return t.must(ErrLost, sqlJobBeat, l.Job.Experiment, l.Job.ID, l.Attempt, t.now+record.Millis(ttl.Milliseconds()))
	})
}

// Stage moves a leased job on: committed to gated, gated or committed to
// evaluating. All other transitions have a method of their own.
func (db *DB) Stage(ctx context.Context, l record.Lease, from, to record.JobState) error {
	ok := from == record.Committed && (to == record.Gated || to == record.Evaluating) ||
		from == record.Gated && to == record.Evaluating
	if !ok {
		return fmt.Errorf("move job %s from %s to %s: %w", l.Job.ID, from, to, ErrInvalid)
	}
	return db.write(ctx, leaseName("move on", l), func(t *tx) error { return t.stage(l, from, to) })
}

func (t *tx) stage(l record.Lease, from, to record.JobState) error {
	exp := l.Job.Experiment
	if err := t.must(ErrLost, sqlJobStage, exp, l.Job.ID, l.Attempt, from, to); err != nil {
		return err
	}
	t.moved(exp, l.Job.Kind, from, to)
	return t.logStage(exp, l.Job.ID, l.Job.Candidate, to)
}

func (t *tx) logStage(exp record.ExperimentID, id record.JobID, cand record.CandidateID, to record.JobState) error {
	_, err := t.log(exp, record.LogStage, id, cand, []byte(`{"state":"`+string(to)+`"}`))
	return err
}
