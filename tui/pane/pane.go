package pane

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// ID names a region or a screen. The first five live on the dashboard.
type ID int

// The panes and screens.
const (
	None ID = iota
	Niches
	Jobs
	Curves
	Review
	Log
	Failures
	Yields
	Notes
	Decisions
	Job
	Candidate
	Lineage
	Settings
	Doctor
	Front
	Candidates
	Compare
	Steering
	Finished
	Options
	Fleet
	Header
	Help
	Time
	Gauges
)

// Pane is one region of the screen or a whole screen.
type Pane interface {
	Title() (left, right string) // styled
	// Body returns lines that fit w x h cells; the box cuts and pads them. The
	// result is kept until Revision, the snapshot, the size, the focus or the
	// styles change.
	Body(w, h int, focus bool) []string
	Revision() uint64
	Timed() bool          // shows elapsed time
	OfNow() bool          // tells what is so now, also where the screen stands in the past
	Scopes() []keys.Scope // the most special first
	Keys() []*keys.Binding
	Selected() Selection
	Place(at Placement)
	Move(m widget.Motion) tea.Cmd
	Click(x, y int) tea.Cmd // inside the box
	Load() tea.Cmd          // visible now, or the snapshot changed: ask for what is missing
	Take(m Loaded)          // an answer for this pane
	Filter() (text string, ok bool)
	SetFilter(text string)
	Remember(to *Memory) // put what another run should begin with
	Recall(from Memory)  // take what makes sense of it
}

// Placement is how a pane lies on the screen now.
type Placement struct {
	Full   bool // it is the whole screen
	W, H   int  // with its border
	Curves bool // the curves are on the screen too
}

// Memory is how the panes were set, kept between runs.
type Memory struct {
	Layer  int  `json:"layer"`
	ByRank bool `json:"by_rank"`
	Level  int  `json:"level"`
}

// Forget leaves what another experiment begins with.
func (m *Memory) Forget() { *m = Memory{Level: usualLevel} }

// Host is what a pane may ask of the console.
type Host interface {
	// Current is the pane that has the keys.
	Current() Pane
	// Ask opens a dialog that the person asked for.
	Ask(d widget.Dialog) tea.Cmd
	// Say tells that something was done; undo adds how to take it back.
	Say(text string, undo bool) tea.Cmd
	// Decide writes decisions to the log, one after the other; said tells what
	// was done.
	Decide(said string, undo bool, ds ...record.Decision) tea.Cmd
	// Edit lets the person change a text, in $EDITOR or in a line here when the
	// terminal names none.
	Edit(title, hint, text string, then func(text string) tea.Cmd) tea.Cmd
}

// Selection is what the cursor of a pane stands on. Absent ids are
// NoCandidate, NoJob and -1.
type Selection struct {
	Candidate record.CandidateID
	Job       record.JobID
	State     record.JobState // of the job, "" = unknown
	Priority  int             // of the job
	Cell      int
	Held      bool
	Pinned    bool // the candidate is
	target    string
}

func Nothing() Selection {
	return Selection{Candidate: record.NoCandidate, Job: record.NoJob, Cell: -1}
}

// base gives every pane its defaults. Panes embed it.
type base struct {
	d       *Shared
	id      ID
	version uint64
}

func (b *base) Revision() uint64           { return b.version }
func (b *base) bump()                      { b.version++ }
func (b *base) Timed() bool                { return false }
func (b *base) OfNow() bool                { return false }
func (b *base) Keys() []*keys.Binding      { return nil }
func (b *base) Selected() Selection        { return Nothing() }
func (b *base) Place(Placement)            {}
func (b *base) Move(widget.Motion) tea.Cmd { return nil }
func (b *base) Click(int, int) tea.Cmd     { return nil }
func (b *base) Load() tea.Cmd              { return nil }
func (b *base) Take(Loaded)                {}
func (b *base) Filter() (string, bool)     { return "", false }
func (b *base) SetFilter(string)           {}
func (b *base) Remember(*Memory)           {}
func (b *base) Recall(Memory)              {}

// heading returns a pane's title: its number and its name.
func (b *base) heading(key, name string) string {
	if key == "" {
		return b.d.St.Strong.S(name)
	}
	return b.d.St.Label.S(key) + " " + b.d.St.Strong.S(name)
}

// Texter is a pane with a text that pager and editor can show.
type Texter interface{ Text() string }

// Watcher is a pane that tells of what no snapshot tells, so that it has to ask now and
// then while it is on the screen.
type Watcher interface {
	// Due is how long from now it asks again, 0 where that is under way.
	Due() time.Duration
	// Again has the next Load ask.
	Again()
}

// Searcher is a pane with a text that can be searched; Match goes to the next
// find, and reports whether something is searched for.
type Searcher interface{ Match(by int) bool }

// Sorter is a pane with a table that can be ordered by its columns.
type Sorter interface {
	Heads() []string
	Order() *widget.Order
}

// Leader is a pane that says which actions its bar begins with now.
type Leader interface{ Leads() []string }

// Subject is a screen about one thing, which the trail of screens names.
type Subject interface{ Subject() string }

// Copier is a pane that has more to copy: titles and texts.
type Copier interface{ Copies() [][2]string }
