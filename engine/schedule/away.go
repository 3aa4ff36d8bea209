package schedule

import (
	"context"
	"fmt"
	"slices"

	"atoll/engine/search"
	"atoll/store"
	"atoll/store/record"
)

// away are the jobs that wait for somebody: made for an agent that takes its time, and
// not folded yet. They follow from the fold position, so that in strict order who is
// drawn does, too.
type away map[record.JobID]string // the agent

// resumeAway reads the jobs of an earlier run, before the log is folded.
func (o *Owner) resumeAway(ctx context.Context) error {
	o.away = away{}
	for _, a := range o.st.Config.Agents {
		if a.Waiting() == 0 {
			continue
		}
		jobs, err := o.db.Jobs(ctx, o.exp, store.JobFilter{Kind: record.Make, Agent: a.Name, Limit: int(o.nextJob) + 1})
		if err != nil {
			return fmt.Errorf("read the jobs of %s: %w", a.Name, err)
		}
		for _, j := range jobs {
			o.away.add(j)
		}
	}
	return nil
}

func (w away) add(j record.Job) {
	if j.Kind == record.Make && j.Operator != record.OpManual {
		w[j.ID] = j.Agent
	}
}

// wait takes note of a new job that waits for somebody. In completion order there may
// be one job more for it at this fold position, which gets its counts, too.
func (o *Owner) wait(job record.Job) {
	for _, a := range o.st.Config.Agents {
		if a.Name == job.Agent && a.Waiting() > 0 {
			o.away.add(job)
			if o.st.Lessons.Tag != nil {
				o.hand(record.JobID(o.st.FoldCount() + o.depth() - 1))
			}
		}
	}
}

// full names the agents for which as many jobs wait as may.
func (o *Owner) full() []string {
	if len(o.away) == 0 {
		return nil
	}
	counts := map[string]int{}
	for _, agent := range o.away {
		counts[agent]++
	}
	var out []string
	for _, a := range o.st.Config.Agents {
		if n := a.Waiting(); n > 0 && counts[a.Name] >= n {
			out = append(out, a.Name)
		}
	}
	return out
}

// beside is how many jobs wait for somebody beside those that others carry out.
func (o *Owner) beside() int {
	waits := map[string]bool{}
	for _, a := range o.st.Config.Agents {
		waits[a.Name] = a.Waiting() > 0
	}
	for name, weight := range o.st.Settings.Agents {
		if weight > 0 && !waits[name] {
			return len(o.away)
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
