package pane

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// maxTextLines is how much of a text the screen keeps; the pager has all.
const maxTextLines = 20000

// jobPane is the screen of one job: its stages in time, what it used, and the
// texts kept with it.
type jobPane struct {
	base
	Job    record.JobID
	q      query
	detail *view.JobDetail
	tabAt  int
	view   widget.Scroll
	text   string
	lines  []string
	more   int
	of     [3]int // answer, tab and width that lines were made from
	answer int
}

// newJob returns the screen of a job, or with another id the part of a pane that shows
// the job under its cursor.
func newJob(d *Shared, id ID) *jobPane { return &jobPane{base: base{d: d, id: id}, Job: record.NoJob} }

func (p *jobPane) Set(id record.JobID) {
	if id != p.Job {
		p.Job, p.detail, p.tabAt, p.view = id, nil, 0, widget.Scroll{}
	}
	p.bump()
}

// Subject is the job.
func (p *jobPane) Subject() string { return p.Job.String() }

func (p *jobPane) OfNow() bool { return true }

func (p *jobPane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InJob, keys.InText, keys.InJobs, keys.InCandidates}
}

func (p *jobPane) Timed() bool            { return true }
func (p *jobPane) Filter() (string, bool) { return p.text, true }
func (p *jobPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *jobPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "previous-text", Keys: []string{"["}, Title: "previous text", In: []keys.Scope{keys.InJob}, Off: p.oneText, Run: func() tea.Cmd { return p.tab(-1) }},
		{ID: "next-text", Keys: []string{"]"}, Title: "next text", In: []keys.Scope{keys.InJob}, Bar: 46, Off: p.oneText, Run: func() tea.Cmd { return p.tab(1) }},
	}
}

func (p *jobPane) Title() (string, string) {
	st := p.d.St
	if p.detail == nil {
		return st.Ident.S(p.Job.String()), ""
	}
	j := &p.detail.Job
	left := st.Ident.S(p.Job.String()) + " " + st.State(string(j.State)).S(string(j.State))
	if c := p.detail.Candidate; c != nil && c.Objective != nil {
		left += " " + p.value(c)
	}
	return left, st.Label.S(widget.Words(" · ", string(j.Kind), string(j.Operator), j.Agent, j.Target))
}

// value is that of what was made, with its evidence, or its gain on what it was made from.
func (p *jobPane) value(c *record.Candidate) string {
	d, claim := p.d, p.detail.Claim
	return d.valueStyle(c.ID, c.Objective, claim).S(d.told(c.ID, c.Objective, claim, whole)) + p.onParent()
}

// onParent is the gain of what was made on what it was made from, with a space
// before it; "" where either is not measured, or values vary.
func (p *jobPane) onParent() string {
	c, from := p.detail.Candidate, p.detail.Parent
	if c == nil || from == nil || c.Objective == nil || from.Objective == nil || p.d.Snap.Noisy {
		return ""
	}
	v := level(p.d.gain(*c.Objective, *from.Objective), *from.Objective)
	return " " + gainStyle(p.d.St, v).S(widget.Brief(v))
}

func (p *jobPane) Selected() Selection {
	s := Nothing()
	if p.detail != nil {
		j := &p.detail.Job
		s.Job, s.State, s.Priority, s.Candidate = p.Job, j.State, j.Priority, j.Candidate
		s.Cell = p.d.Grid.CellOf(s.Candidate)
	}
	return s
}

// oneText says why there is no other text to go to.
func (p *jobPane) oneText() string {
	switch len(p.tabs()) {
	case 0:
		return "no texts were kept"
	case 1:
		return "one text is all that was kept"
	}
	return ""
}

func (p *jobPane) tab(by int) tea.Cmd {
	if n := len(p.tabs()); n > 0 {
		p.tabAt = (p.tabAt + by + n) % n
		p.view = widget.Scroll{}
	}
	p.bump()
	return nil
}

func (p *jobPane) Move(m widget.Motion) tea.Cmd {
	p.view.Follow = false
	p.view.Move(m)
	p.bump()
	return nil
}

// Match goes to the next line that contains the searched text.
func (p *jobPane) Match(by int) bool {
	if p.text == "" {
		return false
	}
	n := len(p.lines)
	for step := 1; step <= n; step++ {
		i := ((p.view.Off+by*step)%n + n) % n
		if strings.Contains(strings.ToLower(p.lines[i]), strings.ToLower(p.text)) {
			p.view.Off = i
			break
		}
	}
	p.bump()
	return true
}

