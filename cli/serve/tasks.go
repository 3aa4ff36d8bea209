package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"atoll/cli/door"
	"atoll/engine/view"
	"atoll/store/record"
)

// TaskInput names a task.
type TaskInput struct {
	ID string `path:"id" maxLength:"24" example:"341"`
}

func (in TaskInput) task() (record.JobID, error) { return door.JobOf(in.ID) }

// leaseInput is a task with a word of the worker that has it.
type leaseInput struct {
	TaskInput
	Body struct {
		Lease   string  `json:"lease" maxLength:"64"`
		Seconds float64 `json:"seconds,omitempty" minimum:"0" doc:"How long the lease holds from now on; 600 where it is left out."`
		Says    string  `json:"says,omitempty" maxLength:"2000" doc:"What the worker does, for those who watch."`
	}
}

// nextInput asks for a task.
type nextInput struct {
	Body struct {
		Worker  string  `json:"worker" minLength:"1" maxLength:"200" doc:"How the worker is called."`
		Seconds float64 `json:"seconds,omitempty" minimum:"0" doc:"How long the lease holds; 600 where it is left out."`
		Wait    float64 `json:"wait,omitempty" minimum:"0" maximum:"20" doc:"Seconds to wait for a task; 0: answer at once."`
	}
}

// resultInput is what a worker made.
type resultInput struct {
	TaskInput
	Body door.Answer
}

// longer is how long a lease holds.
type longer struct {
	Until record.Millis `json:"until"`
}

// said is an answer without content of its own.
type said struct {
	Said string `json:"said"`
}

// nextOutput is a task, or nothing with code 204.
type nextOutput struct {
	Status int
	Body   *door.Leased
}

// hand registers what a worker does; it needs the role decide. further answers are
// those beside the usual one.
func hand[I, O any](api huma.API, method, path, name, summary string, further map[string]*huma.Response, fn func(ctx context.Context, who door.Caller, in *I) (*O, error)) {
	huma.Register(api, huma.Operation{
		Method: method, Path: prefix + path, OperationID: name, Summary: summary, Tags: []string{"tasks"}, Responses: further,
		Security: []map[string][]string{{"token": {}}}, MaxBodyBytes: bodyLimit, Errors: tells,
	}, func(ctx context.Context, in *I) (*O, error) {
		who := callerOf(ctx)
		if who.Role < door.Decide {
			return nil, huma.Error403Forbidden("tasks are for workers whose token has the role decide")
		}
		out, err := fn(ctx, who, in)
		if err != nil {
			return nil, problem(err)
		}
		return out, nil
	})
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// tasks registers the broker: jobs of agents of the kind broker, for workers in any
// language.
func tasks(api huma.API, d *door.Door) {
	hand(api, http.MethodGet, "/tasks", "tasks", "Jobs that wait for a worker, and those that are with one", nil, func(ctx context.Context, _ door.Caller, _ *nothing) (*answer[[]door.Task], error) {
		list, err := d.Tasks(ctx)
		return &answer[[]door.Task]{list}, err
	})
	hand(api, http.MethodPost, "/tasks", "add-task", "Have a job started, as the verb start does", nil, func(ctx context.Context, who door.Caller, in *answer[door.Start]) (*answer[door.Done], error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		done, err := d.Do(ctx, who, door.Command{Verb: "start", Start: &in.Body})
		return &answer[door.Done]{done}, err
	})
	hand(api, http.MethodPost, "/tasks/next", "next-task", "Take the oldest task that waits, for a time", map[string]*huma.Response{"204": {Description: "None waits"}}, func(ctx context.Context, who door.Caller, in *nextInput) (*nextOutput, error) {
		t, err := d.NextTask(ctx, who, view.CleanLine(in.Body.Worker), seconds(in.Body.Seconds), seconds(in.Body.Wait))
		if t == nil {
			return &nextOutput{Status: http.StatusNoContent}, err
		}
		return &nextOutput{http.StatusOK, t}, nil
	})
	aTask(api, d)
}

// ofTask reads the number of a task from a path.
func ofTask[I interface{ task() (record.JobID, error) }, O any](fn func(ctx context.Context, who door.Caller, id record.JobID, in *I) (O, error)) func(context.Context, door.Caller, *I) (*answer[O], error) {
	return func(ctx context.Context, who door.Caller, in *I) (*answer[O], error) {
		id, err := (*in).task()
		if err != nil {
			return nil, err
		}
		out, err := fn(ctx, who, id, in)
		return &answer[O]{out}, err
	}
}

// aTask registers what is done with one task.
func aTask(api huma.API, d *door.Door) {
	hand(api, http.MethodGet, "/tasks/{id}", "task", "One task with its prompt and the names of its files", nil, ofTask(func(ctx context.Context, _ door.Caller, id record.JobID, _ *TaskInput) (door.TaskDetail, error) {
		return d.TaskDetail(ctx, id)
	}))
	hand(api, http.MethodGet, "/tasks/{id}/status", "task-status", "Whether a task waits or is with a worker", nil, ofTask(func(ctx context.Context, _ door.Caller, id record.JobID, _ *TaskInput) (door.Task, error) {
		return d.Task(ctx, id)
	}))
	hand(api, http.MethodPost, "/tasks/{id}/start", "start-task", "Say that work goes on: the lease holds longer", nil, ofTask(func(ctx context.Context, who door.Caller, id record.JobID, in *leaseInput) (longer, error) {
		until, err := d.ExtendTask(ctx, who, id, in.Body.Lease, seconds(in.Body.Seconds), in.Body.Says)
		return longer{until}, err
	}))
	hand(api, http.MethodPost, "/tasks/{id}/stop", "stop-task", "Give a task back, for another worker", nil, ofTask(func(ctx context.Context, who door.Caller, id record.JobID, in *leaseInput) (said, error) {
		return said{"the task waits again"}, d.GiveTaskBack(ctx, who, id, in.Body.Lease)
	}))
	hand(api, http.MethodPost, "/tasks/{id}/result", "finish-task", "Bring what was made: the gate judges it, and the engine measures it", nil, ofTask(func(ctx context.Context, who door.Caller, id record.JobID, in *resultInput) (said, error) {
		return said{"taken in; the job goes on"}, d.FinishTask(ctx, who, id, in.Body)
	}))
	hand(api, http.MethodGet, "/tasks/{id}/tree", "task-tree", "The files of a task's parent", map[string]*huma.Response{
		"200": {Description: "A tar; submodules are left out", Content: map[string]*huma.MediaType{"application/x-tar": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
	}, func(ctx context.Context, _ door.Caller, in *TaskInput) (*huma.StreamResponse, error) {
		id, err := in.task()
		if err != nil {
			return nil, err
		}
		tree, err := d.TaskTree(ctx, id)
		return &huma.StreamResponse{Body: func(out huma.Context) {
			out.SetHeader("Content-Type", "application/x-tar")
			if err := tree.WriteTar(out.Context(), out.BodyWriter()); err != nil {
				panic(http.ErrAbortHandler) // the answer is cut, and the client sees it
			}
		}}, err
	})
}
