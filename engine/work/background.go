package work

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/view"
	"atoll/store/record"
)

// The bounds of what a prompt is given; its own sections cut further.
const (
	lineageDepth = 4096 // stretches of a trajectory are counted from the root
	othersShown  = 16
)

// inform adds what only prompts tell: how the candidates came about, what the
// other jobs try, what the evaluator said of the parent. Agents that read no
// prompt go without.
func (w *editor) inform(ctx context.Context, r *attempt, j *agent.Job) error {
	chains := [][]record.Candidate{}
	for _, it := range slices.Concat([]agent.Item{j.Parent}, j.Inspirations) {
		chain, err := w.db.Lineage(ctx, w.exp(), it.ID, lineageDepth)
		if err != nil {
			return fmt.Errorf("read the lineage of %s: %w", it.ID, err)
		}
		for i := range chain {
			w.facts.comparable(&chain[i])
		}
		chains = append(chains, chain)
	}
	feedback, err := w.feedback.of(ctx, j.Parent.ID)
	if err != nil {
		return err
	}
	best, err := w.best(ctx)
	if err != nil {
		return err
	}
	j.Background = &agent.Background{
		Best: best, Conditions: w.facts.conditions(), Lineage: prompt.CardsOf(chains...), Others: w.others(ctx, j.Number), Feedback: feedback, Secrets: w.roster.Secrets,
	}
	if j.Background.Summaries, err = w.lineage.summaries(ctx, r, j, !r.preview); err != nil {
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

// best is the best candidate so far, nil where nothing was measured.
func (w *editor) best(ctx context.Context) (*agent.Item, error) {
	id, err := w.standing.Best(ctx)
	if err != nil || id == record.NoCandidate {
		return nil, err
	}
	it, err := w.item(ctx, id)
	if err != nil {
		return nil, err
	}
	return &it, nil
}

// others says in one line each what the jobs beside this one try.
func (w *editor) others(ctx context.Context, self record.JobID) []string {
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
		if c, err := w.db.Candidate(ctx, w.exp(), record.CandidateID(r.Job.ID)); err == nil && c.Intent != "" {
			line += ": " + c.Intent
		} else if r.Job.Goal != "" {
			line += ": " + firstLine(r.Job.Goal)
		}
		out = append(out, view.CleanLine(line))
	}
	return out
}
