package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atoll/cli/door"
	"atoll/engine/view"
	"atoll/store/record"
)

type nothing struct{}

type oneCandidate struct {
	ID string `json:"id" maxLength:"24" jsonschema:"c128, best or root"`
}

type listed struct {
	Text   string `json:"text,omitempty" maxLength:"200" jsonschema:"only those that hold this text"`
	Limit  *int   `json:"limit,omitempty" minimum:"1" maximum:"200" jsonschema:"at most so many; 20 where it is left out, 200 at most"`
	Cursor string `json:"cursor,omitempty" maxLength:"24" jsonschema:"next of the page before"`
}

// listedCandidates and listedJobs ask for a page of their lists.
type listedCandidates struct {
	listed
	Best  bool `json:"best,omitempty" jsonschema:"the best first in place of the newest"`
	Elite bool `json:"elite,omitempty" jsonschema:"only those that hold a niche"`
}

type listedJobs struct {
	listed
	State string `json:"state,omitempty" enum:"queued,editing,committed,gated,held,evaluating,placed,scored,rejected,failed,duplicate,cancelled,done" jsonschema:"only those in this state, such as failed"`
}

func (l listed) limit() int {
	if l.Limit == nil {
		return 20
	}
	return *l.Limit
}

// look adds the tools that only read.
func (t tools) look() {
	d := t.door
	add(t, look("status", "Status", "How the experiment stands: state, root, best with what may be claimed of it, niches, jobs, budget."), func(context.Context, nothing) (any, error) {
		return door.StatusOf(d.Snapshot()), nil
	})
	add(t, look("niches", "Niches", "The archive: each niche that is filled or was tried, with its holder."), func(context.Context, nothing) (any, error) {
		return door.GridOf(d.Snapshot()), nil
	})
	add(t, look("front", "Front", "Who is best in a way of its own: on the Pareto front of the objective and what counts beside it, or in one of the cases."), func(ctx context.Context, _ nothing) (any, error) {
		return d.Front(ctx)
	})
	add(t, look("candidates", "Candidates", "Candidates, newest or best first, a page at a time."), func(ctx context.Context, in listedCandidates) (any, error) {
		q := view.CandidateQuery{Text: in.Text, Limit: in.limit(), Best: in.Best, Elites: in.Elite}
		return d.Candidates(ctx, q, in.Cursor)
	})
	add(t, look("show", "Show a candidate", "Everything known about one candidate: value with its evidence, samples, parents, children, findings of the gate."), func(ctx context.Context, in oneCandidate) (any, error) {
		return named(d, in.ID, func(id record.CandidateID) (any, error) { return d.Detail(ctx, id) })
	})
	add(t, look("diff", "What a candidate changes", "The difference of a candidate to the root or to another candidate."), func(ctx context.Context, in struct {
		oneCandidate
		From string `json:"from,omitempty" maxLength:"24" jsonschema:"what it is compared with; root where it is left out"`
	},
	) (any, error) {
		from := record.Root
		if in.From != "" {
			var err error
			if from, err = d.Candidate(in.From); err != nil {
				return nil, err
			}
		}
		return named(d, in.ID, func(id record.CandidateID) (any, error) {
			files, err := d.Diff(ctx, from, id, 3)
			return map[string]any{"files": files}, err
		})
	})
	add(t, look("lineage", "Family", "Ancestors and descendants of a candidate; of root, the lines of all that hold a niche."), func(ctx context.Context, in oneCandidate) (any, error) {
		return named(d, in.ID, func(id record.CandidateID) (any, error) { return d.Family(ctx, id) })
	})
	t.lookAtWork()
}

func (t tools) lookAtWork() {
	d := t.door
	add(t, look("jobs", "Jobs", "Jobs, newest first, a page at a time."), func(ctx context.Context, in listedJobs) (any, error) {
		q := view.JobQuery{Text: in.Text, Limit: in.limit()}
		if in.State != "" {
			q.States = []record.JobState{record.JobState(in.State)}
		}
		if in.Cursor != "" {
			id, err := door.JobOf(in.Cursor)
			if err != nil {
				return nil, err
			}
			q.Before = id
		}
		return d.Jobs(ctx, q)
	})
	add(t, look("job", "Show a job", "One job with its stages, output, prompts and verdicts."), func(ctx context.Context, in struct {
		ID string `json:"id" maxLength:"24" jsonschema:"#341 or 341"`
	},
	) (any, error) {
		id, err := door.JobOf(in.ID)
		if err != nil {
			return nil, err
		}
		return d.Job(ctx, id)
	})
	add(t, look("activity", "Now", "What runs, what waits for a person, the newest lines of the log and decisions."), func(context.Context, nothing) (any, error) {
		return door.ActivityOf(d.Snapshot()), nil
	})
	add(t, look("lessons", "Lessons", "What failed and what would help, how operators, agents and targets do, and the notes that prompts carry."), func(context.Context, nothing) (any, error) {
		s := d.Snapshot()
		return map[string]any{"failures": door.FailuresOf(s), "yields": door.YieldsOf(s), "notes": door.NotesOf(s)}, nil
	})
	t.wait()
}

