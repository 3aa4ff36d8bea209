package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/gate"
	"atoll/engine/gateway"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// The bounds of what a prompt is given; its own sections cut further.
const (
	lineageDepth  = 4096 // stretches of a trajectory are counted from the root
	diffBytes     = 64 << 10
	feedbackBytes = 16 << 10
	failureBytes  = 2 << 10
	failureShown  = 5
	failureLook   = 50 // newest failures looked through
	othersShown   = 16
)

// inform adds what only prompts tell: how the candidates came about, what the
// other jobs try, what the evaluator said of the parent. Agents that read no
// prompt go without.
func (r *jobRun) inform(ctx context.Context, j *agent.Job) error {
	w := r.w
	chains := [][]record.Candidate{}
	for _, it := range slices.Concat([]agent.Item{j.Parent}, j.Inspirations) {
		chain, err := w.db.Lineage(ctx, w.facts.Experiment.ID, it.ID, lineageDepth)
		if err != nil {
			return fmt.Errorf("read the lineage of %s: %w", it.ID, err)
		}
		for i := range chain {
			w.comparable(&chain[i])
		}
		chains = append(chains, chain)
	}
	feedback, err := w.feedback(ctx, j.Parent.ID)
	if err != nil {
		return err
	}
	j.Background = &agent.Background{
		Lineage: prompt.CardsOf(chains...), Others: w.others(ctx, j.Number), Feedback: feedback, Secrets: w.roster.Secrets,
	}
	if j.Background.Summaries, err = r.summaries(ctx, j, !r.preview); err != nil {
		return err
	}
	if err := w.describeChange(ctx, &j.Parent); err != nil {
		return err
	}
	for i := range j.Inspirations {
		if err := w.describeChange(ctx, &j.Inspirations[i]); err != nil {
			return err
		}
	}
	ids := []record.CandidateID{j.Parent.ID}
	for _, it := range j.Inspirations {
		ids = append(ids, it.ID)
	}
	places, err := w.standing.Places(ctx, ids)
	if err != nil {
		return err
	}
	j.Parent.Place = places[0]
	for i := range j.Inspirations {
		j.Inspirations[i].Place = places[i+1]
	}
	return nil
}

// describeChange fills in what a candidate changed against its own parent.
func (w *Runner) describeChange(ctx context.Context, it *agent.Item) error {
	from := record.NoCandidate
	for _, p := range it.Parents {
		if p.Role == record.RoleParent {
			from = p.ID
		}
	}
	if from == record.NoCandidate {
		return nil
	}
	parent, err := w.db.Candidate(ctx, w.facts.Experiment.ID, from)
	if err != nil {
		return fmt.Errorf("read candidate %s: %w", from, err)
	}
	diffs, err := w.repo.DiffTrees(ctx, parent.Tree, it.Tree)
	if err != nil {
		return err
	}
	it.Changed = nil
	for _, d := range diffs {
		it.Changed = append(it.Changed, d.Path)
	}
	it.Diff, err = w.patch(ctx, parent.Tree, it.Tree)
	return err
}

// patch is a difference as text, within what a prompt can hold.
func (w *Runner) patch(ctx context.Context, a, b record.Hash) (string, error) {
	text, err := w.repo.PatchText(ctx, a, b)
	if err != nil {
		return "", err
	}
	if len(text) > diffBytes {
		return strings.ToValidUTF8(string(text[:diffBytes]), "") + fmt.Sprintf("\n... %d bytes left out ...\n", len(text)-diffBytes), nil
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// others says in one line each what the jobs beside this one try.
func (w *Runner) others(ctx context.Context, self record.JobID) []string {
	var out []string
	for _, r := range w.live.All() {
		if r.Job.ID == self || r.Job.Kind != record.Make || len(out) == othersShown {
			continue
		}
		line := fmt.Sprintf("%s of %s", r.Job.Operator, r.Job.Parent)
		if r.Job.Target != "" {
			line += " on " + r.Job.Target
		}
		// A commit that exists says what was meant.
		if c, err := w.db.Candidate(ctx, w.facts.Experiment.ID, record.CandidateID(r.Job.ID)); err == nil && c.Intent != "" {
			line += ": " + c.Intent
		} else if r.Job.Goal != "" {
			line += ": " + firstLine(r.Job.Goal)
		}
		out = append(out, view.CleanLine(line))
	}
	return out
}

// measured reports whether a piece of evidence is what the evaluator said, and
// not what an agent was told or answered.
func measured(kind string) bool {
	return strings.HasSuffix(kind, "stderr") || strings.HasSuffix(kind, "stdout") || strings.HasSuffix(kind, "result") || strings.HasPrefix(kind, "artifact ")
}

// feedback is what the evaluator said of a candidate, without a line that
// names a private metric.
func (w *Runner) feedback(ctx context.Context, id record.CandidateID) ([]record.Evidence, error) {
	all, err := w.db.EvidenceOf(ctx, w.facts.Experiment.ID, record.JobID(id))
	if err != nil {
		return nil, fmt.Errorf("read what the evaluator said of %s: %w", id, err)
	}
	var out []record.Evidence
	room := feedbackBytes
	for _, ev := range all {
		if !measured(ev.Kind) || strings.HasSuffix(ev.Kind, "result") && len(w.facts.Config.Evaluator.Private) > 0 {
			continue
		}
		text := tail(w.withoutPrivate(string(ev.Text)), room)
		if room -= len(text); strings.TrimSpace(text) != "" {
			ev.Text = []byte(text)
			out = append(out, ev)
		}
	}
	return out, nil
}

// withoutPrivate takes out the lines that name a private metric.
func (w *Runner) withoutPrivate(text string) string {
	if len(w.facts.Config.Evaluator.Private) == 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool {
		return slices.ContainsFunc(w.facts.Config.Evaluator.Private, func(name string) bool { return name != "" && strings.Contains(l, name) })
	}), "")
}

