package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
)

// candidatePane is the screen of one candidate: its card and its files beside
// the difference.
type candidatePane struct {
	base
	cand   record.CandidateID
	q      query
	detail *view.CandidateDetail
	d1     diffView
}

func newCandidate(d *desk) *candidatePane {
	p := &candidatePane{base: base{d: d, id: paneCandidate}, cand: record.NoCandidate}
	p.d1 = diffView{d: d, id: paneCandidate, cand: record.NoCandidate, parent: record.NoCandidate}
	return p
}

func (p *candidatePane) set(id record.CandidateID) {
	if id != p.cand {
		p.cand, p.detail = id, nil
		p.d1.set(record.NoCandidate, record.NoCandidate, nil)
	}
	p.bump()
}

// compareMarked compares with the marked candidate when there is one.
func (p *candidatePane) compareMarked(id record.CandidateID) {
	p.set(id)
	p.d1.with = withParent
	if n := len(p.d.marks); n == 1 && p.d.marks[0] != id || n == 2 {
		p.d1.with = withMarked
	}
}

func (p *candidatePane) scopes() []scope        { return []scope{inDiff, inCandidates, inText} }
func (p *candidatePane) diff() *diffView        { return &p.d1 }
func (p *candidatePane) filter() (string, bool) { return p.d1.text, true }
func (p *candidatePane) setFilter(t string)     { p.d1.text = t; p.bump() }
func (p *candidatePane) match(by int) bool      { p.bump(); return p.d1.match(by) }
func (p *candidatePane) pinned() bool           { return p.detail != nil && p.detail.Candidate.Pinned }

func (p *candidatePane) title() (string, string) {
	st := p.d.st
	return st.Ident.S(candidateName(p.cand)), st.Label.S("difference to ") + st.Ident.S(p.d1.baseName())
}

func (p *candidatePane) sel() selection {
	s := nothing()
	if p.cand >= 0 {
		s.cand, s.job, s.cell = p.cand, record.JobID(p.cand), p.d.grid.cellOf(p.cand)
	}
	return s
}

func (p *candidatePane) move(m motion) tea.Cmd {
	p.d1.view.move(m)
	p.bump()
	return nil
}

func (p *candidatePane) show() tea.Cmd {
	if p.cand < 0 || p.d.opt.Reader == nil {
		return nil
	}
	r, id := p.d.opt.Reader, p.cand
	ask := p.q.ask(p.d, p.id, fmt.Sprint("candidate ", id), func(ctx context.Context) (any, error) { return r.Candidate(ctx, id) })
	return tea.Batch(ask, p.d1.show())
}

func (p *candidatePane) take(m loadedMsg) {
	if p.d1.take(m) {
		p.bump()
	}
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(view.CandidateDetail); ok && m.err == nil {
		p.detail = &v
		p.d1.set(v.Candidate.ID, v.Candidate.Parent(), v.Findings)
	}
	p.bump()
}

func (p *candidatePane) body(w, h int, focus bool) []string {
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
		card := indent(candidateCard(p.d, p.detail, w-2))
		card = card[:min(len(card), h/3)]
		card = append(card, st.Border.wrap(repeat("─", w)))
		return append(card, p.d1.body(w, h-len(card))...)
	}
	side := min(56, w*9/20)
	return beside(indent(p.side(side-2, h)), p.d1.body(w-side-1, h), side, 1)
}

// indent moves lines away from the border.
func indent(lines []string) []string {
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// side is the card over the files and the family.
func (p *candidatePane) side(w, h int) []string {
	st := p.d.st
	out := candidateCard(p.d, p.detail, w)
	for _, f := range p.detail.Findings {
		out = append(out, st.Warn.S("! "+words(" ", f.Path, f.Text)))
	}
	if n := len(p.d1.files); n > 0 {
		out = append(out, "", st.Label.S(plural(n, "file", "files")))
		at := p.fileInView()
		for i := range p.d1.files {
			f := &p.d1.files[i]
			var l line
			if i == at {
				l.add(st.Accent, "▸")
			} else {
				l.gap(1)
			}
			l.fit(st.Plain, f.Path, w-14)
			if f.Binary {
				l.right(st.Label, "binary", 12)
			} else {
				l.right(st.Added, fmt.Sprintf("+%d", max(0, f.Added)), 6).right(st.Removed, fmt.Sprintf("-%d", max(0, f.Removed)), 6)
			}
			out = append(out, l.String())
		}
	}
	if n := len(p.detail.Children); n > 0 {
		var l line
		l.add(st.Label, fmt.Sprintf("%s at depth %d:", plural(n, "child", "children"), p.detail.Depth))
		for _, c := range p.detail.Children {
			if l.w > w-8 {
				break
			}
			l.gap(1).add(st.Ident, candidateName(c))
		}
		out = append(out, "", l.String())
	}
	for _, s := range p.detail.Samples {
		if len(out) >= h {
			break
		}
		kind := "decides"
		if s.HeldOut {
			kind = "held-out"
		}
		var l line
		if max(1, s.Version) < p.d.snap.Experiment.Objective {
			kind = fmt.Sprintf("of objective version %d", s.Version)
		}
		l.fit(st.Label, fmt.Sprintf("sample %d", s.Repeat), 12).right(st.Plain, number(s.Objective), 10).gap(2).add(st.Label, kind+" · "+millisText(s.WallMS))
		out = append(out, l.String())
	}
	return out
}

func (p *candidatePane) fileInView() int {
	if i := p.d1.view.off; i < len(p.d1.rows) {
		return p.d1.rows[i].file
	}
	return 0
}
