package evo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
)

// Host has the experiment that is evolved.
type Host interface {
	// Begin starts a new experiment that measures what a setup says and makes
	// nothing itself, and keeps the state of its run under [Key]. It becomes the
	// present one.
	Begin(ctx context.Context, s Setup, state string) (*Bench, error)
	// Present returns the present experiment, or [ErrMissing].
	Present(ctx context.Context) (*Bench, error)
}

// Machine takes the steps of the protocol. Its methods may be called from any
// goroutine.
type Machine struct {
	host    Host
	dialect Dialect
}

// NewMachine returns a machine on a host.
func NewMachine(h Host, d Dialect) *Machine { return &Machine{host: h, dialect: d} }

// answer is what a tool returns.
type answer map[string]any

// present returns the experiment and the state of its run.
func (m *Machine) present(ctx context.Context) (*Bench, *Run, error) {
	b, err := m.host.Present(ctx)
	if err != nil {
		return nil, nil, err
	}
	r, err := b.run(ctx)
	return b, r, err
}

// Init begins an evolution. One that was begun with the same setup and not used yet
// is the same.
func (m *Machine) Init(ctx context.Context, s Setup) (answer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	b, r, err := m.present(ctx)
	if err != nil && !errors.Is(err, ErrMissing) {
		return nil, err
	}
	if err != nil || r.Setup != s || r.Evals > 0 || len(r.Targets) > 0 {
		state, err := encodeRun(&Run{Setup: s})
		if err != nil {
			return nil, err
		}
		if b, err = m.host.Begin(ctx, s, state); err != nil {
			return nil, err
		}
	}
	return answer{
		"status": "initialized", "repo_path": s.RepoPath, "objective": s.Objective, "max_fe": s.MaxFE, "pop_size": s.PopSize,
		"evaluator": b.Evaluator, "note": "atoll measures every commit itself; a fitness that is reported is kept as a claim",
	}, nil
}

// NewTarget is a target as a client registers it.
type NewTarget struct {
	ID          string `json:"id" jsonschema:"short name, part of branch names"`
	File        string `json:"file" jsonschema:"path in the repository"`
	Function    string `json:"function" jsonschema:"function in it"`
	Lines       string `json:"lines,omitempty"`
	Impact      string `json:"impact,omitempty"`
	Description string `json:"description,omitempty"`
}

var targetID = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// mostTargets bounds how many targets a run has.
const mostTargets = 100

// Register adds targets, or resets those that are there. All are checked before any
// is taken: the file is in the root, and the function's name in the file.
func (m *Machine) Register(ctx context.Context, list []NewTarget) (answer, error) {
	b, _, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || len(list) > mostTargets {
		return nil, fmt.Errorf("%w: %d targets: from 1 to %d", ErrArgument, len(list), mostTargets)
	}
	for _, t := range list {
		if err := b.checkTarget(ctx, t); err != nil {
			return nil, err
		}
	}
	ids := make([]string, len(list))
	var now *Run
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		now = r
		for i, t := range list {
			ids[i] = t.ID
			next := Target{ID: t.ID, File: t.File, Function: t.Function, Lines: t.Lines, Impact: t.Impact, Description: t.Description, Temperature: 1, Best: r.SeedObj}
			if next.Impact == "" {
				next.Impact = "medium"
			}
			if old := r.target(t.ID); old != nil {
				*old = next
			} else if r.Targets = append(r.Targets, next); len(r.Targets) > mostTargets {
				return nil, fmt.Errorf("%w: more than %d targets", ErrArgument, mostTargets)
			}
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return answer{"registered": len(list), "target_ids": ids}, b.tellTargets(ctx, now)
}

func (b *Bench) checkTarget(ctx context.Context, t NewTarget) error {
	switch {
	case !targetID.MatchString(t.ID) || strings.Contains(t.ID, "..") || strings.HasSuffix(t.ID, ".lock") || strings.HasSuffix(t.ID, "."):
		return fmt.Errorf("%w: the target id %.80q: letters, digits, _ . and -, because branches are named after it", ErrArgument, t.ID)
	case strings.ContainsAny(t.File, "*?[]{}\\"):
		return fmt.Errorf("%w: %.200q is a pattern; name one file", ErrArgument, t.File)
	case len(t.File)+len(t.Function)+len(t.Lines)+len(t.Impact)+len(t.Description) > 20_000:
		return fmt.Errorf("%w: what is said about %s is too long", ErrArgument, t.ID)
	}
	text, ok, err := b.Engine.RootFile(ctx, t.File)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%w: the root has no file %.200q", ErrArgument, t.File)
	}
	name := t.Function
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, "(")
	if name != "" && !strings.Contains(string(text), name) {
		return fmt.Errorf("%w: %s has no %.200q", ErrArgument, t.File, name)
	}
	return nil
}

