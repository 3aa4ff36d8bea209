package fold

import (
	"atoll/engine/agent"
	"atoll/store/record"
)

// Lessons are what the offline agent may learn from: counts of which kinds of
// steps worked. A job sees the counts of the fold position at which it was
// created, so that its edit does not depend on what ends meanwhile.
type Lessons struct {
	On   bool // somebody edits; verbs that only look learn nothing
	Past bool // what is folded was there before, and few jobs of then are still to be done
	Now  *agent.History
	At   map[int]*agent.History          // by folded jobs, the last positions only
	Tag  func(record.CandidateID) string // what a candidate was meant to be

	marks []lessonMark // of the past: its newest fold positions
	late  []agent.End  // and the ends since the first of them, which Now has not yet
}

// Observe folds the end of one make job.
func (l *Lessons) Observe(end agent.End) {
	switch {
	case !l.On || end.Operator == "":
	case l.Past:
		l.late = append(l.late, end)
	default:
		l.count(end)
	}
}

func (l *Lessons) count(end agent.End) { l.Now.Ended(end, l.Tag(end.Candidate)) }

// Learns reports whether jobs that are created now get counts.
func (l *Lessons) Learns() bool { return l.On && !l.Past }

// Start is the candidate whose numbers the run of an evolution strategy moves that
// goes on now; NoCandidate: there is none.
func (l *Lessons) Start() record.CandidateID {
	if !l.Learns() {
		return record.NoCandidate
	}
	if ev := l.Now.Evolving(); ev != nil {
		return ev.Start
	}
	return record.NoCandidate
}

// Mark remembers a fold position of the past. However long that is, only the newest
// positions are remembered, and what ended before them is counted.
func (l *Lessons) Mark(folded, depth int) {
	if len(l.marks) > 32*depth {
		l.marks = append(l.marks[:0], l.marks[16*depth:]...)
		n := l.marks[0].ends
		for _, end := range l.late[:n] {
			l.count(end)
		}
		l.late = append(l.late[:0], l.late[n:]...)
		for i := range l.marks {
			l.marks[i].ends -= n
		}
	}
	l.marks = append(l.marks, lessonMark{folded, len(l.late)})
}

// Arrive ends the past: what is left of it is counted, and give is called at each fold
// position that was remembered.
func (l *Lessons) Arrive(give func(folded int)) {
	late, from := l.late, 0
	l.Past = false
	for _, m := range l.marks {
		for _, end := range late[from:m.ends] {
			l.count(end)
		}
		from = m.ends
		give(m.folded)
	}
	for _, end := range late[from:] {
		l.count(end)
	}
	l.late, l.marks = nil, nil
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

// lessonMark is a fold position, and how many of the late ends came before it.
type lessonMark struct{ folded, ends int }
