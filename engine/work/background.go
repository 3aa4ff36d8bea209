package work

import (
	"cmp"
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
func (w *editor) inform(ctx context.Context, r *attempt, j *agent.Job, seen *Outlook) error {
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
	best, err := w.best(ctx, seen)
	if err != nil {
		return err
	}
	j.Background = &agent.Background{
		Best: best, Conditions: w.facts.conditions(), Lineage: prompt.CardsOf(chains...), Others: w.others(ctx, j.Number, seen), Feedback: feedback, Secrets: w.roster.Secrets,
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
	places, err := w.places(ctx, ids, seen)
	if err != nil {
		return err
	}
	j.Parent.Place = places[0]
	for i := range j.Inspirations {
		j.Inspirations[i].Place = places[i+1]
	}
	j.Background.Open, err = w.open(ctx, j.Parent.ID, seen)
	return err
}

// open names empty niches beside that of a candidate.
func (w *editor) open(ctx context.Context, id record.CandidateID, seen *Outlook) (string, error) {
	if seen != nil {
		return seen.Open, nil
	}
	return w.standing.Open(ctx, id)
}

// places says where candidates lie.
func (w *editor) places(ctx context.Context, ids []record.CandidateID, seen *Outlook) ([]string, error) {
	if seen == nil {
		return w.standing.Places(ctx, ids)
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = seen.Places[id]
	}
	return out, nil
}

// best is the best candidate so far, nil where nothing was measured.
func (w *editor) best(ctx context.Context, seen *Outlook) (*agent.Item, error) {
	id := record.NoCandidate
	var err error
	if seen != nil {
		id = seen.Best
	} else if id, err = w.standing.Best(ctx); err != nil {
		return nil, err
	}
	if id == record.NoCandidate {
		return nil, nil
	}
	it, err := w.item(ctx, id)
	if err != nil {
		return nil, err
	}
	return &it, nil
}

// others says in one line each what the jobs beside this one try.
func (w *editor) others(ctx context.Context, self record.JobID, seen *Outlook) []string {
	if seen != nil {
		return seen.Others
	}
	var out []string
	for _, r := range w.live.All() {
		if r.Job.ID == self || r.Job.Kind != record.Make || len(out) == othersShown {
			continue
		}
		meant := ""
		if c, err := w.db.Candidate(ctx, w.exp(), record.CandidateID(r.Job.ID)); err == nil {
			meant = c.Intent // a commit that exists says what was meant
		}
		out = append(out, tries(&r.Job, meant))
	}
	return out
}

// tries says in one line what a job tries.
func tries(j *record.Job, meant string) string {
	line := fmt.Sprintf("%s of %s", j.Operator, j.Parent)
	if j.Target != "" {
		line += " on " + j.Target
	}
	if meant = cmp.Or(meant, firstLine(j.Goal)); meant != "" {
		line += ": " + meant
	}
	return view.CleanLine(line)
}
