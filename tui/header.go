package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"atoll/engine/evidence"
	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/pane"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// bars are the lines above and below the panes.
type bars struct {
	d        *pane.Shared
	keys     *keys.Table
	off      func(b *keys.Binding) string // why a key does nothing now
	scopes   []keys.Scope                 // of the pane that has the keys
	lead     []string                     // actions that its bar begins with
	screen   pane.ID                      // over the dashboard
	draining bool
	still    bool // the view is paused
	past     bool // the screen shows a moment of the log
	looks    bool // the console can decide nothing
	feedErr  error
	find     *finder
}

// header is the two lines on top of every screen: is it running, is it getting
// better, what does it cost.
func (h *bars) header(w int) []string {
	s, st := h.d.Snap, h.d.St
	lead := " "
	if s.Loading && s.Experiment.Name == "" {
		return []string{plot.Fit(lead+st.Strong.S("atoll")+"  "+st.Label.S("loading"), w), ""}
	}
	left := []widget.Part{{Text: lead + st.Strong.S("atoll"), Rank: 90}, {Text: st.Plain.S(s.Experiment.Name) + st.Label.S(" · "+s.Experiment.Branch), Rank: 60}}
	out := []string{widget.Squeeze(left, h.progress(w), w-1)}
	if h.screen != pane.None {
		return append(out, h.tabs(w))
	}
	return append(out, h.standing(w))
}

// progress is the right side of the first line.
func (h *bars) progress(w int) []widget.Part {
	s, st := h.d.Snap, h.d.St
	state := st.State(string(s.State)).S("● " + string(s.State))
	switch {
	case s.Fatal != "":
		state = st.Banner.S(" broken ")
	case h.draining:
		state = st.Accent.S("● draining " + widget.Plural(len(s.Running), "job", "jobs"))
	case h.past:
		state = st.Banner.S(" the past ")
	case h.still:
		state = st.Banner.S(" view paused ")
	case s.Loading:
		state = st.Label.S(pane.Loading(s))
	case pane.Ownerless(s):
		state = st.Accent.S("○ no engine")
	}
	ps := []widget.Part{{Text: state, Rank: 100}}
	if h.looks {
		ps = append(ps, widget.Part{Text: st.Warn.S("read-only"), Rank: 92})
	}
	switch {
	case s.Fleet:
		ps = append(ps, widget.Part{Text: st.Label.S("fleet of " + widget.Plural(s.Slots, "slot", "slots")), Rank: 20})
	case s.Settings.Workers > 0:
		ps = append(ps, widget.Part{Text: st.Label.S(widget.Plural(s.Settings.Workers, "worker", "workers")), Rank: 20})
	}
	jobs := st.Strong.S(fmt.Sprint(s.Jobs.Ended()))
	if s.Jobs.Max > 0 {
		jobs += st.Label.S(fmt.Sprintf("/%d jobs", s.Jobs.Max))
		full, rest := plot.Bar(float64(s.Jobs.Ended())/float64(s.Jobs.Max), min(20, w/8), h.d.Glyphs)
		ps = append(ps, widget.Part{Text: jobs, Rank: 95}, widget.Part{Text: st.Border.Wrap("▕") + st.Lines[0].Wrap(full) + rest + st.Border.Wrap("▏"), Rank: 40})
	} else {
		ps = append(ps, widget.Part{Text: jobs + st.Label.S(" jobs"), Rank: 95})
	}
	if s.PerMinute > 0 && h.fresh() {
		ps = append(ps, widget.Part{Text: st.Plain.S(fmt.Sprintf("%.1f", s.PerMinute)) + st.Label.S("/min"), Rank: 50})
	}
	if text := h.left(); text != "" {
		ps = append(ps, widget.Part{Text: text, Rank: 45})
	}
	return append(ps, widget.Part{Text: h.cost(), Rank: 85})
}

