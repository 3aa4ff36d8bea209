package pane

import (
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

func (p *reviewPane) Body(w, h int, focus bool) []string {
	p.sync()
	p.rows = p.rows[:0]
	if p.full {
		return p.screen(w, h)
	}
	st := p.d.St
	if len(p.queue) == 0 {
		return []string{" " + st.Label.S(p.nothing())}
	}
	var out []string
	rows := h
	if (p.hides > 0 || p.none) && h > 2 {
		rows--
	}
	if h > 4 {
		rows--
		p.rows = append(p.rows, -1)
		out = append(out, p.head(p.queue[0].held.Candidate.ID, w))
	}
	from, to := p.list.Window(rows)
	for i := from; i < to; i++ {
		row := p.row(&p.queue[i], w)
		if focus && i == p.list.Cur {
			row = widget.Pick(st.Selected, row, w)
		}
		p.rows = append(p.rows, i)
		out = append(out, row)
	}
	if (p.hides > 0 || p.none) && h > 2 {
		out = append(out, p.folded())
	}
	return out
}

// head names the columns of the queue.
func (p *reviewPane) head(first record.CandidateID, w int) string {
	cols := reviewColumns(p.d.Snap.Noisy)
	st := p.d.St
	var l widget.Line
	l.Gap(1).Fit(st.Label, "", widget.IDWidth(int64(first))).Right(st.Label, "value", cols.valueWidth()).Gap(1).Fit(st.Label, cols.gainHead(), 17-cols.valueWidth())
	if w >= 90 {
		l.Fit(st.Label, "operator", 11).Fit(st.Label, "change", 12)
	}
	return l.Fit(st.Label, "if approved now", w-l.W).String()
}

// nothing says why the queue is empty.
func (p *reviewPane) nothing() string {
	switch {
	case p.d.Snap.Loading:
		return "loading"
	case p.text != "" && len(p.d.Snap.Review) > 0:
		return "nothing that waits fits"
	}
	return "nothing waits"
}

// folded tells what the queue does not list.
func (p *reviewPane) folded() string {
	if p.none {
		return " " + p.d.St.Label.S("none is better than what holds its niche")
	}
	return " " + p.d.St.Label.S(widget.Plural(p.hides, "is", "are")+" no better than what holds the niche; "+p.d.Key("no-better")+" lists them")
}

// row is one candidate on the dashboard.
func (p *reviewPane) row(x *waiting, w int) string {
	cols := reviewColumns(p.d.Snap.Noisy)
	st, c := p.d.St, &x.held.Candidate
	var l widget.Line
	mark := " "
	if p.d.marked(c.ID) {
		mark = "▸"
	}
	l.Add(st.Marked, mark).Col(st.Ident, CandidateName(c.ID), widget.IDWidth(int64(c.ID)))
	l.Right(st.Plain, p.value(c), cols.valueWidth()).Gap(1)
	p.gain(&l, x, 17-cols.valueWidth())
	if w >= 90 {
		l.Col(st.Plain, string(c.Operator), 11).Col(st.Label, widget.Change(c.Added, c.Removed), 12)
	}
	text := x.brief(&p.d.Snap.Grid, x.held, w-l.W)
	why := firstOf(x.held.Findings)
	if p.byRule(x.held) {
		why = ""
	}
	if more := widget.Words(" · ", text, why, c.Intent); plot.Width(text)+9 < w-l.W { // room for words of it
		text = more
	}
	col := st.Plain
	if x.outlook >= unmeasured {
		col = st.Label
	}
	return l.Fit(col, text, w-l.W).String()
}

// reviewColumns are the columns of the queue; true where values vary.
type reviewColumns bool

// valueWidth is the width of the values in the queue. Where values vary they have the room
// of the gain, which may not be told: nothing was held out of what waits.
func (c reviewColumns) valueWidth() int {
	if c {
		return 17
	}
	return 8
}

func (c reviewColumns) gainHead() string { return widget.Unless(bool(c), "gain") }

// operatorRoom is what is left for the operator of w cells, before value and gain.
func (c reviewColumns) operatorRoom(w int) int { return max(0, min(11, w-max(17, c.valueWidth()+2))) }

// gainRoom is what is left for a gain of so many cells.
func (c reviewColumns) gainRoom(w int) int {
	if c {
		return 0
	}
	return max(0, w)
}

func (p *reviewPane) value(c *record.Candidate) string {
	cols := reviewColumns(p.d.Snap.Noisy)
	return p.d.told(c.ID, c.Objective, nil, cols.valueWidth())
}

// byRule reports whether a candidate waits because all do, or did.
func (p *reviewPane) byRule(h *view.Held) bool {
	s := &p.d.Snap.Settings
	return len(h.Findings) == 1 && (view.IsHeldByRule(h.Findings[0]) || h.Candidate.Objective != nil && s.ReviewNiche == "all" || h.Candidate.Objective == nil && s.Review == "all")
}

// gain writes what approving gains on who holds the niche, in w cells.
func (p *reviewPane) gain(l *widget.Line, x *waiting, w int) {
	switch {
	case w <= 0:
		return
	case x.outlook == firstThere:
		l.Fit(p.d.St.Label, "-", w) // there is nobody to gain on
		return
	case !x.compared():
		l.Gap(w)
		return
	case x.prospect.gain == 0:
		l.Fit(p.d.St.Label, "equal", w)
		return
	}
	text := widget.Brief(x.prospect.gain)
	if plot.Width(text) >= w { // fewer digits, and no sign that is cut
		text = widget.Unless(x.prospect.gain < 0, "+") + widget.Narrow(x.prospect.gain, w-2)
	}
	l.Col(gainStyle(p.d.St, x.prospect.gain), text, w)
}

func firstOf(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// sideFrom is the width from which the queue stands beside the difference.
const sideFrom = 90

// screen is the decision on one screen: the queue, and what it is about.
func (p *reviewPane) screen(w, h int) []string {
	st := p.d.St
	x := p.at()
	if x == nil {
		s := &p.d.Snap.Settings
		return []string{"", " " + st.Label.S(p.nothing()), "", " " + st.Label.S("review is set to "+widget.Words(", ", "before measuring: "+orOff(s.Review), "before a niche: "+orOff(s.ReviewNiche))), " " + st.Label.S(":review-niche and :review-measure change that")}
	}
	switch {
	case p.d1.wide:
		p.side = 0
		return widget.Indent(p.decision(x, w-1, h))
	case w < sideFrom:
		p.side = w
		n := max(2, min(2*len(p.queue), h/4))
		out := append(p.lines(w, n), st.Border.Wrap(widget.Repeat("─", w)))
		return append(out, widget.Indent(p.decision(x, w-1, h-len(out)))...)
	}
	p.side = max(36, min(w*30/100, 56))
	return widget.Beside(p.lines(p.side, h), p.decision(x, w-p.side-2, h), p.side, 2)
}

func orOff(s string) string {
	if s == "" {
		return "off"
	}
	return s
}

// lines list the queue, two lines for each candidate.
func (p *reviewPane) lines(w, h int) []string {
	cols := reviewColumns(p.d.Snap.Noisy)
	st := p.d.St
	var out []string
	room := h
	if (p.hides > 0 || p.none) && h > 4 {
		room -= 2
	}
	if h > 6 {
		room--
		var l widget.Line
		l.Gap(1 + widget.IDWidth(int64(p.queue[0].held.Candidate.ID)))
		l.Fit(st.Label, "operator", cols.operatorRoom(w-l.W)).Right(st.Label, "value", cols.valueWidth()).Gap(1).Fit(st.Label, cols.gainHead(), max(0, w-l.W))
		out, p.rows = append(out, l.String()), append(p.rows, -1)
	}
	from, to := p.list.Window(max(1, room/2))
	for i := from; i < to; i++ {
		x := &p.queue[i]
		c := &x.held.Candidate
		var a, b widget.Line
		mark := " "
		if p.d.marked(c.ID) {
			mark = "▸"
		}
		a.Add(st.Marked, mark).Col(st.Ident, CandidateName(c.ID), widget.IDWidth(int64(c.ID))).Col(st.Plain, string(c.Operator), cols.operatorRoom(w-a.W)).Right(p.d.valueStyle(c.ID, c.Objective, nil), p.value(c), cols.valueWidth()).Gap(1)
		p.gain(&a, x, cols.gainRoom(w-a.W))
		b.Gap(2).Fit(st.Label, x.told(&p.d.Snap.Grid, w-2), w-2)
		row := a.String()
		if i == p.list.Cur {
			row = widget.Pick(st.Selected, row, w)
		}
		p.rows = append(p.rows, i, i)
		out = append(out, row, b.String())
	}
	if p.none && h > 4 {
		out = append(out, "", p.folded())
	}
	if p.hides > 0 && h > 4 {
		out = append(out, "")
		for _, t := range widget.WrapText(widget.Plural(p.hides, "more is", "more are")+" no longer better; "+p.d.Key("no-better")+" lists them", w-2) {
			out = append(out, " "+st.Label.S(t))
		}
	}
	return out
}

// told is what approving a candidate does and how large its change is, in w cells.
func (x *waiting) told(g *view.Grid, w int) string {
	change := widget.Change(x.held.Candidate.Added, x.held.Candidate.Removed)
	whole := widget.Words(" · ", x.words(g, x.held), change)
	if plot.Width(whole) <= w {
		return whole
	}
	text := x.brief(g, x.held, w)
	if more := widget.Words(" · ", text, change); plot.Width(more) <= w {
		return more
	}
	return text
}

// decision is what a person decides about: intent, figures, findings, difference.
func (p *reviewPane) decision(x *waiting, w, hh int) []string {
	st, h := p.d.St, x.held
	c := &h.Candidate
	var l widget.Line
	l.Add(st.Ident, CandidateName(c.ID)).Gap(1).Add(st.Label, c.Commit.Short()).Gap(2).Add(st.Plain, string(c.Operator)).Add(st.Label, " by ").Add(st.Plain, c.Agent).Gap(2)
	if c.Objective == nil {
		l.Add(st.Label, "not measured yet")
	} else {
		l.Add(p.d.valueStyle(c.ID, c.Objective, nil), p.d.told(c.ID, c.Objective, nil, whole))
		if h.Parent != nil && !p.d.Snap.Noisy {
			v := level(p.d.gain(*c.Objective, *h.Parent), *h.Parent)
			l.Gap(1).Add(gainStyle(st, v), widget.Signed(v)).Add(st.Label, " on parent")
		}
		if r := p.d.Snap.Root; r.ID >= 0 && !p.d.Snap.Noisy {
			v := level(p.d.gain(*c.Objective, r.Objective), r.Objective)
			l.Gap(1).Add(gainStyle(st, v), widget.Signed(v)).Add(st.Label, " on root")
		}
	}
	out := []string{l.String()}
	col := st.Accent
	if x.outlook == keptOut || x.outlook >= noBetter {
		col = st.Warn
	}
	var then widget.Line
	then.Add(st.Label, "if approved now: ").Add(col, x.words(&p.d.Snap.Grid, h))
	if (x.outlook == takesNiche || x.outlook == keptOut) && !p.d.Snap.Noisy {
		then.Gap(1).Add(gainStyle(st, x.prospect.gain), widget.Signed(x.prospect.gain))
	}
	out = append(out, then.String())
	if c.Intent != "" && hh >= 12 {
		out = append(out, st.Plain.S("“"+c.Intent+"”"))
	}
	var ms widget.Line
	for _, m := range c.Metrics {
		if m.Name != p.d.Snap.Objective && ms.W < w-20 {
			ms.Add(st.Label, m.Name+" ").Add(st.Plain, widget.Number(m.Value)).Gap(2)
		}
	}
	if ms.W > 0 && hh >= 16 {
		ms.Add(st.Warn, p.d.ofDeciding())
		out = append(out, ms.String())
	}
	for _, f := range h.Findings {
		if p.byRule(h) {
			out = append(out, st.Label.S(f))
		} else {
			out = append(out, st.Warn.S("! "+f))
		}
	}
	out = append(out, st.Border.Wrap(widget.Repeat("─", w)))
	return append(out, p.d1.body(w, hh-len(out))...)
}
