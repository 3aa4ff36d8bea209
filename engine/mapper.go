package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/engine/agent/prompt"
	"atoll/engine/fold"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// metaMapped is the epoch after which targets were proposed last; it is not
// there before the first time.
const metaMapped = "mapped"

// mapStale is after how many epochs in a row without a better best targets are
// proposed anew.
const mapStale = 2

// neverMapped stands for metaMapped where there is none.
const neverMapped = -1

// MapJob is the argument of a decision to start a job that has the mapper
// propose targets.
func MapJob() json.RawMessage { return json.RawMessage(`{"kind":"assist","purpose":"map"}`) }

// mapDue proposes targets for the first time, as soon as the root is measured.
func (e *Engine) mapDue(ctx context.Context) error {
	if e.mapped != neverMapped || e.cfg.Roles.Mapper == "" || e.crew == nil || e.st.Quiet || e.st.Archive() == nil {
		return nil
	}
	return e.mapNow(ctx, 0)
}

// mapNow has the mapper propose targets after an epoch: a model in a job of its
// own, the built-in one at once, which belongs to this fold position.
func (e *Engine) mapNow(ctx context.Context, epoch int) error {
	name := e.cfg.Roles.Mapper
	e.mapped = epoch
	if err := e.db.PutMeta(ctx, e.exp, metaMapped, strconv.Itoa(epoch)); err != nil {
		return err
	}
	if e.crew.voices[name] != nil {
		return e.add(ctx, record.Job{
			Experiment: e.exp, ID: e.nextJob, Kind: record.Assist, State: record.Queued, Purpose: record.PurposeMap, Island: "main", Agent: name,
			Parent: record.NoCandidate, Candidate: record.NoCandidate, Duplicate: record.NoCandidate, Repeat: epoch,
		})
	}
	here := e.st.TargetFacts()
	survey, tree, err := e.survey(ctx, &here)
	if err == nil {
		var found []record.Target
		if found, err = survey.Targets(ctx, tree, name); err == nil {
			return e.propose(ctx, found)
		}
	}
	e.note("warn", record.NoJob, fmt.Sprintf("no targets were proposed: %v", err))
	return nil
}

// propose puts new proposals in the place of the old ones, but for those that a
// person froze or boosted.
func (e *Engine) propose(ctx context.Context, found []record.Target) error {
	set := e.st.Settings
	set.Targets = e.st.WithKept(found)
	if _, err := e.db.PutSettings(ctx, e.exp, set); err != nil {
		return fmt.Errorf("write the proposed targets: %w", err)
	}
	e.st.Settings = set
	e.sync()
	e.note("info", record.NoJob, fmt.Sprintf("%s proposed: %s", view.Plural(len(found), "target"), targetNames(found)))
	return nil
}

func targetNames(list []record.Target) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return "nothing here can be edited"
	}
	return strings.Join(names, ", ")
}

// survey reads what a mapper may know beside the files of the best candidate.
func (e *Engine) survey(ctx context.Context, p *fold.TargetFacts) (offline.Survey, agent.Tree, error) {
	out := offline.Survey{Gains: map[string]int{}, Tried: p.Tried}
	_, out.Allowed = e.scope("")
	for _, t := range e.cfg.Targets {
		out.Taken = append(out.Taken, t.Name)
	}
	for _, g := range p.Ever {
		changed := e.changedBy(ctx, g.Candidate)
		for _, path := range changed {
			out.Gains[path]++
		}
		p.Told = append(p.Told, fmt.Sprintf("%s changed %s: %+.6g (%s)", g.Candidate, strings.Join(changed, ", "), g.Delta, g.Operator))
	}
	best, err := e.item(ctx, p.Best)
	if err != nil {
		return out, nil, err
	}
	return out, best.Files, nil
}