// left is how long the run still goes on: "ETA 13m" until its jobs are done, or "1m29s left" where its
// time is over before; "" where neither is known.
func (h *bars) left() string {
	s, st, eta := h.d.Snap, h.d.St, time.Duration(0)
	if h.fresh() {
		eta = s.ETA
	}
	switch left, byTime := view.Left(eta, s.Ends, h.d.Now()); {
	case left <= 0 || s.State != record.ExperimentRunning:
		return ""
	case byTime:
		return st.Plain.S(widget.Duration(left)) + st.Label.S(" left")
	default:
		return st.Label.S("ETA ") + st.Plain.S(widget.Duration(left))
	}
}

// fresh reports whether rate and time left are still true: jobs end about as
// often as they did.
func (h *bars) fresh() bool {
	s := h.d.Snap
	if s.State != record.ExperimentRunning || len(s.Recent) == 0 || s.PerMinute <= 0 {
		return false
	}
	quiet := h.d.Now().Sub(widget.Millis(s.Recent[0].Job.Ended))
	return quiet < max(staleAfter, time.Duration(5*float64(time.Minute)/s.PerMinute))
}

// staleAfter is how long without a result a rate is told.
const staleAfter = 2 * time.Minute

// cost is what was spent, against the budget where there is one.
func (h *bars) cost() string {
	s, st := h.d.Snap, h.d.St
	u := s.Usage
	switch {
	case u.Requests == 0 && !u.Unmetered && u.CostUSD == nil:
		return st.Label.S("no cost")
	case u.CostUSD == nil:
		return st.Warn.S("cost unknown")
	}
	text := st.Plain.S(widget.Money(u.CostUSD))
	if s.Settings.MaxCostUSD > 0 {
		text += st.Label.S("/" + widget.Money(&s.Settings.MaxCostUSD))
	}
	if u.Unmetered {
		text += st.Warn.S(" not all metered")
	}
	return text
}

func (h *bars) figures(w int) []widget.Part {
	s, st := h.d.Snap, h.d.St
	g := &s.Grid
	var ps []widget.Part
	fig := func(rank int, label, value string, style widget.Style) {
		ps = append(ps, widget.Part{Text: st.Label.S(label+" ") + style.S(value), Rank: rank})
	}
	if n := len(s.Guarantees); n > 0 {
		text := "! " + widget.Plural(n, "guarantee missing", "guarantees missing")
		if w < 100 {
			text = fmt.Sprintf("! %d missing", n)
		}
		ps = append(ps, widget.Part{Text: st.Warn.S(text), Rank: 70})
	}
	if word, _, ok := strings.Cut(s.Grade, ":"); ok {
		fig(42, "evaluator", word, map[bool]widget.Style{true: st.Plain, false: st.Warn}[word == "good" || word == "fair"])
	}
	if g.Total > 0 && g.Filled == 0 && (g.NeedFit == 0 || g.FromFirst) {
		fig(65, "niches", fmt.Sprintf("0/%d", g.Total), st.Plain)
	} else if g.Filled > 0 {
		fig(50, "QD", widget.Words(" ", plot.Short(g.QD), widget.Unless(g.Unconfirmed == 0, string(evidence.Unconfirmed))), st.Plain)
		niches := fmt.Sprintf("%d/%d", g.Filled, g.Total)
		if w >= 100 {
			niches += fmt.Sprintf(" %.0f %%", 100*g.Coverage)
		}
		fig(67, "niches", niches, st.Plain)
	} else if g.NeedFit > 0 {
		fig(65, "map after", fmt.Sprintf("%d/%d", g.Unplaced, g.NeedFit), st.Plain)
	}
	if s.Jobs.Held > 0 {
		fig(80, "held", fmt.Sprint(s.Jobs.Held), st.Accent)
	}
	if n := s.Rejected(); n > 0 {
		text := fmt.Sprint(n)
		if w >= 100 {
			text = s.RejectedText()
		}
		fig(66, "rejected", text, st.Plain)
	}
	fig(40, "failed", fmt.Sprint(s.Jobs.Failed), st.Plain)
	if n := s.Jobs.Duplicate; n > 0 {
		fig(20, "duplicates", fmt.Sprint(n), st.Plain)
	}
	if s.Experiment.Strict {
		fig(10, "results", "in order of number", st.Plain)
	}
	return ps
}

