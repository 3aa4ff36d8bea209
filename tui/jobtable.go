package tui

import (
	"fmt"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
)

// table is the screen of all jobs.
func (p *jobsPane) screen(w, h int) []string {
	st := p.d.st
	jobs := p.all
	if p.d.opt.Reader == nil {
		jobs = nil
		for i := range p.d.snap.Running {
			jobs = append(jobs, view.JobLine{Job: p.d.snap.Running[i].Job})
		}
		for i := range p.d.snap.Recent {
			jobs = append(jobs, view.JobLine{Job: p.d.snap.Recent[i].Job, Objective: p.d.snap.Recent[i].Objective})
		}
		p.all = jobs
	}
	var ids []record.JobID
	index := map[record.JobID]*view.JobLine{}
	recent := map[record.JobID]*view.Ended{}
	for i := range p.d.snap.Recent {
		e := &p.d.snap.Recent[i]
		recent[e.Job.ID] = e
	}
	for i := range jobs {
		line := &jobs[i]
		j := &line.Job
		if e := recent[j.ID]; e != nil { // newer than the answer
			j = &e.Job
			line = &view.JobLine{Job: *j, Objective: e.Objective}
		}
		if fits(p.text, j.ID.String(), string(j.Operator), j.Agent, string(j.State), string(j.Class), j.Reason, j.Target, candidateName(j.Candidate)) {
			ids = append(ids, j.ID)
			index[j.ID] = line
		}
	}
	p.list.set(ids)
	if p.reach.laid() {
		p.list.move(bottom)
	}
	t := p.table(recent)
	said := ""
	switch {
	case p.q.err != nil:
		said = st.Bad.S("cannot read the jobs: " + p.q.err.Error())
	case p.d.opt.Reader != nil && !p.q.done && len(jobs) == 0:
		said = st.Label.S("loading")
	case len(ids) == 0:
		said = st.Label.S("no job fits")
	}
	if said != "" {
		return append(t.lines(w, 1, 0, 0, p.list.window, nil), " "+said)
	}
	return t.lines(w, h, len(ids), p.list.cur, p.list.window, func(i int) *view.JobLine { return index[ids[i]] })
}

// table has the columns of jobs; recent are the ends of the last ones.
func (p *jobsPane) table(recent map[record.JobID]*view.Ended) table[*view.JobLine] {
	type row = *view.JobLine
	st := p.d.st
	newest := record.JobID(0)
	for i := range p.all {
		newest = max(newest, p.all[i].Job.ID)
	}
	result := func(j row) (style, string) { return p.result(&j.Job, recent[j.Job.ID]) }
	return table[row]{st: st, mark: func(j row) bool { return j.Job.Candidate >= 0 && p.d.marked(j.Job.Candidate) }, note: func(j row) string {
		_, text := result(j)
		return words(" · ", p.what(&j.Job)+" by "+orNone(j.Job.Agent), text)
	}, columns: []column[row]{
		{head: "job", w: idWidth(int64(newest)), rank: 100, cell: func(j row) (style, string) { return st.Ident, j.Job.ID.String() }},
		{head: "state", w: 11, rank: 90, cell: func(j row) (style, string) { return st.state(string(j.Job.State)), string(j.Job.State) }},
		{head: "work", w: 11, rank: 80, cell: func(j row) (style, string) { return st.Plain, p.what(&j.Job) }},
		{head: "parent", w: 9, rank: 50, cell: func(j row) (style, string) { return st.Ident, candidateName(j.Job.Parent) }},
		{head: "made", w: 8, rank: 20, cell: func(j row) (style, string) { return st.Ident, candidateName(j.Job.Candidate) }},
		{head: "agent", w: 11, rank: 25, cell: func(j row) (style, string) { return st.Label, j.Job.Agent }},
		{head: "edit", w: 8, right: true, rank: 40, cell: func(j row) (style, string) { return st.Label, millisText(j.Job.EditMS) }},
		{head: "measure", w: 9, right: true, rank: 60, cell: func(j row) (style, string) { return st.Label, millisText(j.Job.EvalMS) }},
		{head: "cost", w: 9, right: true, rank: 45, cell: func(j row) (style, string) { return st.Label, costText(j.Job.Usage) }},
		{head: "value", w: 10, right: true, rank: 85, cell: func(j row) (style, string) {
			if j.Objective == nil && !j.Job.State.Ended() {
				return st.Label, ""
			}
			return st.Strong, optional(j.Objective)
		}},
		{head: "result", min: 14, rank: 70, cell: result},
	}}
}

// result says what came of a job; e is its end where that is known.
func (p *jobsPane) result(j *record.Job, e *view.Ended) (style, string) {
	st := p.d.st
	switch {
	case e != nil && e.Objective != nil:
		text, col := p.outcome(e, false)
		return col, text
	case j.State == record.Duplicate:
		return st.Label, "duplicate of " + candidateName(j.Duplicate)
	case j.State == record.Placed:
		return st.Plain, "took a niche"
	case j.State == record.Scored && j.Reason == "":
		return st.Label, "no niche"
	case j.Kind == record.Evaluate && j.State == record.Done:
		return st.Label, "measured " + candidateName(j.Candidate)
	case j.State == record.Queued && j.Priority != 0:
		return st.Label, fmt.Sprintf("priority %d", j.Priority)
	}
	return st.Label, words(": ", string(j.Class), j.Reason)
}

func millisText(ms int64) string {
	if ms <= 0 {
		return "-"
	}
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

func costText(u record.Usage) string {
	switch {
	case u.Requests == 0 && !u.Unmetered && u.CostUSD == nil:
		return "-"
	case u.CostUSD == nil:
		return "unknown"
	}
	return money(u.CostUSD)
}

// fits reports whether a filter accepts a row: every word must be in one of
// its fields; a leading ! inverts.
func fits(filter string, fields ...string) bool {
	filter = strings.TrimSpace(strings.ToLower(filter))
	if filter == "" || filter == "!" {
		return true
	}
	rest, not := strings.CutPrefix(filter, "!")
	all := strings.ToLower(strings.Join(fields, "\x1f"))
	for _, word := range strings.Fields(rest) {
		if !strings.Contains(all, word) {
			return not
		}
	}
	return !not
}
