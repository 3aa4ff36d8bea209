package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/campaign"
	"atoll/engine/campaign/audit"
	"atoll/engine/evidence"
	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/gitops"
	"atoll/store"
	"atoll/store/record"
)

// picker looks for the candidate of a task's experiment that meets its acceptance.
type picker struct {
	*taskRunner
	task  *campaign.Task
	exp   record.Experiment
	began record.Hash               // the commit that the campaign began with
	known map[string]campaign.Check // of the auditor and of commands, by tree and condition: they stay

	trees map[record.Hash]*audit.Report // the root's and the last one that was measured, by tree

	// What is looked at now.
	state *fold.State
	snap  *view.Snapshot
	ran   int // candidates that commands were run on
}

// verdict is what one candidate came to.
type verdict struct {
	candidate record.CandidateID
	checks    []campaign.Check
	ok        bool
	reason    string
}

// pick returns the best candidate that meets the acceptance; without one, what
// the best came to. A chore that changed nothing, and a root that meets every bound
// already, are done without a new commit.
func (p *picker) pick(ctx context.Context, st *fold.State) (verdict, error) {
	p.state, p.snap, p.ran = st, st.Snapshot(), 0
	if p.task.Command != "" {
		return p.chore(ctx)
	}
	var first *verdict
	for _, id := range p.state.Ranked(view.CandidateQuery{Best: true}, lookAt) {
		if id == record.Root {
			continue
		}
		v, err := p.check(ctx, id)
		if err != nil || v.ok {
			return v, err
		}
		if first == nil {
			first = &v
		}
	}
	if p.holdsAlready() {
		v, err := p.check(ctx, record.Root)
		if err != nil || v.ok {
			v.reason = "the root meets the acceptance already"
			return v, err
		}
	}
	if first == nil {
		return verdict{reason: "no candidate was measured: " + failuresText(p.snap)}, nil
	}
	return *first, nil
}

// enough is [engine.Options.Enough] of a task's search: what is picked now meets the
// acceptance, or nobody changes anything.
func (p *picker) enough(ctx context.Context, st *fold.State) (string, error) {
	p.state, p.snap = st, st.Snapshot()
	if why := p.vain(); why != "" || !p.task.EndsEarly() {
		return why, nil
	}
	v, err := p.pick(ctx, st)
	if err != nil || !v.ok {
		return "", err
	}
	return v.reason, nil
}

// vain says that a search has nothing to change: as many jobs as make a streak failed, each
// for want of a change, and no candidate came of another; "" = it may have.
func (p *picker) vain() string {
	n := 0
	for _, f := range p.snap.Failures {
		if f.Class != record.ClassNoChange {
			return ""
		}
		n += f.Count
	}
	made := func(id record.CandidateID) bool { return id != record.Root }
	if p.task.Command != "" || n < fold.BreakAfter || slices.ContainsFunc(p.state.Ranked(view.CandidateQuery{}, 2), made) {
		return ""
	}
	return fmt.Sprintf("none of its %d jobs changed anything: %s; after `atoll backlog reopen`, `atoll backlog edit t%d --scope GLOBS` names other files",
		n, view.CleanLine(p.snap.Failures[0].Reason), p.task.ID)
}

// holdsAlready says whether the root may be what a task asks for: only where that
// is a bound and not a gain.
func (p *picker) holdsAlready() bool {
	if len(p.task.Acceptance) == 0 {
		return false
	}
	for _, a := range p.task.Acceptance {
		if a.Kind == campaign.AcceptGain {
			return false
		}
	}
	return true
}

// chore judges the single job of a chore.
func (p *picker) chore(ctx context.Context) (verdict, error) {
	jobs, err := p.ses.DB.Jobs(ctx, p.exp.ID, store.JobFilter{Kind: record.Make, Limit: 1})
	if err != nil {
		return verdict{}, err
	}
	if len(jobs) == 0 {
		return verdict{reason: "the command was not run: " + p.snap.Reason}, nil
	}
	j := jobs[0]
	id := record.Root
	switch {
	case j.State == record.Scored || j.State == record.Placed:
		id = j.Candidate
	case j.State == record.Duplicate, j.Class == record.ClassNoChange: // it ended well and changed nothing
	default:
		return verdict{reason: p.choreFailed(&j)}, nil
	}
	v, err := p.check(ctx, id)
	if v.ok && id == record.Root {
		v.reason = "the command ended with 0 and changed nothing"
	} else if v.ok {
		v.reason = "the command ended with 0"
	}
	return v, err
}