// banner is what matters more than any figure, "" for nothing.
func (h *bars) banner() string {
	s, st := h.d.Snap, h.d.St
	switch {
	case s.Fatal != "":
		return " " + st.Banner.S(" the engine stopped: "+s.Fatal+" ")
	case h.feedErr != nil:
		return " " + st.Banner.S(" no more news: "+h.feedErr.Error()+" ")
	case s.State == record.ExperimentBroken, s.State == record.ExperimentPaused && s.Reason != "" && !strings.HasPrefix(s.Reason, "paused by "): // a person knows
		return " " + st.Accent.S(h.d.Told(view.StateText(s.State, s.Reason)))
	case h.still:
		return " " + st.Accent.S("the view is paused; "+h.keys.Key("pause-view")+" shows what happened since")
	}
	return ""
}

// tabs is the second line of a screen: where one is and where one can go.
func (h *bars) tabs(w int) string {
	st := h.d.St
	if t := h.banner(); t != "" {
		return plot.Fit(t, w)
	}
	var l widget.Line
	l.Gap(1)
	for id := pane.Niches; id <= pane.Decisions; id++ {
		key, name := fmt.Sprint(int(id)), screenTitle(id)
		if h.screen == id {
			l.Add(st.Accent, key+" "+name)
		} else if w >= 100 {
			l.Add(st.Off, key).Gap(1).Add(st.Label, name)
		} else {
			l.Add(st.Off, key)
		}
		l.Gap(2)
	}
	if h.screen > pane.Decisions {
		l.Add(st.Accent, screenTitle(h.screen)).Gap(2)
	}
	return widget.Squeeze([]widget.Part{{Text: l.String(), Rank: 50}}, []widget.Part{{Text: h.bestText(), Rank: 40}}, w-1)
}

// screenTitle is what a screen is called above it and in the trail.
func screenTitle(id pane.ID) string {
	switch id {
	case pane.Niches:
		return "Niches"
	case pane.Jobs:
		return "Jobs"
	case pane.Curves:
		return "Fitness"
	case pane.Review:
		return "Review"
	case pane.Log:
		return "Log"
	case pane.Failures:
		return "Failures"
	case pane.Yields:
		return "Yields"
	case pane.Notes:
		return "Notes"
	case pane.Decisions:
		return "Decisions"
	case pane.Job:
		return "Job"
	case pane.Candidate:
		return "Candidate"
	case pane.Front:
		return "Front"
	case pane.Candidates:
		return "Candidates"
	case pane.Lineage:
		return "Lineage"
	case pane.Compare:
		return "Compare"
	case pane.Steering:
		return "Steering"
	case pane.Finished:
		return "Summary"
	case pane.Settings:
		return "Settings"
	case pane.Options:
		return "Options"
	case pane.Doctor:
		return "Doctor"
	case pane.Fleet:
		return "Fleet"
	}
	return ""
}

// helpBar is the last line: what can be done here, and what waits.
func (h *bars) helpBar(w int) string {
	st := h.d.St
	if h.find.open {
		h.find.in.SetWidth(max(10, w-30))
		return " " + st.Accent.S("/") + h.find.in.View() + " " + st.Label.S("enter keep · esc clear")
	}
	var badges []widget.Part
	if n := len(h.d.Marks); n > 0 {
		badges = append(badges, widget.Part{Text: st.Accent.S(widget.Plural(n, "marked", "marked")), Rank: 70})
	}
	if n := errorsIn(h.d.Snap); n > 0 && w >= 72 { // what is to be decided goes first
		badges = append(badges, widget.Part{Text: st.Bad.S(widget.Plural(n, "error", "errors")), Rank: 60})
	}
	if n := pane.Waiting(h.d.Snap); n > 0 {
		badges = append(badges, widget.Part{Text: st.Accent.S(fmt.Sprintf("%d to review", n)), Rank: 90})
	}
	room := w - 2
	if _, rw := widget.Joined(badges); rw > 0 && (h.leads() == 0 || h.leads()+rw+2+endKeys <= room) {
		room -= rw + 2
	} else { // what the bar begins with is seen at every size
		badges = nil
	}
	return widget.Squeeze([]widget.Part{{Text: " " + h.hints(room), Rank: 100}}, badges, w-1)
}

