package pane

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// jobGroup is a choice of jobs by state.
type jobGroup struct {
	name   string
	states []record.JobState
}

func jobGroups() []jobGroup {
	return []jobGroup{
		{"all", nil},
		{"running", []record.JobState{record.Editing, record.Committed, record.Gated, record.Evaluating}},
		{"queued", []record.JobState{record.Queued}},
		{"held", []record.JobState{record.Held}},
		{"took a niche", []record.JobState{record.Placed}},
		{"failed", []record.JobState{record.Failed, record.Rejected}},
	}
}

// jobsPane shows what runs and what ended last; as a screen it lists all jobs
// with a choice of states.
type jobsPane struct {
	base
	list   widget.List[record.JobID]
	text   string
	group  int
	q      query
	all    []view.JobLine
	answer uint64                                // counts answers
	laid   arranged[record.JobID, *view.JobLine] // the screen of all jobs
	paging paging
	full   bool
	order  widget.Order         // of the screen of all jobs
	heads  int                  // rows of heads over what ended
	above  int                  // lines of what runs, or why nothing does
	rows   map[record.JobID]int // of Running, or -1-index of Recent
	picked *jobPane             // the job under the cursor, beside a list with room
	wide   bool                 // there is that room
}

func newJobs(d *Shared) *jobsPane {
	return &jobsPane{base: base{d: d, id: Jobs}, picked: newJob(d, Jobs)}
}

func (p *jobsPane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InJobs, keys.InCandidates, keys.InList}
}

func (p *jobsPane) Timed() bool            { return true }
func (p *jobsPane) OfNow() bool            { return p.full }
func (p *jobsPane) Filter() (string, bool) { return p.text, true }
func (p *jobsPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *jobsPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "job-state", Keys: []string{"s"}, Title: "which jobs", Doc: "all, running, queued, held, ended well, failed", In: []keys.Scope{keys.InJobs}, Off: p.zoomed, Run: p.cycleState},
	}
}

func (p *jobsPane) Title() (string, string) {
	s, st := p.d.Snap, p.d.St
	left := p.heading("2", "Jobs")
	if p.full {
		return left, st.Label.S(widget.Words(" · ", jobGroups()[p.group].name, p.paging.shown(len(p.list.IDs))))
	}
	if !p.d.Past { // what ran then is not told
		left += " " + st.Good.S(fmt.Sprintf("%d running", len(s.Running)))
	}
	if s.Jobs.Queued > 0 && !p.d.Past {
		left += st.Label.S(fmt.Sprintf(" · %d queued", s.Jobs.Queued))
	}
	if s.OwnMS > 0 {
		return left, st.Label.S(fmt.Sprintf("%.1f ms overhead a job", s.OwnMS))
	}
	return left, ""
}

func (p *jobsPane) Place(at Placement) {
	p.wide = at.Full && at.W >= besideFrom
	if p.full != at.Full {
		p.full = at.Full
		p.list.Off = 0
		p.bump()
	}
}

func (p *jobsPane) cycleState() tea.Cmd {
	p.group = (p.group + 1) % len(jobGroups())
	p.paging = paging{}
	p.bump()
	return p.Load()
}

// Load asks for all jobs while the pane is a screen, and for more about the one under
// the cursor where that is told.
func (p *jobsPane) Load() tea.Cmd {
	if !p.full || p.d.Reader == nil {
		return nil
	}
	if p.wide {
		p.fitting() // an answer may have come that was not drawn yet
		if id, ok := p.list.At(); ok {
			p.picked.Set(id)
			return tea.Batch(p.askAll(), p.picked.Load())
		}
	}
	return p.askAll()
}

// askAll asks for the jobs of the list.
func (p *jobsPane) askAll() tea.Cmd {
	word, search := storeWord(p.text, record.JobStateNames())
	if digits, ok := strings.CutPrefix(word, "c"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		word = "#" + digits // a candidate has the number of its job
	}
	limit := p.paging.rows(p.list.NearEnd(), search)
	r, query := p.d.Reader, view.JobQuery{States: jobGroups()[p.group].states, Text: word, Limit: limit}
	return p.q.askTyped(p.d, p.id, fmt.Sprint("jobs ", p.group, limit, word), word != "", func(ctx context.Context) (any, error) { return r.Jobs(ctx, query) })
}

func (p *jobsPane) Take(m Loaded) {
	if !p.q.accept(m) {
		p.picked.Take(m)
		p.bump()
		return
	}
	if v, ok := m.val.([]view.JobLine); ok && m.err == nil {
		p.all = v
		p.answer++
		p.paging.note(len(v))
	}
	p.bump()
}

func (p *jobsPane) Move(m widget.Motion) tea.Cmd {
	p.list.Move(m)
	p.paging.moved(m)
	p.bump()
	return nil
}

func (p *jobsPane) job(id record.JobID) *record.Job {
	if p.full {
		for i := range p.all {
			if p.all[i].Job.ID == id {
				return &p.all[i].Job
			}
		}
	}
	s := p.d.Snap
	for i := range s.Running {
		if s.Running[i].Job.ID == id {
			return &s.Running[i].Job
		}
	}
	for i := range s.Recent {
		if s.Recent[i].Job.ID == id {
			return &s.Recent[i].Job
		}
	}
	return nil
}

