package pane

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// finishedPane sums a search up: what it took, what it found and how sure that
// is, what the winner changes, and what can be done with it.
type finishedPane struct {
	base
	best   record.CandidateID
	q      query
	detail *view.CandidateDetail
	d1     diffView
}

func newFinished(d *Shared) *finishedPane {
	p := &finishedPane{base: base{d: d, id: Finished}, best: record.NoCandidate}
	p.d1 = newDiff(d, Finished)
	p.d1.with = withRoot
	return p
}

func (p *finishedPane) Scopes() []keys.Scope {
	return []keys.Scope{keys.InFinished, keys.InDiff, keys.InCandidates, keys.InText}
}

func (p *finishedPane) Diff() *diffView        { return &p.d1 }
func (p *finishedPane) Filter() (string, bool) { return p.d1.text, true }
func (p *finishedPane) SetFilter(t string)     { p.d1.text = t; p.bump() }
func (p *finishedPane) Text() string           { return p.d1.plain() }
func (p *finishedPane) Match(by int) bool      { p.bump(); return p.d1.match(by) }

func (p *finishedPane) Title() (string, string) {
	st := p.d.St
	return p.heading("", "Summary"), st.Label.S("what "+CandidateName(p.best)+" changes, against ") + st.Ident.S(p.d1.baseName())
}

func (p *finishedPane) Selected() Selection {
	s := Nothing()
	if p.best >= 0 {
		s.Candidate, s.Job, s.Cell = p.best, record.JobID(p.best), p.d.Grid.CellOf(p.best)
		s.Pinned = p.detail != nil && p.detail.Candidate.Pinned
	}
	return s
}

func (p *finishedPane) Move(m widget.Motion) tea.Cmd {
	p.d1.view.Move(m)
	p.bump()
	return nil
}

func (p *finishedPane) Load() tea.Cmd {
	if id := p.d.Snap.Best.ID; id != p.best {
		p.best, p.detail = id, nil
		p.bump()
	}
	if p.best < 0 || p.d.Reader == nil {
		return nil
	}
	r, id := p.d.Reader, p.best
	return tea.Batch(p.q.ask(p.d, p.id, fmt.Sprint("candidate ", id), func(ctx context.Context) (any, error) { return r.Candidate(ctx, id) }), p.d1.show())
}

