package pane

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// reviewPane lists what waits for a person, oldest first. As a screen it
// shows the difference, the metrics and the findings beside the list, so that
// one look decides.
type reviewPane struct {
	base
	list  widget.List[record.CandidateID]
	text  string
	gone  map[record.CandidateID]bool // decided here, not yet gone from the feed
	full  bool
	d1    diffView
	lastW int
}

func newReview(d *Shared) *reviewPane {
	p := &reviewPane{base: base{d: d, id: Review}, gone: map[record.CandidateID]bool{}}
	p.d1 = diffView{d: d, id: Review, Candidate: record.NoCandidate, parent: record.NoCandidate}
	return p
}

func (p *reviewPane) Scopes() []keys.Scope {
	if p.full {
		return []keys.Scope{keys.InReview, keys.InDiff, keys.InCandidates, keys.InList, keys.InText}
	}
	return []keys.Scope{keys.InReview, keys.InCandidates, keys.InList}
}

func (p *reviewPane) Timed() bool            { return true }
func (p *reviewPane) Filter() (string, bool) { return p.text, true }
func (p *reviewPane) Diff() *diffView        { return &p.d1 }
func (p *reviewPane) Text() string           { return p.d1.plain() }
func (p *reviewPane) Match(by int) bool      { p.bump(); return p.d1.match(by) }

func (p *reviewPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "skip", Keys: []string{"s"}, Title: "skip", Doc: "leaves it waiting and shows the next", In: []keys.Scope{keys.InReview}, Bar: 65, Off: p.empty, Run: p.skip},
	}
}

func (p *reviewPane) SetFilter(t string) {
	p.text = t
	if p.full {
		p.d1.text = t
	}
	p.bump()
}

func (p *reviewPane) Place(at Placement) {
	if p.full != at.Full {
		p.full = at.Full
		p.bump()
	}
}

func (p *reviewPane) Recall(from Memory) { p.d1.recall(from) }

// empty says why nothing can be skipped.
func (p *reviewPane) empty() string {
	if len(p.list.IDs) == 0 {
		return "nothing waits"
	}
	return ""
}

// Waiting is how many candidates wait for a person; a snapshot lists no more
// than the oldest.
func Waiting(s *view.Snapshot) int {
	if len(s.Review) < view.ReviewCap {
		return len(s.Review)
	}
	return max(len(s.Review), s.Jobs.Held)
}

func (p *reviewPane) Title() (string, string) {
	st := p.d.St
	left := p.heading("4", "Review")
	if n := len(p.list.IDs); n > 0 {
		if n == len(p.d.Snap.Review) {
			n = Waiting(p.d.Snap)
		}
		left += " " + st.Accent.S(fmt.Sprintf("%d waiting", n))
	}
	if h := p.held(); h != nil && p.full {
		return left, st.Label.S("difference to ") + st.Ident.S(p.d1.baseName())
	}
	return left, st.Label.S(widget.Words(", ", setWord("before measuring", p.d.Snap.Settings.Review), setWord("before a niche", p.d.Snap.Settings.ReviewNiche)))
}

func setWord(name, value string) string {
	if value == "" || value == "off" {
		return ""
	}
	return name + ": " + value
}

// sync takes what waits from the snapshot.
func (p *reviewPane) sync() {
	var ids []record.CandidateID
	still := map[record.CandidateID]bool{}
	for i := range p.d.Snap.Review {
		h := &p.d.Snap.Review[i]
		id := h.Candidate.ID
		still[id] = true
		if p.gone[id] || !p.full && !widget.Fits(p.text, CandidateName(id), string(h.Candidate.Operator), h.Candidate.Agent, h.Candidate.Intent) {
			continue
		}
		ids = append(ids, id)
	}
	for id := range p.gone {
		if !still[id] {
			delete(p.gone, id)
		}
	}
	p.list.Set(ids)
}

