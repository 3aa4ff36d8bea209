package work

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"atoll/engine/fold"
	"atoll/store"
	"atoll/store/record"
)

// Outlook is what the search looked like at the fold position at which a job was chosen, as
// far as agents are told of it. In strict order it is kept with the job: what its agent is told
// follows from the position, as the choice does, and not from what else was done by the time
// that somebody takes the job.
type Outlook struct {
	Job    record.JobID                  `json:"job"`
	Folded record.JobID                  `json:"folded"` // jobs of lower numbers were
	Best   record.CandidateID            `json:"best"`
	Places map[record.CandidateID]string `json:"places,omitempty"` // of what it starts from
	Open   string                        `json:"open,omitempty"`   // empty niches beside that of its parent
	Near   []record.CandidateID          `json:"near,omitempty"`   // what failures began from that lie in the niche of its parent
	Others []string                      `json:"others,omitempty"` // what jobs try that were chosen and not folded, a line each
	Notes  []record.Note                 `json:"notes,omitempty"`
}

// Telling reports whether the agent of a job is told how the search stands.
func (w *Runner) Telling(job *record.Job) bool {
	return w.roster != nil && job.Kind == record.Make && (!w.roster.Mute[job.Agent] || job.Operator == record.OpRepair)
}

// slot is where the store keeps the outlook of a job: no more jobs than there are slots wait
// at the same time, unless people add more.
func slot(job record.JobID, lookahead int) string {
	return fmt.Sprintf("outlook %d", job%record.JobID(2*lookahead+16))
}

// Look keeps how the search stands for a job of strict order that is about to be queued, by
// the state at its fold position. It is called on the goroutine that owns the state.
func (w *Runner) Look(ctx context.Context, job *record.Job, st *fold.State) error {
	o := Outlook{Job: job.ID, Folded: record.JobID(st.FoldCount()), Best: st.Best, Places: map[record.CandidateID]string{}}
	for _, id := range append([]record.CandidateID{job.Parent}, job.Inspirations...) {
		o.Places[id] = st.PlaceText(id)
	}
	o.Open = fold.OpenText(st, job.Parent)
	failures, err := w.maker.editor.feedback.newest(ctx, o.Folded)
	if err != nil {
		return err
	}
	for i := range failures {
		if id := failures[i].Parent; st.SameNiche(id, job.Parent) && !slices.Contains(o.Near, id) {
			o.Near = append(o.Near, id)
		}
	}
	if o.Others, err = w.maker.editor.chosen(ctx, o.Folded, job.ID); err != nil {
		return err
	}
	if o.Notes, err = w.db.Notes(ctx, w.exp()); err != nil {
		return err
	}
	o.Notes = slices.DeleteFunc(o.Notes, func(n record.Note) bool { return n.Gone })
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return w.db.PutMeta(ctx, w.exp(), slot(job.ID, w.facts.Experiment.Lookahead), string(text))
}

// outlook is what was kept for a job; nil: nothing was, and its agent is told how the search
// stands now.
func (w *run) outlook(ctx context.Context, job record.JobID) (*Outlook, error) {
	if !w.facts.Experiment.Strict {
		return nil, nil
	}
	text, ok, err := w.db.Meta(ctx, w.exp(), slot(job, w.facts.Experiment.Lookahead))
	if err != nil || !ok {
		return nil, err
	}
	var o Outlook
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return nil, fmt.Errorf("read what %s is told: %w", job, err)
	}
	if o.Job != job {
		return nil, nil
	}
	return &o, nil
}

// chosen says in one line each what the jobs try that were chosen before one of strict order,
// and were not folded then: those that may be in work beside it.
func (w *editor) chosen(ctx context.Context, folded, before record.JobID) ([]string, error) {
	jobs, err := w.db.Jobs(ctx, w.exp(), store.JobFilter{Kind: record.Make, Before: before, Limit: othersShown})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, j := range slices.Backward(jobs) { // oldest first
		if j.ID >= folded {
			out = append(out, tries(&j, ""))
		}
	}
	return out, nil
}
