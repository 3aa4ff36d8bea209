package serve

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"atoll/cli/door"
	"atoll/engine/view"
	"atoll/store/record"
)

// CandidateInput names a candidate.
type CandidateInput struct {
	ID string `path:"id" maxLength:"24" doc:"c128, 128, best or root" example:"c128"`
}

// PageInput asks for a page of a list.
type PageInput struct {
	Cursor string `query:"cursor" maxLength:"24" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Text   string `query:"text" maxLength:"200" doc:"Only those that hold this text."`
}

type candidatesInput struct {
	PageInput
	Order string `query:"order" enum:"newest,best" default:"newest"`
	Elite bool   `query:"elite" doc:"Only those that hold a niche."`
}

type jobsInput struct {
	PageInput
	State    []string `query:"state" enum:"queued,editing,committed,gated,held,evaluating,placed,scored,rejected,failed,duplicate,cancelled,done"`
	Kind     string   `query:"kind" enum:"make,evaluate,assist"`
	Operator string   `query:"operator" maxLength:"40"`
	Agent    string   `query:"agent" maxLength:"200"`
	Target   string   `query:"target" maxLength:"200"`
}

// look registers everything that can be asked.
func look(api huma.API, d *door.Door) {
	lookAtState(api, d)
	lookAtCandidates(api, d)
	lookAtJobs(api, d)
}

// of asks for a part of the newest state.
func of[T any](d *door.Door, fn func(*view.Snapshot) T) func(context.Context, *nothing) (T, error) {
	return func(context.Context, *nothing) (T, error) {
		s := d.Snapshot()
		if s.Loading || s.Experiment.ID == 0 {
			var none T
			return none, door.ErrLoading
		}
		return fn(s), nil
	}
}

func lookAtState(api huma.API, d *door.Door) {
	get(api, "/status", "status", "How the experiment stands", of(d, door.StatusOf))
	get(api, "/niches", "niches", "The archive: every niche that is filled or was tried", of(d, door.GridOf))
	get(api, "/front", "front", "Who is best in a way of its own, where something counts beside the objective", func(ctx context.Context, _ *nothing) (door.Front, error) {
		return d.Front(ctx)
	})
	get(api, "/curves", "curves", "Best, mean, QD score and coverage over measured candidates", of(d, door.CurvesOf))
	get(api, "/activity", "activity", "What runs, what waits for a person, the newest lines and decisions", of(d, door.ActivityOf))
	get(api, "/yields", "yields", "How operators, agents and targets do", of(d, door.YieldsOf))
	get(api, "/failures", "failures", "Failures that are alike, most frequent first", of(d, door.FailuresOf))
	get(api, "/notes", "notes", "What later prompts carry", of(d, door.NotesOf))
	get(api, "/niches/{niche}", "niche", "One niche with its past", func(ctx context.Context, in *struct {
		Niche string `path:"niche" maxLength:"60" example:"9,4"`
	},
	) (door.NichePast, error) {
		cell, err := d.Niche(ctx, in.Niche)
		if err != nil {
			return door.NichePast{}, err
		}
		return d.NichePast(ctx, cell)
	})
	get(api, "/settings", "settings", "Every key of the configuration as it holds now", func(ctx context.Context, _ *nothing) ([]door.Setting, error) {
		return d.Settings(ctx)
	})
	get(api, "/experiments", "experiments", "The experiments beside this one, oldest first", func(ctx context.Context, _ *nothing) ([]record.Experiment, error) {
		return d.Reader().Experiments(ctx)
	})
	get(api, "/whoami", "whoami", "Who you are here, and what you may do", func(ctx context.Context, _ *nothing) (caller, error) {
		c := callerOf(ctx)
		return caller{c.Name, c.Role.String()}, nil
	})
}

// caller is who asks, as an answer.
type caller struct {
	Name string `json:"name"`
	Role string `json:"role" enum:"look,decide,admin"`
}

func lookAtCandidates(api huma.API, d *door.Door) {
	get(api, "/candidates", "candidates", "Candidates, newest or best first, a page at a time", func(ctx context.Context, in *candidatesInput) (door.Candidates, error) {
		q := view.CandidateQuery{Text: in.Text, Limit: in.Limit, Best: in.Order == "best", Elites: in.Elite}
		return d.Candidates(ctx, q, in.Cursor)
	})
	get(api, "/candidates/{id}", "candidate", "One candidate with its samples and its job", named(d, d.Detail))
	get(api, "/candidates/{id}/lineage", "lineage", "Ancestors and descendants; of the root, the lines of all that hold a niche", named(d, d.Family))
	get(api, "/candidates/{id}/diff", "diff", "What a candidate changes", func(ctx context.Context, in *struct {
		CandidateInput
		From    string `query:"from" maxLength:"24" default:"root" doc:"What it is compared with: a candidate, root, or parent."`
		Context int    `query:"context" minimum:"0" maximum:"100" default:"3" doc:"Lines around each change."`
	},
	) ([]door.FilePatch, error) {
		to, err := d.Candidate(in.ID)
		if err != nil {
			return nil, err
		}
		from, err := origin(ctx, d, in.From, to)
		if err != nil {
			return nil, err
		}
		return d.Diff(ctx, from, to, in.Context)
	})
	patch(api, d)
}

// origin reads what a candidate is compared with.
func origin(ctx context.Context, d *door.Door, text string, of record.CandidateID) (record.CandidateID, error) {
	if text != "parent" {
		return d.Candidate(text)
	}
	detail, err := d.Detail(ctx, of)
	if err != nil {
		return record.NoCandidate, err
	}
	if p := detail.Candidate.Parent(); p != record.NoCandidate {
		return p, nil
	}
	return record.Root, nil
}

// named reads the candidate of a path.
func named[T any](d *door.Door, fn func(context.Context, record.CandidateID) (T, error)) func(context.Context, *CandidateInput) (T, error) {
	return func(ctx context.Context, in *CandidateInput) (T, error) {
		id, err := d.Candidate(in.ID)
		if err != nil {
			var none T
			return none, err
		}
		return fn(ctx, id)
	}
}

func patch(api huma.API, d *door.Door) {
	huma.Register(api, huma.Operation{
		Method: http.MethodGet, Path: prefix + "/candidates/{id}/patch", OperationID: "patch", Summary: "The difference to the root as `git apply` takes it",
		Responses: map[string]*huma.Response{"200": {Description: "A patch", Content: map[string]*huma.MediaType{"text/x-diff": {Schema: &huma.Schema{Type: "string"}}}}},
		Errors:    asks,
	}, func(ctx context.Context, in *CandidateInput) (*struct {
		Type string `header:"Content-Type"`
		Name string `header:"Content-Disposition"`
		Body []byte
	}, error,
	) {
		id, err := d.Candidate(in.ID)
		if err != nil {
			return nil, problem(err)
		}
		text, err := d.Patch(ctx, id)
		if err != nil {
			return nil, problem(err)
		}
		return &struct {
			Type string `header:"Content-Type"`
			Name string `header:"Content-Disposition"`
			Body []byte
		}{"text/x-diff; charset=utf-8", `attachment; filename="` + id.String() + `.patch"`, text}, nil
	})
}

func lookAtJobs(api huma.API, d *door.Door) {
	get(api, "/jobs", "jobs", "Jobs, newest first", func(ctx context.Context, in *jobsInput) (door.JobList, error) {
		q := view.JobQuery{Kind: record.JobKind(in.Kind), Operator: record.Operator(in.Operator), Agent: in.Agent, Target: in.Target, Text: in.Text, Limit: in.Limit}
		for _, s := range in.State {
			q.States = append(q.States, record.JobState(s))
		}
		if in.Cursor != "" {
			id, err := door.JobOf(in.Cursor)
			if err != nil {
				return door.JobList{}, err
			}
			q.Before = id
		}
		return d.Jobs(ctx, q)
	})
	get(api, "/jobs/{id}", "job", "One job with its stages and everything kept with it", func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"24" example:"341"`
	},
	) (door.JobDetail, error) {
		id, err := door.JobOf(in.ID)
		if err != nil {
			return door.JobDetail{}, err
		}
		return d.Job(ctx, id)
	})
	get(api, "/log", "log", "Rows of the ordered log, oldest first", func(ctx context.Context, in *struct {
		After string `query:"after" default:"0" maxLength:"24" doc:"Only rows behind this number."`
		Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	},
	) ([]record.LogRow, error) {
		after, err := strconv.ParseInt(in.After, 10, 64)
		if err != nil || after < 0 {
			return nil, huma.Error400BadRequest("after is the number of a row")
		}
		rows, _, err := d.Log().After(ctx, record.Seq(after), in.Limit)
		if rows == nil {
			rows = []record.LogRow{}
		}
		return rows, err
	})
}
