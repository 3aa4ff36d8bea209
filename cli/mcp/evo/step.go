package evo

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Step is one call of evo_step.
type Step struct {
	Phase   string   `json:"phase" jsonschema:"begin_generation, code_ready, policy_pass, policy_fail, fitness_ready, select or reflect_done"`
	Branch  string   `json:"branch,omitempty" jsonschema:"the branch of the item, of all phases but begin_generation, select and reflect_done"`
	Parent  string   `json:"parent_commit,omitempty" jsonschema:"of code_ready: what the client took it from; the real parent is read from the commit"`
	Fitness float64  `json:"fitness,omitempty" jsonschema:"of fitness_ready: as the client measured it; kept as a claim"`
	Success *bool    `json:"success,omitempty" jsonschema:"of fitness_ready: whether the client's own run worked; true where it is left out"`
	Op      string   `json:"operation,omitempty" jsonschema:"as planned"`
	Target  string   `json:"target_id,omitempty" jsonschema:"as planned"`
	Parents []string `json:"parent_branches,omitempty" jsonschema:"as planned"`
	Code    string   `json:"code_hash,omitempty" jsonschema:"of fitness_ready: the client's hash of the code, for evo_check_cache"`
	Raw     string   `json:"raw_output,omitempty" jsonschema:"of fitness_ready: what the client's run printed; the first 500 characters are kept"`
	Reason  string   `json:"reason,omitempty" jsonschema:"of policy_fail: why"`
}

// The most that is kept of texts of a client, in bytes.
const (
	mostRaw  = 500
	mostHash = 200
	mostDiff = 8000
)

// Step takes a step of the machine.
func (m *Machine) Step(ctx context.Context, in Step) (answer, error) {
	b, r, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.fits(r); err != nil {
		return nil, err
	}
	switch in.Phase {
	case "begin_generation":
		return m.begin(ctx, b)
	case "code_ready":
		return m.codeReady(ctx, b, in)
	case "policy_pass":
		return m.policyPass(ctx, b, in.Branch)
	case "policy_fail":
		return m.policyFail(ctx, b, in.Branch, in.Reason)
	case "fitness_ready":
		return m.fitnessReady(ctx, b, in)
	case "select":
		s, err := m.choose(ctx, b)
		if err != nil {
			return nil, err
		}
		return answer{"action": "reflect", "keep": s.Keep, "eliminate": s.Eliminate, "best_branch": s.BestBranch, "best_obj": s.BestObj}, nil
	case "reflect_done":
		return m.reflected(ctx, b)
	}
	return nil, fmt.Errorf("%w: Unknown phase %.80q: begin_generation, code_ready, policy_pass, policy_fail, fitness_ready, select or reflect_done", ErrArgument, in.Phase)
}

// fits reports whether a step is about the target that its branch was planned for.
func (in *Step) fits(r *Run) error {
	if in.Branch == "" || in.Target == "" {
		return nil
	}
	it, err := r.item(in.Branch)
	if err == nil && it.Target != in.Target {
		err = fmt.Errorf("%w: %s was planned for the target %s, not %.100q", ErrArgument, it.Branch, it.Target, in.Target)
	}
	return err
}

// begin plans a generation, or returns the one that is under way.
func (m *Machine) begin(ctx context.Context, b *Bench) (answer, error) {
	r, err := m.planned(ctx, b)
	if err != nil {
		return nil, err
	}
	switch {
	case len(r.open()) > 0:
		return m.dispatch(r), nil
	case len(r.Batch) > 0:
		return nil, fmt.Errorf("%w: every item of the generation was reported; select comes next", ErrOrder)
	case r.left() <= 0:
		return answer{"action": "done", "reason": "budget exhausted", "total_evals": r.Evals, "best_obj": r.Best}, nil
	}
	return answer{"action": "done", "reason": "empty batch", "total_evals": r.Evals, "best_obj": r.Best}, nil
}

// planned returns the state with a batch where there can be one.
func (m *Machine) planned(ctx context.Context, b *Bench) (*Run, error) {
	frozen := b.frozen()
	var now *Run
	err := b.change(ctx, func(r *Run) ([]Individual, error) {
		now = r
		if r.SeedObj == nil {
			return nil, fmt.Errorf("%w: evo_report_seed comes first", ErrOrder)
		}
		if len(r.Targets) == 0 {
			return nil, fmt.Errorf("%w: evo_register_targets comes first", ErrOrder)
		}
		if r.Stage == stageBatch {
			return nil, nil
		}
		r.freezeAs(frozen)
		if r.Batch = r.plan(b.Seed); len(r.Batch) > 0 {
			r.Stage = stageBatch
		}
		return nil, nil
	})
	return now, err
}

// dispatch hands out what is open: all of it, or the next one.
func (m *Machine) dispatch(r *Run) answer {
	items := []answer{}
	cursor := -1
	for i := range r.Batch {
		if r.Batch[i].Phase == phaseDone {
			continue
		}
		if cursor < 0 {
			cursor = i
		}
		items = append(items, r.told(&r.Batch[i]))
	}
	if m.dialect == Serial {
		return answer{"action": "generate_code", "generation": r.Generation, "batch_size": len(r.Batch), "cursor": cursor, "item": items[0]}
	}
	return answer{"action": "dispatch_workers", "generation": r.Generation, "batch_size": len(items), "items": items}
}