// choreFailed says why the command of a chore did not end well. The time limits of its
// agent are the task's own.
func (p *picker) choreFailed(j *record.Job) string {
	wall := p.task.Wall()
	silent := j.Class == record.ClassTimeout && strings.Contains(j.Reason, "it said nothing for")
	switch {
	case j.Class != record.ClassTimeout:
		return view.CleanLine(j.Reason)
	case wall == 0 && !silent:
		return fmt.Sprintf("the command did not end within %s; `atoll backlog edit t%d --deadline TIME` gives it more, after `atoll backlog reopen`", choreTime, p.task.ID)
	case silent && (wall == 0 || wall > choreSilence):
		return fmt.Sprintf("the command printed nothing for %s, so it was ended; one that works for so long prints something now and then", choreSilence)
	}
	return deadlinePassed(wall) + ": the command was ended"
}

func deadlinePassed(wall time.Duration) string {
	return fmt.Sprintf("the deadline of the task (%s) passed", wall)
}

// check holds every acceptance against one candidate. Without any, a search is done
// by a confirmed gain, a chore by its command.
func (p *picker) check(ctx context.Context, id record.CandidateID) (verdict, error) {
	v := verdict{candidate: id, ok: true}
	c, err := p.ses.DB.Candidate(ctx, p.exp.ID, id)
	if err != nil {
		return v, err
	}
	list := slices.Clone(p.task.Acceptance)
	if len(list) == 0 && p.task.Command == "" {
		list = []campaign.Acceptance{{Kind: campaign.AcceptGain, AtLeast: true}}
	}
	slices.SortStableFunc(list, func(a, b campaign.Acceptance) int { return cmp.Compare(price(a), price(b)) })
	if worse := p.worse(id, &c); worse != "" {
		v.ok, v.reason = false, worse
		return v, nil
	}
	for _, a := range list {
		k, err := p.accept(ctx, a, &c)
		if err != nil {
			return v, err
		}
		v.checks = append(v.checks, k)
		if !k.Holds {
			v.ok, v.reason = false, fmt.Sprintf("%s does not meet %q: %s", id, a.String(), k.Detail)
			return v, nil
		}
	}
	v.reason = fmt.Sprintf("%s meets the acceptance", id)
	if len(v.checks) > 0 {
		v.reason += ": " + v.checks[0].Detail
	}
	return v, nil
}

// worse says that a candidate is worse than the root on the objective, beyond the
// root's spread; a task never pays with that.
func (p *picker) worse(id record.CandidateID, c *record.Candidate) string {
	if p.task.Command != "" || id == record.Root || c.Objective == nil {
		return ""
	}
	loss := p.snap.Root.Objective - *c.Objective
	if p.snap.Direction == "minimize" {
		loss = -loss
	}
	if loss > 3*max(p.snap.Root.MAD, c.MAD) {
		return fmt.Sprintf("%s is worse than the root: %s against %s", id, view.FormatValue(*c.Objective), view.FormatValue(p.snap.Root.Objective))
	}
	return ""
}

// accept checks one condition on one candidate.
func (p *picker) accept(ctx context.Context, a campaign.Acceptance, c *record.Candidate) (campaign.Check, error) {
	k := campaign.Check{Acceptance: a}
	switch a.Kind {
	case campaign.AcceptGain:
		p.gain(&k, c.ID)
	case campaign.AcceptMetric:
		return k, p.metric(ctx, &k, c)
	case campaign.AcceptAudit:
		return p.once(c, a, func() (campaign.Check, error) { return p.judge(ctx, a, c) })
	case campaign.AcceptRun:
		return p.once(c, a, func() (campaign.Check, error) {
			if p.ran >= runOn && !p.task.EndsEarly() { // else each was looked at when it was measured
				k.Detail = fmt.Sprintf("not run: it failed on %d better ones", runOn)
				return k, nil
			}
			p.ran++
			ok, text, err := p.passes(ctx, p.task, p.exp, a.Command, *c)
			k.Holds, k.Detail = ok, text
			return k, err
		})
	}
	return k, nil
}

// judge holds a figure of the auditor against a candidate and the root of the task.
func (p *picker) judge(ctx context.Context, a campaign.Acceptance, c *record.Candidate) (campaign.Check, error) {
	k := campaign.Check{Acceptance: a}
	figure, _, _ := strings.Cut(a.Name, " ")
	// A profile in the tree is what a candidate says of itself: the tests are run instead.
	with := audited{collect: figure == audit.Covered, plugged: strings.Contains(figure, "/")}
	root, err := p.report(ctx, p.exp.RootTree, audited{plugged: with.plugged})
	if err != nil {
		return k, err
	}
	now, err := p.report(ctx, c.Tree, with)
	if err != nil {
		return k, err
	}
	k.Holds, k.Detail = audit.Judge(root, now, audit.Condition{Figure: a.Name, AtLeast: a.AtLeast, Bound: a.Bound})
	return k, nil
}