// changedBy lists the paths that a candidate changed, none where its files
// cannot be read.
func (e *Engine) changedBy(ctx context.Context, id record.CandidateID) []string {
	c, err := e.db.Candidate(ctx, e.exp, id)
	if err != nil {
		return nil
	}
	parent, err := e.db.Candidate(ctx, e.exp, c.Parent())
	if err != nil {
		return nil
	}
	diffs, err := e.repo.DiffTrees(ctx, parent.Tree, c.Tree)
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range diffs {
		out = append(out, d.Path)
	}
	return out
}

// mapRepository is the assist job of a mapper. When the model cannot be asked
// or understood the targets are those of the built-in one.
func (r *jobRun) mapRepository(ctx context.Context, v *voice) error {
	e, job := r.e, r.lease.Job
	e.live.stage(job.ID, record.Editing, "looking for targets")
	var here fold.TargetFacts
	if err := e.ask(ctx, func(s *fold.State) { here = s.TargetFacts() }); err != nil {
		return err
	}
	survey, tree, err := e.survey(ctx, &here)
	if err != nil {
		return r.fail(ctx, record.ClassInternal, err.Error())
	}
	failure := fmt.Errorf("there is no agent %q any more", job.Agent)
	answer := ""
	if v != nil {
		prompt, err := r.mapPrompt(ctx, here, tree)
		if err != nil {
			return err
		}
		answer, failure = r.consult(ctx, v, job.Agent, agent.RoleMapper, prompt)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var found []record.Target
	if failure == nil {
		found, failure = survey.ParseTargets(answer, tree, job.Agent)
	}
	if failure != nil {
		if found, err = survey.Targets(ctx, tree, "offline"); err != nil {
			return err
		}
	}
	if err := r.offerTargets(ctx, found); err != nil {
		return err
	}
	switch {
	case failure == nil:
		return r.finish(ctx, store.Outcome{State: record.Done})
	case errors.Is(failure, gateway.ErrBudget):
		return r.fail(ctx, record.ClassBudget, failure.Error())
	}
	return r.fail(ctx, record.ClassAgent, failure.Error())
}

// offerTargets writes the proposals as a decision of the mapper: the loop
// carries it out, as it would a person's.
func (r *jobRun) offerTargets(ctx context.Context, found []record.Target) error {
	e := r.e
	for i := range found { // what a model wrote may hold what it was told
		found[i].Hint = agent.Redact(found[i].Hint, e.crew.secrets...)
	}
	var kept []record.Target
	if err := e.ask(ctx, func(s *fold.State) { kept = s.WithKept(found) }); err != nil {
		return err
	}
	args, err := json.Marshal(map[string][]record.Target{"targets": kept})
	if err != nil {
		return err
	}
	_, err = e.append(ctx, record.Decision{
		Who: r.lease.Job.Agent, Verb: record.Set, Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1, Args: args,
		Text: "targets = " + targetNames(found),
	})
	return err
}

// mapPrompt shows the best candidate, its files, and how the targets did.
func (r *jobRun) mapPrompt(ctx context.Context, here fold.TargetFacts, tree agent.Tree) (agent.Rendered, error) {
	e := r.e
	item, err := e.item(ctx, here.Best)
	if err != nil {
		return agent.Rendered{}, err
	}
	set := e.settings()
	j := agent.Job{
		Number: r.lease.Job.ID, Attempt: r.lease.Attempt, Parent: item, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance,
		Direction: e.cfg.Evaluator.Direction, Metric: e.metric(),
	}
	_, j.Scope = e.scope("")
	if err := e.context(ctx, &j); err != nil {
		return agent.Rendered{}, err
	}
	if err := r.inform(ctx, &j); err != nil {
		return agent.Rendered{}, err
	}
	files, listing, err := prompt.ReadFiles(ctx, j, tree, prompt.FileLimits{})
	if err != nil {
		return agent.Rendered{}, err
	}
	return e.crew.prompts.Render(agent.RoleMapper, prompt.ViewOf(j, prompt.ViewOptions{
		Files: files, Listing: listing, Facts: strings.Join(here.Told, "\n"), Answer: offline.TargetsAnswer,
	}))
}
