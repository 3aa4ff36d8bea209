package engine

import (
	"context"

	"atoll/engine/agent"
	"atoll/store/record"
)

// lore is what the offline agent may learn from: counts of which kinds of
// steps worked. A job sees the counts of the fold position at which it was
// created, so that its edit does not depend on what ends meanwhile.
type lore struct {
	now    *agent.History
	at     map[int]*agent.History // by folded jobs, the last positions only
	intent func(record.CandidateID) string
}

// observe folds the end of one make job. It does nothing where nobody edits:
// verbs that only look have no intents.
func (l *lore) observe(op record.Operator, id record.CandidateID, improved bool) {
	if l.intent == nil || op == "" {
		return
	}
	l.now.Observe(string(op), agent.IntentTag(l.intent(id)), improved)
}

// keep remembers the counts at a fold position and forgets those that no job
// to come can have been created at.
func (l *lore) keep(folded, depth int) {
	if l.intent == nil {
		return
	}
	l.at[folded] = l.now.Clone()
	delete(l.at, folded-2*depth-2)
}

// of returns the counts for a job with so many jobs ahead of the fold.
func (l *lore) of(job record.JobID, depth int) *agent.History {
	return l.at[max(1, int(job)-depth+1)]
}

// learn makes the state keep counts for the offline agent: the intents of
// candidates that exist are read at once, those to come one by one.
func (e *Engine) learn(ctx context.Context) error {
	known := map[record.CandidateID]string{}
	err := e.db.EachCandidate(ctx, e.exp, record.NoCandidate, func(c *record.Candidate) error {
		if tag := agent.IntentTag(c.Intent); tag != "" {
			known[c.ID] = c.Intent
		}
		return nil
	})
	if err != nil {
		return err
	}
	last := record.CandidateID(-1)
	if next, err := e.db.NextJobID(ctx, e.exp); err == nil {
		last = record.CandidateID(next)
	}
	e.st.lore = lore{now: agent.NewHistory(), at: map[int]*agent.History{}, intent: func(id record.CandidateID) string {
		if text, ok := known[id]; ok || id < last && e.replaying {
			return text
		}
		c, err := e.db.Candidate(ctx, e.exp, id)
		if err != nil {
			return ""
		}
		return c.Intent
	}}
	return nil
}

// history returns the counts that a job may use.
func (e *Engine) history(job record.JobID) *agent.History {
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	return e.shared.history[job]
}

// hand gives a job that was created at this fold position its counts.
func (e *Engine) hand(job record.JobID) {
	h := e.st.lore.of(job, e.depth())
	e.shared.mu.Lock()
	defer e.shared.mu.Unlock()
	if e.shared.history == nil {
		e.shared.history = map[record.JobID]*agent.History{}
	}
	e.shared.history[job] = h
	delete(e.shared.history, job-record.JobID(8*e.depth()))
}
