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
		if h > 8 {
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

func (p *jobsPane) runningRow(r *view.Running, w int) string {
	st := p.d.St
	j := &r.Job
	var l widget.Line
	l.Gap(1).Col(st.Ident, j.ID.String(), p.idWidth()).Col(st.Plain, p.what(j), 11)
	from := p.from(j)
	tail := 9
	stage := r.Stage
	room := w - l.W - tail
	switch {
	case room < 22:
		l.Fit(st.Good, stage, room)
	case room >= 52:
		l.Col(st.Ident, from, 25).Col(st.Label, j.Agent, 11)
		l.Fit(st.Good, stage, w-l.W-tail)
	default:
		n := min(len(from)+1, max(6, room-min(len(stage)+1, room/2)))
		l.Fit(st.Ident, from, n).Gap(1).Fit(st.Good, stage, w-l.W-tail)
	}
	return l.RightCol(st.Label, widget.Duration(p.d.Now().Sub(r.Started)), tail-1).Gap(1).String()
}

// what names the kind of work: the operator, or why it measures.
func (p *jobsPane) what(j *record.Job) string {
	switch {
	case j.Kind == record.Evaluate && j.Purpose != "":
		return string(j.Purpose)
	case j.Operator != "":
		return string(j.Operator)
	}
	return string(j.Kind)
}

// from names the parent with its niche, and what is mixed in.
func (p *jobsPane) from(j *record.Job) string {
	if j.Kind == record.Evaluate && j.Candidate >= 0 {
		return CandidateName(j.Candidate)
	}
	out := CandidateName(j.Parent)
	if c := p.d.Grid.CellOf(j.Parent); c >= 0 {
		out += " " + Niche(&p.d.Snap.Grid, c)
	}
	if mate := j.Mate(); mate != record.NoCandidate {
		out += " + " + CandidateName(mate)
	}
	return out
}

// What columns the jobs that ended last have, by the width of the pane.
const (
	deltaFrom = 56  // the difference to the parent
	workFrom  = 110 // parent, agent, times and cost
)

// recentHead are the heads of the columns of [jobsPane.recentRow].
func (p *jobsPane) recentHead(w int) string {
	st := p.d.St
	var l widget.Line
	l.Gap(1).Col(st.Label, "job", p.idWidth()).Col(st.Label, "work", 11)
	if w >= workFrom {
		l.Col(st.Label, "parent", 9).Col(st.Label, "agent", 11).RightCol(st.Label, "edit", 9).RightCol(st.Label, "measure", 9).RightCol(st.Label, "cost", 9).Gap(1)
	}
	l.Right(st.Label, "value", p.valueWidth(w)).Gap(1)
	if w >= deltaFrom && !p.d.Snap.Noisy {
		l.Gap(1).Col(st.Label, "on parent", 10)
	}
	return l.Fit(st.Label, "outcome", max(0, w-l.W)).String()
}

// valueWidth is the width of the values of the jobs that ended last. Where values vary
// they have the room of the difference to the parent, which may not be told.
func (p *jobsPane) valueWidth(w int) int {
	switch {
	case !p.d.Snap.Noisy:
		return 8
	case w < deltaFrom:
		return 12
	}
	return evidenceWidth
}

// idWidth is the width of the numbers of the jobs shown.
func (p *jobsPane) idWidth() int {
	w := 5
	for id := range p.rows {
		w = max(w, len(id.String())+1)
	}
	return w
}

func (p *jobsPane) recentRow(e *view.Ended, w int) string {
	st := p.d.St
	j := &e.Job
	var l widget.Line
	mark := " "
	if j.Candidate >= 0 && p.d.marked(j.Candidate) {
		mark = "▸"
	}
	l.Add(st.Marked, mark).Col(st.Ident, j.ID.String(), p.idWidth()).Col(st.Plain, p.what(j), 11)
	if w >= workFrom {
		l.Col(st.Ident, CandidateName(j.Parent), 9).Col(st.Label, j.Agent, 11).RightCol(st.Label, widget.MillisText(j.EditMS), 9).RightCol(st.Label, widget.MillisText(j.EvalMS), 9).RightCol(st.Label, costText(j.Usage), 9).Gap(1)
	}
	if e.Objective != nil && j.State != record.Failed {
		room := p.valueWidth(w)
		l.Right(st.Plain, p.d.told(j.Candidate, e.Objective, e.Claim, room), room).Gap(1)
		switch {
		case w < deltaFrom, p.d.Snap.Noisy: // the outcome is worth more than the difference
		case e.Delta != nil:
			col, delta := st.Label, level(*e.Delta, *e.Objective)
			if delta > 0 {
				col = st.Good
			}
			l.Gap(1).Col(col, widget.Brief(delta), 10)
		default:
			l.Gap(11)
		}
	} else if j.State != record.Duplicate {
		l.Add(st.State(string(j.State)), string(j.State)).Gap(1)
		if j.Class != "" {
			l.Add(st.Plain, string(j.Class)).Gap(2)
		}
	}
	text, col := p.outcome(e, w < deltaFrom)
	return l.Fit(col, text, w-l.W).String()
}

// outcome tells in words what came of a job, in few of them where room is
// short.
func (p *jobsPane) outcome(e *view.Ended, short bool) (string, widget.Style) {
	st, g := p.d.St, &p.d.Snap.Grid
	j := &e.Job
	where := Niche(g, e.Cell)
	switch {
	case j.State == record.Duplicate:
		return "duplicate of " + CandidateName(j.Duplicate), st.Label
	case j.State == record.Placed && where == "": // under an earlier map
		return widget.Unless(!e.Best, "new best, ") + "took a niche", st.Plain
	case short && e.Best:
		return "best " + where, st.Good
	case short && j.State == record.Placed && e.From < 0:
		return "new " + where, st.Plain
	case short && j.State == record.Placed:
		return "took " + where, st.Plain
	case j.State == record.Scored && p.d.Snap.Grid.NeedFit > 0 && !p.d.mapped():
		return "before the map", st.Label
	case short && j.State == record.Scored:
		return "no better", st.Label
	case e.Best && where == "":
		return "new best, no niche", st.Good
	case e.Best && e.From >= 0:
		return "new best " + where + ", was " + CandidateName(e.From), st.Good
	case e.Best:
		return "new best, new " + where, st.Good
	case j.State == record.Placed && e.From >= 0:
		return "took " + where + " from " + CandidateName(e.From), st.Plain
	case j.State == record.Placed:
		return "new niche " + where, st.Plain
	case j.State == record.Scored:
		return widget.Words(" ", "no better in its niche", j.Reason), st.Label
	}
	return beyond(j), st.Label
}

// beyond is the reason of a job's end without the word for the state that it begins with:
// that stands beside it.
func beyond(j *record.Job) string {
	rest, _ := strings.CutPrefix(j.Reason, string(j.State))
	return strings.TrimSpace(rest)
}

// zoomed says why the choice of states cannot be changed: it is one of the
// screen of all jobs.
func (p *jobsPane) zoomed() string {
	if p.d.Host.Current() != Pane(p) || !p.full {
		return "zoom the jobs first"
	}
	return ""
}
