package fold

import (
	"atoll/engine/view"
	"atoll/store/record"
)

// events are what the last rows did: the jobs that ended, and lines for the log
// pane.
type events struct {
	recent []view.Ended // oldest first, bounded
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

// recentCap bounds the list of ended jobs a snapshot carries.
const recentCap = 200

func (n *events) push(e view.Ended) {
	if len(n.recent) >= 2*recentCap {
		n.recent = append(n.recent[:0], n.recent[len(n.recent)-recentCap:]...)
	}
	n.recent = append(n.recent, e)
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
