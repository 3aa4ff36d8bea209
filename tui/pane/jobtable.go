package pane

import (
	"fmt"
	"slices"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/widget"
)

// besideFrom is the width of a pane from which the job under the cursor is told beside
// the list of all.
const besideFrom = 200

// screen is all jobs, and the one under the cursor where there is room for it.
func (p *jobsPane) screen(w, h int) []string {
	if !p.wide {
		return p.listed(w, h)
	}
	side := w * 9 / 20
	list := p.listed(side, h)
	id, _ := p.list.At()
	if p.picked.Job != id { // it is asked for next
		return list
	}
	left, right := p.picked.Title()
	about := []string{" " + left + "  " + right, ""}
	return widget.Beside(list, append(about, p.picked.Body(w-side-2, h-len(about), false)...), side, 2)
}

// fitting are the jobs of the list as it stands, in its table.
func (p *jobsPane) fitting() (widget.Table[*view.JobLine], []record.JobID, map[record.JobID]*view.JobLine) {
	jobs := p.all
	if p.d.Reader == nil {
		jobs = nil
		for i := range p.d.Snap.Running {
			jobs = append(jobs, view.JobLine{Job: p.d.Snap.Running[i].Job})
		}
		for i := range p.d.Snap.Recent {
			jobs = append(jobs, view.JobLine{Job: p.d.Snap.Recent[i].Job, Objective: p.d.Snap.Recent[i].Objective, Claim: p.d.Snap.Recent[i].Claim})
		}
		p.all = jobs
	}
	recent := map[record.JobID]*view.Ended{}
	for i := range p.d.Snap.Recent {
		e := &p.d.Snap.Recent[i]
		recent[e.Job.ID] = e
	}
	t := p.table(recent)
	if p.wide {
		t.Note = nil
	}
	ids, index := p.laid.rows(arrangement{p.answer, p.d.Snap, p.text, p.order}, func() ([]record.JobID, map[record.JobID]*view.JobLine) {
		return p.arrange(jobs, recent, &t)
	})
	p.list.Set(ids)
	if p.paging.laid() {
		p.list.Move(widget.Bottom)
	}
	return t, ids, index
}

// listed is the list of all jobs.
func (p *jobsPane) listed(w, h int) []string {
	st := p.d.St
	t, ids, index := p.fitting()
	said := ""
	switch {
	case p.q.err != nil:
		said = st.Bad.S("cannot read the jobs: " + p.q.err.Error())
	case p.d.Reader != nil && !p.q.done && len(p.all) == 0:
		said = st.Label.S("loading")
	case len(ids) == 0:
		said = st.Label.S("no job fits")
	}
	if said != "" {
		return append(t.Lines(w, 1, 0, 0, p.list.Window, nil), " "+said)
	}
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) *view.JobLine { return index[ids[i]] })
}

// arrange filters and sorts the jobs; recent are newer than the answer.
func (p *jobsPane) arrange(jobs []view.JobLine, recent map[record.JobID]*view.Ended, t *widget.Table[*view.JobLine]) ([]record.JobID, map[record.JobID]*view.JobLine) {
	index := make(map[record.JobID]*view.JobLine, len(jobs))
	var fit []*view.JobLine
	for i := range jobs {
		line := &jobs[i]
		if e := recent[line.Job.ID]; e != nil {
			now := view.JobLine{Job: e.Job, Objective: e.Objective, Claim: e.Claim}
			now.Job.Machine = line.Job.Machine // which the fold does not read
			line = &now
		}
		j := &line.Job
		if p.text == "" || widget.Fits(p.text, j.ID.String(), string(j.Operator), j.Agent, string(j.State), string(j.Class), j.Reason, j.Target, CandidateName(j.Candidate)) {
			fit = append(fit, line)
			index[j.ID] = line
		}
	}
	ids := make([]record.JobID, len(fit))
	for to, from := range t.Sort(len(fit), func(i int) *view.JobLine { return fit[i] }) {
		ids[to] = fit[from].Job.ID
	}
	return ids, index
}

// Heads and Order are those of the screen of all jobs.
func (p *jobsPane) Heads() []string {
	if !p.full {
		return nil
	}
	t := p.table(nil)
	return t.Heads()
}

func (p *jobsPane) Order() *widget.Order { return &p.order }

