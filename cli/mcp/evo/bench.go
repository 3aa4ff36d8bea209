package evo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"atoll/engine"
	"atoll/engine/view"
	"atoll/store/record"
)

// Bench is the experiment of a run: an engine that measures what is injected, and
// runs or looks on while it is used.
type Bench struct {
	Engine    *engine.Engine
	Seed      uint64 // of the experiment
	Evaluator string // what measures, in words
}

// Facts of an experiment under which a run is kept.
const (
	keyRun  = "evo run"
	keyItem = "evo branch "
	keyCode = "evo code "
)

// Key is the fact that tells an experiment of a run from others.
const Key = keyRun

// run reads the state; [ErrMissing] where the experiment has none.
func (b *Bench) run(ctx context.Context) (*Run, error) {
	text, err := b.Engine.Fact(ctx, keyRun)
	if err != nil {
		return nil, err
	}
	r, err := decodeRun(text)
	if err == nil && r == nil {
		err = fmt.Errorf("%w: nothing was begun here; evo_init comes first", ErrMissing)
	}
	return r, err
}

// change changes the state and writes individuals with it, as one step: of several
// processes that do so at the same time each sees what the one before made.
func (b *Bench) change(ctx context.Context, fn func(*Run) ([]Individual, error)) error {
	return b.Engine.Keep(ctx, keyRun, func(now string) (string, map[string]string, error) {
		r, err := decodeRun(now)
		if err != nil {
			return now, nil, err
		}
		if r == nil {
			return now, nil, fmt.Errorf("%w: nothing was begun here; evo_init comes first", ErrMissing)
		}
		list, err := fn(r)
		if err != nil {
			return now, nil, err
		}
		more := map[string]string{}
		for i := range list {
			text, err := json.Marshal(&list[i])
			if err != nil {
				return now, nil, err
			}
			more[keyItem+list[i].Branch] = string(text)
			if list[i].CodeHash != "" && list[i].Success {
				more[keyCode+list[i].CodeHash] = list[i].Branch
			}
		}
		next, err := encodeRun(r)
		return next, more, err
	})
}

// individual reads what was reported of a branch; nil where nothing was.
func (b *Bench) individual(ctx context.Context, branch string) (*Individual, error) {
	text, err := b.Engine.Fact(ctx, keyItem+branch)
	if err != nil || text == "" {
		return nil, err
	}
	one := &Individual{}
	return one, json.Unmarshal([]byte(text), one)
}

// root waits until the root is measured.
func (b *Bench) root(ctx context.Context) (view.Standing, error) {
	for version := uint64(0); ; {
		s, err := b.Engine.Feed().Wait(ctx, version)
		switch {
		case s.Fatal != "":
			return view.Standing{}, fmt.Errorf("the root could not be measured: %s", s.Fatal)
		case !s.Loading && s.Root.ID == record.Root:
			return s.Root, nil
		case !s.Loading && (s.State == record.ExperimentBroken || s.State == record.ExperimentPaused):
			return view.Standing{}, fmt.Errorf("the root could not be measured: the experiment is %s", view.StateText(s.State, s.Reason))
		case err != nil:
			return view.Standing{}, errStill
		}
		version = s.Version
	}
}

// errStill: the patience of a caller ended before what it waits for.
var errStill = errors.New("it is still being measured; ask again")

// measured is what became of an injected commit.
type measured struct {
	job       record.Job
	candidate *record.Candidate // nil: it made none, and is the duplicate of none
	value     *float64
}

// outcome waits until the job of an injection has ended. The error is [errStill]
// where the context ends before that.
func (b *Bench) outcome(ctx context.Context, seq record.Seq) (measured, error) {
	for version := uint64(0); ; {
		job, queued, err := b.Engine.Injected(ctx, seq)
		switch {
		case ctx.Err() != nil:
			return measured{}, errStill
		case err != nil:
			return measured{}, err
		case queued && job.State.Ended():
			return b.measuredBy(ctx, job)
		case queued && job.State == record.Held:
			return measured{job: job}, fmt.Errorf("%w: it waits for a person to approve it", errStill)
		}
		s, err := b.Engine.Feed().Wait(ctx, version)
		if s.Fatal != "" {
			return measured{}, fmt.Errorf("the engine ended: %s", s.Fatal)
		}
		if err != nil {
			if s.State == record.ExperimentPaused {
				return measured{}, fmt.Errorf("%w: the experiment is %s", errStill, view.StateText(s.State, s.Reason))
			}
			return measured{}, errStill
		}
		version = s.Version
	}
}

func (b *Bench) measuredBy(ctx context.Context, job record.Job) (measured, error) {
	m := measured{job: job}
	id := job.Candidate
	if job.State == record.Duplicate {
		id = job.Duplicate
	}
	if id == record.NoCandidate {
		return m, nil
	}
	d, err := b.Engine.Reader().Candidate(ctx, id)
	if err != nil {
		return m, err
	}
	m.candidate = &d.Candidate
	if job.State == record.Scored || job.State == record.Placed || job.State == record.Duplicate {
		m.value = d.Candidate.Objective
	}
	return m, nil
}

// value is what a candidate is worth by all samples so far.
func (b *Bench) value(ctx context.Context, id record.CandidateID) (*float64, error) {
	d, err := b.Engine.Reader().Candidate(ctx, id)
	return d.Candidate.Objective, err
}

// folded waits a moment until the state shows what was decided.
func (b *Bench) folded(ctx context.Context, shows func(*view.Snapshot) bool) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for version := uint64(0); ; {
		s, err := b.Engine.Feed().Wait(ctx, version)
		if err != nil || shows(s) {
			return
		}
		version = s.Version
	}
}

// tellTargets gives the experiment the targets of a run, for its console.
func (b *Bench) tellTargets(ctx context.Context, r *Run) error {
	list := make([]record.Target, len(r.Targets))
	for i, t := range r.Targets {
		list[i] = record.Target{Name: t.ID, Files: []string{t.File}, Symbol: t.Function, Hint: t.Description, Weight: 1, By: "client"}
	}
	value, err := json.Marshal(list)
	if err != nil {
		return err
	}
	args, err := json.Marshal(map[string]string{"key": "targets", "value": string(value)})
	if err != nil {
		return err
	}
	d := record.NewDecision(record.Set)
	d.Args = args
	if _, err := b.Engine.Decide(ctx, d); err != nil {
		return err
	}
	b.folded(ctx, func(s *view.Snapshot) bool {
		return !slices.ContainsFunc(r.Targets, func(t Target) bool {
			return !slices.ContainsFunc(s.Settings.Targets, func(x record.Target) bool { return x.Name == t.ID })
		})
	})
	return nil
}

// frozen tells of each target that the experiment knows whether it is frozen: a
// person at the console may have done that, or taken it back.
func (b *Bench) frozen() map[string]bool {
	known := map[string]bool{}
	for _, t := range b.Engine.Feed().Latest().Targets {
		known[t.Name] = t.Frozen
	}
	return known
}

// mark freezes, boosts or releases a target in the experiment.
func (b *Bench) mark(ctx context.Context, verb record.Verb, id string, by float64) error {
	d := record.NewDecision(verb)
	d.Text, d.Value = id, by
	if _, err := b.Engine.Decide(ctx, d); err != nil {
		return err
	}
	b.folded(ctx, func(*view.Snapshot) bool {
		now, known := b.frozen()[id]
		return known && now == (verb == record.Freeze)
	})
	return nil
}
