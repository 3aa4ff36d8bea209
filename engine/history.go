package engine

import (
	"context"

	"atoll/engine/agent"
	"atoll/engine/agent/offline"
	"atoll/store/record"
)

// lore is what the offline agent may learn from: counts of which kinds of
// steps worked. A job sees the counts of the fold position at which it was
// created, so that its edit does not depend on what ends meanwhile.
type lore struct {
	on    bool // somebody edits; verbs that only look learn nothing
	now   *agent.History
	at    map[int]*agent.History           // by folded jobs, the last positions only
	tag   func(record.CandidateID) string  // nil while the past is folded
	past  []outcome                        // what was folded until then
	marks []struct{ folded, outcomes int } // the newest fold positions in it
}

// outcome is how one make job ended.
type outcome struct {
	op       record.Operator
	id       record.CandidateID
	improved bool
}

// observe folds the end of one make job.
func (l *lore) observe(op record.Operator, id record.CandidateID, improved bool) {
	switch {
	case !l.on || op == "":
	case l.tag == nil:
		l.past = append(l.past, outcome{op, id, improved})
	default:
		l.now.Observe(string(op), l.tag(id), improved)
	}
}

// mark remembers a fold position of the past.
func (l *lore) mark(folded, depth int) {
	if len(l.marks) > 32*depth {
		l.marks = append(l.marks[:0], l.marks[16*depth:]...)
	}
	l.marks = append(l.marks, struct{ folded, outcomes int }{folded, len(l.past)})
}

// keep remembers the counts at a fold position and forgets those that no job
// to come can have been created at.
func (l *lore) keep(folded, depth int) {
	l.at[folded] = l.now.Clone()
	delete(l.at, folded-2*depth-2)
}

// of returns the counts for a job with so many jobs ahead of the fold.
func (l *lore) of(job record.JobID, depth int) *agent.History {
	return l.at[max(1, int(job)-depth+1)]
}

// remember gives the jobs that belong to the present fold position their
// counts. While the past is folded it only notes the position.
func (e *Engine) remember() {
	l := &e.st.lore
	switch {
	case !l.on:
	case l.tag == nil:
		l.mark(e.st.foldCount(), e.depth())
	default:
		e.give(e.st.foldCount())
	}
}

func (e *Engine) give(folded int) {
	e.st.lore.keep(folded, e.depth())
	e.hand(record.JobID(folded + e.depth() - 1))
	if folded == 1 {
		for job := 1; job < e.depth(); job++ {
			e.hand(record.JobID(job))
		}
	}
}

// learn reads what the candidates of the past were meant to be and counts what
// came of it. From then on candidates are looked up one by one.
func (e *Engine) learn(ctx context.Context) error {
	tags, names := []string{}, map[string]string{}
	err := e.db.EachCandidate(ctx, e.exp, record.NoCandidate, func(c *record.Candidate) error {
		tag := offline.IntentTag(c.Intent)
		if tag == "" {
			return nil
		}
		if _, ok := names[tag]; !ok {
			names[tag] = tag
		}
		for int(c.ID) >= len(tags) {
			tags = append(tags, make([]string, max(64, len(tags)))...)
		}
		tags[c.ID] = names[tag]
		return nil
	})
	if err != nil {
		return err
	}
	l := &e.st.lore
	l.tag = func(id record.CandidateID) string {
		if id < 0 || int(id) >= len(tags) {
			return ""
		}
		return tags[id]
	}
	from := 0
	for _, m := range l.marks {
		for _, o := range l.past[from:m.outcomes] {
			l.observe(o.op, o.id, o.improved)
		}
		from = m.outcomes
		e.give(m.folded)
	}
	for _, o := range l.past[from:] {
		l.observe(o.op, o.id, o.improved)
	}
	l.past, l.marks = nil, nil
	l.tag = func(id record.CandidateID) string {
		if id == record.NoCandidate {
			return ""
		}
		c, err := e.db.Candidate(ctx, e.exp, id)
		if err != nil {
			return ""
		}
		return offline.IntentTag(c.Intent)
	}
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
