package pane

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// MostCompared is how many candidates stand side by side.
const MostCompared = 4

// comparePane lays two to four candidates side by side: what they measure with
// the evidence for it, where they lie, how they came from their common
// ancestor, and the difference of two of them. The first is what the others are
// compared with.
type comparePane struct {
	base
	asked []record.CandidateID // a single one stands beside its parent
	ids   []record.CandidateID // in the order of the columns, once they are known
	q     query
	all   []compared
	pair  int // which of the others the difference shows, from 1
	diff  diffView
	words widget.Scroll // of the table, where it has the whole screen
	low   bool          // there is no room for table and difference
	show  int           // what has the screen: both, the difference, the table
}

// compared is one column.
type compared struct {
	detail view.CandidateDetail
	line   []view.LineageNode // from the root to it
}

func newCompare(d *Shared) *comparePane {
	p := &comparePane{base: base{d: d, id: Compare}, pair: 1}
	p.diff = newDiff(d, Compare)
	return p
}

// Set chooses what stands side by side; the first is the base of the others. A
// single candidate stands beside its parent.
func (p *comparePane) Set(ids []record.CandidateID) {
	ids = ids[:min(len(ids), MostCompared)]
	if !slices.Equal(ids, p.asked) {
		p.asked, p.ids, p.all, p.pair = slices.Clone(ids), nil, nil, 1
		p.diff.set(record.NoCandidate, record.NoCandidate, nil)
	}
	p.bump()
}

// pointDiff aims the difference at the present pair.
func (p *comparePane) pointDiff() {
	if p.pair < len(p.ids) {
		p.diff.set(p.ids[p.pair], p.ids[0], nil)
	}
}

func (p *comparePane) OfNow() bool { return true }

func (p *comparePane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InCompare, keys.InDiff, keys.InCandidates, keys.InText}
}

func (p *comparePane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InCompare}
	return []*keys.Binding{
		{ID: "compare-pair", Keys: []string{"m"}, Title: "next pair", Doc: "whose difference is shown", In: in, Bar: 78, Off: p.onePair, Run: p.nextPair},
		{ID: "compare-base", Keys: []string{"s"}, Title: "next base", Doc: "what the others are compared with", In: in, Bar: 77, Off: p.none, Run: p.nextBase},
		{ID: "compare-diff", Keys: []string{"d"}, Title: "the difference", Doc: "over the whole screen, and back", In: in, Bar: 76, Off: p.none, Run: p.toggleFull},
	}
}

func (p *comparePane) none() string {
	if p.d.Host.Current() != Pane(p) || len(p.ids) < 2 {
		return "nothing is compared"
	}
	return ""
}

func (p *comparePane) onePair() string {
	if why := p.none(); why != "" {
		return why
	}
	if len(p.ids) < 3 {
		return "there are only two; mark more of them"
	}
	return ""
}

func (p *comparePane) nextPair() tea.Cmd {
	p.pair = p.pair%(len(p.ids)-1) + 1
	p.pointDiff()
	p.bump()
	return p.Load()
}

func (p *comparePane) nextBase() tea.Cmd {
	p.ids = append(p.ids[1:len(p.ids):len(p.ids)], p.ids[0])
	p.all = append(p.all[1:len(p.all):len(p.all)], p.all[0])
	p.pair = 1
	p.pointDiff()
	p.bump()
	return p.Load()
}

// What has the screen.
const (
	showBoth = iota
	showDiff
	showTable
)

// shows is what has the screen now: where it is low there is no room for both.
func (p *comparePane) shows() int {
	if p.show == showBoth && p.low {
		return showTable
	}
	if p.show == showTable && !p.low {
		return showBoth
	}
	return p.show
}

func (p *comparePane) Place(at Placement) { p.low = at.H < 26 }

func (p *comparePane) toggleFull() tea.Cmd {
	p.show = map[int]int{showBoth: showDiff, showDiff: showTable, showTable: showDiff}[p.shows()]
	p.bump()
	return p.Load()
}

func (p *comparePane) Diff() *diffView        { return &p.diff }
func (p *comparePane) Filter() (string, bool) { return p.diff.text, true }
func (p *comparePane) SetFilter(t string)     { p.diff.text = t; p.bump() }
func (p *comparePane) Match(by int) bool      { p.bump(); return p.diff.match(by) }

// Text is the table with the whole difference below it.
func (p *comparePane) Text() string {
	return strings.Join(plainLines(p.table(120)), "\n") + "\n\n" + p.diff.plain()
}

func (p *comparePane) Title() (string, string) {
	st := p.d.St
	if len(p.ids) < 2 {
		return p.heading("", "Compare"), ""
	}
	l := widget.Line{}
	l.Add(st.Strong, "Compare").Add(st.Label, " base ").Add(st.Ident, CandidateName(p.ids[0]))
	sep := " with "
	for _, id := range p.ids[1:] {
		l.Add(st.Label, sep).Add(st.Ident, CandidateName(id))
		sep = ", "
	}
	return l.String(), st.Label.S("difference ") + st.Ident.S(CandidateName(p.ids[0])+" → "+CandidateName(p.ids[p.pair]))
}

