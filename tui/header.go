package tui

import (
	"fmt"
	"slices"
	"strings"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// part is a piece of a header line. Parts of low rank go first when room is
// short.
type part struct {
	text string // styled
	rank int
}

// squeeze joins parts with two spaces in w cells, leaving out the least
// important ones. The gap widens between left and right.
func squeeze(left, right []part, w int) string {
	for {
		l, lw := joined(left)
		r, rw := joined(right)
		need := lw + rw
		if rw > 0 {
			need += 2
		}
		if need <= w {
			return l + strings.Repeat(" ", w-lw-rw) + r
		}
		if !dropLeast(&left, &right) {
			return plot.Fit(l+" "+r, w)
		}
	}
}

func joined(ps []part) (string, int) {
	var l line
	for i, p := range ps {
		if i > 0 {
			l.gap(2)
		}
		l.raw(p.text)
	}
	return l.String(), l.w
}

func dropLeast(left, right *[]part) bool {
	best, side, at := 1000, left, -1
	for _, s := range []*[]part{left, right} {
		for i, p := range *s {
			if p.rank < best {
				best, side, at = p.rank, s, i
			}
		}
	}
	if at < 0 || len(*left)+len(*right) <= 1 {
		return false
	}
	*side = append(append([]part(nil), (*side)[:at]...), (*side)[at+1:]...)
	return true
}

// header is the two lines on top of every screen: is it running, is it getting
// better, what does it cost.
func (a *app) header(w int) []string {
	s, st := a.d.snap, a.d.st
	lead := " "
	if s.Loading && s.Experiment.Name == "" {
		return []string{plot.Fit(lead+st.Strong.S("atoll")+"  "+st.Label.S("loading"), w), ""}
	}
	left := []part{{lead + st.Strong.S("atoll"), 90}, {st.Plain.S(s.Experiment.Name) + st.Label.S(" · "+s.Experiment.Branch), 60}}
	out := []string{squeeze(left, a.progress(w), w-1)}
	if a.screen() != noPane {
		return append(out, a.tabs(w))
	}
	return append(out, a.standing(w))
}

// progress is the right side of the first line.
func (a *app) progress(w int) []part {
	s, st := a.d.snap, a.d.st
	state := st.state(string(s.State)).S("● " + string(s.State))
	switch {
	case s.Fatal != "":
		state = st.Banner.S(" broken ")
	case a.leaving > 0:
		state = st.Accent.S("● draining " + plural(len(s.Running), "job", "jobs"))
	case a.still:
		state = st.Banner.S(" view paused ")
	case s.Loading:
		state = st.Label.S(loading(s))
	}
	ps := []part{{state, 100}}
	if s.Settings.Workers > 0 {
		ps = append(ps, part{st.Label.S(plural(s.Settings.Workers, "worker", "workers")), 20})
	}
	jobs := st.Strong.S(fmt.Sprint(s.Jobs.Ended()))
	if s.Jobs.Max > 0 {
		jobs += st.Label.S(fmt.Sprintf("/%d jobs", s.Jobs.Max))
		full, rest := plot.Bar(float64(s.Jobs.Ended())/float64(s.Jobs.Max), min(20, w/8), a.d.glyphs)
		ps = append(ps, part{jobs, 95}, part{st.Border.wrap("▕") + st.Lines[0].wrap(full) + rest + st.Border.wrap("▏"), 40})
	} else {
		ps = append(ps, part{jobs + st.Label.S(" jobs"), 95})
	}
	if s.PerMinute > 0 {
		ps = append(ps, part{st.Plain.S(fmt.Sprintf("%.1f", s.PerMinute)) + st.Label.S("/min"), 50})
	}
	if s.ETA > 0 && s.State == record.ExperimentRunning {
		ps = append(ps, part{st.Label.S("ETA ") + st.Plain.S(duration(s.ETA)), 45})
	}
	return append(ps, part{a.cost(), 85})
}

// loading says how far the log was read.
func loading(s *view.Snapshot) string {
	if s.Rows == 0 {
		return "loading"
	}
	return fmt.Sprintf("reading the log, %s of %s", thousands(s.Read), thousands(s.Rows))
}

// cost is what was spent, against the budget where there is one.
func (a *app) cost() string {
	s, st := a.d.snap, a.d.st
	u := s.Usage
	switch {
	case u.Requests == 0 && !u.Unmetered && u.CostUSD == nil:
		return st.Label.S("no cost")
	case u.CostUSD == nil:
		return st.Warn.S("cost unknown")
	}
	text := st.Plain.S(money(u.CostUSD))
	if s.Settings.MaxCostUSD > 0 {
		text += st.Label.S("/" + money(&s.Settings.MaxCostUSD))
	}
	if u.Unmetered {
		text += st.Warn.S(" not all metered")
	}
	return text
}

// standing is the second line: the best against the root, the archive, the
// failures.
func (a *app) standing(w int) string {
	s, st := a.d.snap, a.d.st
	if banner := a.banner(); banner != "" {
		return plot.Fit(banner, w)
	}
	left := []part{{" " + a.bestText(), 100}}
	if s.Best.ID >= 0 {
		where := st.Ident.S(candidateName(s.Best.ID))
		if s.Best.Cell >= 0 {
			where += " " + st.Ident.S(niche(&s.Grid, s.Best.Cell))
		}
		if s.Best.At > 0 {
			where += st.Label.S(" " + ago(a.d.now().Sub(millis(s.Best.At))))
		}
		left = append(left, part{where, 60})
		if s.Best.Claimed != nil {
			left = append(left, part{st.Label.S("held-out ") + st.Plain.S(number(*s.Best.Claimed)), 62})
		}
		if s.Noisy {
			left = append(left, part{st.Label.S(fmt.Sprintf("±%s n=%d", plot.Short(s.Best.MAD), s.Best.Samples)), 55})
		}
	}
	return squeeze(left, a.figures(), w-1)
}

func (a *app) bestText() string {
	s, st := a.d.snap, a.d.st
	if s.Best.ID < 0 {
		return st.Label.S("nothing measured yet")
	}
	t := st.Label.S("best ") + st.Strong.S(number(s.Best.Objective))
	if s.Root.ID >= 0 && s.Best.ID != record.Root {
		col := st.Good
		if s.Best.Percent < 0 {
			col = st.Bad
		}
		t += "  " + col.S(percent(s.Best.Percent)) + st.Label.S(" on root "+number(s.Root.Objective))
	}
	return t
}

func (a *app) figures() []part {
	s, st := a.d.snap, a.d.st
	g := &s.Grid
	var ps []part
	fig := func(rank int, label, value string, style style) {
		ps = append(ps, part{st.Label.S(label+" ") + style.S(value), rank})
	}
	if n := len(s.Guarantees); n > 0 {
		ps = append(ps, part{st.Warn.S("! " + plural(n, "guarantee missing", "guarantees missing")), 70})
	}
	if g.Total > 0 {
		fig(50, "QD", number(g.QD), st.Plain)
		fig(65, "niches", fmt.Sprintf("%d/%d %.0f %%", g.Filled, g.Total, 100*g.Coverage), st.Plain)
	} else if g.NeedFit > 0 {
		fig(65, "map after", fmt.Sprintf("%d/%d", g.Unplaced, g.NeedFit), st.Plain)
	}
	if s.Jobs.Held > 0 {
		fig(80, "held", fmt.Sprint(s.Jobs.Held), st.Accent)
	}
	fig(40, "failed", fmt.Sprint(s.Jobs.Failed), st.Plain)
	fig(20, "dup", fmt.Sprint(s.Jobs.Duplicate), st.Plain)
	order := "completion"
	if s.Experiment.Strict {
		order = "strict"
	}
	fig(10, "order", order, st.Plain)
	return ps
}

// banner is what matters more than any figure, "" for nothing.
func (a *app) banner() string {
	s, st := a.d.snap, a.d.st
	switch {
	case s.Fatal != "":
		return " " + st.Banner.S(" the engine stopped: "+s.Fatal+" ")
	case a.feedErr != nil:
		return " " + st.Banner.S(" no more news: "+a.feedErr.Error()+" ")
	case s.State == record.ExperimentBroken, s.State == record.ExperimentPaused && s.Reason != "" && !strings.HasPrefix(s.Reason, "paused by "): // a person knows
		return " " + st.Accent.S(words(": ", string(s.State), s.Reason))
	case a.still:
		return " " + st.Accent.S("the view is paused; "+a.keys.key("pause-view")+" shows what happened since")
	}
	return ""
}

// tabs is the second line of a screen: where one is and where one can go.
func (a *app) tabs(w int) string {
	st := a.d.st
	if b := a.banner(); b != "" {
		return plot.Fit(b, w)
	}
	var l line
	l.gap(1)
	for i, name := range [...]string{"Niches", "Jobs", "Fitness", "Review", "Log", "Failures", "Yields", "Notes", "Decisions"} {
		key := fmt.Sprint(i + 1)
		if a.screen() == paneID(i+1) {
			l.add(st.Accent, key+" "+name)
		} else if w >= 100 {
			l.add(st.Off, key).gap(1).add(st.Label, name)
		} else {
			l.add(st.Off, key)
		}
		l.gap(2)
	}
	if t := screenTitle(a.screen()); t != "" {
		l.add(st.Accent, t).gap(2)
	}
	return squeeze([]part{{l.String(), 50}}, []part{{a.bestText(), 40}}, w-1)
}

func screenTitle(id paneID) string {
	switch id {
	case paneJob:
		return "Job"
	case paneCandidate:
		return "Candidate"
	case paneCandidates:
		return "Candidates"
	case paneLineage:
		return "Lineage"
	case paneSettings:
		return "Settings"
	case paneDoctor:
		return "Doctor"
	}
	return ""
}

// helpBar is the last line: what can be done here, and what waits.
func (a *app) helpBar(w int) string {
	st := a.d.st
	if a.find != nil {
		a.find.in.SetWidth(max(10, w-30))
		return " " + st.Accent.S("/") + a.find.in.View() + " " + st.Label.S("enter keep · esc clear")
	}
	var badges []part
	if n := len(a.d.marks); n > 0 {
		badges = append(badges, part{st.Accent.S(plural(n, "marked", "marked")), 70})
	}
	if n := errorsIn(a.d.snap); n > 0 {
		badges = append(badges, part{st.Bad.S(plural(n, "error", "errors")), 60})
	}
	if n := waiting(a.d.snap); n > 0 {
		badges = append(badges, part{st.Accent.S(fmt.Sprintf("%d to review", n)), 90})
	}
	room := w - 2
	if r, rw := joined(badges); r != "" {
		room -= rw + 2
	}
	return squeeze([]part{{" " + a.hints(room), 100}}, badges, w-1)
}

// hints are the keys of the focused pane, the most useful first, then the
// global ones.
func (a *app) hints(room int) string {
	st := a.d.st
	var scopes []scope
	if p := a.current(); p != nil {
		scopes = p.scopes()
	}
	var show []*binding
	taken := map[string]bool{}
	for _, b := range a.keys.active(append(scopes[:len(scopes):len(scopes)], inAll)) {
		if b.Bar == 0 || len(b.Keys) == 0 || taken[b.Keys[0]] {
			continue
		}
		taken[b.Keys[0]] = true
		i := len(show)
		show = append(show, b)
		for ; i > 0 && show[i-1].Bar < b.Bar; i-- {
			show[i] = show[i-1]
		}
		show[i] = b
	}
	last := []string{"palette", "help"} // always there, at the end
	var end line
	for _, id := range last {
		if b := a.keys.get(id); len(b.Keys) > 0 {
			end.gap(2).add(st.Key, keyName(b.Keys[0])).gap(1).add(st.Label, b.Title)
		}
	}
	room -= end.w
	fits := map[*binding]bool{} // what works now comes first where room is short
	for _, off := range [...]bool{false, true} {
		for _, b := range show {
			if w := plot.Width(keyName(b.Keys[0])+" "+b.Title) + 2; !slices.Contains(last, b.ID) && (a.off(b) != "") == off && w <= room {
				fits[b] = true
				room -= w
			}
		}
	}
	var l line
	for _, b := range show {
		if !fits[b] {
			continue
		}
		if l.w > 0 {
			l.gap(2)
		}
		if a.off(b) != "" {
			l.add(st.Off, keyName(b.Keys[0])+" "+b.Title)
		} else {
			l.add(st.Key, keyName(b.Keys[0])).gap(1).add(st.Label, b.Title)
		}
	}
	return l.String() + end.String()
}

func errorsIn(s *view.Snapshot) int {
	n := 0
	for i := range s.Log {
		if s.Log[i].Level == "error" {
			n++
		}
	}
	return n
}
