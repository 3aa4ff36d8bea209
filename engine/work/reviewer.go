package work

import (
	"context"
	"errors"
	"fmt"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gate"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// asks is how often a reviewer is asked until its verdict can be read.
const asks = 2

// reviewed reports whether a reviewer is asked about the candidate.
func (w *gatekeeper) reviewed(r *attempt) bool {
	name := w.facts.Config.Roles.Reviewer
	return name != "" && w.roster.Clients[name] != nil && !r.lease.Job.Approved
}

// review asks the reviewer about a candidate that the gate let pass. It reports
// that the job has ended, or waits for a person: a reviewer that cannot be asked (its
// provider fails) lets the candidate pass where review.fail is open; else, and where one
// answers and gives no verdict, a person decides. Where its key is refused the run pauses, and the candidate is
// reviewed when that is mended. What it said is kept as evidence.
func (w *gatekeeper) review(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash, v gate.Verdict) (ended bool, err error) {
	if !w.reviewed(r) {
		return false, nil
	}
	w.live.stage(r.lease.Job.ID, record.Gated, "review")
	shown, err := w.toReview(ctx, r, c, parentTree, v)
	if err != nil {
		return false, err
	}
	verdict, err := w.askReviewer(ctx, r, shown)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if broke := w.money.Refused(r.lease.Job.ID); broke != nil && errors.Is(err, gateway.ErrBudget) {
		return false, broke // it is reviewed when there is money again
	}
	switch {
	case err != nil && r.putBack(err):
		return false, fmt.Errorf("%w: %w", errPutBack, err)
	case err != nil:
		return w.unreviewed(ctx, r, c, err)
	case verdict.Accepted:
		return false, nil
	}
	why := view.CleanLine("the reviewer: " + verdict.Why())
	c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, why
	return true, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: why, Candidate: c})
}

// unreviewed goes on with a candidate that the reviewer could not judge.
func (w *gatekeeper) unreviewed(ctx context.Context, r *attempt, c *record.Candidate, why error) (ended bool, err error) {
	text := view.CleanLine(fmt.Sprintf("%s was not reviewed: %v", c.ID, why))
	w.host.Note("warn", r.lease.Job.ID, text)
	if w.facts.Config.Review.Fail != "closed" && !errors.Is(why, agent.ErrNoVerdict) {
		return false, nil
	}
	return true, r.hold(ctx, record.Gated, text, store.Outcome{})
}

// toReview is what the reviewer is shown: the difference, and the functions that
// it touches as they are now.
func (w *gatekeeper) toReview(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash, v gate.Verdict) (prompt.View, error) {
	diff, err := w.patch(ctx, parentTree, c.Tree)
	if err != nil {
		return prompt.View{}, err
	}
	functions, err := w.changedFunctions(ctx, r, c, parentTree)
	if err != nil {
		return prompt.View{}, err
	}
	var findings []string
	for _, f := range v.Findings {
		findings = append(findings, fmt.Sprintf("%s %s: %s", f.Rule, f.Path, f.Text))
	}
	set := w.settings()
	target, _ := w.scope.of(c.Target)
	return prompt.View{
		Job: r.lease.Job.ID, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance, Target: target,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(), Diff: diff, Findings: findings, Plan: c.Intent,
		Tree: prompt.Tree{Files: functions}, Asked: prompt.Asked{Answer: agent.ReviewAnswer},
	}.WithSecrets(w.roster.Secrets...), nil
}

// changedFunctions are the functions that a candidate touches, whole.
func (w *gatekeeper) changedFunctions(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) ([]prompt.FileText, error) {
	before, err := w.repo.Tree(ctx, parentTree)
	if err != nil {
		return nil, err
	}
	after, err := w.repo.Tree(ctx, c.Tree)
	if err != nil {
		return nil, err
	}
	diffs, err := r.changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range diffs {
		paths = append(paths, d.Path)
	}
	return prompt.ChangedFunctions(ctx, before, after, paths)
}

// askReviewer asks until a verdict can be read, at most twice. That it contradicted
// itself is not forgotten when the second answer says nothing.
func (w *gatekeeper) askReviewer(ctx context.Context, r *attempt, shown prompt.View) (agent.Review, error) {
	name := w.facts.Config.Roles.Reviewer
	var before error
	for n := 1; ; n++ {
		rendered, err := w.roster.Prompts.Render(agent.RoleReviewer, shown)
		if err != nil {
			return agent.Review{}, err
		}
		answer, err := r.ask(ctx, w.roster.Clients[name], name, agent.RoleReviewer, rendered)
		var verdict agent.Review
		if err == nil {
			verdict, err = agent.ReadReview(answer)
		}
		if errors.Is(err, gateway.ErrEmpty) {
			err = fmt.Errorf("%w: %w", agent.ErrNoVerdict, err)
		}
		if err != nil {
			answer += "\n[not used: " + err.Error() + "]"
		}
		text := agent.Redact(answer, w.roster.Secrets...)
		r.evidence = append(r.evidence, record.Evidence{Kind: "review", Text: []byte(tail(text, feedbackBytes))})
		if err != nil && errors.Is(before, agent.ErrContradiction) && !errors.Is(err, agent.ErrContradiction) {
			err = fmt.Errorf("%w, and then %w", before, err)
		}
		if !errors.Is(err, agent.ErrNoVerdict) || n == asks {
			return verdict, err
		}
		before = err
		shown.Retry = "Your answer before this one could not be read: " + err.Error() + ". Begin with the line \"VERDICT: accept\" or \"VERDICT: reject\", and nothing else in it."
	}
}
