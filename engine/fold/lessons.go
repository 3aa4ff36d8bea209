package fold

import (
	"atoll/engine/agent"
	"atoll/store/record"
)

// Lessons are what the offline agent may learn from: counts of which kinds of
// steps worked. A job sees the counts of the fold position at which it was
// created, so that its edit does not depend on what ends meanwhile.
type Lessons struct {
	On    bool // somebody edits; verbs that only look learn nothing
	Now   *agent.History
	At    map[int]*agent.History          // by folded jobs, the last positions only
	Tag   func(record.CandidateID) string // nil while the past is folded
	Past  []outcome                       // what was folded until then
	Marks []lessonMark                    // the newest fold positions in it
}

// outcome is how one make job ended.
type outcome struct {
	Op       record.Operator
	ID       record.CandidateID
	Improved bool
}

// Observe folds the end of one make job.
func (l *Lessons) Observe(op record.Operator, id record.CandidateID, improved bool) {
	switch {
	case !l.On || op == "":
	case l.Tag == nil:
		l.Past = append(l.Past, outcome{op, id, improved})
	default:
		l.Now.Observe(string(op), l.Tag(id), improved)
	}
}

// Mark remembers a fold position of the past.
func (l *Lessons) Mark(folded, depth int) {
	if len(l.Marks) > 32*depth {
		l.Marks = append(l.Marks[:0], l.Marks[16*depth:]...)
	}
	l.Marks = append(l.Marks, lessonMark{folded, len(l.Past)})
}

// Keep remembers the counts at a fold position and forgets those that no job
// to come can have been created at.
func (l *Lessons) Keep(folded, depth int) {
	l.At[folded] = l.Now.Clone()
	delete(l.At, folded-2*depth-2)
}

// Of returns the counts for a job with so many jobs ahead of the fold.
func (l *Lessons) Of(job record.JobID, depth int) *agent.History {
	return l.At[max(1, int(job)-depth+1)]
}

// lessonMark is a fold position and how many outcomes came before it.
type lessonMark struct{ Folded, Outcomes int }
