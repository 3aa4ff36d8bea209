package work

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"atoll/engine/agent"
	"atoll/engine/agent/prompt"
	"atoll/store/record"
)

// stretchKey names a full stretch of a line of descent. Candidates do not change,
// so what was written about it stays true for ever.
type stretchKey struct {
	Start, End record.CandidateID
	Block      int
}

// meta is where the store keeps what was written.
func (k stretchKey) meta() string { return fmt.Sprintf("chunk %s-%s/%d", k.Start, k.End, k.Block) }

// stretchText is a summary as the store keeps it.
type stretchText struct {
	Text  string `json:"text"`
	By    string `json:"by"`
	Model string `json:"model,omitempty"`
}

// stretches has the summariser write what the full stretches of lines of descent
// came to. One job at a time writes the summary of one stretch, so that none is
// paid for twice.
type stretches struct {
	*run

	mu   sync.Mutex
	open map[stretchKey]chan struct{} // being written; closed when done
}

// enter waits until nobody else writes the summary of k.
func (w *stretches) enter(ctx context.Context, k stretchKey) (leave func(), err error) {
	for {
		w.mu.Lock()
		busy := w.open[k]
		if busy == nil {
			if w.open == nil {
				w.open = map[stretchKey]chan struct{}{}
			}
			done := make(chan struct{})
			w.open[k] = done
			w.mu.Unlock()
			return func() {
				w.mu.Lock()
				delete(w.open, k)
				w.mu.Unlock()
				close(done)
			}, nil
		}
		w.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// stretchSummaries are the summaries that a job's trajectories show.
type stretchSummaries map[stretchKey]string

var _ agent.Summaries = stretchSummaries(nil)

// Summary implements [agent.Summaries].
func (s stretchSummaries) Summary(start, end record.CandidateID, block int) (string, bool) {
	text, ok := s[stretchKey{start, end, block}]
	return text, ok
}

// summaries finds what was written about the full stretches that the prompts of
// a job show. With ask, what is missing is written by the summariser now and
// kept; what it cannot write is told from the steps and not kept.
func (w *stretches) summaries(ctx context.Context, r *attempt, j *agent.Job, ask bool) (agent.Summaries, error) {
	out := stretchSummaries{}
	for _, t := range prompt.Trajectories(j) {
		for _, c := range t.Chunks {
			key := stretchKey{c.Start, c.End, len(c.Steps)}
			if _, ok := out[key]; ok {
				continue
			}
			text, err := w.summaryOf(ctx, r, j, c, ask)
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
func (w *stretches) summaryOf(ctx context.Context, r *attempt, j *agent.Job, c prompt.Chunk, ask bool) (string, error) {
	key := stretchKey{c.Start, c.End, len(c.Steps)}
	name := w.facts.Config.Roles.Summariser
	v := w.roster.Clients[name]
	if ask && v != nil {
		leave, err := w.enter(ctx, key)
		if err != nil {
			return "", err
		}
		defer leave()
	}
	data, ok, err := w.db.Meta(ctx, w.exp(), key.meta())
	if err != nil {
		return "", err
	}
	var kept stretchText
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
	packed, err := json.Marshal(stretchText{Text: text, By: name, Model: v.Model()})
	if err != nil {
		return "", err
	}
	return text, w.db.PutMeta(context.WithoutCancel(ctx), w.exp(), key.meta(), string(packed))
}