// ReportSeed waits until the root is measured. What the client says of it is a claim.
func (m *Machine) ReportSeed(ctx context.Context, claim float64) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if !finite(claim) {
		return nil, fmt.Errorf("%w: obj is no finite number", ErrArgument)
	}
	if r.SeedObj != nil {
		return nil, fmt.Errorf("%w: the seed is reported: %v", ErrOrder, *r.SeedObj)
	}
	root, err := b.root(ctx)
	if err != nil {
		return nil, err
	}
	evals := 0
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		if r.SeedObj != nil {
			return nil, fmt.Errorf("%w: the seed is reported: %v", ErrOrder, *r.SeedObj)
		}
		v := root.Objective
		r.SeedObj, r.SeedClaim, r.Best = &v, &claim, &v
		r.Evals++
		evals = r.Evals
		for i := range r.Targets {
			r.Targets[i].Best = &v
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return answer{"seed_obj": root.Objective, "total_evals": evals, "claimed": claim, "samples": root.Samples, "spread": root.MAD}, nil
}

// Status tells how the run stands.
func (m *Machine) Status(ctx context.Context) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	r.freezeAs(b.frozen())
	targets := answer{}
	for _, t := range r.Targets {
		targets[t.ID] = answer{
			"status": t.status(), "temperature": math.Round(t.Temperature*100) / 100, "current_best_obj": t.Best, "current_best_branch": orNull(t.BestBranch),
			"stagnation": t.Stagnation, "active_branches": len(t.Active),
		}
	}
	return answer{
		"generation": r.Generation, "total_evals": r.Evals, "budget_remaining": r.Setup.MaxFE - r.Evals, "seed_obj": r.SeedObj,
		"best_obj_overall": r.Best, "best_branch_overall": orNull(r.BestBranch), "improvement": r.improvement(), "targets": targets,
		"open_branches": orEmpty(r.open()),
	}, nil
}

// improvement is the signed change of the best on the seed, in percent; null where
// that says nothing. With the objective min a gain is negative.
func (r *Run) improvement() any {
	if r.SeedObj == nil || r.Best == nil || *r.SeedObj == 0 {
		return nil
	}
	return fmt.Sprintf("%+.1f%%", (*r.Best-*r.SeedObj)/math.Abs(*r.SeedObj)*100)
}

func (t *Target) status() string {
	if t.Frozen {
		return "frozen"
	}
	return "active"
}

// freezeAs takes over which targets the experiment has frozen.
func (r *Run) freezeAs(frozen map[string]bool) {
	for i := range r.Targets {
		t := &r.Targets[i]
		now, known := frozen[t.ID]
		if !known || now == t.Frozen {
			continue
		}
		if t.Frozen = now; now {
			t.Temperature = 0
		} else if t.Temperature == 0 {
			t.Temperature = 1
		}
	}
}

// Lineage lists a branch and all that it descends from, nearest first.
func (m *Machine) Lineage(ctx context.Context, branch string) (answer, error) {
	b, _, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	list := []answer{}
	seen := map[string]bool{branch: true}
	for queue := []string{branch}; len(queue) > 0; {
		one, err := b.individual(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		if queue = queue[1:]; one == nil {
			continue
		}
		list = append(list, answer{
			"branch": one.Branch, "generation": one.Generation, "target_id": one.Target, "operation": one.Operation, "parent_branches": one.Parents,
			"fitness": one.Fitness, "success": one.Success, "claim": one.Claim, "candidate": one.Candidate, "commit": one.Commit, "reason": one.Reason,
		})
		for _, p := range one.Parents {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return answer{"branch": branch, "lineage": list}, nil
}

// Freeze keeps a target from being worked on.
func (m *Machine) Freeze(ctx context.Context, id string) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if r.target(id) == nil {
		return nil, fmt.Errorf("%w: there is no target %.80q", ErrMissing, id)
	}
	if !b.frozen()[id] {
		if err := b.mark(ctx, record.Freeze, id, 0); err != nil {
			return nil, err
		}
	}
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		if t := r.target(id); t != nil {
			t.Frozen, t.Temperature = true, 0
		}
		return nil, nil
	})
	return answer{"target_id": id, "status": "frozen"}, err
}

