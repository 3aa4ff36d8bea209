package pane

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// candidatesPane lists all candidates, newest or best first.
type candidatesPane struct {
	base
	q      query
	all    []record.Candidate
	claims view.Claims // of them, where values vary
	answer uint64      // counts answers
	laid   arranged[record.CandidateID, *record.Candidate]
	list   widget.List[record.CandidateID]
	text   string
	best   bool
	order  widget.Order
	paging paging
}

func newCandidates(d *Shared) *candidatesPane {
	return &candidatesPane{base: base{d: d, id: Candidates}}
}

func (p *candidatesPane) OfNow() bool { return true }

func (p *candidatesPane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InCandidates, keys.InJobs, keys.InList}
}

func (p *candidatesPane) Filter() (string, bool) { return p.text, true }
func (p *candidatesPane) SetFilter(t string)     { p.text = t; p.bump() }

func (p *candidatesPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "order", Keys: []string{"m"}, Title: "order", Doc: "newest or best first", In: []keys.Scope{keys.InJobs}, Off: p.hasKeys, Run: p.cycleOrder},
	}
}

func (p *candidatesPane) Title() (string, string) {
	order := "newest first"
	if p.best {
		order = "best first"
	}
	return p.heading("", "Candidates"), p.d.St.Label.S(widget.Words(" · ", p.order.Says(order), p.paging.shown(len(p.list.IDs))))
}

func (p *candidatesPane) cycleOrder() tea.Cmd {
	p.best = !p.best
	p.list, p.paging = widget.List[record.CandidateID]{}, paging{}
	p.bump()
	return p.Load()
}

func (p *candidatesPane) Selected() Selection {
	s := Nothing()
	if id, ok := p.list.At(); ok {
		s.Candidate, s.Job, s.Cell = id, record.JobID(id), p.d.Grid.CellOf(id)
		c := p.laid.index[id]
		if c != nil {
			s.Pinned, s.State = c.Pinned, endOf(c)
		}
	}
	return s
}

// endOf is the state of the job that made a candidate, as far as its status tells; ""
// while the job may go on.
func endOf(c *record.Candidate) record.JobState {
	switch c.Status {
	case record.StatusHeld:
		return record.Held
	case record.StatusRejected:
		return record.Rejected
	case record.StatusFailed:
		return record.Failed
	case record.StatusCancelled:
		return record.Cancelled
	case record.StatusScored, record.StatusElite:
		return record.Scored
	}
	return ""
}

func (p *candidatesPane) Move(m widget.Motion) tea.Cmd {
	p.list.Move(m)
	p.paging.moved(m)
	p.bump()
	return nil
}

func (p *candidatesPane) Click(x, y int) tea.Cmd {
	p.list.Click(y - 1)
	p.bump()
	return nil
}

func (p *candidatesPane) Load() tea.Cmd {
	if p.d.Reader == nil {
		return nil
	}
	word, search := storeWord(p.text, record.StatusNames())
	elites := namesElites(p.text)
	limit := p.paging.rows(p.list.NearEnd(), search)
	r, noisy, query := p.d.Reader, p.d.Snap.Noisy, view.CandidateQuery{Best: p.best, Elites: elites, Text: word, Limit: limit}
	return p.q.askTyped(p.d, p.id, fmt.Sprint("candidates ", p.best, elites, limit, word), word != "", func(ctx context.Context) (any, error) { return readListed(ctx, r, query, noisy) })
}

// listed is a page of candidates, with what may be told of them.
type listed struct {
	all    []record.Candidate
	claims view.Claims
}

// readListed asks for a page of candidates, and where values vary for their claims.
func readListed(ctx context.Context, r Reader, q view.CandidateQuery, noisy bool) (out listed, err error) {
	if out.all, err = r.Candidates(ctx, q); err != nil || !noisy {
		return out, err
	}
	ids := make([]record.CandidateID, len(out.all))
	for i := range ids {
		ids[i] = out.all[i].ID
	}
	out.claims, err = r.Claims(ctx, ids)
	return out, err
}

func (p *candidatesPane) Take(m Loaded) {
	if !p.q.accept(m) {
		return
	}
	if v, ok := m.val.(listed); ok && m.err == nil {
		p.all, p.claims = v.all, v.claims
		p.answer++
		p.paging.note(len(v.all))
	}
	p.bump()
}

func (p *candidatesPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d.Reader == nil:
		return []string{" " + st.Label.S("no reader is attached")}
	case p.q.err != nil:
		return []string{" " + st.Bad.S("cannot read them: "+p.q.err.Error())}
	case !p.q.done && len(p.all) == 0:
		return []string{" " + st.Label.S("loading")}
	}
	t := p.table()
	ids, index := p.laid.rows(arrangement{p.answer, p.d.Snap, p.text, p.order}, func() ([]record.CandidateID, map[record.CandidateID]*record.Candidate) {
		return p.arrange(&t)
	})
	p.list.Set(ids)
	if p.paging.laid() {
		p.list.Move(widget.Bottom)
	}
	if len(ids) == 0 {
		return append(t.Lines(w, 1, 0, 0, p.list.Window, nil), " "+st.Label.S("no candidate fits"))
	}
	return t.Lines(w, h, len(ids), p.list.Cur, p.list.Window, func(i int) *record.Candidate { return index[ids[i]] })
}

