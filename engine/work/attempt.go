package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atoll/engine/agent"
	"atoll/engine/eval/output"
	"atoll/engine/gateway"
	"atoll/engine/roster"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// leaver is where a job is worked on: it may be left to others while somebody is waited
// for, and back waits for one.
type leaver interface{ leave() (back func()) }

// attempt is one leased execution of a job, with all that it gathers on its way.
// It lives on its worker's goroutine.
type attempt struct {
	*run
	lease    record.Lease
	started  time.Time
	edit     time.Duration // of the agent
	measured time.Duration // of the evaluator
	aside    time.Duration // of what is neither the engine's own: behaviour compared, a place or a machine waited for
	before   time.Duration // of the evaluator, in earlier attempts that kept what they measured
	recalled bool          // what those kept was read
	unkept   []sample      // measured, for attempts after this one
	usage    record.Usage
	evidence []record.Evidence
	evals    int
	machine  string // that measured last, "" = this one
	preview  bool   // nothing is asked or spent: the prompt is only looked at
	place    leaver // nil: none that could be given away

	parent record.Hash       // the parent's tree, once it is known
	diffs  []record.FileDiff // to the parent, once they are known

	ended func(context.Context, store.Outcome) // told of the end once it is written
}

// fill adds to an outcome what was gathered on the way.
func (r *attempt) fill(out *store.Outcome) {
	out.Usage, out.Evals = r.usage, r.evals
	out.Evidence, out.Machine = r.evidence, r.machine
	out.EditMS, out.EvalMS = r.edit.Milliseconds(), (r.before + r.measured).Milliseconds()
	own := r.now().Sub(r.started) - r.edit - r.measured - r.aside
	out.OwnMS = float64(own.Microseconds()) / 1000
}

// spend counts what an agent says that it used, as far as that can be believed.
// Where a budget stands on it, what cannot be believed pauses the run.
func (r *attempt) spend(said record.Usage) {
	sane, ok := said.Bounded()
	r.usage = r.usage.Add(sane)
	if ok {
		return
	}
	why := fmt.Sprintf("the agent of %s says that it used %s, which cannot be; counted are %s", r.lease.Job.ID, usedText(said), usedText(sane))
	r.host.Note("warn", r.lease.Job.ID, why)
	if now := r.settings(); now.MaxTokens > 0 || now.MaxCostUSD > 0 {
		r.host.Pause(why + ": check the agent and the budget, then resume")
	}
}

func usedText(u record.Usage) string {
	cost := "an unknown cost"
	if u.CostUSD != nil {
		cost = fmt.Sprintf("$%g", *u.CostUSD)
	}
	return fmt.Sprintf("%d requests, %d tokens in, %d out and %s", u.Requests, u.InputTokens, u.OutputTokens, cost)
}

// fail ends a job that made no candidate.
func (r *attempt) fail(ctx context.Context, class record.Class, reason string) error {
	return r.finish(ctx, store.Outcome{State: record.Failed, Class: class, Reason: view.CleanLine(reason)})
}

// finish writes the end of the job with all that was gathered on its way.
func (r *attempt) finish(ctx context.Context, out store.Outcome) error {
	r.fill(&out)
	if _, err := r.db.Finish(context.WithoutCancel(ctx), r.lease, out); err != nil {
		return err
	}
	r.ended(context.WithoutCancel(ctx), out)
	return nil
}

// hold stops the job until a person decides, with all that was gathered.
func (r *attempt) hold(ctx context.Context, at record.JobState, reason string, out store.Outcome) error {
	r.fill(&out)
	return r.db.Hold(context.WithoutCancel(ctx), r.lease, at, reason, out)
}

// keep adds evidence without keys.
func (r *attempt) keep(kind, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	text = agent.Redact(text, r.roster.Secrets...)
	text, cut := output.Tail(text, diffBytes)
	r.evidence = append(r.evidence, record.Evidence{Kind: kind, Text: []byte(text), Cut: cut})
}

// consult asks the client of a role like [attempt.ask]. An error that says nothing about
// the job is an errPutBack; a key that is refused pauses the run.
func (r *attempt) consult(ctx context.Context, v *roster.RoleClient, name, role string, p agent.Rendered) (string, error) {
	answer, err := r.ask(ctx, v, name, role, p)
	if err != nil && ctx.Err() == nil && r.putBack(err) {
		err = fmt.Errorf("%w: %w", errPutBack, err)
	}
	return answer, err
}

// ask asks the client of a role on behalf of a job: the prompt can be seen while it is
// under way, prompt and answer are kept as evidence, time and usage are counted.
func (r *attempt) ask(ctx context.Context, v *roster.RoleClient, name, role string, p agent.Rendered) (string, error) {
	text := agent.Redact(p.System+"\n\n"+p.User, r.roster.Secrets...)
	r.live.prompt(r.lease.Job.ID, role, text)
	kind := func(what string) string { // the words of the coder's own evidence stay its own
		if r.lease.Job.Kind == record.Assist {
			return what
		}
		return role + " " + what
	}
	r.keep(kind("prompt"), text)
	ctx, done := r.whileHeard(ctx, false)
	defer done()
	began := r.now()
	answer, usage, err := v.Ask(ctx, role, r.lease, p)
	r.edit += r.now().Sub(began)
	r.spend(usage)
	r.keep(kind("transcript"), answer)
	return answer, drained(ctx, err)
}

// parentTree is the tree that the job edits.
func (r *attempt) parentTree(ctx context.Context, id record.CandidateID) (record.Hash, error) {
	if !r.parent.IsZero() {
		return r.parent, nil
	}
	c, err := r.db.Candidate(ctx, r.exp(), id)
	if err != nil {
		return record.Hash{}, fmt.Errorf("read the parent %s: %w", id, err)
	}
	return c.Tree, nil
}

// changes tells what the job's candidate changes in its parent, with counts of
// lines.
func (r *attempt) changes(ctx context.Context, parentTree, tree record.Hash) ([]record.FileDiff, error) {
	if r.diffs == nil {
		diffs, err := r.repo.DiffTrees(ctx, parentTree, tree)
		if err != nil {
			return nil, err
		}
		if err := r.repo.CountLines(ctx, diffs); err != nil {
			return nil, err
		}
		r.diffs = diffs
	}
	return r.diffs, nil
}

// assisted ends an assist job that gave what it could: done, or as what kept its agent
// from an answer.
func (r *attempt) assisted(ctx context.Context, failure error) error {
	switch {
	case failure == nil:
		return r.finish(ctx, store.Outcome{State: record.Done})
	case errors.Is(failure, gateway.ErrBudget):
		return r.fail(ctx, record.ClassBudget, failure.Error())
	}
	return r.fail(ctx, record.ClassAgent, failure.Error())
}
