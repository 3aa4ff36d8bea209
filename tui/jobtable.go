package tui

import (
	"fmt"
	"strings"

	"atoll/store/record"
)

// wideJobs is the width from which the table has room for the columns that say
// little where one agent works.
const wideJobs = 130

// table is the screen of all jobs.
func (p *jobsPane) table(w, h int, focus bool) []string {
	st := p.d.st
	jobs := p.all
	if p.d.opt.Reader == nil {
		jobs = nil
		for i := range p.d.snap.Running {
			jobs = append(jobs, p.d.snap.Running[i].Job)
		}
		for i := range p.d.snap.Recent {
			jobs = append(jobs, p.d.snap.Recent[i].Job)
		}
		p.all = jobs
	}
	var ids []record.JobID
	index := map[record.JobID]*record.Job{}
	for i := range jobs {
		j := &jobs[i]
		if fits(p.text, j.ID.String(), string(j.Operator), j.Agent, string(j.State), string(j.Class), j.Reason, j.Target, candidateName(j.Candidate)) {
			ids = append(ids, j.ID)
			index[j.ID] = j
		}
	}
	p.list.set(ids)
	head := line{}
	head.gap(1).fit(st.Label, "job", 7).fit(st.Label, "state", 11).fit(st.Label, "work", 11).fit(st.Label, "parent", 9)
	if w >= wideJobs {
		head.fit(st.Label, "made", 8).fit(st.Label, "agent", 11)
	}
	head.right(st.Label, "edit", 8).right(st.Label, "measure", 9).right(st.Label, "cost", 9).gap(2).add(st.Label, "result")
	out := []string{head.String()}
	switch {
	case p.q.err != nil:
		return append(out, " "+st.Bad.S("cannot read the jobs: "+p.q.err.Error()))
	case p.d.opt.Reader != nil && !p.q.done && len(jobs) == 0:
		return append(out, " "+st.Label.S("loading"))
	case len(ids) == 0:
		return append(out, " "+st.Label.S("no job fits"))
	}
	from, to := p.list.window(h - 1)
	for i := from; i < to; i++ {
		out = append(out, p.paint(p.tableRow(index[ids[i]], w), i, w, focus))
	}
	return out
}

func (p *jobsPane) tableRow(j *record.Job, w int) string {
	st := p.d.st
	var l line
	l.gap(1).fit(st.Ident, j.ID.String(), idWidth(int64(j.ID))).fit(st.state(string(j.State)), string(j.State), 11).fit(st.Plain, p.what(j), 11)
	l.fit(st.Ident, candidateName(j.Parent), 9)
	if w >= wideJobs {
		l.fit(st.Ident, candidateName(j.Candidate), 8).fit(st.Label, j.Agent, 11)
	}
	l.right(st.Label, millisText(j.EditMS), 8).right(st.Label, millisText(j.EvalMS), 9).right(st.Label, costText(j.Usage), 9).gap(2)
	text := words(" ", string(j.Class), j.Reason)
	if j.State == record.Duplicate {
		text = "of " + candidateName(j.Duplicate)
	}
	for i := range p.d.snap.Recent {
		if e := &p.d.snap.Recent[i]; e.Job.ID == j.ID && e.Objective != nil {
			said, col := p.outcome(e, false)
			return l.right(st.Strong, number(*e.Objective), 8).gap(2).fit(col, said, w-l.w).String()
		}
	}
	if j.State == record.Queued && j.Priority != 0 {
		text = fmt.Sprintf("priority %d", j.Priority)
	}
	return l.fit(st.Label, text, w-l.w).String()
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
