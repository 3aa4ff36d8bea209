package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// maxTextLines is how much of a text the screen keeps; the pager has all.
const maxTextLines = 20000

// jobPane is the screen of one job: its stages in time, what it used, and the
// texts kept with it.
type jobPane struct {
	base
	job    record.JobID
	q      query
	detail *view.JobDetail
	tabAt  int
	view   scroll
	text   string
	lines  []string
	more   int
	of     [2]int // answer and tab that lines were made from
	answer int
}

func newJob(d *desk) *jobPane { return &jobPane{base: base{d: d, id: paneJob}, job: record.NoJob} }

func (p *jobPane) set(id record.JobID) {
	if id != p.job {
		p.job, p.detail, p.tabAt, p.view = id, nil, 0, scroll{}
	}
	p.bump()
}

func (p *jobPane) scopes() []scope        { return []scope{inJob, inText, inJobs, inCandidates} }
func (p *jobPane) timed() bool            { return true }
func (p *jobPane) filter() (string, bool) { return p.text, true }
func (p *jobPane) setFilter(t string)     { p.text = t; p.bump() }

func (p *jobPane) title() (string, string) {
	st := p.d.st
	if p.detail == nil {
		return st.Ident.S(p.job.String()), ""
	}
	j := &p.detail.Job
	return st.Ident.S(p.job.String()) + " " + st.state(string(j.State)).S(string(j.State)), st.Label.S(words(" · ", string(j.Kind), string(j.Operator), j.Agent, j.Target))
}

func (p *jobPane) sel() selection {
	s := nothing()
	if p.detail != nil {
		s.job, s.state, s.cand = p.job, p.detail.Job.State, p.detail.Job.Candidate
		s.cell = p.d.grid.cellOf(s.cand)
	}
	return s
}

func (p *jobPane) priority() int {
	if p.detail == nil {
		return 0
	}
	return p.detail.Job.Priority
}

func (p *jobPane) tab(by int) tea.Cmd {
	if n := len(p.tabs()); n > 0 {
		p.tabAt = (p.tabAt + by + n) % n
		p.view = scroll{}
	}
	p.bump()
	return nil
}

func (p *jobPane) move(m motion) tea.Cmd {
	p.view.follow = false
	p.view.move(m)
	p.bump()
	return nil
}

// match goes to the next line that contains the searched text.
func (p *jobPane) match(by int) bool {
	if p.text == "" {
		return false
	}
	n := len(p.lines)
	for step := 1; step <= n; step++ {
		i := ((p.view.off+by*step)%n + n) % n
		if strings.Contains(strings.ToLower(p.lines[i]), strings.ToLower(p.text)) {
			p.view.off = i
			break
		}
	}
	p.bump()
	return true
}

func (p *jobPane) show() tea.Cmd {
	if p.job < 0 || p.d.opt.Reader == nil {
		return nil
	}
	r, id := p.d.opt.Reader, p.job
	return p.q.ask(p.d, p.id, fmt.Sprint("job ", int64(id)), func(ctx context.Context) (any, error) { return r.Job(ctx, id) })
}

func (p *jobPane) take(m loadedMsg) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(view.JobDetail); ok && m.err == nil {
		p.detail = &v
		p.answer++
	}
	p.bump()
}

// tabs are the texts: live output while it runs, then the evidence.
func (p *jobPane) tabs() []string {
	if p.detail == nil {
		return nil
	}
	var out []string
	if len(p.detail.Live) > 0 {
		out = append(out, "live")
	}
	for _, e := range p.detail.Evidence {
		name := e.Kind
		if e.Attempt > 1 {
			name += fmt.Sprintf(" %d", e.Attempt)
		}
		out = append(out, name)
	}
	return out
}

// content returns the text of the present tab.
func (p *jobPane) content() (text string, cut int64) {
	if p.detail == nil {
		return "", 0
	}
	i := p.tabAt
	if len(p.detail.Live) > 0 {
		if i == 0 {
			return strings.Join(p.detail.Live, "\n"), 0
		}
		i--
	}
	if i < len(p.detail.Evidence) {
		return string(p.detail.Evidence[i].Text), p.detail.Evidence[i].Cut
	}
	return "", 0
}

// plain returns the present text for pager and editor, made safe.
func (p *jobPane) plain() string {
	text, cut := p.content()
	lines, _ := plot.CleanLines(text, 1<<20)
	if cut > 0 {
		lines = append(lines, fmt.Sprintf("(%d bytes were left out)", cut))
	}
	return strings.Join(lines, "\n") + "\n"
}

