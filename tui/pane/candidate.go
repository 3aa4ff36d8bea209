package pane

import (
	"context"
	"encoding/json"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
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

func newCandidate(d *Shared) *candidatePane {
	p := &candidatePane{base: base{d: d, id: Candidate}, cand: record.NoCandidate}
	p.d1 = newDiff(d, Candidate)
	return p
}

func (p *candidatePane) Set(id record.CandidateID) {
	if id != p.cand {
		p.cand, p.detail = id, nil
		p.d1.set(record.NoCandidate, record.NoCandidate, nil)
	}
	p.bump()
}

// Show shows a candidate beside its difference, or the difference alone.
func (p *candidatePane) Show(id record.CandidateID, wide bool) {
	p.Set(id)
	p.d1.wide = wide
}

// CompareMarked compares with the marked candidate when there is one.
func (p *candidatePane) CompareMarked(id record.CandidateID) {
	p.Show(id, true)
	p.d1.with = withParent
	if n := len(p.d.Marks); n == 1 && p.d.Marks[0] != id || n == 2 {
		p.d1.with = withMarked
	}
}

func (p *candidatePane) OfNow() bool { return true }

func (p *candidatePane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InDiff, keys.InCandidates, keys.InText}
}

func (p *candidatePane) Diff() *diffView        { return &p.d1 }
func (p *candidatePane) Filter() (string, bool) { return p.d1.text, true }
func (p *candidatePane) SetFilter(t string)     { p.d1.text = t; p.bump() }
func (p *candidatePane) Text() string           { return p.d1.plain() }
func (p *candidatePane) Match(by int) bool      { p.bump(); return p.d1.match(by) }

// Subject is the candidate.
func (p *candidatePane) Subject() string { return CandidateName(p.cand) }

func (p *candidatePane) Title() (string, string) {
	st := p.d.St
	left := st.Ident.S(CandidateName(p.cand))
	if p.detail != nil {
		left += " " + titleScore(p.d, p.detail)
	}
	if p.cand == record.Root && p.d1.with == withParent { // it has none
		return left, ""
	}
	return left, st.Label.S("difference to ") + st.Ident.S(p.d1.baseName())
}

func (p *candidatePane) Selected() Selection {
	s := Nothing()
	if p.cand >= 0 {
		s.Candidate, s.Job, s.Cell = p.cand, record.JobID(p.cand), p.d.Grid.CellOf(p.cand)
		s.Pinned = p.detail != nil && p.detail.Candidate.Pinned
	}
	return s
}

func (p *candidatePane) Move(m widget.Motion) tea.Cmd {
	p.d1.view.Move(m)
	p.bump()
	return nil
}

func (p *candidatePane) Load() tea.Cmd {
	if p.cand < 0 || p.d.Reader == nil {
		return nil
	}
	r, id := p.d.Reader, p.cand
	ask := p.q.ask(p.d, p.id, fmt.Sprint("candidate ", id), func(ctx context.Context) (any, error) { return r.Candidate(ctx, id) })
	return tea.Batch(ask, p.d1.show())
}

func (p *candidatePane) Take(m Loaded) {
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

func (p *candidatePane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached: only the snapshot is known")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read it: "+p.q.err.Error())}
	case p.detail == nil:
		return []string{" " + st.Label.S("loading")}
	}
	if p.d1.wide {
		return widget.Indent(append(candidateLine(p.d, p.detail), p.d1.body(w-1, h-1)...))
	}
	if w < 100 {
		card := widget.Indent(candidateCard(p.d, p.detail, w-2))
		card = card[:min(len(card), h/3)]
		card = append(card, st.Border.Wrap(widget.Repeat("─", w)))
		return append(card, widget.Indent(p.d1.body(w-1, h-len(card)))...)
	}
	side := min(56, w*9/20)
	return widget.Beside(widget.Indent(p.side(side-2, h)), p.d1.body(w-side-1, h), side, 1)
}

// side is the card over the files and the family.
func (p *candidatePane) side(w, h int) []string {
	st := p.d.St
	out := candidateCard(p.d, p.detail, w)
	for _, f := range p.detail.Findings {
		out = append(out, st.Warn.S("! "+widget.Words(" ", f.Path, f.Text)))
	}
	if files := p.d1.changes(); len(files) > 0 {
		out = append(out, "", st.Label.S(widget.Plural(len(files), "file", "files")))
		at := p.fileInView()
		for i := range files {
			f := &files[i]
			var l widget.Line
			if i == at {
				l.Add(st.Accent, "▸")
			} else {
				l.Gap(1)
			}
			l.Col(st.Plain, f.Path, w-15)
			if f.Binary {
				l.Right(st.Label, "binary", 13)
			} else {
				l.Right(st.Diff.Added, fmt.Sprintf("+%d", max(0, f.Added)), 6).RightCol(st.Diff.Removed, fmt.Sprintf("-%d", max(0, f.Removed)), 7)
			}
			out = append(out, l.String())
		}
	}
	if n := len(p.detail.Children); n > 0 {
		var l widget.Line
		l.Add(st.Label, fmt.Sprintf("%s from the root · %s", widget.Plural(p.detail.Depth, "step", "steps"), widget.Plural(n, "child", "children")))
		for i, c := range p.detail.Children {
			need := 1 + len(CandidateName(c))
			if i < n-1 { // the sign that there are more
				need += 2
			}
			if l.W+need > w {
				l.Add(st.Label, " …")
				break
			}
			l.Gap(1).Add(st.Ident, CandidateName(c))
		}
		out = append(out, "", l.String())
	}
	for _, s := range p.detail.Samples {
		if len(out) >= h {
			break
		}
		kind := "decides its place"
		if s.HeldOut {
			kind = "held-out"
		}
		var l widget.Line
		if max(1, s.Version) < p.d.Snap.Experiment.Objective {
			kind = fmt.Sprintf("of objective version %d", s.Version)
		}
		l.Col(st.Label, fmt.Sprintf("sample %d", s.Repeat+1), 12).Right(st.Plain, widget.Number(s.Objective), 10).Gap(2).Add(st.Label, widget.Words(" · ", kind, widget.MillisText(s.WallMS), s.Machine))
		out = append(out, l.String())
	}
	return out
}

func (p *candidatePane) fileInView() int {
	if i := p.d1.view.Off; i < len(p.d1.rows) {
		return p.d1.rows[i].file
	}
	return 0
}

// Copies are the metrics and the branches.
func (p *candidatePane) Copies() [][2]string {
	if p.detail == nil {
		return nil
	}
	var out [][2]string
	if data, err := json.Marshal(p.detail.Candidate.Metrics); err == nil {
		out = append(out, [2]string{"metrics", string(data)})
	}
	for _, b := range p.detail.Branches {
		out = append(out, [2]string{"branch", b.Name})
	}
	return out
}
