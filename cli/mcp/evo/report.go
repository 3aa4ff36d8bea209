package evo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atoll/engine"
	"atoll/store/record"
)

// patienceTime is how long a report waits for the measurement before it says that
// the client should ask again: less than what clients give a tool.
const patienceTime = 45 * time.Second

// inject gives the commit of an item to the experiment and remembers by which row.
func (m *Machine) inject(ctx context.Context, b *Bench, it Item) error {
	_, seq, err := b.Engine.Inject(ctx, engine.Injection{Revision: it.Commit.String(), Agent: "client", Target: it.Target, Why: it.Branch + " of an outside client"})
	if err != nil { // nothing is measured: the step can be taken again
		return fmt.Errorf("take %s in: %w", it.Branch, errors.Join(err, m.unpass(context.WithoutCancel(ctx), b, it)))
	}
	return b.change(context.WithoutCancel(ctx), func(r *Run) ([]Individual, error) {
		now, err := r.item(it.Branch)
		if err == nil && now.Commit == it.Commit && now.Phase == phaseMeasuring {
			now.Seq = seq
		}
		return nil, err
	})
}

func (m *Machine) unpass(ctx context.Context, b *Bench, it Item) error {
	return b.change(ctx, func(r *Run) ([]Individual, error) {
		now, err := r.item(it.Branch)
		if err == nil && now.Phase == phaseMeasuring && now.Seq == 0 {
			now.Phase = phaseCoded
		}
		return nil, err
	})
}

// fitnessReady takes a client's report: what was measured here counts.
func (m *Machine) fitnessReady(ctx context.Context, b *Bench, in Step) (answer, error) {
	one, now, err := m.settle(ctx, b, in)
	if isStill(err) {
		return answer{"action": "measuring", "branch": in.Branch, "reason": err.Error(), "note": "call evo_step with fitness_ready and the same arguments again"}, nil
	}
	if err != nil {
		return nil, err
	}
	var out answer
	switch {
	case m.dialect == Serial && one.Cached:
		out = m.next(now)
		out["cached"], out["cached_fitness"] = true, one.Fitness
	case m.dialect == Serial:
		out = m.next(now)
		out["recorded_fitness"], out["is_new_best"] = one.Fitness, one.New
	case one.Cached:
		out = answer{"action": "worker_done", "branch": one.Branch, "cached": true, "fitness": one.Fitness}
	default:
		out = answer{"action": "worker_done", "branch": one.Branch, "fitness": one.Fitness, "success": one.Success, "is_new_best": one.New}
	}
	out["total_evals"] = now.Evals
	one.tell(out)
	return out, nil
}

// tell adds what the protocol has no words for: the claim beside the measured value,
// the candidate, and why something failed.
func (one *Individual) tell(out answer) {
	out["claimed"], out["candidate"] = one.Claim, one.Candidate
	if one.Reason != "" {
		out["reason"] = one.Reason
	}
}

// ReportFitness is the older way to report a branch: it is judged, measured and
// recorded in one call.
func (m *Machine) ReportFitness(ctx context.Context, in Step) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	it, err := r.item(in.Branch)
	if err == nil {
		err = in.fits(r)
	}
	if err != nil {
		return nil, err
	}
	if (it.Phase == phasePlanned || it.Phase == phaseCoded) && in.works() {
		serial := Machine{host: m.host, dialect: Serial} // judges and measures at once
		out, err := serial.codeReady(ctx, b, in)
		if err != nil {
			return nil, err
		}
		if v, refused := out["policy_violation"].(answer); refused {
			return answer{"branch": in.Branch, "fitness": nil, "success": false, "total_evals": r.Evals, "is_new_best": false, "reason": v["reason"]}, nil
		}
	}
	one, now, err := m.settle(ctx, b, in)
	if isStill(err) {
		return answer{"branch": in.Branch, "fitness": nil, "success": nil, "measuring": true, "reason": err.Error(), "note": "call evo_report_fitness with the same arguments again"}, nil
	}
	if err != nil {
		return nil, err
	}
	out := answer{"branch": one.Branch, "fitness": one.Fitness, "success": one.Success, "total_evals": now.Evals, "is_new_best": one.New}
	if one.Cached {
		out = answer{"cached": true, "fitness": one.Fitness, "branch": one.Branch, "total_evals": now.Evals}
	}
	one.tell(out)
	return out, nil
}