// told is an item as a client sees it.
func (r *Run) told(it *Item) answer {
	var files, functions []string
	for _, id := range targetsOf(it.Target) {
		if t := r.target(id); t != nil {
			files, functions = append(files, t.File), append(functions, t.Function)
		}
	}
	return answer{
		"branch": it.Branch, "operation": it.Operation, "target_id": it.Target, "parent_branches": it.Parents,
		"target_file": strings.Join(files, "+"), "target_function": strings.Join(functions, "+"),
	}
}

// codeReady judges the diff of a branch, of which the commit counts that it names
// now. In the serial dialect, what passes is measured at once.
func (m *Machine) codeReady(ctx context.Context, b *Bench, in Step) (answer, error) {
	r, err := b.run(ctx)
	if err != nil {
		return nil, err
	}
	it, err := r.item(in.Branch)
	if err != nil {
		return nil, err
	}
	if it.Phase == phaseDone {
		return nil, fmt.Errorf("%w: %s was reported", ErrOrder, it.Branch)
	}
	var scope []string
	for _, id := range targetsOf(it.Target) {
		if t := r.target(id); t != nil {
			scope = append(scope, t.File)
		}
	}
	x, err := b.Engine.Examine(ctx, "refs/heads/"+it.Branch, scope)
	if err != nil {
		return nil, err
	}
	switch {
	case it.Phase == phaseCoded && it.Commit == x.Commit && m.dialect == Parallel:
		return nil, fmt.Errorf("%w: this commit of %s is reported already; policy_pass or policy_fail comes next", ErrOrder, it.Branch)
	case it.Phase == phaseMeasuring && it.Commit == x.Commit:
		return nil, fmt.Errorf("%w: this commit of %s is being measured; fitness_ready comes next", ErrOrder, it.Branch)
	case len(x.Files) == 0:
		return nil, fmt.Errorf("%w: %s changes nothing; commit the change to it first", ErrArgument, it.Branch)
	}
	if reason := x.Verdict.Reason(); reason != "" {
		return m.refuse(ctx, b, it.Branch, reason)
	}
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		now, err := r.item(it.Branch)
		if err != nil {
			return nil, err
		}
		if now.Phase == phaseMeasuring { // what was measured before is paid for
			r.Evals++
		}
		if now.Phase == phaseMeasuring && r.left() < 0 {
			return nil, fmt.Errorf("%w: the budget leaves no second try of %s; fitness_ready comes next", ErrOrder, it.Branch)
		}
		now.Phase, now.Commit, now.Seq = phaseCoded, x.Commit, 0
		now.Tries++
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	if m.dialect == Serial {
		return m.policyPass(ctx, b, it.Branch)
	}
	parent, err := b.Engine.Reader().Candidate(ctx, x.Parent)
	if err != nil {
		return nil, err
	}
	diff := string(x.Patch)
	out := answer{
		"action": "check_policy", "branch": it.Branch, "parent_commit": parent.Candidate.Commit, "target_id": it.Target, "target_file": strings.Join(scope, "+"), "operation": it.Operation,
		"parent_branches": it.Parents, "changed_files": x.Files, "diff": cut(diff, mostDiff), "protected_patterns": orEmpty(x.Protected), "diff_truncated": len(diff) > mostDiff,
		"commit": x.Commit, "parent_candidate": x.Parent, "note": "atoll's own gate let it pass",
	}
	return out, nil
}

// cut shortens a text to so many bytes, between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// policyPass gives a commit to the experiment.
func (m *Machine) policyPass(ctx context.Context, b *Bench, branch string) (answer, error) {
	var it Item
	err := b.change(ctx, func(r *Run) ([]Individual, error) {
		now, err := r.item(branch)
		if err != nil {
			return nil, err
		}
		switch {
		case now.Phase == phasePlanned:
			return nil, fmt.Errorf("%w: code_ready of %s comes first", ErrOrder, branch)
		case now.Phase == phaseMeasuring:
			return nil, fmt.Errorf("%w: %s is being measured; fitness_ready comes next", ErrOrder, branch)
		case now.Phase == phaseDone:
			return nil, fmt.Errorf("%w: %s was reported", ErrOrder, branch)
		case r.left() < 1:
			return nil, fmt.Errorf("%w: the budget is exhausted", ErrOrder)
		}
		now.Phase = phaseMeasuring
		it = *now
		return nil, nil
	})
	if err != nil {
		return nil, err
	}
	if err := m.inject(ctx, b, it); err != nil {
		return nil, err
	}
	return answer{
		"action": "run_benchmark", "branch": branch, "target_id": it.Target, "operation": it.Operation, "parent_branches": it.Parents,
		"commit": it.Commit, "note": "atoll measures it now; a run of your own is a claim and may be left out",
	}, nil
}