// Boost has more work done on a target, and releases a frozen one.
func (m *Machine) Boost(ctx context.Context, id string) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if r.target(id) == nil {
		return nil, fmt.Errorf("%w: there is no target %.80q", ErrMissing, id)
	}
	if b.frozen()[id] {
		// A snapshot may be behind: a person may have released it meanwhile.
		if err := b.mark(ctx, record.Release, id, 0); err != nil && !errors.Is(err, view.ErrDecision) {
			return nil, err
		}
	}
	temperature := 0.0
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		if t := r.target(id); t != nil {
			t.Frozen, t.Stagnation, t.Temperature = false, 0, min(boostMax, t.Temperature+boostBy)
			temperature = t.Temperature
		}
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	return answer{"target_id": id, "temperature": temperature}, b.mark(ctx, record.Boost, id, temperature)
}

// CheckCache tells whether a branch was reported with a hash of its code, and how it
// was measured.
func (m *Machine) CheckCache(ctx context.Context, hash string) (answer, error) {
	b, _, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if hash == "" || len(hash) > mostHash {
		return answer{"cached": false}, nil
	}
	branch, err := b.Engine.Fact(ctx, keyCode+hash)
	if err != nil || branch == "" {
		return answer{"cached": false}, err
	}
	one, err := b.individual(ctx, branch)
	if err != nil || one == nil {
		return answer{"cached": false}, err
	}
	return answer{"cached": true, "fitness": one.Fitness}, nil
}

// Combined is what a client tells of a synergy.
type Combined struct {
	Branch  string             `json:"branch"`
	Targets []string           `json:"target_ids"`
	Fitness float64            `json:"fitness" jsonschema:"as the client measured it; kept as a claim"`
	Success bool               `json:"success"`
	Single  map[string]float64 `json:"individual_fitnesses,omitempty" jsonschema:"of each target alone, as the client knows it"`
}

// RecordSynergy keeps what combining targets brought: positive means that it helps.
// The figures are the measured ones.
func (m *Machine) RecordSynergy(ctx context.Context, in Combined) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	one, err := b.individual(ctx, in.Branch)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return nil, fmt.Errorf("%w: %.100q was never measured here", ErrMissing, in.Branch)
	}
	s := Synergy{Branch: in.Branch, Generation: one.Generation, Targets: orEmpty(in.Targets), Fitness: one.Fitness, Success: one.Success, Single: map[string]float64{}}
	for _, id := range in.Targets {
		if r.target(id) == nil {
			return nil, fmt.Errorf("%w: there is no target %.80q", ErrMissing, id)
		}
	}
	for _, p := range one.Parents {
		parent, err := b.individual(ctx, p)
		if err != nil {
			return nil, err
		}
		if parent != nil && parent.Fitness != nil && slices.Contains(in.Targets, parent.Target) {
			s.Single[parent.Target] = *parent.Fitness
		}
	}
	s.Gain = r.gain(s)
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		r.Synergies = slices.DeleteFunc(r.Synergies, func(old Synergy) bool { return old.Branch == s.Branch })
		r.Synergies = append(r.Synergies, s)
		return nil, nil
	})
	return answer{
		"branch": s.Branch, "generation": s.Generation, "target_ids": s.Targets, "fitness": s.Fitness, "success": s.Success,
		"individual_fitnesses": s.Single, "synergy_gain": s.Gain, "claimed": in.Fitness, "claimed_individual_fitnesses": in.Single,
	}, err
}

// gain is how much better the combination is than the best single one.
func (r *Run) gain(s Synergy) *float64 {
	if !s.Success || s.Fitness == nil || len(s.Single) == 0 {
		return nil
	}
	first, best := true, 0.0
	for _, v := range s.Single {
		if first || r.better(v, best) {
			first, best = false, v
		}
	}
	g := *s.Fitness - best
	if r.Setup.Objective == "min" {
		g = -g
	}
	return &g
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// orNull is null for a name that nobody has.
func orNull(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

// orEmpty is a list that JSON writes as one.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