func (p *jobPane) Load() tea.Cmd {
	if p.Job < 0 || p.d.Reader == nil {
		return nil
	}
	r, id := p.d.Reader, p.Job
	return p.q.ask(p.d, p.id, fmt.Sprint("job ", int64(id)), func(ctx context.Context) (any, error) { return r.Job(ctx, id) })
}

func (p *jobPane) Take(m Loaded) {
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
	type text struct {
		kind    string
		attempt int
	}
	all, seen := map[text]int{}, map[text]int{}
	for _, e := range p.detail.Evidence {
		all[text{e.Kind, e.Attempt}]++
	}
	for _, e := range p.detail.Evidence {
		name, of := e.Kind, text{e.Kind, e.Attempt}
		if e.Attempt > 1 {
			name = fmt.Sprintf("%s, attempt %d", name, e.Attempt)
		}
		if seen[of]++; all[of] > 1 { // the runs of an evaluator
			name = fmt.Sprintf("%s %d/%d", name, seen[of], all[of])
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
	if kept := p.detail.Evidence; i < len(kept) {
		return evidenceText(&kept[i]), kept[i].Cut
	}
	return "", 0
}

// workTree is where a person edits for this job, "" where nobody does.
func (p *jobPane) workTree() string {
	if p.detail == nil || p.detail.Job.State != record.Editing {
		return ""
	}
	for _, l := range p.detail.Live {
		if _, dir, ok := strings.Cut(l, waitsFor); ok {
			return strings.TrimSpace(plot.Clean(dir))
		}
	}
	return ""
}

// waitsFor begins the line by which a job says where a person is to edit.
const waitsFor = "a work tree waits for you: "

// Leads are the actions in the work tree that waits for a person.
func (p *jobPane) Leads() []string {
	if p.workTree() == "" {
		return nil
	}
	return []string{"edit-tree", "shell-tree"}
}

// WorkTree is where a person edits for the job shown, "" where nobody does.
func (p *jobPane) WorkTree() string { return p.workTree() }

// Text returns the present text for pager and editor, made safe.
func (p *jobPane) Text() string {
	text, cut := p.content()
	lines, _ := plot.CleanLines(text, 1<<20)
	if cut > 0 {
		lines = append(lines, fmt.Sprintf("(%d bytes were left out)", cut))
	}
	return strings.Join(lines, "\n") + "\n"
}

func (p *jobPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached: only the snapshot is known")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case p.detail == nil:
		return []string{" " + st.Label.S("loading")}
	}
	if w < 100 {
		head := p.facts(w)
		head = head[:min(len(head), h/3)]
		return append(head, widget.Indent(p.texts(w-2, h-len(head)))...)
	}
	side := min(50, w*2/5)
	return widget.Beside(p.facts(side), p.texts(w-side-1, h), side, 1)
}

// texts are the tabs over the present text.
func (p *jobPane) texts(w, h int) []string {
	st := p.d.St
	tabs := p.tabs()
	if len(tabs) == 0 {
		return []string{st.Label.S("no texts were kept")}
	}
	p.tabAt = min(p.tabAt, len(tabs)-1)
	var l widget.Line
	for i, t := range tabs {
		if i == p.tabAt {
			l.Add(st.Accent, t)
		} else {
			l.Add(st.Label, t)
		}
		l.Gap(2)
	}
	if key := [3]int{p.answer, p.tabAt, w}; key != p.of {
		p.of = key
		text, cut := p.content()
		whole, more := plot.CleanLines(text, maxTextLines)
		p.lines, p.more = p.lines[:0], more
		for _, t := range whole {
			p.lines = append(p.lines, strings.Split(ansi.Wrap(t, max(w, 8), " ,;/"), "\n")...)
		}
		if cut > 0 {
			p.lines = append(p.lines, fmt.Sprintf("(%d bytes were left out when it was stored)", cut))
		}
		if p.more > 0 {
			p.lines = append(p.lines, fmt.Sprintf("(%d more lines; %s opens all in the pager)", p.more, p.d.Key("pager")))
		}
	}
	out := []string{l.String(), st.Border.Wrap(widget.Repeat("─", w))}
	p.view.Set(len(p.lines), h-2)
	for i := p.view.Off; i < min(len(p.lines), p.view.Off+h-2); i++ {
		out = append(out, drawSegs([]seg{{p.lines[i], st.Plain}}, p.view.Col, w, "", p.text, "…", st))
	}
	return out
}