// policyFail ends an item by the client's own judgement.
func (m *Machine) policyFail(ctx context.Context, b *Bench, branch, reason string) (answer, error) {
	if reason == "" {
		reason = "refused by the client"
	}
	r, err := b.run(ctx)
	if err != nil {
		return nil, err
	}
	it, err := r.item(branch)
	switch {
	case err != nil:
		return nil, err
	case it.Phase != phaseCoded:
		return nil, fmt.Errorf("%w: policy_fail answers code_ready, and %s is not there", ErrOrder, branch)
	}
	return m.refuse(ctx, b, branch, cut(reason, mostRaw))
}

// refuse ends an item whose diff may not be measured. It costs nothing.
func (m *Machine) refuse(ctx context.Context, b *Bench, branch, reason string) (answer, error) {
	var now *Run
	err := b.change(ctx, func(r *Run) ([]Individual, error) {
		now = r
		it, err := r.item(branch)
		if err != nil {
			return nil, err
		}
		if it.Phase == phaseMeasuring {
			r.Evals++
		}
		if it.Phase == phaseDone {
			return nil, fmt.Errorf("%w: %s was reported", ErrOrder, branch)
		}
		it.Phase = phaseDone
		one := r.newIndividual(it)
		one.Reason, one.RawOutput = reason, cut("policy_violation: "+reason, mostRaw)
		return []Individual{one}, nil
	})
	if err != nil {
		return nil, err
	}
	if m.dialect == Serial {
		out := m.next(now)
		out["policy_violation"] = answer{"branch": branch, "reason": reason}
		return out, nil
	}
	return answer{"action": "worker_done", "branch": branch, "rejected": true, "reason": reason}, nil
}

// next is what the serial dialect answers when an item ended.
func (m *Machine) next(r *Run) answer {
	if len(r.open()) > 0 {
		return m.dispatch(r)
	}
	return answer{"action": "select", "generation": r.Generation, "items_evaluated": len(r.Batch)}
}

func (r *Run) newIndividual(it *Item) Individual {
	one := Individual{Branch: it.Branch, Generation: r.Generation, Target: it.Target, Operation: it.Operation, Parents: it.Parents}
	if !it.Commit.IsZero() {
		commit := it.Commit
		one.Commit = &commit
	}
	return one
}

// choose ends a generation whose items were all reported. Values count as they are
// by all samples so far.
func (m *Machine) choose(ctx context.Context, b *Bench) (Survivors, error) {
	r, err := b.run(ctx)
	if err != nil {
		return Survivors{}, err
	}
	values := map[string]float64{}
	for _, t := range r.Targets {
		for _, a := range t.Active {
			if v, err := b.value(ctx, a.Candidate); err != nil {
				return Survivors{}, err
			} else if v != nil {
				values[a.Branch] = *v
			}
		}
	}
	frozen := b.frozen()
	var out Survivors
	err = b.change(ctx, func(r *Run) ([]Individual, error) {
		switch open := r.open(); {
		case r.Stage != stageBatch:
			return nil, fmt.Errorf("%w: no generation is under way; begin_generation comes first", ErrOrder)
		case len(open) > 0:
			return nil, fmt.Errorf("%w: not reported yet: %.500s", ErrOrder, strings.Join(open, ", "))
		}
		r.freezeAs(frozen)
		for i := range r.Targets {
			for k := range r.Targets[i].Active {
				if v, ok := values[r.Targets[i].Active[k].Branch]; ok {
					r.Targets[i].Active[k].Fitness = v
				}
			}
		}
		out = r.survive()
		return nil, nil
	})
	return out, err
}

// reflected goes on behind a generation.
func (m *Machine) reflected(ctx context.Context, b *Bench) (answer, error) {
	r, err := b.run(ctx)
	if err != nil {
		return nil, err
	}
	if r.Stage != stageReflect {
		return nil, fmt.Errorf("%w: reflect_done answers select", ErrOrder)
	}
	return m.begin(ctx, b)
}

// NextBatch is [Machine.Step] at the beginning of a generation, in the words of the
// older tool.
func (m *Machine) NextBatch(ctx context.Context) (answer, error) {
	b, _, err := m.present(ctx)
	if err != nil {
		return nil, err
	}
	r, err := m.planned(ctx, b)
	if err != nil {
		return nil, err
	}
	batch := []answer{}
	for i := range r.Batch {
		if r.Batch[i].Phase != phaseDone {
			batch = append(batch, r.told(&r.Batch[i]))
		}
	}
	if len(batch) == 0 && r.left() <= 0 && len(r.Batch) == 0 {
		return answer{"done": true, "reason": "budget exhausted", "batch": batch}, nil
	}
	return answer{"generation": r.Generation, "budget_remaining": r.Setup.MaxFE - r.Evals, "batch_size": len(batch), "batch": batch}, nil
}

// SelectSurvivors is [Machine.Step] at the end of a generation, in the words of the
// older tool.
func (m *Machine) SelectSurvivors(ctx context.Context) (Survivors, error) {
	b, _, err := m.present(ctx)
	if err != nil {
		return Survivors{}, err
	}
	return m.choose(ctx, b)
}

// isStill reports whether a measurement goes on behind an error.
func isStill(err error) bool { return errors.Is(err, errStill) }
