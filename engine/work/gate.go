package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gate"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// gatekeeper decides whether a candidate may run: the gate, the reviewer, and
// where the settings ask for it a person.
type gatekeeper struct {
	*candidates
	scope   *scope
	touched *touchedPaths
}

// check checks the candidate's diff before any of its code runs. nil without an
// error: the job has ended.
func (w *gatekeeper) check(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash) (*gate.Verdict, error) {
	w.live.stage(r.lease.Job.ID, record.Committed, "gate")
	diffs, err := r.changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	changes, err := w.repo.Changes(ctx, parentTree, c.Tree)
	if err != nil {
		return nil, err
	}
	v := gate.Check(w.scope.policy, diffs, changes, c.Operator)
	if len(v.Findings) > 0 {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		r.evidence = append(r.evidence, record.Evidence{Kind: "gate", Text: text})
	}
	if v.Rejected {
		c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, v.Reason()
		return nil, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: v.Reason(), Candidate: c})
	}
	if r.lease.Job.State == record.Committed {
		why, err := w.review(ctx, r, c, parentTree, v)
		if err != nil {
			return nil, err
		}
		if why != "" {
			c.Status, c.Class, c.Reason = record.StatusRejected, record.ClassGate, why
			return nil, r.finish(ctx, store.Outcome{State: record.Rejected, Class: record.ClassGate, Reason: why, Candidate: c})
		}
		if w.reviewed(r) { // which may have cost something: once is enough
			if err := w.db.Stage(ctx, r.lease, record.Committed, record.Gated); err != nil {
				return nil, err
			}
			r.lease.Job.State = record.Gated
		}
	}
	w.live.stage(r.lease.Job.ID, record.Gated, "gate")
	return &v, nil
}

// reviewed reports whether a reviewer is asked about the candidate.
func (w *gatekeeper) reviewed(r *attempt) bool {
	name := w.facts.Config.Roles.Reviewer
	return name != "" && w.roster.Clients[name] != nil && !r.lease.Job.Approved
}

// review asks the reviewer about a candidate that the gate let pass. It
// returns why the candidate is refused, or "". A reviewer that cannot be asked
// or understood refuses nothing; the reason is kept as evidence.
func (w *gatekeeper) review(ctx context.Context, r *attempt, c *record.Candidate, parentTree record.Hash, v gate.Verdict) (string, error) {
	if !w.reviewed(r) {
		return "", nil
	}
	name := w.facts.Config.Roles.Reviewer
	client := w.roster.Clients[name]
	w.live.stage(r.lease.Job.ID, record.Gated, "review")
	diff, err := w.patch(ctx, parentTree, c.Tree)
	if err != nil {
		return "", err
	}
	var findings []string
	for _, f := range v.Findings {
		findings = append(findings, fmt.Sprintf("%s %s: %s", f.Rule, f.Path, f.Text))
	}
	set := w.settings()
	target, _ := w.scope.of(c.Target)
	view := prompt.View{
		Job: r.lease.Job.ID, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance, Target: target,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(), Diff: diff, Findings: findings, Plan: c.Intent,
		Asked: prompt.Asked{Answer: "Begin with one line \"VERDICT: accept\" or \"VERDICT: reject\". After it, one line for each reason."},
	}.WithSecrets(w.roster.Secrets...)
	prompt, err := w.roster.Prompts.Render(agent.RoleReviewer, view)
	if err != nil {
		return "", err
	}
	answer, err := r.consult(ctx, client, name, agent.RoleReviewer, prompt)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if broke := w.money.Refused(r.lease.Job.ID); broke != nil && errors.Is(err, gateway.ErrBudget) {
		return "", broke // it is reviewed when there is money again
	}
	why, rerr := verdictOf(answer)
	if err = errors.Join(err, rerr); err != nil {
		answer += "\n[not used: " + err.Error() + "]"
		w.host.Note("warn", r.lease.Job.ID, fmt.Sprintf("%s was not reviewed: %v", c.ID, err))
		why = ""
	}
	text := agent.Redact(answer, w.roster.Secrets...)
	r.evidence = append(r.evidence, record.Evidence{Kind: "review", Text: []byte(tail(text, feedbackBytes))})
	return why, nil
}

// verdictOf reads a review: why it rejects, or "" where it accepts.
func verdictOf(answer string) (string, error) {
	for rest := answer; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		word, ok := strings.CutPrefix(strings.ToUpper(strings.Trim(line, " \t*#>`")), "VERDICT")
		if !ok {
			continue
		}
		switch word = strings.Trim(word, " :*`.\""); {
		case strings.HasPrefix(word, "ACCEPT"):
			return "", nil
		case strings.HasPrefix(word, "REJECT"):
			why := strings.Trim(firstLine(rest), " -*")
			if why == "" {
				why = "the reviewer gave no reason"
			}
			return view.CleanLine("the reviewer: " + why), nil
		}
	}
	return "", errors.New("the review has no verdict")
}
