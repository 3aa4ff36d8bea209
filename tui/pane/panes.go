package pane

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/keys"
)

// Panes are all panes and screens of one console.
type Panes struct {
	ByID      map[ID]Pane
	Candidate *candidatePane
	Job       *jobPane
	Lineage   *lineagePane
	Compare   *comparePane
	Review    *reviewPane
	Log       *logPane
	Options   *optionsPane
	fleet     *fleetPane
}

// NewPanes makes all panes and screens.
func NewPanes(d *Shared) *Panes {
	b := func(id ID) base { return base{d: d, id: id} }
	p := &Panes{Candidate: newCandidate(d), Job: newJob(d, Job), Lineage: newLineage(d), Compare: newCompare(d), Review: newReview(d), Log: newLog(d), Options: newOptions(d), fleet: &fleetPane{base: b(Fleet)}}
	p.ByID = map[ID]Pane{
		Niches:     newNiches(d),
		Jobs:       newJobs(d),
		Curves:     newCurves(d),
		Review:     p.Review,
		Log:        p.Log,
		Failures:   &failuresPane{base: b(Failures)},
		Yields:     &yieldsPane{base: b(Yields)},
		Notes:      &notesPane{base: b(Notes)},
		Decisions:  &decisionsPane{base: b(Decisions)},
		Job:        p.Job,
		Candidate:  p.Candidate,
		Lineage:    p.Lineage,
		Settings:   &settingsPane{base: b(Settings)},
		Doctor:     &doctorPane{base: b(Doctor)},
		Front:      &frontPane{base: b(Front)},
		Candidates: newCandidates(d),
		Compare:    p.Compare,
		Steering:   newSteering(d),
		Finished:   newFinished(d),
		Options:    p.Options,
		Fleet:      p.fleet,
	}
	return p
}

// LookAfter has the screen of machines show some.
func (p *Panes) LookAfter(m Machines) { p.fleet.machines = m }

// Scopes are those that hold together, a list for each screen.
func (p *Panes) Scopes() [][]keys.Scope {
	out := [][]keys.Scope{{keys.InReview, keys.InDiff, keys.InCandidates, keys.InList, keys.InText}} // as a screen of its own
	for id := None; id < Header; id++ {
		if q := p.ByID[id]; q != nil {
			out = append(out, q.Scopes())
		}
	}
	return out
}

// Keys returns the rows that the panes have in the key table.
func (p *Panes) Keys(d *Shared) []*keys.Binding {
	var out []*keys.Binding
	for id := None; id < Header; id++ {
		if q := p.ByID[id]; q != nil {
			out = append(out, q.Keys()...)
		}
	}
	return slices.Concat(out, diffKeys(d))
}

// What panes can do beyond being one.
var (
	_ Differ   = (*candidatePane)(nil)
	_ Differ   = (*reviewPane)(nil)
	_ Differ   = (*comparePane)(nil)
	_ Differ   = (*finishedPane)(nil)
	_ Texter   = (*candidatePane)(nil)
	_ Texter   = (*reviewPane)(nil)
	_ Texter   = (*jobPane)(nil)
	_ Texter   = (*comparePane)(nil)
	_ Texter   = (*steeringPane)(nil)
	_ Texter   = (*finishedPane)(nil)
	_ Searcher = (*candidatePane)(nil)
	_ Searcher = (*reviewPane)(nil)
	_ Searcher = (*jobPane)(nil)
	_ Searcher = (*comparePane)(nil)
	_ Searcher = (*finishedPane)(nil)
	_ Copier   = (*candidatePane)(nil)
	_ Subject  = (*candidatePane)(nil)
	_ Subject  = (*jobPane)(nil)
)

// Due is after how long a pane asks again of itself, 0 when snapshots tell all it shows.
func (p *Panes) Due(id ID) time.Duration {
	if w, ok := p.ByID[id].(Watcher); ok {
		return w.Due()
	}
	return 0
}

// Again has a pane that watches ask again: now where it is on screen, else when it is.
func (p *Panes) Again(id ID, visible bool) tea.Cmd {
	if w, ok := p.ByID[id].(Watcher); ok {
		w.Again()
	}
	if !visible {
		return nil
	}
	return p.ByID[id].Load()
}
