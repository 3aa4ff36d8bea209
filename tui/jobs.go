package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
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
	list  list[record.JobID]
	text  string
	group int
	q     query
	all   []view.JobLine
	reach reach
	full  bool
	rows  map[record.JobID]int // of Running, or -1-index of Recent
}

func newJobs(d *desk) *jobsPane { return &jobsPane{base: base{d: d, id: paneJobs}} }

func (p *jobsPane) scopes() []scope        { return []scope{inJobs, inCandidates, inList} }
func (p *jobsPane) timed() bool            { return true }
func (p *jobsPane) filter() (string, bool) { return p.text, true }
func (p *jobsPane) setFilter(t string)     { p.text = t; p.bump() }

func (p *jobsPane) title() (string, string) {
	s, st := p.d.snap, p.d.st
	left := p.heading("2", "Jobs")
	if p.full {
		return left, st.Label.S(words(" · ", jobGroups()[p.group].name, p.reach.shown(len(p.list.ids))))
	}
	left += " " + st.Good.S(fmt.Sprintf("%d running", len(s.Running)))
	if s.Jobs.Queued > 0 {
		left += st.Label.S(fmt.Sprintf(" · %d queued", s.Jobs.Queued))
	}
	if s.OwnMS > 0 {
		return left, st.Label.S(fmt.Sprintf("%.1f ms overhead a job", s.OwnMS))
	}
	return left, ""
}

func (p *jobsPane) cycleState() tea.Cmd {
	p.group = (p.group + 1) % len(jobGroups())
	p.reach = reach{}
	p.bump()
	return p.show()
}

// show asks for all jobs while the pane is a screen.
func (p *jobsPane) show() tea.Cmd {
	if !p.full || p.d.opt.Reader == nil {
		return nil
	}
	word, search := storeWord(p.text, record.JobStateNames())
	if digits, ok := strings.CutPrefix(word, "c"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
		word = "#" + digits // a candidate has the number of its job
	}
	limit := p.reach.rows(p.list.nearEnd(), search)
	r, query := p.d.opt.Reader, view.JobQuery{States: jobGroups()[p.group].states, Text: word, Limit: limit}
	return p.q.askTyped(p.d, p.id, fmt.Sprint("jobs ", p.group, limit, word), word != "", func(ctx context.Context) (any, error) { return r.Jobs(ctx, query) })
}

func (p *jobsPane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]view.JobLine); ok && m.err == nil {
		p.all = v
		p.reach.note(len(v))
	}
	p.bump()
}

func (p *jobsPane) move(m motion) tea.Cmd {
	p.list.move(m)
	p.reach.moved(m)
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
	s := p.d.snap
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

func (p *jobsPane) sel() selection {
	s := nothing()
	id, ok := p.list.at()
	if !ok {
		return s
	}
	if j := p.job(id); j != nil {
		s.job, s.state, s.cand = id, j.State, j.Candidate
		s.cell = p.d.grid.cellOf(j.Candidate)
	}
	return s
}

func (p *jobsPane) priority() int {
	if j := p.job(p.sel().job); j != nil {
		return j.Priority
	}
	return 0
}

func (p *jobsPane) body(w, h int, focus bool) []string {
	if p.full {
		return p.screen(w, h)
	}
	return p.overview(w, h, focus)
}

// overview is the dashboard's view: running above recent, one cursor over
// both.
func (p *jobsPane) overview(w, h int, focus bool) []string {
	s, st := p.d.snap, p.d.st
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
		if _, twice := p.rows[e.Job.ID]; twice || !fits(p.text, e.Job.ID.String(), string(e.Job.Operator), e.Job.Agent, string(e.Job.State), string(e.Job.Class), e.Job.Reason) {
			continue
		}
		ids = append(ids, e.Job.ID)
		p.rows[e.Job.ID] = -1 - i
	}
	p.list.set(ids)
	var out []string
	for i := range run {
		out = append(out, p.paint(p.runningRow(&run[i], w), i, w, focus))
	}
	if len(run) == 0 {
		out = append(out, " "+st.Label.S(idleWords(s)))
	}
	if h-len(out) < 2 {
		return out
	}
	out = append(out, rule+st.Label.S("Recent"))
	rest := h - len(out)
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
	p.list.height = rows
	if p.list.cur < running {
		p.list.off = running
		return running
	}
	p.list.off = max(running, min(p.list.off, p.list.cur))
	if p.list.cur >= p.list.off+rows {
		p.list.off = p.list.cur - rows + 1
	}
	return p.list.off
}

