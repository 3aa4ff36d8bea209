package door

import (
	"context"
	"strconv"

	"atoll/engine/view"
	"atoll/store/record"
)

// JobList is a page of jobs.
type JobList struct {
	Items []JobLine `json:"items"`
	Next  string    `json:"next,omitempty" doc:"Cursor of the next page; none on the last."`
}

// JobLine is a job with the value of what it made or measured.
type JobLine struct {
	record.Job
	Objective *float64 `json:"objective" doc:"Of the samples that decided."`
	Value     string   `json:"value" doc:"Its value with its evidence, for people; - where it has none."`
}

// JobDetail is everything known about one job.
type JobDetail struct {
	Job      record.Job     `json:"job"`
	Stages   []Stage        `json:"stages"`
	Findings []Finding      `json:"findings"`
	Texts    []Text         `json:"texts" doc:"Output, prompts, transcripts, verdicts; long ones are cut."`
	Live     []string       `json:"live" doc:"Last lines of output while it runs."`
	Retries  []record.JobID `json:"retries"`
}

// Stage is one stretch of a job.
type Stage struct {
	Attempt int           `json:"attempt"`
	Name    string        `json:"name"`
	Started record.Millis `json:"started"`
	Ended   record.Millis `json:"ended,omitempty"`
	Note    string        `json:"note,omitempty"`
}

// Text is something kept with a job.
type Text struct {
	Attempt int    `json:"attempt"`
	Kind    string `json:"kind"`
	Text    string `json:"text"`
}

func cleanJob(j record.Job) record.Job {
	j.Reason, j.Why, j.Goal = clean(j.Reason), view.CleanLine(j.Why), clean(j.Goal)
	j.Agent, j.Target = view.CleanLine(j.Agent), view.CleanLine(j.Target)
	return j
}

// Jobs returns a page, newest first.
func (d *Door) Jobs(ctx context.Context, q view.JobQuery) (JobList, error) {
	limit := q.Limit
	q.Limit++
	list, err := d.Reader().Jobs(ctx, q)
	if err != nil {
		return JobList{}, err
	}
	page := JobList{}
	if len(list) > limit {
		list = list[:limit]
		page.Next = strconv.FormatInt(int64(list[limit-1].Job.ID), 10)
	}
	s := d.Snapshot()
	page.Items = every(list, func(l view.JobLine) JobLine {
		return JobLine{cleanJob(l.Job), l.Objective, s.Told(l.Job.Candidate, l.Objective, l.Claim).String()}
	})
	return page, nil
}

// Job tells one job.
func (d *Door) Job(ctx context.Context, id record.JobID) (JobDetail, error) {
	j, err := d.Reader().Job(ctx, id)
	if err != nil {
		return JobDetail{}, err
	}
	return JobDetail{
		Job: cleanJob(j.Job), Findings: cleanFindings(j.Findings), Live: every(j.Live, view.CleanLine), Retries: append([]record.JobID{}, j.Retries...),
		Stages: every(j.Stages, func(s view.StageSpan) Stage {
			return Stage{s.Attempt, s.Name, s.Started, s.Ended, view.CleanLine(s.Note)}
		}),
		Texts: every(j.Evidence, func(e record.Evidence) Text { return Text{e.Attempt, view.CleanLine(e.Kind), clean(string(e.Text))} }),
	}, nil
}