func (p *jobsPane) Selected() Selection {
	s := Nothing()
	id, ok := p.list.At()
	if !ok {
		return s
	}
	if j := p.job(id); j != nil {
		s.Job, s.State, s.Priority, s.Candidate = id, j.State, j.Priority, j.Candidate
		s.Cell = p.d.Grid.CellOf(j.Candidate)
	}
	return s
}

func (p *jobsPane) Body(w, h int, focus bool) []string {
	if p.full {
		return p.screen(w, h)
	}
	return p.overview(w, h, focus)
}

// overview is the dashboard's view: running above recent, one cursor over
// both.
func (p *jobsPane) overview(w, h int, focus bool) []string {
	s, st := p.d.Snap, p.d.St
	var ids []record.JobID
	run := s.Running
	if limit := max(1, h-3); len(run) > limit {
		run = run[:limit]
	}
	p.rows = map[record.JobID]int{}
	for i := range run {
		ids = append(ids, run[i].Job.ID)
		p.rows[run[i].Job.ID] = i
	}
	for i := range s.Recent {
		e := &s.Recent[i]
		if _, twice := p.rows[e.Job.ID]; twice || !widget.Fits(p.text, e.Job.ID.String(), string(e.Job.Operator), e.Job.Agent, string(e.Job.State), string(e.Job.Class), e.Job.Reason) {
			continue
		}
		ids = append(ids, e.Job.ID)
		p.rows[e.Job.ID] = -1 - i
	}
	p.list.Set(ids)
	var out []string
	for i := range run {
		out = append(out, p.paint(p.runningRow(&run[i], w), i, w, focus))
	}
	if len(run) == 0 {
		text, most := widget.WrapText(p.d.idleWords(), w-2), 1
		switch {
		case h > 12:
			most = 5
		case h > 8:
			most = 3
		}
		for _, t := range text[:min(len(text), most)] {
			out = append(out, " "+st.Label.S(t))
		}
	}
	p.above = len(out)
	if h-len(out) < 2 {
		return out
	}
	out = append(out, widget.Rule+st.Label.S("Recent"))
	rest := h - len(out)
	if p.heads = 0; rest >= 5 && len(ids) > len(run) {
		p.heads = 1
		out = append(out, p.recentHead(w))
		rest--
	}
	first := p.recentFrom(len(run), rest)
	for i := first; i < len(ids) && rest > 0; i++ {
		e := &s.Recent[-1-p.rows[ids[i]]]
		out = append(out, p.paint(p.recentRow(e, w), i, w, focus))
		rest--
	}
	if len(ids) == len(run) {
		out = append(out, " "+st.Label.S("nothing ended yet"))
	}
	return out
}

// recentFrom scrolls the lower part so that the cursor is in it.
func (p *jobsPane) recentFrom(running, rows int) int {
	p.list.Height = rows
	if p.list.Cur < running {
		p.list.Off = running
		return running
	}
	p.list.Off = max(running, min(p.list.Off, p.list.Cur))
	if p.list.Cur >= p.list.Off+rows {
		p.list.Off = p.list.Cur - rows + 1
	}
	return p.list.Off
}

func (p *jobsPane) Click(x, y int) tea.Cmd {
	switch {
	case p.full:
		p.list.Click(y - 1)
	case y < len(p.d.Snap.Running):
		p.list.Cur = y
	default:
		p.list.Cur = p.list.Off + y - p.above - 1 - p.heads
	}
	p.list.Clamp()
	p.bump()
	return nil
}

// Ownerless reports whether an experiment should run and no process runs it.
func Ownerless(s *view.Snapshot) bool {
	return !s.Loading && !s.Owner && s.OwnerPID == 0 && s.State == record.ExperimentRunning
}

// idleWords tell why nothing runs, and what to do.
func (d *Shared) idleWords() string {
	s := d.Snap
	switch {
	case s.Loading:
		return "loading"
	case d.Past && s.State == record.ExperimentRunning:
		return "what ran then is not told"
	case Ownerless(s):
		return d.Told("no engine runs here; `atoll run` goes on with it")
	case s.State == record.ExperimentRunning && s.Owner:
		return "waiting for work"
	case s.State == "":
		return "nothing runs"
	case s.State == record.ExperimentDone:
		return d.Told(view.StateText(s.State, s.Reason)) + "; " + d.Key("summary") + " sums it up"
	case s.State == record.ExperimentBroken:
		return d.Told(view.StateText(s.State, s.Reason) + "; " + d.Key("pause") + " tries again once that is mended, `atoll run --new` begins anew")
	}
	why := d.Told(view.StateText(s.State, s.Reason))
	if strings.Contains(why, ": ") { // "stopped: drained" says it
		return why
	}
	return "nothing runs: " + why
}

// paint draws the row under the cursor reversed while the pane has the focus.
func (p *jobsPane) paint(row string, i, w int, focus bool) string {
	if focus && i == p.list.Cur {
		return widget.Pick(p.d.St.Selected, row, w)
	}
	return row
}

// zoomed says why the choice of states cannot be changed: it is one of the
// screen of all jobs.
func (p *jobsPane) zoomed() string {
	if p.d.Host.Current() != Pane(p) || !p.full {
		return "zoom the jobs first"
	}
	return ""
}