// arrange filters and sorts all rows.
func (p *candidatesPane) arrange(t *widget.Table[*record.Candidate]) ([]record.CandidateID, map[record.CandidateID]*record.Candidate) {
	index := make(map[record.CandidateID]*record.Candidate, len(p.all))
	var fit []*record.Candidate
	for i := range p.all {
		c := &p.all[i]
		if p.text == "" || widget.Fits(p.text, CandidateName(c.ID), string(c.Operator), c.Agent, string(c.Status), string(c.Class), c.Reason, c.Intent, c.Target, c.Commit.Short()) {
			fit = append(fit, c)
			index[c.ID] = c
		}
	}
	ids := make([]record.CandidateID, len(fit))
	for to, from := range t.Sort(len(fit), func(i int) *record.Candidate { return fit[i] }) {
		ids[to] = fit[from].ID
	}
	// Who is named is meant, and not those whose intent names it.
	if at := slices.IndexFunc(ids, func(id record.CandidateID) bool {
		return strings.EqualFold(CandidateName(id), strings.TrimSpace(p.text))
	}); at > 0 {
		named := ids[at]
		copy(ids[1:at+1], ids[:at])
		ids[0] = named
	}
	return ids, index
}

func (p *candidatesPane) table() widget.Table[*record.Candidate] {
	type row = *record.Candidate
	st, g := p.d.St, &p.d.Snap.Grid
	return widget.Table[row]{St: st, Order: p.order, Mark: func(c row) bool { return p.d.marked(c.ID) }, Note: candidateNote, Columns: []widget.Column[row]{
		{Head: "id", W: widget.IDWidth(int64(p.newest())), Rank: 100, Cell: func(c row) (widget.Style, string) { return st.Ident, CandidateName(c.ID) }},
		{Head: "commit", W: 9, Rank: 20, Cell: func(c row) (widget.Style, string) { return st.Label, c.Commit.Short() }},
		{Head: "status", W: 10, Rank: 80, Cell: func(c row) (widget.Style, string) {
			status := c.Status
			if p.d.Grid.CellOf(c.ID) >= 0 {
				status = record.StatusElite
			}
			return st.State(string(status)), string(status)
		}},
		{Head: "niche", W: nicheWidth(g), Rank: 70, Cell: func(c row) (widget.Style, string) { return st.Ident, Niche(g, p.d.Grid.CellOf(c.ID)) }},
		{Head: "value", W: p.d.toldWidth(11), Right: true, Rank: 90, Cell: func(c row) (widget.Style, string) {
			claim := p.claims[c.ID]
			return p.d.valueStyle(c.ID, c.Objective, claim), p.d.told(c.ID, c.Objective, claim, p.d.toldWidth(11))
		}},
		{Head: "operator", W: 11, Rank: 60, Cell: func(c row) (widget.Style, string) { return st.Plain, string(c.Operator) }},
		{Head: "parent", W: 9, Rank: 50, Cell: func(c row) (widget.Style, string) { return st.Ident, CandidateName(c.Parent()) }},
		{Head: "change", W: 11, Rank: 30, Cell: func(c row) (widget.Style, string) { return st.Label, widget.Change(c.Added, c.Removed) }},
		{Head: "intent", Min: 20, Rank: 40, Cell: func(c row) (widget.Style, string) { return st.Label, candidateNote(c) }},
	}}
}

// Heads and Order are those of its table.
func (p *candidatesPane) Heads() []string      { t := p.table(); return t.Heads() }
func (p *candidatesPane) Order() *widget.Order { return &p.order }

func (p *candidatesPane) newest() (id record.CandidateID) {
	for i := range p.all {
		id = max(id, p.all[i].ID)
	}
	return id
}

// namesElites reports whether a filter asks for elites, at least by the beginning
// of the word.
func namesElites(filter string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(filter)), func(w string) bool {
		return len(w) > 2 && strings.HasPrefix(string(record.StatusElite), w)
	})
}

// candidateNote says why a candidate is no good, or what it is about; of one that
// waits both, its intent first.
func candidateNote(c *record.Candidate) string {
	if c.Status == record.StatusHeld {
		return widget.Words(" · ", c.Intent, c.Reason)
	}
	if c.Reason != "" {
		return widget.Words(": ", string(c.Class), c.Reason)
	}
	return c.Intent
}

// hasKeys says why the order cannot be changed: another pane has the keys.
func (p *candidatesPane) hasKeys() string {
	if p.d.Host.Current() != Pane(p) {
		return "only in the list of candidates"
	}
	return ""
}
