package work

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/engine/view"
	"atoll/store/record"
)

// subject is the line that a commit begins with. Where a summariser serves it
// writes the line from the change; when it cannot be asked, and for the
// built-in agent, whose words follow from its edit, it is the agent's own. No
// failure here costs the job its work.
func (r *jobRun) subject(ctx context.Context, parent agent.Item, tree record.Hash, intent string) (string, error) {
	w := r.w
	plain, err := r.ownWords(ctx, parent, tree, intent)
	if err != nil {
		return "", err
	}
	v := w.roster.Clients[w.facts.Config.Roles.Summariser]
	if v == nil || w.roster.BuiltIn[r.lease.Job.Agent] {
		return plain, nil
	}
	w.live.stage(r.lease.Job.ID, record.Editing, "naming the change")
	diff, err := w.patch(ctx, parent.Tree, tree)
	if err != nil {
		return "", err
	}
	view := prompt.View{Job: r.lease.Job.ID, Goal: w.settings().Goal, Plan: intent, Diff: diff}.WithSecrets(w.roster.Secrets...)
	prompt, err := w.roster.Prompts.Render(agent.RoleSummariser, view)
	if err != nil {
		return "", err
	}
	answer, err := r.consult(ctx, v, w.facts.Config.Roles.Summariser, agent.RoleSummariser, prompt)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	line := agent.Subject(agent.Redact(answer, w.roster.Secrets...))
	if err == nil && line == "" {
		err = fmt.Errorf("its answer holds no line")
	}
	if err != nil {
		w.host.Note("warn", r.lease.Job.ID, fmt.Sprintf("the summariser gave no subject for %s: %v", r.lease.Job.ID, err))
		return plain, nil
	}
	return line, nil
}

// ownWords is what the agent said of its edit, or what follows from the edit
// where it said nothing.
func (r *jobRun) ownWords(ctx context.Context, parent agent.Item, tree record.Hash, intent string) (string, error) {
	intent = agent.Redact(intent, r.w.roster.Secrets...)
	if line := view.CleanLine(firstLine(intent)); line != "" && line != string(r.lease.Job.Operator) {
		return intent, nil
	}
	diffs, err := r.changes(ctx, parent.Tree, tree)
	if err != nil {
		return "", err
	}
	return agent.PlainSubject(r.lease.Job.Operator, diffs), nil
}

// chunkKey names a full stretch of a line of descent. Candidates do not change,
// so what was written about it stays true for ever.
type chunkKey struct {
	Start, End record.CandidateID
	Block      int
}

// meta is where the store keeps what was written.
func (k chunkKey) meta() string { return fmt.Sprintf("chunk %s-%s/%d", k.Start, k.End, k.Block) }

// chunkText is a summary as the store keeps it.
type chunkText struct {
	Text  string `json:"text"`
	By    string `json:"by"`
	Model string `json:"model,omitempty"`
}

// chunks lets one job at a time write the summary of one stretch, so that none
// is paid for twice.
type chunks struct {
	mu   sync.Mutex
	open map[chunkKey]chan struct{}
}

// enter waits until nobody else writes the summary of k.
func (c *chunks) enter(ctx context.Context, k chunkKey) (leave func(), err error) {
	for {
		c.mu.Lock()
		busy := c.open[k]
		if busy == nil {
			if c.open == nil {
				c.open = map[chunkKey]chan struct{}{}
			}
			done := make(chan struct{})
			c.open[k] = done
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.open, k)
				c.mu.Unlock()
				close(done)
			}, nil
		}
		c.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// written are the summaries that a job's trajectories show.
type written map[chunkKey]string

var _ agent.Summaries = written(nil)

// Summary implements [agent.Summaries].
func (w written) Summary(start, end record.CandidateID, block int) (string, bool) {
	text, ok := w[chunkKey{start, end, block}]
	return text, ok
}

// summaries finds what was written about the full stretches that the prompts of
// a job show. With ask, what is missing is written by the summariser now and
// kept; what it cannot write is told from the steps and not kept.
func (r *jobRun) summaries(ctx context.Context, j *agent.Job, ask bool) (agent.Summaries, error) {
	out := written{}
	for _, t := range prompt.Trajectories(j) {
		for _, c := range t.Chunks {
			key := chunkKey{c.Start, c.End, len(c.Steps)}
			if _, ok := out[key]; ok {
				continue
			}
			text, err := r.summaryOf(ctx, j, c, ask)
			if err != nil {
				return nil, err
			}
			if text != "" {
				out[key] = text
			}
		}
	}
	return out, nil
}

// summaryOf is the summary of one stretch, "" where there is none.
func (r *jobRun) summaryOf(ctx context.Context, j *agent.Job, c prompt.Chunk, ask bool) (string, error) {
	w, key := r.w, chunkKey{c.Start, c.End, len(c.Steps)}
	name := w.facts.Config.Roles.Summariser
	v := w.roster.Clients[name]
	if ask && v != nil {
		leave, err := w.chunks.enter(ctx, key)
		if err != nil {
			return "", err
		}
		defer leave()
	}
	data, ok, err := w.db.Meta(ctx, w.facts.Experiment.ID, key.meta())
	if err != nil {
		return "", err
	}
	var kept chunkText
	if ok && json.Unmarshal([]byte(data), &kept) == nil && kept.Text != "" {
		return kept.Text, nil
	}
	if !ask || v == nil {
		return "", nil
	}
	told, err := w.roster.Prompts.Render(agent.RoleChunk, prompt.ChunkView(*j, c))
	if err != nil {
		return "", err
	}
	w.live.stage(r.lease.Job.ID, record.Editing, "summing up "+c.Start.String()+" to "+c.End.String())
	answer, err := r.consult(ctx, v, name, fmt.Sprintf("%s-%d-%d", agent.RoleChunk, c.Start, c.End), told)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	text := prompt.ChunkSummary(agent.Redact(answer, w.roster.Secrets...))
	if err != nil || text == "" {
		w.host.Note("warn", r.lease.Job.ID, fmt.Sprintf("no summary of %s to %s was written: %v", c.Start, c.End, err))
		return "", nil
	}
	packed, err := json.Marshal(chunkText{Text: text, By: name, Model: v.Model()})
	if err != nil {
		return "", err
	}
	return text, w.db.PutMeta(context.WithoutCancel(ctx), w.facts.Experiment.ID, key.meta(), string(packed))
}