// Decided hides a candidate until the feed confirms; the next is selected.
func (p *reviewPane) Decided(id record.CandidateID) {
	for i := range p.d.Snap.Review {
		if p.d.Snap.Review[i].Candidate.ID == id {
			p.gone[id] = true
		}
	}
	cur := p.list.Cur
	p.sync()
	p.list.Cur = cur
	p.list.Clamp()
	p.bump()
}

// Again brings back what could not be decided.
func (p *reviewPane) Again() {
	clear(p.gone)
	p.bump()
}

func (p *reviewPane) skip() tea.Cmd {
	if n := len(p.list.IDs); n > 0 {
		p.list.Cur = (p.list.Cur + 1) % n
	}
	p.bump()
	return p.Load()
}

func (p *reviewPane) held() *view.Held {
	id, ok := p.list.At()
	if !ok {
		return nil
	}
	for i := range p.d.Snap.Review {
		if p.d.Snap.Review[i].Candidate.ID == id {
			return &p.d.Snap.Review[i]
		}
	}
	return nil
}

func (p *reviewPane) Selected() Selection {
	s := Nothing()
	if h := p.held(); h != nil {
		s.Candidate, s.Job, s.State, s.Cell, s.Held = h.Candidate.ID, h.Job.ID, h.Job.State, h.Cell, true
	}
	return s
}

func (p *reviewPane) Move(m widget.Motion) tea.Cmd {
	if p.full && (m == widget.PageUp || m == widget.PageDown || m == widget.Left || m == widget.Right || m == widget.RowStart || m == widget.WheelUp || m == widget.WheelDown) {
		p.d1.view.Move(m)
	} else {
		p.list.Move(m)
	}
	p.bump()
	return nil
}

func (p *reviewPane) Click(x, y int) tea.Cmd {
	if p.full {
		if x < p.lastW {
			p.list.Click(y / 3)
		}
	} else {
		p.list.Click(y)
	}
	p.bump()
	return p.Load()
}

func (p *reviewPane) Load() tea.Cmd {
	p.sync()
	h := p.held()
	if !p.full || h == nil {
		return nil
	}
	var findings []view.GateFinding
	for _, f := range h.Findings {
		findings = append(findings, view.GateFinding{Text: f})
	}
	p.d1.set(h.Candidate.ID, h.Candidate.Parent(), findings)
	return p.d1.show()
}

func (p *reviewPane) Take(m Loaded) {
	if p.d1.take(m) {
		p.bump()
	}
}

