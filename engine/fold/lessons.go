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
	Past  []agent.End                     // what was folded until then
	Marks []lessonMark                    // the newest fold positions in it
}

// Observe folds the end of one make job.
func (l *Lessons) Observe(end agent.End) {
	switch {
	case !l.On || end.Operator == "":
	case l.Tag == nil:
		l.Past = append(l.Past, end)
	default:
		l.Now.Ended(end, l.Tag(end.Candidate))
	}
}

// Start is the candidate whose numbers the run of an evolution strategy moves that
// goes on now; NoCandidate: there is none.
func (l *Lessons) Start() record.CandidateID {
	if l.Tag == nil {
		return record.NoCandidate
	}
	if ev := l.Now.Evolving(); ev != nil {
		return ev.Start
	}
	return record.NoCandidate
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