// offered are the actions that the bar may name, the most useful first: those whose
// first key does what they say in these scopes; lead are those that come before all
// others.
func offered(table *keys.Table, scopes []keys.Scope, lead []string) []*keys.Binding {
	scopes = append(scopes[:len(scopes):len(scopes)], keys.InAll)
	rank := func(b *keys.Binding) int {
		if i := slices.Index(lead, b.ID); i >= 0 {
			return 1000 - i
		}
		return b.Bar
	}
	var show []*keys.Binding
	for _, b := range table.Active(scopes) {
		if rank(b) > 0 && len(b.Keys) > 0 && table.Find(scopes, b.Keys[0]) == b {
			show = append(show, b)
		}
	}
	slices.SortStableFunc(show, func(a, b *keys.Binding) int { return cmp.Compare(rank(b), rank(a)) })
	return show
}

// hints are the keys of the focused pane, the most useful first, then the
// global ones.
func (h *bars) hints(room int) string {
	st, marked := h.d.St, len(h.d.Marks)
	show := offered(h.keys, h.scopes, h.lead)
	last := []string{"palette", "help"} // always there, at the end
	width := func(b *keys.Binding) int { return plot.Width(keys.KeyName(b.Keys[0])+" "+b.Now(marked)) + 2 }
	leads := h.leads()
	worded := room >= leastWords && (leads == 0 || leads+endWords <= room)
	var end widget.Line
	for _, id := range last {
		if b := h.keys.Get(id); len(b.Keys) > 0 {
			end.Gap(2).Add(st.Key, keys.KeyName(b.Keys[0]))
			if worded || id == "help" {
				end.Gap(1).Add(st.Label, b.Title)
			}
		}
	}
	room -= end.W
	fits := map[*keys.Binding]bool{} // what works now comes first where room is short
	if h.looks {                     // what a console that decides would offer first is seen to be off
		n := 0
		for _, b := range show {
			if w := width(b); b.Decides && n < 2 && w <= room {
				fits[b] = true
				room -= w
				n++
			}
		}
	}
	for _, off := range [...]bool{false, true} {
		for _, b := range show {
			if w := width(b); !fits[b] && !slices.Contains(last, b.ID) && (h.off(b) != "") == off && w <= room {
				fits[b] = true
				room -= w
			}
		}
	}
	var l widget.Line
	for _, b := range show {
		if !fits[b] {
			continue
		}
		if l.W > 0 {
			l.Gap(2)
		}
		if h.off(b) != "" {
			l.Add(st.Off, keys.KeyName(b.Keys[0])+" "+b.Now(marked))
		} else {
			l.Add(st.Key, keys.KeyName(b.Keys[0])).Gap(1).Add(st.Label, b.Now(marked))
		}
	}
	return l.String() + end.String()
}

// leastWords is the room from which all keys that are always there have words; the
// way to help has one on any screen.
const leastWords = 56

// The widths of the keys that are always there: with words, and with one for help alone.
const (
	endWords = 19
	endKeys  = 11
)

// leads is the width of the actions that the bar begins with, that work now and that
// the smallest screen has room for.
func (h *bars) leads() int {
	n := 0
	for _, id := range h.lead {
		b := h.keys.Get(id)
		if b == nil || len(b.Keys) == 0 || h.off(b) != "" {
			continue
		}
		w := plot.Width(keys.KeyName(b.Keys[0])+" "+b.Now(len(h.d.Marks))) + 2
		if n+w > floorW-2-endKeys {
			break
		}
		n += w
	}
	return n
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
