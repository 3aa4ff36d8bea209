package schedule

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/fold"
	"atoll/engine/search"
	"atoll/store"
	"atoll/store/record"
)

// away are the jobs that wait for somebody: made for an agent that takes its time, and
// not folded yet. They follow from the fold position, so that in strict order who is
// drawn does, too.
type away struct {
	st   *fold.State
	jobs map[record.JobID]string // the agent
}

// resume reads the jobs of an earlier run, before the log is folded. Next is the
// number of the next job.
func (w *away) resume(ctx context.Context, db *store.DB, next record.JobID) error {
	w.jobs = map[record.JobID]string{}
	for _, a := range w.st.Config.Agents {
		if a.Waiting() == 0 {
			continue
		}
		jobs, err := db.Jobs(ctx, w.st.Exp.ID, store.JobFilter{Kind: record.Make, Agent: a.Name, Limit: int(next) + 1})
		if err != nil {
			return fmt.Errorf("read the jobs of %s: %w", a.Name, err)
		}
		for _, j := range jobs {
			w.add(j)
		}
	}
	return nil
}

// add takes note of a make job and reports whether it waits for somebody.
func (w *away) add(j record.Job) bool {
	for _, a := range w.st.Config.Agents {
		if a.Name == j.Agent && a.Waiting() > 0 && j.Operator != record.OpManual {
			w.jobs[j.ID] = j.Agent
			return true
		}
	}
	return false
}

// full names the agents for which as many jobs wait as may.
func (w *away) full() []string {
	if len(w.jobs) == 0 {
		return nil
	}
	counts := map[string]int{}
	for _, agent := range w.jobs {
		counts[agent]++
	}
	var out []string
	for _, a := range w.st.Config.Agents {
		if n := a.Waiting(); n > 0 && counts[a.Name] >= n {
			out = append(out, a.Name)
		}
	}
	return out
}

// beside is how many jobs wait for somebody beside those that others carry out.
func (w *away) beside() int {
	waits := map[string]bool{}
	for _, a := range w.st.Config.Agents {
		waits[a.Name] = a.Waiting() > 0
	}
	for name, weight := range w.st.Settings.Agents {
		if weight > 0 && !waits[name] {
			return len(w.jobs)
		}
	}
	return 0
}

// drawable are agents without those that are full, unless nobody else is left.
func drawable(agents []search.Weighted, full []string) []search.Weighted {
	out, left := slices.Clone(agents), false
	for i := range out {
		out[i].Frozen = out[i].Frozen || slices.Contains(full, out[i].Name)
		left = left || !out[i].Frozen && out[i].Weight > 0
	}
	if !left {
		return agents
	}
	return out
}