// tail is the end of a text, at most n bytes, from the beginning of a line
// where it is cut.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if n <= 0 {
		return ""
	}
	text = text[len(text)-n:]
	if _, rest, ok := strings.Cut(text, "\n"); ok && rest != "" {
		text = rest
	}
	return strings.ToValidUTF8(text, "")
}

// failures are the newest failures that a job should know of: that of its
// parent itself, those of edits of the same parent, then those in its niche.
func (w *Runner) failures(ctx context.Context, j *agent.Job) ([]agent.Failure, error) {
	jobs, err := w.db.Jobs(ctx, w.facts.Experiment.ID, store.JobFilter{Kind: record.Make, States: []record.JobState{record.Failed, record.Rejected}, Limit: failureLook})
	if err != nil {
		return nil, err
	}
	var parents []record.CandidateID
	for _, f := range jobs {
		parents = append(parents, f.Parent)
	}
	near, err := w.standing.Neighbours(ctx, j.Parent.ID, parents)
	if err != nil {
		return nil, err
	}
	var out []agent.Failure
	for _, wanted := range []func(f *record.Job) bool{
		func(f *record.Job) bool { return record.CandidateID(f.ID) == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent == j.Parent.ID },
		func(f *record.Job) bool { return f.Parent != j.Parent.ID && near[f.Parent] },
	} {
		for i := range jobs {
			f := &jobs[i]
			if len(out) == failureShown || !wanted(f) || f.Class == record.ClassBudget || f.Class == record.ClassAgent {
				continue
			}
			text, err := w.failureText(ctx, f.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, agent.Failure{Job: f.ID, Class: f.Class, Reason: w.withoutPrivate(f.Reason), Text: text})
		}
	}
	return out, nil
}

// failureText is the end of what a failed job wrote.
func (w *Runner) failureText(ctx context.Context, job record.JobID) (string, error) {
	all, err := w.db.EvidenceOf(ctx, w.facts.Experiment.ID, job)
	if err != nil {
		return "", err
	}
	for _, suffix := range []string{"stderr", "stdout"} {
		for i := len(all) - 1; i >= 0; i-- {
			if text := strings.TrimSpace(string(all[i].Text)); strings.HasSuffix(all[i].Kind, suffix) && measured(all[i].Kind) && text != "" {
				return tail(w.withoutPrivate(text), failureBytes), nil
			}
		}
	}
	return "", nil
}

// reviewed reports whether a reviewer is asked about the candidate.
func (r *jobRun) reviewed() bool {
	name := r.w.facts.Config.Roles.Reviewer
	return name != "" && r.w.roster.Clients[name] != nil && !r.lease.Job.Approved
}

// review asks the reviewer about a candidate that the gate let pass. It
// returns why the candidate is refused, or "". A reviewer that cannot be asked
// or understood refuses nothing; the reason is kept as evidence.
func (r *jobRun) review(ctx context.Context, c *record.Candidate, parentTree record.Hash, v gate.Verdict) (string, error) {
	w := r.w
	if !r.reviewed() {
		return "", nil
	}
	name := w.facts.Config.Roles.Reviewer
	voice := w.roster.Clients[name]
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
	target, _ := w.Scope(c.Target)
	view := prompt.View{
		Job: r.lease.Job.ID, Goal: set.Goal, Constraints: set.Constraints, Acceptance: set.Acceptance, Target: target,
		Direction: w.facts.Config.Evaluator.Direction, Metric: w.Metric(), Diff: diff, Findings: findings, Plan: c.Intent,
		Asked: prompt.Asked{Answer: "Begin with one line \"VERDICT: accept\" or \"VERDICT: reject\". After it, one line for each reason."},
	}.WithSecrets(w.roster.Secrets...)
	prompt, err := w.roster.Prompts.Render(agent.RoleReviewer, view)
	if err != nil {
		return "", err
	}
	answer, err := r.consult(ctx, voice, name, agent.RoleReviewer, prompt)
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