// works reports whether the client says that its own run worked.
func (in *Step) works() bool { return in.Success == nil || *in.Success }

// settle waits until an item is measured and records it.
func (m *Machine) settle(ctx context.Context, b *Bench, in Step) (Individual, *Run, error) {
	var none Individual
	if !finite(in.Fitness) || len(in.Code) > mostHash {
		return none, nil, fmt.Errorf("%w: a fitness is a finite number, a code_hash at most %d characters", ErrArgument, mostHash)
	}
	r, err := b.run(ctx)
	if err != nil {
		return none, nil, err
	}
	it, err := r.item(in.Branch)
	if err != nil {
		return none, nil, err
	}
	var got measured
	switch {
	case it.Phase == phaseDone:
		return none, nil, fmt.Errorf("%w: %s was reported", ErrOrder, it.Branch)
	case it.Phase != phaseMeasuring && in.works():
		return none, nil, fmt.Errorf("%w: code_ready and policy_pass of %s come first", ErrOrder, it.Branch)
	case it.Phase == phaseMeasuring:
		if it.Seq == 0 { // the process that took it in died before it could say so
			if err := m.inject(ctx, b, *it); err != nil {
				return none, nil, err
			}
			return none, nil, errStill
		}
		wait, cancel := context.WithTimeout(ctx, patienceTime)
		defer cancel()
		if got, err = b.outcome(wait, it.Seq); err != nil {
			return none, nil, err
		}
	}
	return m.record(ctx, b, in, *it, got)
}

// record writes what became of an item, once.
func (m *Machine) record(ctx context.Context, b *Bench, in Step, was Item, got measured) (Individual, *Run, error) {
	var one Individual
	var now *Run
	err := b.change(ctx, func(r *Run) ([]Individual, error) {
		now = r
		it, err := r.item(was.Branch)
		if err != nil {
			return nil, err
		}
		if it.Phase != was.Phase || it.Commit != was.Commit {
			return nil, fmt.Errorf("%w: %s was reported or committed anew meanwhile", ErrOrder, was.Branch)
		}
		one = r.newIndividual(it)
		one.Claim, one.CodeHash, one.RawOutput = &Claim{in.Fitness, in.works()}, in.Code, cut(in.Raw, mostRaw)
		one.Fitness, one.Success = got.value, got.value != nil
		one.Cached = got.job.State == record.Duplicate
		if got.candidate != nil {
			id := got.candidate.ID
			one.Candidate = &id
		}
		switch {
		case was.Phase != phaseMeasuring:
			one.Reason = "the client reports that it failed"
		case !one.Success:
			one.Reason = got.job.Reason
		}
		r.Evals++
		it.Phase = phaseDone
		if one.Success && !one.Cached {
			one.New = r.report(it, Active{Branch: it.Branch, Fitness: *one.Fitness, Candidate: *one.Candidate})
		}
		return []Individual{one}, nil
	})
	if err != nil {
		return one, now, err
	}
	if was.Phase == phaseMeasuring {
		text := fmt.Sprintf("%s claims %v, success %v; measured here: %s", was.Branch, one.Claim.Fitness, one.Claim.Success, one.measuredText())
		err = b.Engine.Witness(ctx, got.job, "claim", text)
	}
	return one, now, err
}

func (one *Individual) measuredText() string {
	if one.Fitness == nil {
		return "nothing: " + one.Reason
	}
	return fmt.Sprint(*one.Fitness)
}