func (p *jobPane) body(w, h int, focus bool) []string {
	st := p.d.st
	switch {
	case p.d.opt.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached: only the snapshot is known")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case p.detail == nil:
		return []string{" " + st.Label.S("loading")}
	}
	if w < 100 {
		head := p.facts(w)
		head = head[:min(len(head), h/3)]
		return append(head, p.texts(w, h-len(head))...)
	}
	side := min(50, w*2/5)
	return beside(p.facts(side), p.texts(w-side-1, h), side, 1)
}

// facts are the stages and what the job used.
func (p *jobPane) facts(w int) []string {
	st := p.d.st
	d := p.detail
	j := &d.Job
	var out []string
	pair := func(name string, l *line) {
		var k line
		k.gap(1).fit(st.Label, name, 9).raw(l.String())
		out = append(out, k.String())
	}
	if j.Reason != "" || j.Class != "" {
		for _, t := range wrapText(words(": ", string(j.Class), j.Reason), w-2) {
			out = append(out, " "+st.state(string(j.State)).S(t))
		}
	}
	from := (&line{}).add(st.Ident, candidateName(j.Parent))
	for _, i := range j.Inspirations {
		from.add(st.Label, " + ").add(st.Ident, candidateName(i))
	}
	pair("parent", from)
	if j.Candidate >= 0 {
		made := (&line{}).add(st.Ident, candidateName(j.Candidate))
		if c := d.Candidate; c != nil {
			made.gap(1).add(st.Label, c.Commit.Short()).gap(1).add(st.Strong, optional(c.Objective))
			if d.Parent != nil && d.Parent.Objective != nil && c.Objective != nil {
				v := p.d.gain(*c.Objective, *d.Parent.Objective)
				made.gap(1).add(gainStyle(st, v), signed(v))
			}
		}
		pair("made", made)
	}
	if j.Duplicate >= 0 && j.State == record.Duplicate {
		pair("same as", (&line{}).add(st.Ident, candidateName(j.Duplicate)))
	}
	u := j.Usage
	pair("used", (&line{}).add(st.Plain, fmt.Sprintf("%s, %s in, %s out, %s", plural(u.Requests, "request", "requests"), count(u.InputTokens), count(u.OutputTokens), costText(u))))
	pair("time", (&line{}).add(st.Plain, fmt.Sprintf("edit %s, measure %s, own %.1f ms", millisText(j.EditMS), millisText(j.EvalMS), j.OwnMS)))
	out = append(out, "", " "+st.Label.S("stages"))
	for i := range d.Stages {
		out = append(out, p.stage(&d.Stages[i], w))
	}
	for _, f := range d.Findings {
		col, sign := st.Warn, "! "
		if f.Hard {
			col, sign = st.Bad, "x "
		}
		out = append(out, " "+col.S(sign+words(" ", f.Rule, f.Path, f.Text)))
	}
	if len(d.Retries) > 0 {
		l := (&line{}).gap(1).add(st.Label, "tried again by")
		for _, r := range d.Retries {
			l.gap(1).add(st.Ident, r.String())
		}
		out = append(out, "", l.String())
	}
	return out
}

func (p *jobPane) stage(s *view.StageSpan, w int) string {
	st := p.d.st
	var l line
	end, col := millis(s.Ended), st.Plain
	if s.Ended == 0 {
		end, col = p.d.now(), st.Good
	}
	l.gap(1).fit(st.Label, clock(millis(s.Started)), 10).fit(col, s.Name, 18).right(st.Plain, duration(end.Sub(millis(s.Started)).Round(time.Millisecond)), 8).gap(2)
	return l.fit(st.Label, s.Note, w-l.w).String()
}

// texts are the tabs over the present text.
func (p *jobPane) texts(w, h int) []string {
	st := p.d.st
	tabs := p.tabs()
	if len(tabs) == 0 {
		return []string{st.Label.S("no texts were kept")}
	}
	p.tabAt = min(p.tabAt, len(tabs)-1)
	var l line
	for i, t := range tabs {
		if i == p.tabAt {
			l.add(st.Accent, t)
		} else {
			l.add(st.Label, t)
		}
		l.gap(2)
	}
	if key := [2]int{p.answer, p.tabAt}; key != p.of {
		p.of = key
		text, cut := p.content()
		p.lines, p.more = plot.CleanLines(text, maxTextLines)
		if cut > 0 {
			p.lines = append(p.lines, fmt.Sprintf("(%d bytes were left out when it was stored)", cut))
		}
		if p.more > 0 {
			p.lines = append(p.lines, fmt.Sprintf("(%d more lines; o opens all in the pager)", p.more))
		}
	}
	out := []string{l.String(), st.Border.wrap(repeat("─", w))}
	p.view.set(len(p.lines), h-2)
	for i := p.view.off; i < min(len(p.lines), p.view.off+h-2); i++ {
		out = append(out, drawSegs([]seg{{p.lines[i], st.Plain}}, p.view.col, w, "", p.text, st))
	}
	return out
}
