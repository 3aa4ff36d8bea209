package fold

import (
	"cmp"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
)

// events are what the last rows did: the jobs that ended, and lines for the log
// pane.
type events struct {
	recent []ended // oldest first, bounded
	ends   int     // how many were pushed
	lines  []event
	Quiet  bool // what is folded now happened before this process looked
	Past   int  // how many lines of that are kept all the same, the newest
}

// event is one thing the fold did that people want to read.
type event struct {
	At    record.Millis
	Level string
	Job   record.JobID
	Text  string
}

// ended is a job that came to an end, and which one of all.
type ended struct {
	view.Ended
	nth int
}

// recentCap bounds the list of ended jobs a snapshot carries.
const recentCap = 200

func (n *events) push(e view.Ended) {
	if len(n.recent) >= 2*recentCap {
		n.recent = append(n.recent[:0], n.recent[len(n.recent)-recentCap:]...)
	}
	n.ends++
	n.recent = append(n.recent, ended{e, n.ends})
}

// unpush takes the end of a job from those that are told; nil where it is not
// among them any more.
func (n *events) unpush(job record.JobID) *ended {
	for i, e := range slices.Backward(n.recent) {
		if e.Job.ID == job && e.Job.Kind == record.Make {
			n.recent = slices.Delete(n.recent, i, i+1)
			return &e
		}
	}
	return nil
}

// pushBack tells an end again where it was told before.
func (n *events) pushBack(e ended) {
	i, _ := slices.BinarySearchFunc(n.recent, e.nth, func(have ended, nth int) int { return cmp.Compare(have.nth, nth) })
	n.recent = slices.Insert(n.recent, i, e)
}

func (n *events) say(row record.FoldRow, level, text string) {
	n.tell(event{At: row.At, Level: level, Job: row.Job, Text: text})
}

// tell notes what happened. The past is no news: of it the last lines alone are
// kept, for those who look on from now.
func (n *events) tell(e event) {
	if n.silent() {
		return
	}
	if n.Quiet && len(n.lines) >= 2*n.Past {
		n.lines = append(n.lines[:0], n.lines[len(n.lines)-n.Past:]...)
	}
	n.lines = append(n.lines, e)
}

// silent reports whether what happens is told to nobody.
func (n *events) silent() bool { return n.Quiet && n.Past == 0 }

// TakeEvents returns and forgets what happened since the last call.
func (n *events) TakeEvents() []event {
	ev := n.lines
	n.lines = nil
	return ev
}