func (p *finishedPane) Take(m Loaded) {
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

func (p *finishedPane) Body(w, h int, focus bool) []string {
	st := p.d.St
	switch {
	case p.d1.wide:
		return widget.Indent(p.d1.body(w-1, h))
	case w < 100:
		out := widget.Indent(p.summary(w-2, h < 24))
		out = append(out[:min(len(out), h*3/4)], st.Border.Wrap(widget.Repeat("─", w)))
		return append(out, widget.Indent(p.d1.body(w-1, h-len(out)))...)
	}
	side := min(64, w/2)
	return widget.Beside(widget.Indent(p.summary(side-2, false)), p.d1.body(w-side-1, h), side, 1)
}

// summary is the search in a few lines, the most important first; brief leaves
// out the metrics and names the keys side by side.
func (p *finishedPane) summary(w int, brief bool) []string {
	st, s := p.d.St, p.d.Snap
	var out []string
	add := func(l *widget.Line) { out = append(out, l.String()) }
	for _, t := range widget.WrapText(p.d.Told(view.StateText(s.State, s.Reason)), w) {
		add((&widget.Line{}).Add(st.State(string(s.State)), t))
	}
	took := (&widget.Line{}).Add(st.Plain, widget.Plural(s.Jobs.Ended(), "job", "jobs")).Add(st.Label, " in ").Add(st.Plain, widget.Duration(millisSpan(s.WallMS)))
	took.Add(st.Label, " · ").Add(st.Plain, widget.Plural(s.Evals, "evaluation", "evaluations")).Add(st.Label, " · ").Add(st.Plain, costWords(s.Usage))
	add(took)
	if g := &s.Grid; g.Total > 0 {
		add((&widget.Line{}).Add(st.Plain, fmt.Sprintf("%d of %d", g.Filled, g.Total)).Add(st.Label, " niches filled · failed ").Add(st.Plain, fmt.Sprint(s.Jobs.Failed)).Add(st.Label, " · rejected ").Add(st.Plain, fmt.Sprint(s.Rejected())))
	}
	if by := s.RejectedBy(); by != "" && !brief {
		add((&widget.Line{}).Add(st.Label, "rejected by: ").Add(st.Plain, by))
	}
	if !brief {
		out = append(out, "")
	}
	out = append(out, p.verdict(w)...)
	if p.detail != nil && !brief {
		out = append(out, metricTable(p.d, p.detail, w)...)
	}
	if brief {
		l := &widget.Line{}
		for _, next := range p.next() {
			if l.W+plot.Width(next[1])+6 > w {
				add(l)
				l = &widget.Line{}
			}
			l.Add(st.Key, next[0]).Gap(1).Add(st.Plain, next[1]).Gap(3)
		}
		add(l)
		return out
	}
	out = append(out, "")
	for _, next := range p.next() {
		add((&widget.Line{}).Fit(st.Key, next[0], 3).Add(st.Plain, next[1]))
	}
	return out
}

// verdict tells the best and what may be said of its gain.
func (p *finishedPane) verdict(w int) []string {
	st, s := p.d.St, p.d.Snap
	if s.Best.ID < 0 {
		return []string{st.Label.S("nothing was measured")}
	}
	if s.Best.ID == record.Root {
		out := []string{st.Strong.S("nothing better than the root holds a niche"), st.Label.S("its value is " + p.rootValue())}
		if s.Sure != nil {
			out = []string{st.Strong.S(s.VerifiedText()), st.Label.S("the root's value is " + p.rootValue())}
			for _, t := range widget.WrapText(s.SureText(), w) {
				out = append(out, st.Good.S(t))
			}
		}
		if who, ok := s.Ahead(); ok {
			out[0] = st.Strong.S("nothing is sure to be better than the root yet")
			for _, t := range widget.WrapText(who.Text(), w) {
				out = append(out, st.Label.S(t))
			}
		}
		if s.Jobs.Failed+s.Jobs.Rejected > s.Jobs.Scored+s.Jobs.Placed {
			out = append(out, st.Label.S("most jobs were not measured: "+p.d.Key("failures")+" tells why"))
		}
		return append(out, p.waiting()...)
	}
	l := (&widget.Line{}).Add(st.Label, "best ").Add(st.Ident, CandidateName(s.Best.ID))
	niche, kept := p.d.Seat()
	if niche != "" && !kept {
		l.Gap(1).Add(st.Ident, niche)
	}
	c := &s.Best.Claim
	value := widget.Number(c.Value) // its interval follows
	if c.N == 0 || !c.Interval.Bounded() {
		value = p.d.told(s.Best.ID, &s.Best.Objective, c, whole)
	}
	l.Gap(2).Add(st.Strong, value).Add(st.Label, " root "+widget.Number(view.ClaimRoot(s, c)))
	out := []string{l.String()}
	if kept {
		out = append(out, st.Warn.S("it holds no niche: "+CandidateName(p.d.Grid.At(s.Best.Cell).Elite)+" is frozen in "+niche))
	}
	out = append(out, p.gain(c, w)...)
	if s.Best.Uncompared {
		for _, t := range widget.WrapText("its behaviour was not compared with the root's: "+p.d.Key("log")+" tells why", w) {
			out = append(out, st.Warn.S(t))
		}
	}
	if who, ok := s.Ahead(); ok {
		text := who.Text() + "; " + p.d.Key("promote") + " on it measures it on " + widget.OrNone(s.Experiment.Branch)
		for _, t := range widget.WrapText(text, w) {
			out = append(out, st.Label.S(t))
		}
	}
	out = append(out, p.waiting()...)
	for _, t := range widget.WrapText(p.promoted(), w) {
		style := st.Warn
		if s.Best.Verified != nil {
			style = st.Good
		}
		out = append(out, style.S(t))
	}
	return out
}

// gain is what may be said of the gain of the best, whose claim is given.
func (p *finishedPane) gain(c *evidence.Claim, w int) []string {
	st, s := p.d.St, p.d.Snap
	said := (&widget.Line{})
	switch c.Word {
	case evidence.Confirmed:
		said.Add(st.Good, view.ClaimGain(*c)).Add(st.Label, " on root")
	case evidence.Exact:
		said.Add(gainStyle(st, s.Best.Percent), view.ClaimGain(*c)).Add(st.Label, " on root; repeats of this evaluator agree")
	case evidence.WithinNoise:
		said.Add(st.Warn, string(c.Word)).Add(st.Label, ": take it as no gain")
	case "":
		said.Add(gainStyle(st, s.Best.Percent), widget.Percent(s.Best.Percent)).Add(st.Label, " on root")
	default:
		if s.Best.Verified != nil { // told below
			said.Add(st.Label, "the run itself did not confirm its gain")
			break
		}
		said.Add(st.Warn, view.ClaimWord(*c)).Add(st.Label, ": more samples would tell; "+p.d.Key("measure")+" measures it again")
	}
	out := []string{said.String()}
	if text := view.Disbelief(s.Direction, s.Objective, *c); text != "" {
		for _, t := range widget.WrapText(text+" with "+p.d.Key("diff"), w) {
			out = append(out, st.Warn.S(t))
		}
	}
	if c.Word != evidence.Exact && c.N > 0 && c.Interval.Bounded() {
		for _, t := range widget.WrapText(fmt.Sprintf("%.0f %% interval [%s, %s] of %s", 100*c.Level, plot.Short(c.Interval.Low), plot.Short(c.Interval.High), widget.Plural(c.N, "held-out sample", "held-out samples")), w) {
			out = append(out, st.Label.S(t))
		}
	}
	return out
}

// rootValue is the value of the root as what it is.
func (p *finishedPane) rootValue() string {
	if s := p.d.Snap; s.Paired {
		return s.RootText()
	}
	return p.d.told(record.Root, &p.d.Snap.Root.Objective, &p.d.Snap.Root.Claim, whole)
}

// promoted says whether the best is on a branch, and whether its gain holds there.
func (p *finishedPane) promoted() string {
	if p.d.Past { // branches are known as they are now
		return ""
	}
	if b := p.d.Snap.Best.Verified; b != nil {
		return plot.Clean(b.Verification() + "; branch " + b.Name)
	}
	on := ""
	if p.detail != nil && len(p.detail.Branches) > 0 {
		on = "on branch " + plot.Clean(p.detail.Branches[len(p.detail.Branches)-1].Name) + ", "
	}
	return on + "not verified on " + widget.OrNone(p.d.Snap.Experiment.Branch) + " as it is now: " + p.d.Key("promote") + " does that"
}

// waiting tells of what a person could still take in.
func (p *finishedPane) waiting() []string {
	st, n := p.d.St, Waiting(p.d.Snap)
	if n == 0 {
		return nil
	}
	return []string{st.Accent.S(widget.Plural(n, "candidate waits", "candidates wait") + " for review: " + p.d.Key("review-queue"))}
}

// next are the keys that lead on from here.
func (p *finishedPane) next() [][2]string {
	var out [][2]string
	if p.best > record.Root { // the root is what there was
		out = [][2]string{
			{p.d.Key("promote"), "write it to a branch, verified"},
			{p.d.Key("export"), "export it as a patch"},
			{p.d.Key("diff"), "its difference alone"},
			{p.d.Key("lineage"), "how it came about"},
		}
	}
	return append(out, [][2]string{
		{p.d.Key("report"), "a report for people who were not here"},
		{p.d.Key("more-budget"), "more jobs for this search"},
		{p.d.Key("anew"), "start another one"},
	}...)
}

// Leads are the actions that lead on, the first of the bar.
func (p *finishedPane) Leads() []string {
	lead := []string{"promote", "diff", "more-budget", "report", "anew"}
	if p.best <= record.Root {
		return lead[2:]
	}
	return lead
}