// longest is how long the tool wait waits at most.
const longest = 50 * time.Second

// patience is how long a caller waits, and for what.
type patience struct {
	Seconds int `json:"seconds,omitempty" minimum:"0" maximum:"50" jsonschema:"20 where it is left out, 50 at most"`
	Jobs    int `json:"jobs,omitempty" minimum:"0" jsonschema:"return when so many more jobs ended"`
}

// wait adds the tool that returns when something happened, and tells on the way.
func (t tools) wait() {
	tool := look("wait", "Wait", "Wait until jobs ended, a new best was found or the experiment came to rest, at most so many seconds; tells progress.")
	tool.InputSchema = schemaOf[patience]()
	mcp.AddTool(t.server, &tool, func(ctx context.Context, req *mcp.CallToolRequest, in patience) (*mcp.CallToolResult, any, error) {
		if in.Seconds <= 0 {
			in.Seconds = 20
		}
		if err := t.door.Ready(ctx, answerTime); err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, min(longest, time.Duration(in.Seconds)*time.Second))
		defer cancel()
		first := t.door.Snapshot()
		for s, told := first, first.Jobs.Ended(); ; {
			ended := s.Jobs.Ended() - first.Jobs.Ended()
			if token := req.Params.GetProgressToken(); token != nil && s.Jobs.Ended() > told {
				told = s.Jobs.Ended()
				// Who does not listen misses progress and no more.
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(ended), Total: float64(in.Jobs), Message: progress(s)})
			}
			if in.Jobs > 0 && ended >= in.Jobs || s.Best.ID != first.Best.ID || door.AtRest(s).State != record.ExperimentRunning {
				return nil, door.StatusOf(door.AtRest(s)), nil
			}
			next, err := t.door.Feed().Wait(ctx, s.Version)
			if err != nil {
				return nil, door.StatusOf(t.door.Snapshot()), nil
			}
			s = next
		}
	})
}

func progress(s *view.Snapshot) string {
	return fmt.Sprintf("%s ended, %d niches, best %s", view.Plural(s.Jobs.Ended(), "job"), s.Grid.Filled, s.Best.ID)
}

func named(d *door.Door, text string, fn func(record.CandidateID) (any, error)) (any, error) {
	id, err := d.Candidate(text)
	if err != nil {
		return nil, err
	}
	return fn(id)
}

// reportURI is the resource that `atoll report` prints.
const reportURI = "atoll://report"

// candidateURI is how the resource of a candidate begins.
const candidateURI = "atoll://candidate/"

// resources adds what a client can attach to a conversation.
func (t tools) resources() {
	d := t.door
	for _, r := range []struct {
		uri, name, text string
		of              func(*view.Snapshot) any
	}{
		{"atoll://status", "status", "How the experiment stands", func(s *view.Snapshot) any { return door.StatusOf(s) }},
		{"atoll://archive", "archive", "Every niche with its holder", func(s *view.Snapshot) any { return door.GridOf(s) }},
		{"atoll://curves", "curves", "Best, mean, QD score and coverage so far", func(s *view.Snapshot) any { return door.CurvesOf(s) }},
	} {
		t.server.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Description: r.text, MIMEType: "application/json"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			if err := d.Ready(ctx, answerTime); err != nil {
				return nil, err
			}
			return asText(r.uri, r.of(d.Snapshot()))
		})
	}
	t.server.AddResource(&mcp.Resource{URI: reportURI, Name: "report", Description: "What became of the experiment, for people who never saw it", MIMEType: "text/markdown"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if err := d.Ready(ctx, answerTime); err != nil {
			return nil, err
		}
		text, err := d.Report(ctx, "atoll "+t.version)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: reportURI, MIMEType: "text/markdown", Text: text}}}, nil
	})
	t.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: candidateURI + "{id}", Name: "candidate", Description: "One candidate: c128, best or root", MIMEType: "application/json"}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		uri := req.Params.URI
		if err := d.Ready(ctx, answerTime); err != nil {
			return nil, err
		}
		id, err := d.Candidate(strings.TrimPrefix(uri, candidateURI))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		c, err := d.Detail(ctx, id)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(uri)
		}
		return asText(uri, c)
	})
}
