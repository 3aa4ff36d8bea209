package work

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"atoll/engine/view"
	"atoll/store/record"
)

// Live is what workers tell about their jobs while they run: stage, last line
// of output, how to stop them. It is never kept.
type Live struct {
	mu   sync.Mutex
	now  func() time.Time
	jobs map[record.JobID]*liveJob
}

type liveJob struct {
	view.Running
	lease  record.Lease
	cancel context.CancelCauseFunc
	lines  []string
	prompt []record.Evidence // as sent so far, before the job keeps them
	heard  time.Time         // of the last sign of life
}

// liveLines bounds the output kept of a running job.
const liveLines = 200

func NewLive(now func() time.Time) *Live {
	return &Live{now: now, jobs: map[record.JobID]*liveJob{}}
}

func (l *Live) begin(lease record.Lease, cancel context.CancelCauseFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.jobs[lease.Job.ID] = &liveJob{
		Running: view.Running{Job: lease.Job, Stage: "starting", Since: now, Started: now},
		lease:   lease, cancel: cancel, heard: now,
	}
}

func (l *Live) end(id record.JobID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.jobs, id)
}

func (l *Live) stage(id record.JobID, state record.JobState, stage string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		j.Stage, j.Since = stage, l.now()
		j.heard = j.Since
		if state != "" {
			j.Job.State = state
		}
	}
}

func (l *Live) line(id record.JobID, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[id]
	if j == nil {
		return
	}
	text = view.CleanLine(text)
	j.Line, j.heard = text, l.now()
	if len(j.lines) >= 2*liveLines {
		j.lines = append(j.lines[:0], j.lines[len(j.lines)-liveLines:]...)
	}
	j.lines = append(j.lines, text)
}

// prompt keeps what is about to be sent for a job; role says to whom.
func (l *Live) prompt(id record.JobID, role, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		j.heard = l.now()
		j.prompt = append(j.prompt, record.Evidence{Job: id, Attempt: j.lease.Attempt, Kind: role + " prompt", Text: []byte(text)})
	}
}

// alive notes a sign of life of a job.
func (l *Live) alive(id record.JobID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		j.heard = l.now()
	}
}

// heard returns when a job last gave a sign of life; zero: it does not run.
func (l *Live) heard(id record.JobID) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		return j.heard
	}
	return time.Time{}
}

// PromptsOf returns what was sent for a running job.
func (l *Live) PromptsOf(id record.JobID) []record.Evidence {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.jobs[id]; j != nil {
		return slices.Clone(j.prompt)
	}
	return nil
}

// Cancel stops a running job for a reason and reports whether it ran.
func (l *Live) Cancel(id record.JobID, cause error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[id]
	if j == nil {
		return false
	}
	j.cancel(cause)
	return true
}

// All returns the running jobs, oldest first.
func (l *Live) All() []view.Running {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]view.Running, 0, len(l.jobs))
	for _, j := range l.jobs {
		out = append(out, j.Running)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Job.ID < out[j].Job.ID })
	return out
}

// LinesOf returns the last lines of a running job's output.
func (l *Live) LinesOf(id record.JobID) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[id]
	if j == nil {
		return nil
	}
	lines := j.lines
	if len(lines) > liveLines {
		lines = lines[len(lines)-liveLines:]
	}
	return append([]string(nil), lines...)
}

// leases returns the leases in force.
func (l *Live) leases() []record.Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]record.Lease, 0, len(l.jobs))
	for _, j := range l.jobs {
		out = append(out, j.lease)
	}
	return out
}

// Busy reports whether anything runs whose elapsed time or output moves.
func (l *Live) Busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.jobs) > 0
}
