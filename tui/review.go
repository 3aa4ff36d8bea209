package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// reviewPane lists what waits for a person, oldest first. As a screen it
// shows the difference, the metrics and the findings beside the list, so that
// one look decides.
type reviewPane struct {
	base
	list  list[record.CandidateID]
	text  string
	gone  map[record.CandidateID]bool // decided here, not yet gone from the feed
	full  bool
	d1    diffView
	lastW int
}

func newReview(d *desk) *reviewPane {
	p := &reviewPane{base: base{d: d, id: paneReview}, gone: map[record.CandidateID]bool{}}
	p.d1 = diffView{d: d, id: paneReview, cand: record.NoCandidate, parent: record.NoCandidate}
	return p
}

func (p *reviewPane) scopes() []scope {
	if p.full {
		return []scope{inReview, inDiff, inCandidates, inList, inText}
	}
	return []scope{inReview, inCandidates, inList}
}

func (p *reviewPane) timed() bool            { return true }
func (p *reviewPane) filter() (string, bool) { return p.text, true }
func (p *reviewPane) diff() *diffView        { return &p.d1 }
func (p *reviewPane) match(by int) bool      { p.bump(); return p.d1.match(by) }

func (p *reviewPane) setFilter(t string) {
	p.text = t
	if p.full {
		p.d1.text = t
	}
	p.bump()
}

// waiting is how many candidates wait for a person; a snapshot lists no more
// than the oldest.
func waiting(s *view.Snapshot) int {
	if len(s.Review) < view.ReviewCap {
		return len(s.Review)
	}
	return max(len(s.Review), s.Jobs.Held)
}

func (p *reviewPane) title() (string, string) {
	st := p.d.st
	left := p.heading("4", "Review")
	if n := len(p.list.ids); n > 0 {
		if n == len(p.d.snap.Review) {
			n = waiting(p.d.snap)
		}
		left += " " + st.Accent.S(fmt.Sprintf("%d waiting", n))
	}
	if h := p.held(); h != nil && p.full {
		return left, st.Label.S("difference to ") + st.Ident.S(p.d1.baseName())
	}
	return left, st.Label.S(words(", ", setWord("before measuring", p.d.snap.Settings.Review), setWord("before a niche", p.d.snap.Settings.ReviewNiche)))
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
	for i := range p.d.snap.Review {
		h := &p.d.snap.Review[i]
		id := h.Candidate.ID
		still[id] = true
		if p.gone[id] || !p.full && !fits(p.text, candidateName(id), string(h.Candidate.Operator), h.Candidate.Agent, h.Candidate.Intent) {
			continue
		}
		ids = append(ids, id)
	}
	for id := range p.gone {
		if !still[id] {
			delete(p.gone, id)
		}
	}
	p.list.set(ids)
}

// decided hides a candidate until the feed confirms; the next is selected.
func (p *reviewPane) decided(id record.CandidateID) {
	for i := range p.d.snap.Review {
		if p.d.snap.Review[i].Candidate.ID == id {
			p.gone[id] = true
		}
	}
	cur := p.list.cur
	p.sync()
	p.list.cur = cur
	p.list.clamp()
	p.bump()
}

// again brings back what could not be decided.
func (p *reviewPane) again() {
	clear(p.gone)
	p.bump()
}

func (p *reviewPane) skip() tea.Cmd {
	if n := len(p.list.ids); n > 0 {
		p.list.cur = (p.list.cur + 1) % n
	}
	p.bump()
	return p.show()
}

func (p *reviewPane) held() *view.Held {
	id, ok := p.list.at()
	if !ok {
		return nil
	}
	for i := range p.d.snap.Review {
		if p.d.snap.Review[i].Candidate.ID == id {
			return &p.d.snap.Review[i]
		}
	}
	return nil
}

func (p *reviewPane) sel() selection {
	s := nothing()
	if h := p.held(); h != nil {
		s.cand, s.job, s.state, s.cell, s.held = h.Candidate.ID, h.Job.ID, h.Job.State, h.Cell, true
	}
	return s
}

func (p *reviewPane) move(m motion) tea.Cmd {
	if p.full && (m == pageUp || m == pageDown || m == left || m == right || m == rowStart || m == wheelUp || m == wheelDown) {
		p.d1.view.move(m)
	} else {
		p.list.move(m)
	}
	p.bump()
	return nil
}

func (p *reviewPane) click(x, y int) tea.Cmd {
	if p.full {
		if x < p.lastW {
			p.list.click(y / 3)
		}
	} else {
		p.list.click(y)
	}
	p.bump()
	return p.show()
}