// report audits a tree. Those of the source alone are kept of the root and of the tree that
// was looked at last.
func (p *picker) report(ctx context.Context, tree record.Hash, with audited) (*audit.Report, error) {
	kept := with == audited{}
	if r := p.trees[tree]; r != nil && kept {
		return r, nil
	}
	r, err := p.auditTree(ctx, tree, p.began, with)
	if err != nil || !kept {
		return &r, err
	}
	next := map[record.Hash]*audit.Report{tree: &r}
	if root := p.trees[p.exp.RootTree]; root != nil {
		next[p.exp.RootTree] = root
	}
	p.trees = next
	return &r, nil
}

// price orders conditions by what it takes to check them.
func price(a campaign.Acceptance) int {
	return slices.Index([]campaign.AcceptanceKind{campaign.AcceptGain, campaign.AcceptMetric, campaign.AcceptAudit, campaign.AcceptRun}, a.Kind)
}

// once checks a condition on a tree, unless that was done before: a search asks again
// after each job.
func (p *picker) once(c *record.Candidate, a campaign.Acceptance, check func() (campaign.Check, error)) (campaign.Check, error) {
	key := c.Tree.String() + " " + a.String()
	if k, ok := p.known[key]; ok {
		return k, nil
	}
	k, err := check()
	if err == nil {
		p.known[key] = k
	}
	return k, err
}

func (p *picker) gain(k *campaign.Check, id record.CandidateID) {
	c, ok := p.state.ClaimOf(id)
	pct := view.ClaimPercent(c)
	switch {
	case !ok || c.N == 0:
		k.Detail = "it has no held-out samples"
	case pct != pct:
		k.Detail = fmt.Sprintf("its gain is %s", c.Word)
		if c.Word == evidence.Exact || c.Word == evidence.Confirmed { // the root is 0: no percentage
			k.Detail = fmt.Sprintf("it gains %s on a root of 0, which is no percentage", view.FormatValue(c.Gain))
			k.Holds = k.Acceptance.Bound == 0 && c.Gain > 0
		}
	default:
		k.Detail = fmt.Sprintf("%s, %s", signedPercent(pct), c.Word)
		k.Holds = pct > 0 && k.Acceptance.Holds(pct)
	}
}

// metric takes the held-out value of the objective, and the median of any other.
func (p *picker) metric(ctx context.Context, k *campaign.Check, c *record.Candidate) error {
	name := k.Acceptance.Name
	if claim, ok := p.state.ClaimOf(c.ID); ok && name == p.snap.Objective && claim.N > 0 {
		k.Holds = k.Acceptance.Holds(claim.Value)
		k.Detail = fmt.Sprintf("%s is %s (held out, n=%d)", name, view.FormatValue(claim.Value), claim.N)
		return nil
	}
	all, err := p.ses.DB.Metrics(ctx, p.exp.ID, c.ID)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Name == name {
			k.Holds, k.Detail = k.Acceptance.Holds(m.Value), fmt.Sprintf("%s is %s", name, view.FormatValue(m.Value))
			return nil
		}
	}
	k.Detail = fmt.Sprintf("the evaluator reports no metric %s", name)
	return nil
}

// failuresText says how the jobs of a search ended that measured nothing.
func failuresText(s *view.Snapshot) string {
	if len(s.Failures) == 0 {
		return "no job gave one"
	}
	count := map[record.Class]int{}
	var classes []record.Class
	for _, f := range s.Failures {
		if count[f.Class] == 0 {
			classes = append(classes, f.Class)
		}
		count[f.Class] += f.Count
	}
	words := make([]string, len(classes))
	for i, c := range classes {
		words[i] = fmt.Sprintf("%d %s", count[c], c)
	}
	return fmt.Sprintf("its jobs failed (%s), the first: %s", strings.Join(words, ", "), view.CleanLine(s.Failures[0].Reason))
}

// gitopsCommit is a commit of the campaign's branch.
func gitopsCommit(tree, parent record.Hash, message string, at time.Time) gitops.CommitSpec {
	return gitops.CommitSpec{
		Tree: tree, Parents: []record.Hash{parent}, Message: message, AuthorName: "atoll", AuthorEmail: "atoll@localhost", Time: at,
	}
}
