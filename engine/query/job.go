package query

import (
	"context"
	"encoding/json"
	"fmt"

	"atoll/engine/fold"
	"atoll/engine/view"
	"atoll/store"
	"atoll/store/record"
)

// Job returns everything known about one job.
func (r *Reader) Job(ctx context.Context, id record.JobID) (view.JobDetail, error) {
	job, err := r.db.Job(ctx, r.exp, id)
	if err != nil {
		return view.JobDetail{}, fmt.Errorf("read job %s: %w", id, err)
	}
	d := view.JobDetail{Job: job, Live: r.live.LinesOf(id), Stages: stagesOf(job)}
	if d.Evidence, err = r.db.EvidenceOf(ctx, r.exp, id); err != nil {
		return d, err
	}
	d.Findings = findingsOf(d.Evidence)
	if err := r.addPrompts(ctx, &d); err != nil {
		return d, err
	}
	if job.Candidate != record.NoCandidate {
		c, err := r.candidate(ctx, job.Candidate)
		if err != nil {
			return d, err
		}
		d.Candidate = c
		claims, err := r.Claims(ctx, []record.CandidateID{c.ID})
		if err != nil {
			return d, err
		}
		d.Claim = claims[c.ID]
	}
	if job.Parent != record.NoCandidate {
		if d.Parent, err = r.candidate(ctx, job.Parent); err != nil {
			return d, err
		}
	}
	d.Retries, err = r.retriesOf(ctx, id)
	return d, err
}

// addPrompts shows what a job that has not ended was told, or would be told now.
func (r *Reader) addPrompts(ctx context.Context, d *view.JobDetail) error {
	if d.Job.State.Running() {
		d.Evidence = append(d.Evidence, r.live.PromptsOf(d.Job.ID)...)
		return nil
	}
	previews := r.previews.Load()
	if previews == nil { // the agents are not known yet
		return nil
	}
	p, err := (*previews).Preview(ctx, d.Job)
	if err == nil {
		d.Evidence = append(d.Evidence, p)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return nil // a prompt that cannot be written yet is no reason to show nothing
}

// retriesOf lists the jobs that try a job again, oldest first.
func (r *Reader) retriesOf(ctx context.Context, id record.JobID) ([]record.JobID, error) {
	asked := false
	if err := r.asker.Ask(ctx, func(s *fold.State) {
		for _, d := range s.Decided.All {
			asked = asked || d.Verb == record.Retry && d.Job == id
		}
	}); err != nil || !asked {
		return nil, err
	}
	jobs, err := r.db.Jobs(ctx, r.exp, store.JobFilter{Limit: 1000})
	var out []record.JobID
	for i := len(jobs) - 1; i >= 0; i-- {
		if jobs[i].RetryOf == id {
			out = append(out, jobs[i].ID)
		}
	}
	return out, err
}

// stagesOf tells the stretches of a job as far as its row knows them.
func stagesOf(j record.Job) []view.StageSpan {
	spans := []view.StageSpan{{Attempt: 0, Name: "queued", Started: j.Created, Ended: j.Started}}
	if j.Started == 0 {
		return spans
	}
	at := j.Started
	add := func(name string, ms int64) {
		if ms > 0 {
			spans = append(spans, view.StageSpan{Attempt: j.Attempt, Name: name, Started: at, Ended: at + record.Millis(ms)})
			at += record.Millis(ms)
		}
	}
	add("editing", j.EditMS)
	add("measuring", j.EvalMS)
	if j.State.Ended() {
		spans = append(spans, view.StageSpan{Attempt: j.Attempt, Name: string(j.State), Started: j.Ended, Ended: j.Ended, Note: j.Reason})
	} else {
		spans = append(spans, view.StageSpan{Attempt: j.Attempt, Name: string(j.State), Started: at, Note: j.Reason})
	}
	return spans
}

func findingsOf(evidence []record.Evidence) []view.GateFinding {
	var out []view.GateFinding
	for _, ev := range evidence {
		if ev.Kind != "gate" {
			continue
		}
		var v struct {
			Findings []struct {
				Rule, Path, Text string
				Hard             bool
			}
		}
		if json.Unmarshal(ev.Text, &v) != nil {
			continue
		}
		for _, f := range v.Findings {
			out = append(out, view.GateFinding{Rule: f.Rule, Path: f.Path, Text: f.Text, Hard: f.Hard})
		}
	}
	return out
}

// Jobs returns a page of jobs, newest first.
func (r *Reader) Jobs(ctx context.Context, q view.JobQuery) ([]view.JobLine, error) {
	jobs, err := r.db.Jobs(ctx, r.exp, store.JobFilter{
		States: q.States, Kind: q.Kind, Operator: q.Operator, Agent: q.Agent, Target: q.Target, Text: q.Text, Before: q.Before,
		Limit: orDefault(q.Limit, 200),
	})
	if err != nil {
		return nil, err
	}
	out := make([]view.JobLine, len(jobs))
	return out, askEach(ctx, r.asker, len(jobs), func(s *fold.State, i int) {
		out[i].Job = jobs[i]
		if m := s.Candidate(jobs[i].Candidate); m != nil && m.Told() {
			obj := m.Objective
			out[i].Objective, out[i].Claim = &obj, s.HeldOut(m.ID())
		}
	})
}

func orDefault(n, d int) int {
	if n <= 0 {
		return d
	}
	return n
}
