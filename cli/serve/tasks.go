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

// hand registers what a worker does; it needs the role decide.
func hand[I, O any](api huma.API, method, path, name, summary string, fn func(ctx context.Context, who door.Caller, in *I) (*O, error)) {
	huma.Register(api, huma.Operation{
		Method: method, Path: prefix + path, OperationID: name, Summary: summary, Tags: []string{"tasks"},
		Security: []map[string][]string{{"token": {}}}, MaxBodyBytes: bodyLimit, Errors: []int{400, 401, 403, 404, 409, 413, 422, 429, 503},
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
	hand(api, http.MethodGet, "/tasks", "tasks", "Jobs that wait for a worker, and those that are with one", func(ctx context.Context, _ door.Caller, _ *nothing) (*answer[[]door.Task], error) {
		list, err := d.Tasks(ctx)
		return &answer[[]door.Task]{list}, err
	})
	hand(api, http.MethodPost, "/tasks", "add-task", "Have a job started, as the verb start does", func(ctx context.Context, who door.Caller, in *answer[door.Start]) (*answer[door.Done], error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		done, err := d.Do(ctx, who, door.Command{Verb: "start", Start: &in.Body})
		return &answer[door.Done]{done}, err
	})
	hand(api, http.MethodPost, "/tasks/next", "next-task", "Take the oldest task that waits, for a time; 204: none waits", func(ctx context.Context, _ door.Caller, in *nextInput) (*nextOutput, error) {
		t, err := d.NextTask(ctx, view.CleanLine(in.Body.Worker), seconds(in.Body.Seconds), seconds(in.Body.Wait))
		if t == nil {
			return &nextOutput{Status: http.StatusNoContent}, err
		}
		return &nextOutput{http.StatusOK, t}, nil
	})
	aTask(api, d)
}

// ofTask reads the number of a task from a path.
func ofTask[I interface{ task() (record.JobID, error) }, O any](fn func(ctx context.Context, id record.JobID, in *I) (O, error)) func(context.Context, door.Caller, *I) (*answer[O], error) {
	return func(ctx context.Context, _ door.Caller, in *I) (*answer[O], error) {
		id, err := (*in).task()
		if err != nil {
			return nil, err
		}
		out, err := fn(ctx, id, in)
		return &answer[O]{out}, err
	}
}

// aTask registers what is done with one task.
func aTask(api huma.API, d *door.Door) {
	hand(api, http.MethodGet, "/tasks/{id}", "task", "One task; its files are at /tasks/{id}/tree, as a tar", ofTask(func(ctx context.Context, id record.JobID, _ *TaskInput) (door.TaskDetail, error) {
		return d.TaskDetail(ctx, id)
	}))
	hand(api, http.MethodGet, "/tasks/{id}/status", "task-status", "Whether a task waits or is with a worker", ofTask(func(ctx context.Context, id record.JobID, _ *TaskInput) (door.Task, error) {
		return d.Task(ctx, id)
	}))
	hand(api, http.MethodPost, "/tasks/{id}/start", "start-task", "Say that work goes on: the lease holds longer", ofTask(func(ctx context.Context, id record.JobID, in *leaseInput) (longer, error) {
		until, err := d.ExtendTask(ctx, id, in.Body.Lease, seconds(in.Body.Seconds), in.Body.Says)
		return longer{until}, err
	}))
	hand(api, http.MethodPost, "/tasks/{id}/stop", "stop-task", "Give a task back, for another worker", ofTask(func(ctx context.Context, id record.JobID, in *leaseInput) (said, error) {
		return said{"the task waits again"}, d.GiveTaskBack(ctx, id, in.Body.Lease)
	}))
	hand(api, http.MethodPost, "/tasks/{id}/result", "finish-task", "Bring what was made: the gate judges it, and the engine measures it", ofTask(func(ctx context.Context, id record.JobID, in *resultInput) (said, error) {
		return said{"taken in; the job goes on"}, d.FinishTask(ctx, id, in.Body)
	}))
}

// taskTree answers with the files of a task's parent as a tar.
func (s *site) taskTree(w http.ResponseWriter, r *http.Request) {
	if callerOf(r.Context()).Role < door.Decide {
		http.Error(w, "tasks are for workers whose token has the role decide", http.StatusForbidden)
		return
	}
	tree, err := s.treeOf(r)
	if err != nil {
		http.Error(w, err.Error(), problem(err).(huma.StatusError).GetStatus())
		return
	}
	w.Header().Set("Content-Type", "application/x-tar")
	if err := tree.WriteTar(r.Context(), w); err != nil {
		panic(http.ErrAbortHandler) // the answer is cut, and the client sees it
	}
}

func (s *site) treeOf(r *http.Request) (door.TaskTree, error) {
	id, err := door.JobOf(r.PathValue("id"))
	if err != nil {
		return door.TaskTree{}, err
	}
	return s.opt.Door.TaskTree(r.Context(), id)
}
