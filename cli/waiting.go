package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"atoll/engine/agent"
	"atoll/engine/view"
	"atoll/store/record"
)

// waiting tells a headless reader, once a job, that a person is waited for.
type waiting struct {
	app   *App
	state string // directory
	told  map[record.JobID]bool
}

// waitingLine is a line of `run --headless --json` with type waiting.
type waitingLine struct {
	Type     string       `json:"type"`
	At       string       `json:"at"`
	Job      record.JobID `json:"job"`
	Agent    string       `json:"agent"`     // the person
	WorkTree string       `json:"work_tree"` // where they edit
	Task     string       `json:"task"`      // command that shows what is asked
	Next     string       `json:"next"`      // command with which they hand their work in
}

// see takes a snapshot.
func (w *waiting) see(s *view.Snapshot) {
	for i := range s.Running {
		r := &s.Running[i]
		if r.Stage != agent.StageWaiting || w.told[r.Job.ID] {
			continue
		}
		if w.told == nil {
			w.told = map[record.JobID]bool{}
		}
		w.told[r.Job.ID] = true
		w.tell(r)
	}
}

func (w *waiting) tell(r *view.Running) {
	dir := agent.HumanTree(w.state, r.Job.ID)
	l := waitingLine{
		Type: "waiting", At: w.app.Now().UTC().Format(time.RFC3339Nano), Job: r.Job.ID, Agent: r.Job.Agent, WorkTree: dir,
		Task: w.app.says(fmt.Sprintf("show '%s' --prompt", r.Job.ID)), Next: "touch " + shellWord(filepath.Join(dir, agent.HumanDone)),
	}
	if w.app.flags.json {
		writeJSONLine(w.app.Out, l)
		return
	}
	fmt.Fprintf(w.app.Out, "%s %s waits for %s: `%s` shows the task; edit in %s and commit there, or `%s`; a file %s ends the job without a change\n",
		w.app.Now().Format("15:04:05"), r.Job.ID, view.CleanLine(r.Job.Agent), l.Task, view.CleanLine(dir), view.CleanLine(l.Next), agent.HumanSkip)
}