func (p *reviewPane) show() tea.Cmd {
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

func (p *reviewPane) take(m loadedMsg) {
	if p.d1.take(m) {
		p.bump()
	}
}

func (p *reviewPane) body(w, h int, focus bool) []string {
	p.sync()
	if p.full {
		return p.screen(w, h)
	}
	st := p.d.st
	if len(p.list.ids) == 0 {
		text := "nothing waits"
		if p.d.snap.Loading {
			text = "loading"
		}
		return []string{" " + st.Label.S(text)}
	}
	var out []string
	from, to := p.list.window(h)
	for i := from; i < to; i++ {
		held := p.find(p.list.ids[i])
		row := p.row(held, w)
		if focus && i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (p *reviewPane) find(id record.CandidateID) *view.Held {
	for i := range p.d.snap.Review {
		if p.d.snap.Review[i].Candidate.ID == id {
			return &p.d.snap.Review[i]
		}
	}
	return &view.Held{}
}

func (p *reviewPane) row(h *view.Held, w int) string {
	st := p.d.st
	c := &h.Candidate
	var l line
	mark := " "
	if p.d.marked(c.ID) {
		mark = "▸"
	}
	l.add(st.Marked, mark).fit(st.Ident, candidateName(c.ID), 7).fit(st.Plain, string(c.Operator), 10).fit(st.Label, change(c.Added, c.Removed), 10)
	l.right(st.Plain, optional(c.Objective), 9).gap(2)
	where := niche(&p.d.snap.Grid, h.Cell)
	if h.Cell >= 0 && h.From >= 0 {
		where += " from " + candidateName(h.From)
	}
	text := words(" · ", where, firstOf(h.Findings), c.Intent)
	return l.fit(st.Label, text, w-l.w).String()
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
	st := p.d.st
	held := p.held()
	if held == nil {
		return []string{"", " " + st.Label.S("nothing waits for a decision"), "", " " + st.Label.S("review is set to "+words(", ", "before measuring: "+orOff(p.d.snap.Settings.Review), "before a niche: "+orOff(p.d.snap.Settings.ReviewNiche)))}
	}
	side := max(30, min(w*30/100, 48))
	p.lastW = side
	return beside(p.queue(side, h), p.decision(held, w-side-1, h), side, 1)
}

func orOff(s string) string {
	if s == "" {
		return "off"
	}
	return s
}

// queue lists what waits, three lines each.
func (p *reviewPane) queue(w, h int) []string {
	st := p.d.st
	var out []string
	from, to := p.list.window(max(1, h/3))
	for i := from; i < to; i++ {
		held := p.find(p.list.ids[i])
		c := &held.Candidate
		var a, b, t line
		mark := " "
		if p.d.marked(c.ID) {
			mark = "x"
		}
		a.add(st.Marked, mark).fit(st.Ident, candidateName(c.ID), 6).fit(st.Plain, string(c.Operator), 10).right(st.Strong, optional(c.Objective), w-a.w-8).gap(1).fit(st.Ident, niche(&p.d.snap.Grid, held.Cell), 7)
		b.gap(1).add(st.Label, "from ").add(st.Ident, candidateName(c.Parent())).add(st.Label, " "+change(c.Added, c.Removed))
		if held.From >= 0 {
			b.add(st.Label, " takes over ").add(st.Ident, candidateName(held.From))
		} else if held.Before != "" {
			b.add(st.Label, " before "+held.Before)
		}
		row := a.String()
		if i == p.list.cur {
			row = pick(st.Selected, row, w)
		}
		out = append(out, row, b.String(), t.String())
	}
	return out
}

// decision is the right side: intent, figures, findings, difference.
func (p *reviewPane) decision(h *view.Held, w, hh int) []string {
	st := p.d.st
	c := &h.Candidate
	var l line
	l.add(st.Ident, candidateName(c.ID)).gap(1).add(st.Label, c.Commit.Short()).gap(2).add(st.Plain, string(c.Operator)).add(st.Label, " by ").add(st.Plain, c.Agent).gap(2).add(st.Strong, optional(c.Objective))
	if c.Objective != nil && h.Parent != nil {
		v := p.d.gain(*c.Objective, *h.Parent)
		l.gap(1).add(gainStyle(st, v), signed(v)).add(st.Label, " on parent")
	}
	if r := p.d.snap.Root; c.Objective != nil && r.ID >= 0 {
		v := p.d.gain(*c.Objective, r.Objective)
		l.gap(1).add(gainStyle(st, v), signed(v)).add(st.Label, " on root")
	}
	if c.Objective == nil {
		l.gap(1).add(st.Label, "not measured yet")
	}
	out := []string{l.String()}
	if c.Intent != "" {
		out = append(out, st.Plain.S("“"+c.Intent+"”"))
	}
	var ms line
	for _, m := range c.Metrics {
		if m.Name != p.d.snap.Objective && ms.w < w-20 {
			ms.add(st.Label, m.Name+" ").add(st.Plain, number(m.Value)).gap(2)
		}
	}
	if ms.w > 0 {
		out = append(out, ms.String())
	}
	for _, f := range h.Findings {
		out = append(out, st.Warn.S("! "+f))
	}
	out = append(out, st.Border.wrap(repeat("─", w)))
	return append(out, p.d1.body(w, hh-len(out))...)
}
