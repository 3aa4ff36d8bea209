package pane

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/widget"
)

// reviewPane lists what waits for a person, the best first. As a screen it
// shows the difference, the metrics and the findings beside the list, so that
// one look decides.
type reviewPane struct {
	base
	list  widget.List[record.CandidateID]
	text  string
	queue []waiting                   // as listed
	bulk  []waiting                   // the best of each niche
	hides int                         // how many are folded away
	shows bool                        // what is no better is listed too
	none  bool                        // all that waits is no better
	gone  map[record.CandidateID]bool // decided here, not yet gone from the feed
	full  bool
	moved bool // a person put the cursor below the best
	d1    diffView
	steps []decided // made here, the newest last
	again int       // how many of them may wait again
	rows  []int     // rows of the list by line of the screen, -1 = none
	side  int       // width of the list on the screen
}

// decided is what one key decided about, and where the cursor stood.
type decided struct {
	ids   []record.CandidateID
	under record.CandidateID
}

func newReview(d *Shared) *reviewPane {
	p := &reviewPane{base: base{d: d, id: Review}, gone: map[record.CandidateID]bool{}}
	p.d1 = newDiff(d, Review)
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
func (p *reviewPane) SetFilter(t string)     { p.text = t; p.bump() }
func (p *reviewPane) Diff() *diffView        { return &p.d1 }
func (p *reviewPane) Text() string           { return p.d1.plain() }
func (p *reviewPane) Match(by int) bool      { p.bump(); return p.d1.match(by) }

func (p *reviewPane) Keys() []*keys.Binding {
	in := []keys.Scope{keys.InReview}
	return []*keys.Binding{
		{ID: "skip", Keys: []string{"s"}, Title: "skip", Doc: "leaves it waiting and shows the next", In: in, Bar: 65, Off: p.empty, Run: p.skip},
		{ID: "no-better", Keys: []string{"v"}, Title: "show those no better", Says: p.foldWord, Doc: "what waits for a niche that somebody as good holds by now", In: in, Off: p.noneFolded, Run: p.fold},
	}
}

func (p *reviewPane) Place(at Placement) {
	if p.full == at.Full {
		return
	}
	if p.full = at.Full; p.full { // the best is under the cursor when the queue opens
		p.list.Move(widget.Top)
		p.moved = false
	}
	p.bump()
}

// Leads are the decision and what it needs: they are in the bar at every size.
func (p *reviewPane) Leads() []string {
	if len(p.list.IDs) == 0 {
		return nil
	}
	return []string{"approve", "reject", "diff", "skip", "approve-best"}
}

// empty says why nothing can be skipped.
func (p *reviewPane) empty() string {
	if len(p.list.IDs) == 0 {
		return "nothing waits"
	}
	return ""
}

func (p *reviewPane) noneFolded() string {
	if p.hides == 0 && !p.shows {
		return "all that waits is listed"
	}
	return ""
}

func (p *reviewPane) foldWord() string {
	if p.shows {
		return "hide those no better"
	}
	return "show those no better"
}

func (p *reviewPane) fold() tea.Cmd {
	p.shows = !p.shows
	p.bump()
	return p.Load()
}

// Waiting is how many candidates wait for a person; a snapshot lists no more
// than the oldest.
func Waiting(s *view.Snapshot) int {
	if len(s.Review) < view.ReviewCap {
		return len(s.Review)
	}
	return max(len(s.Review), s.Jobs.Held)
}

// BestOfEach selects the best of what waits for each niche, of those listed.
func (p *reviewPane) BestOfEach() []Selection {
	p.sync()
	var out []Selection
	for _, w := range p.bulk {
		out = append(out, selected(w.held))
	}
	return out
}

func (p *reviewPane) Title() (string, string) {
	st := p.d.St
	left := p.heading("4", "Review")
	if n := len(p.list.IDs) + p.hides; n > 0 {
		if n == len(p.d.Snap.Review) {
			n = Waiting(p.d.Snap)
		}
		left += " " + st.Accent.S(fmt.Sprintf("%d waiting", n))
	}
	if p.list.Off > 0 && !p.full { // a better one came while the cursor stood below
		left += st.Label.S(fmt.Sprintf(", %d above", p.list.Off))
	}
	if p.held() != nil && p.full {
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

// sync takes what waits from the snapshot. While the pane has the keys the cursor stays
// on its candidate wherever that moves: a key pressed now means what is under it. While
// it has not, one that nobody moved stays on the best.
func (p *reviewPane) sync() {
	still := map[record.CandidateID]bool{}
	var all []waiting
	for _, w := range p.d.queueOf(p.d.Snap.Review) {
		c := &w.held.Candidate
		still[c.ID] = true
		if (p.d.Past || !p.gone[c.ID]) && widget.Fits(p.text, CandidateName(c.ID), string(c.Operator), c.Agent, c.Intent, w.words(&p.d.Snap.Grid, w.held), firstOf(w.held.Findings)) {
			all = append(all, w)
		}
	}
	for id := range p.gone {
		if !still[id] && !p.d.Past {
			delete(p.gone, id)
		}
	}
	p.bulk = bestOfEach(all)
	n := len(all)
	for n > 0 && all[n-1].outlook == noBetter {
		n--
	}
	p.none = n == 0 && len(all) > 0
	if p.hides = 0; !p.shows && n > 0 {
		p.hides, all = len(all)-n, all[:n]
	}
	p.queue = all
	ids := make([]record.CandidateID, len(all))
	for i, w := range all {
		ids[i] = w.held.Candidate.ID
	}
	under, had := p.list.At()
	p.list.Set(ids)
	switch {
	case !p.moved && !hasKeys(p.d, p):
		p.list.Move(widget.Top)
	case had:
		p.list.Seek(under)
	}
	p.standAgain(still)
}

// standAgain puts the cursor where it stood before a decision that was taken back,
// once all that it was about wait again.
func (p *reviewPane) standAgain(waiting map[record.CandidateID]bool) {
	for n := len(p.steps); p.again > 0 && n > 0; n-- {
		last := p.steps[n-1]
		if slices.ContainsFunc(last.ids, func(id record.CandidateID) bool { return !waiting[id] }) {
			return
		}
		p.steps, p.again = p.steps[:n-1], p.again-1
		p.list.Seek(last.under)
		p.moved = p.list.Cur > 0
	}
}

// Decided hides candidates until the feed confirms; the next is selected.
func (p *reviewPane) Decided(ids ...record.CandidateID) {
	step := decided{under: record.NoCandidate}
	if at, ok := p.list.At(); ok {
		step.under = at
	}
	for i := range p.d.Snap.Review {
		if id := p.d.Snap.Review[i].Candidate.ID; slices.Contains(ids, id) {
			p.gone[id] = true
			step.ids = append(step.ids, id)
		}
	}
	p.again = 0
	if step.ids != nil {
		p.steps = append(p.steps, step)
	}
	next := p.next(ids)
	p.sync()
	p.list.Seek(next)
	p.bump()
}

// next is where the cursor stands when some of the list are gone: where it is, else
// on the next that stays, else on the last.
func (p *reviewPane) next(gone []record.CandidateID) record.CandidateID {
	stays := record.NoCandidate
	for i, id := range p.list.IDs {
		if slices.Contains(gone, id) {
			continue
		}
		if stays = id; i >= p.list.Cur {
			break
		}
	}
	return stays
}

// Again brings back what could not be decided, or was taken back.
func (p *reviewPane) Again() {
	clear(p.gone)
	p.again++
	p.bump()
}

func (p *reviewPane) skip() tea.Cmd {
	p.again = 0
	if n := len(p.list.IDs); n > 0 {
		p.list.Cur = (p.list.Cur + 1) % n
	}
	p.moved = p.list.Cur > 0
	p.bump()
	return p.Load()
}

// at returns what the cursor stands on, nil for nothing.
func (p *reviewPane) at() *waiting {
	if p.list.Cur < len(p.queue) {
		return &p.queue[p.list.Cur]
	}
	return nil
}

func (p *reviewPane) held() *view.Held {
	if w := p.at(); w != nil {
		return w.held
	}
	return nil
}

func (p *reviewPane) Selected() Selection {
	if h := p.held(); h != nil {
		return selected(h)
	}
	return Nothing()
}

func selected(h *view.Held) Selection {
	s := Nothing()
	s.Candidate, s.Job, s.State, s.Cell, s.Held = h.Candidate.ID, h.Job.ID, h.Job.State, h.Cell, true
	return s
}

func (p *reviewPane) Move(m widget.Motion) tea.Cmd {
	p.again = 0
	if p.full && (m == widget.PageUp || m == widget.PageDown || m == widget.Left || m == widget.Right || m == widget.RowStart || m == widget.WheelUp || m == widget.WheelDown) {
		p.d1.view.Move(m)
	} else {
		p.list.Move(m)
		p.moved = p.list.Cur > 0
	}
	p.bump()
	return nil
}

func (p *reviewPane) Click(x, y int) tea.Cmd {
	p.again = 0
	if y >= 0 && y < len(p.rows) && p.rows[y] >= 0 && (!p.full || x < p.side) {
		p.list.Cur = p.rows[y]
		p.list.Clamp()
		p.moved = p.list.Cur > 0
	}
	p.bump()
	return p.Load()
}

func (p *reviewPane) Load() tea.Cmd {
	p.sync()
	h := p.held()
	if h == nil {
		p.d1.set(record.NoCandidate, record.NoCandidate, nil)
	}
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