// table has the columns of jobs; recent are the ends of the last ones.
func (p *jobsPane) table(recent map[record.JobID]*view.Ended) widget.Table[*view.JobLine] {
	type row = *view.JobLine
	st := p.d.St
	value := p.d.toldWidth(11)
	newest := record.JobID(0)
	for i := range p.all {
		newest = max(newest, p.all[i].Job.ID)
	}
	waiting := map[record.JobID]*float64{} // what was measured and waits
	for i := range p.d.Snap.Review {
		waiting[p.d.Snap.Review[i].Job.ID] = p.d.Snap.Review[i].Candidate.Objective
	}
	result := func(j row) (widget.Style, string) { return p.result(&j.Job, recent[j.Job.ID]) }
	t := widget.Table[row]{St: st, Order: p.order, Mark: func(j row) bool { return j.Job.Candidate >= 0 && p.d.marked(j.Job.Candidate) }, Note: func(j row) string {
		_, text := result(j)
		return widget.Words(" · ", p.what(&j.Job)+" by "+widget.OrNone(j.Job.Agent), text)
	}, Columns: []widget.Column[row]{
		{Head: "job", W: widget.IDWidth(int64(newest)), Rank: 100, Cell: func(j row) (widget.Style, string) { return st.Ident, j.Job.ID.String() }},
		{Head: "state", W: 11, Rank: 90, Cell: func(j row) (widget.Style, string) { return st.State(string(j.Job.State)), string(j.Job.State) }},
		{Head: "work", W: 11, Rank: 80, Cell: func(j row) (widget.Style, string) { return st.Plain, p.what(&j.Job) }},
		{Head: "parent", W: 8, Rank: 50, Cell: func(j row) (widget.Style, string) { return st.Ident, CandidateName(j.Job.Parent) }},
		{Head: "made", W: 8, Rank: 20, Cell: func(j row) (widget.Style, string) { return st.Ident, CandidateName(j.Job.Candidate) }},
		{Head: "agent", W: 11, Rank: 25, Cell: func(j row) (widget.Style, string) { return st.Label, j.Job.Agent }},
		{Head: "edit", W: 9, Right: true, Rank: 40, Cell: func(j row) (widget.Style, string) { return st.Label, widget.MillisText(j.Job.EditMS) }},
		{Head: "measure", W: 9, Right: true, Rank: 60, Cell: func(j row) (widget.Style, string) { return st.Label, widget.MillisText(j.Job.EvalMS) }},
		{Head: "cost", W: 8, Right: true, Rank: 45, Cell: func(j row) (widget.Style, string) { return st.Label, costText(j.Job.Usage) }},
		{Head: "value", W: value, Right: true, Rank: 85, Cell: func(j row) (widget.Style, string) {
			v := j.Objective
			if v == nil {
				v = waiting[j.Job.ID]
			}
			if v == nil && !j.Job.State.Ended() {
				return st.Label, ""
			}
			return p.d.valueStyle(j.Job.Candidate, v, j.Claim), p.d.told(j.Job.Candidate, v, j.Claim, value)
		}},
		{Head: "result", Min: 14, Rank: 70, Cell: result},
	}}
	if slices.ContainsFunc(p.all, func(j view.JobLine) bool { return j.Job.Machine != "" }) { // there is a fleet
		t.Columns = slices.Insert(t.Columns, len(t.Columns)-1, widget.Column[row]{
			Head: "machine", W: 12, Rank: 35, Cell: func(j row) (widget.Style, string) { return st.Label, j.Job.Machine },
		})
	}
	return t
}

// result says what came of a job; e is its end where that is known.
func (p *jobsPane) result(j *record.Job, e *view.Ended) (widget.Style, string) {
	st := p.d.St
	switch {
	case e != nil && e.Objective != nil:
		text, col := p.outcome(e, false)
		return col, text
	case j.State == record.Duplicate:
		return st.Label, "duplicate of " + CandidateName(j.Duplicate)
	case j.State == record.Placed:
		return st.Plain, "took a niche"
	case j.State == record.Scored && j.Reason == "":
		return st.Label, "no better in its niche"
	case j.Kind == record.Evaluate && j.State == record.Done:
		return st.Label, "measured " + CandidateName(j.Candidate)
	case j.State == record.Queued && j.Priority != 0:
		return st.Label, fmt.Sprintf("priority %d", j.Priority)
	}
	return st.Label, widget.Words(": ", string(j.Class), beyond(j))
}