// Selected is the candidate that the difference leads to.
func (p *comparePane) Selected() Selection {
	s := Nothing()
	if p.pair < len(p.ids) {
		id := p.ids[p.pair]
		s.Candidate, s.Job, s.Cell = id, record.JobID(id), p.d.Grid.CellOf(id)
		if p.pair < len(p.all) {
			s.Pinned = p.all[p.pair].detail.Candidate.Pinned
		}
	}
	return s
}

func (p *comparePane) Move(m widget.Motion) tea.Cmd {
	if p.shows() == showTable {
		p.words.Move(m)
	} else {
		p.diff.view.Move(m)
	}
	p.bump()
	return nil
}

func (p *comparePane) Load() tea.Cmd {
	if len(p.asked) == 0 || p.d.Reader == nil {
		return nil
	}
	r, ids := p.d.Reader, slices.Clone(p.asked)
	ask := p.q.ask(p.d, p.id, fmt.Sprint("compare ", ids), func(ctx context.Context) (any, error) { return readCompared(ctx, r, ids) })
	return tea.Batch(ask, p.diff.show())
}

// readCompared reads the candidates of all columns.
func readCompared(ctx context.Context, r Reader, ids []record.CandidateID) ([]compared, error) {
	var out []compared
	for i := 0; i < len(ids); i++ {
		c, err := r.Candidate(ctx, ids[i])
		if err != nil {
			return nil, err
		}
		if p := c.Candidate.Parent(); len(ids) == 1 && p >= 0 && len(out) == 0 {
			ids, i = []record.CandidateID{p, ids[0]}, -1
			continue
		}
		l, err := r.Lineage(ctx, ids[i])
		if err != nil {
			return nil, err
		}
		out = append(out, compared{c, l.Ancestors})
	}
	return out, nil
}

func (p *comparePane) Take(m Loaded) {
	if p.diff.take(m) {
		p.bump()
	}
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.([]compared); ok && m.err == nil {
		slices.SortStableFunc(v, func(a, b compared) int { // the base stays where the person put it
			return slices.Index(p.ids, a.detail.Candidate.ID) - slices.Index(p.ids, b.detail.Candidate.ID)
		})
		p.all, p.ids = v, p.ids[:0]
		for i := range v {
			p.ids = append(p.ids, v[i].detail.Candidate.ID)
		}
		p.pointDiff()
	}
	p.bump()
}

func (p *comparePane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached: only the snapshot is known")}
	case len(p.asked) == 0:
		return []string{" " + st.Label.S("mark two to four candidates with space, then come back")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case len(p.all) == 0:
		return []string{" " + st.Label.S("loading")}
	case len(p.all) == 1:
		return append(p.table(w), " "+st.Label.S("the root has no parent; mark another candidate to compare it with"))
	case p.shows() == showDiff:
		return widget.Indent(p.diff.body(w-1, h))
	case p.shows() == showTable:
		t := p.table(w)
		p.words.Set(len(t), h)
		if h-len(t) > leastBelow {
			return p.under(t, w, h)
		}
		return t[p.words.Off:min(len(t), p.words.Off+h)]
	}
	if w >= splitFrom && len(p.all) == 2 {
		side := min(90, w*9/20)
		t := p.table(side - 1)
		return widget.Beside(t[:min(len(t), h)], p.diff.body(w-side-1, h), side, 1)
	}
	t := p.table(w)
	return p.under(t[:min(len(t), max(h*3/5, h-9))], w, h)
}

// leastBelow is how many lines a table must leave for the difference to stand below.
const leastBelow = 3

// under puts the difference below the table.
func (p *comparePane) under(t []string, w, h int) []string {
	st := p.d.St
	t = append(t, widget.Rule+st.Label.S("difference ")+st.Ident.S(CandidateName(p.ids[0])+" → "+CandidateName(p.ids[p.pair])))
	return append(t, widget.Indent(p.diff.body(w-1, h-len(t)))...)
}

// cellOf is the niche in which a candidate lies, or would lie once a person takes
// it in; -1 where neither is known.
func (p *comparePane) cellOf(c *compared) (cell int, waits bool) {
	if c.detail.Cell < 0 {
		for i := range p.d.Snap.Review {
			if h := &p.d.Snap.Review[i]; h.Candidate.ID == c.detail.Candidate.ID {
				return h.Cell, true
			}
		}
	}
	return c.detail.Cell, false
}

// waitingClaim is what may be told of a candidate that was measured and has no place
// on the map yet; no word where nothing may.
func (d *Shared) waitingClaim(c *view.CandidateDetail) evidence.Claim {
	root := d.Snap.Root
	switch {
	case c.Candidate.Objective == nil || root.ID < 0:
		return evidence.Claim{}
	case d.Snap.Noisy:
		return evidence.Claim{Root: root.Objective, Word: evidence.Unconfirmed}
	}
	return evidence.Certain(*c.Candidate.Objective, root.Objective, d.Snap.Direction == "minimize")
}
