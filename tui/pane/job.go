package pane

import (
	"context"
	"fmt"
	"strings"
	"time"

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

// facts are the stages and what the job used.
func (p *jobPane) facts(w int) []string {
	st := p.d.St
	d := p.detail
	out := p.standing(w)
	out = append(out, p.origin(w)...)
	out = append(out, "")
	out = append(out, p.outcome(w)...)
	out = append(out, "", " "+st.Label.S("stages"))
	for i := range d.Stages {
		out = append(out, p.stage(&d.Stages[i], w))
	}
	for _, f := range d.Findings {
		col, sign := st.Warn, "! "
		if f.Hard {
			col, sign = st.Bad, "x "
		}
		out = append(out, " "+col.S(sign+widget.Words(" ", f.Rule, f.Path, f.Text)))
	}
	if len(d.Retries) > 0 {
		l := (&widget.Line{}).Gap(1).Add(st.Label, "tried again by")
		for _, r := range d.Retries {
			l.Gap(1).Add(st.Ident, r.String())
		}
		out = append(out, "", l.String())
	}
	return out
}

// fact is a line with its name before it; "" goes on with the one above.
func (p *jobPane) fact(name string, l *widget.Line) string {
	var k widget.Line
	k.Gap(1).Col(p.d.St.Label, name, 9).Raw(l.String())
	return k.String()
}

// told is a fact in words, over as many lines as it takes.
func (p *jobPane) told(name, text string, w int) []string {
	var out []string
	for i, t := range widget.WrapText(text, max(8, w-11)) {
		out = append(out, p.fact(widget.Unless(i > 0, name), (&widget.Line{}).Add(p.d.St.Plain, strings.TrimSpace(t))))
	}
	return out
}

// standing is why the job ended as it did, and where its person works.
func (p *jobPane) standing(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if why := widget.Words(": ", string(j.Class), beyond(j)); why != "" {
		for _, t := range widget.WrapText(why, w-2) {
			out = append(out, " "+st.State(string(j.State)).S(t))
		}
	}
	if dir := p.workTree(); dir != "" {
		out = append(out, " "+st.Accent.S("waits for you: "+p.d.Key("edit-tree")+" edits there, "+p.d.Key("shell-tree")+" opens a shell"))
		for _, t := range widget.WrapText(dir, w-2) {
			out = append(out, " "+st.Strong.S(t))
		}
	}
	return out
}

// origin is what the job began from, by whom, and why.
func (p *jobPane) origin(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if j.Kind == record.Evaluate {
		out = append(out, p.fact("measures", (&widget.Line{}).Add(st.Ident, CandidateName(j.Candidate))))
	} else {
		from := (&widget.Line{}).Add(st.Ident, CandidateName(j.Parent))
		beside := j.Inspirations
		if mate := j.Mate(); mate != record.NoCandidate {
			from.Add(st.Label, " crossed with ").Add(st.Ident, CandidateName(mate))
			beside = beside[1:]
		}
		for i, id := range beside {
			from.Add(st.Label, widget.Unless(i > 0, " beside")).Gap(1).Add(st.Ident, CandidateName(id))
		}
		out = append(out, p.fact("parent", from), p.fact("by", p.maker()))
	}
	for i, reason := range p.choice() {
		out = append(out, p.told(widget.Unless(i > 0, "why"), reason, w)...)
	}
	return out
}

// outcome is what the job made and used.
func (p *jobPane) outcome(w int) []string {
	st, j := p.d.St, &p.detail.Job
	var out []string
	if j.Candidate >= 0 {
		made := (&widget.Line{}).Add(st.Ident, CandidateName(j.Candidate))
		if c := p.detail.Candidate; c != nil {
			gain := p.onParent()
			made.Gap(1).Add(st.Label, c.Commit.Short()).Gap(1).Raw(p.value(c))
			if gain != "" && made.W+20 <= w { // else the title says it
				made.Add(st.Label, " on parent")
			}
		}
		out = append(out, p.fact("made", made))
	}
	if j.Duplicate >= 0 && j.State == record.Duplicate {
		out = append(out, p.fact("same as", (&widget.Line{}).Add(st.Ident, CandidateName(j.Duplicate))))
	}
	u := j.Usage
	used := "no model was asked"
	if u.Requests > 0 || u.Unmetered || u.CostUSD != nil && *u.CostUSD > 0 {
		used = fmt.Sprintf("%s, %s tokens in, %s out, %s", widget.Plural(u.Requests, "request", "requests"), widget.Count(u.InputTokens), widget.Count(u.OutputTokens), costText(u))
	}
	out = append(out, p.told("used", used, w)...)
	spent := widget.Words(" on ", fmt.Sprintf("agent %s, evaluator %s", widget.MillisText(j.EditMS), widget.MillisText(j.EvalMS)), j.Machine)
	return append(out, p.fact("time", (&widget.Line{}).Add(st.Plain, spent)), p.fact("", (&widget.Line{}).Add(st.Label, fmt.Sprintf("atoll itself %.1f ms", j.OwnMS))))
}

// maker tells who edits what, and how; a person edits as they like.
func (p *jobPane) maker() *widget.Line {
	st, j := p.d.St, &p.detail.Job
	l := &widget.Line{}
	if p.workTree() == "" {
		l.Add(st.Plain, widget.OrNone(string(j.Operator))).Add(st.Label, " of ")
	}
	return l.Add(st.Plain, widget.OrNone(j.Agent)).Add(st.Label, widget.Unless(j.Target == "", " on "+j.Target))
}

func (p *jobPane) stage(s *view.StageSpan, w int) string {
	st := p.d.St
	var l widget.Line
	end, col := widget.Millis(s.Ended), st.Plain
	if s.Ended == 0 {
		end, col = p.d.Today(), st.Good
	}
	took := ""
	if s.Ended == 0 || s.Ended > s.Started { // an end takes no time
		took = spanText(end.Sub(widget.Millis(s.Started)))
	}
	l.Gap(1).Col(st.Label, widget.Clock(widget.Millis(s.Started)), 9).Col(col, s.Name, 16).Right(st.Plain, took, 7).Gap(2)
	return l.Fit(st.Label, s.Note, w-l.W).String()
}

// spanText writes how long a stage took: below a second in milliseconds.
func spanText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return widget.Duration(d)
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