func (p *jobsPane) click(x, y int) tea.Cmd {
	run := len(p.d.snap.Running)
	switch {
	case p.full:
		p.list.click(y - 1)
	case y < run:
		p.list.cur = y
	default:
		p.list.cur = p.list.off + y - max(run, 1) - 1
	}
	p.list.clamp()
	p.bump()
	return nil
}

func idleWords(s *view.Snapshot) string {
	switch {
	case s.Loading:
		return "loading"
	case s.State == record.ExperimentRunning && s.Owner:
		return "waiting for work"
	case s.State == "":
		return "nothing runs"
	case s.State == record.ExperimentDone && s.Owner:
		return words(", ", "done", s.Reason) + "; :budget jobs gives it more"
	}
	return "nothing runs: " + words(", ", string(s.State), s.Reason)
}

// paint draws the row under the cursor reversed while the pane has the focus.
func (p *jobsPane) paint(row string, i, w int, focus bool) string {
	if focus && i == p.list.cur {
		return pick(p.d.st.Selected, row, w)
	}
	return row
}

func (p *jobsPane) runningRow(r *view.Running, w int) string {
	st := p.d.st
	j := &r.Job
	var l line
	l.gap(1).fit(st.Ident, j.ID.String(), idWidth(int64(j.ID))).fit(st.Plain, p.what(j), 11)
	from := p.from(j)
	tail := 9
	stage := r.Stage
	room := w - l.w - tail
	switch {
	case room < 22:
		l.fit(st.Good, stage, room)
	case room >= 52:
		l.fit(st.Ident, from, 24).gap(1).fit(st.Label, j.Agent, 10).gap(1)
		l.fit(st.Good, stage, w-l.w-tail)
	default:
		n := min(len(from)+1, max(6, room-min(len(stage)+1, room/2)))
		l.fit(st.Ident, from, n).gap(1).fit(st.Good, stage, w-l.w-tail)
	}
	return l.right(st.Label, duration(p.d.now().Sub(r.Started)), tail-1).gap(1).String()
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
		return candidateName(j.Candidate)
	}
	out := candidateName(j.Parent)
	if c := p.d.grid.cellOf(j.Parent); c >= 0 {
		out += " " + niche(&p.d.snap.Grid, c)
	}
	if len(j.Inspirations) > 0 && j.Operator == record.OpCrossover {
		out += " + " + candidateName(j.Inspirations[0])
	}
	return out
}

func (p *jobsPane) recentRow(e *view.Ended, w int) string {
	st := p.d.st
	j := &e.Job
	var l line
	mark := " "
	if j.Candidate >= 0 && p.d.marked(j.Candidate) {
		mark = "▸"
	}
	l.add(st.Marked, mark).fit(st.Ident, j.ID.String(), idWidth(int64(j.ID))).fit(st.Plain, p.what(j), 10)
	if e.Objective != nil && j.State != record.Failed {
		l.right(st.Plain, number(*e.Objective), 8).gap(2)
		switch {
		case w < 56: // the outcome is worth more than the difference
		case e.Delta != nil:
			col := st.Label
			if *e.Delta > 0 {
				col = st.Good
			}
			l.fit(col, brief(*e.Delta), 10)
		default:
			l.gap(10)
		}
	} else if j.State != record.Duplicate {
		l.add(st.state(string(j.State)), string(j.State)).gap(1)
		if j.Class != "" {
			l.add(st.Plain, string(j.Class)).gap(2)
		}
	}
	text, col := p.outcome(e, w < 56)
	return l.fit(col, text, w-l.w).String()
}

// outcome tells in words what came of a job, in few of them where room is
// short.
func (p *jobsPane) outcome(e *view.Ended, short bool) (string, style) {
	st, g := p.d.st, &p.d.snap.Grid
	j := &e.Job
	where := niche(g, e.Cell)
	switch {
	case j.State == record.Duplicate:
		return "duplicate of " + candidateName(j.Duplicate), st.Label
	case short && e.Best:
		return "best " + where, st.Good
	case short && j.State == record.Placed && e.From < 0:
		return "new " + where, st.Plain
	case short && j.State == record.Placed:
		return "took " + where, st.Plain
	case e.Best && where == "":
		return "new best, no niche", st.Good
	case e.Best && e.From >= 0:
		return "new best " + where + ", was " + candidateName(e.From), st.Good
	case e.Best:
		return "new best, new " + where, st.Good
	case j.State == record.Placed && e.From >= 0:
		return "took " + where + " from " + candidateName(e.From), st.Plain
	case j.State == record.Placed:
		return "new niche " + where, st.Plain
	case j.State == record.Scored:
		return words(" ", "no niche", j.Reason), st.Label
	}
	return j.Reason, st.Label
}