func (p *reviewPane) Body(w, h int, focus bool) []string {
	p.sync()
	if p.full {
		return p.screen(w, h)
	}
	st := p.d.St
	if len(p.list.IDs) == 0 {
		text := "nothing waits"
		if p.d.Snap.Loading {
			text = "loading"
		}
		return []string{" " + st.Label.S(text)}
	}
	var out []string
	from, to := p.list.Window(h)
	for i := from; i < to; i++ {
		held := p.find(p.list.IDs[i])
		row := p.row(held, w)
		if focus && i == p.list.Cur {
			row = widget.Pick(st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (p *reviewPane) find(id record.CandidateID) *view.Held {
	for i := range p.d.Snap.Review {
		if p.d.Snap.Review[i].Candidate.ID == id {
			return &p.d.Snap.Review[i]
		}
	}
	return &view.Held{}
}

func (p *reviewPane) row(h *view.Held, w int) string {
	st := p.d.St
	c := &h.Candidate
	var l widget.Line
	mark := " "
	if p.d.marked(c.ID) {
		mark = "▸"
	}
	l.Add(st.Marked, mark).Fit(st.Ident, CandidateName(c.ID), 7).Fit(st.Plain, string(c.Operator), 10).Fit(st.Label, widget.Change(c.Added, c.Removed), 10)
	l.Right(st.Plain, widget.Optional(c.Objective), 9).Gap(2)
	where := Niche(&p.d.Snap.Grid, h.Cell)
	if h.Cell >= 0 && h.From >= 0 {
		where += " from " + CandidateName(h.From)
	}
	text := widget.Words(" · ", where, firstOf(h.Findings), c.Intent)
	return l.Fit(st.Label, text, w-l.W).String()
}

func firstOf(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// screen is the decision on one screen: the queue on the left, what it is
// about on the right.
func (p *reviewPane) screen(w, h int) []string {
	st := p.d.St
	held := p.held()
	if held == nil {
		return []string{"", " " + st.Label.S("nothing waits for a decision"), "", " " + st.Label.S("review is set to "+widget.Words(", ", "before measuring: "+orOff(p.d.Snap.Settings.Review), "before a niche: "+orOff(p.d.Snap.Settings.ReviewNiche)))}
	}
	side := max(30, min(w*30/100, 48))
	p.lastW = side
	return widget.Beside(p.queue(side, h), p.decision(held, w-side-1, h), side, 1)
}

func orOff(s string) string {
	if s == "" {
		return "off"
	}
	return s
}

// queue lists what waits, three lines each.
func (p *reviewPane) queue(w, h int) []string {
	st := p.d.St
	var out []string
	from, to := p.list.Window(max(1, h/3))
	for i := from; i < to; i++ {
		held := p.find(p.list.IDs[i])
		c := &held.Candidate
		var a, b, t widget.Line
		mark := " "
		if p.d.marked(c.ID) {
			mark = "x"
		}
		a.Add(st.Marked, mark).Fit(st.Ident, CandidateName(c.ID), 6).Fit(st.Plain, string(c.Operator), 10).Right(st.Strong, widget.Optional(c.Objective), w-a.W-8).Gap(1).Fit(st.Ident, Niche(&p.d.Snap.Grid, held.Cell), 7)
		b.Gap(1).Add(st.Label, "from ").Add(st.Ident, CandidateName(c.Parent())).Add(st.Label, " "+widget.Change(c.Added, c.Removed))
		if held.From >= 0 {
			b.Add(st.Label, " takes over ").Add(st.Ident, CandidateName(held.From))
		} else if held.Before != "" {
			b.Add(st.Label, " before "+held.Before)
		}
		row := a.String()
		if i == p.list.Cur {
			row = widget.Pick(st.Selected, row, w)
		}
		out = append(out, row, b.String(), t.String())
	}
	return out
}

// decision is the right side: intent, figures, findings, difference.
func (p *reviewPane) decision(h *view.Held, w, hh int) []string {
	st := p.d.St
	c := &h.Candidate
	var l widget.Line
	l.Add(st.Ident, CandidateName(c.ID)).Gap(1).Add(st.Label, c.Commit.Short()).Gap(2).Add(st.Plain, string(c.Operator)).Add(st.Label, " by ").Add(st.Plain, c.Agent).Gap(2).Add(st.Strong, widget.Optional(c.Objective))
	if c.Objective != nil && h.Parent != nil {
		v := p.d.gain(*c.Objective, *h.Parent)
		l.Gap(1).Add(gainStyle(st, v), widget.Signed(v)).Add(st.Label, " on parent")
	}
	if r := p.d.Snap.Root; c.Objective != nil && r.ID >= 0 {
		v := p.d.gain(*c.Objective, r.Objective)
		l.Gap(1).Add(gainStyle(st, v), widget.Signed(v)).Add(st.Label, " on root")
	}
	if c.Objective == nil {
		l.Gap(1).Add(st.Label, "not measured yet")
	}
	out := []string{l.String()}
	if c.Intent != "" {
		out = append(out, st.Plain.S("“"+c.Intent+"”"))
	}
	var ms widget.Line
	for _, m := range c.Metrics {
		if m.Name != p.d.Snap.Objective && ms.W < w-20 {
			ms.Add(st.Label, m.Name+" ").Add(st.Plain, widget.Number(m.Value)).Gap(2)
		}
	}
	if ms.W > 0 {
		out = append(out, ms.String())
	}
	for _, f := range h.Findings {
		out = append(out, st.Warn.S("! "+f))
	}
	out = append(out, st.Border.Wrap(widget.Repeat("─", w)))
	return append(out, p.d1.body(w, hh-len(out))...)
}
