package pane

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/keys"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// logPane is the engine's log with the console's own messages. It follows the
// end until the person scrolls up.
type logPane struct {
	base
	level int // index into levels: the least shown
	text  string
	view  widget.Scroll
	own   []view.LogLine
	lines []logRow // as shown
}

// logRow is a line of the log or, where there is room, a part of a long one.
type logRow struct {
	view.LogLine
	more bool // goes on from the row above
}

// wrapFrom is the height from which long lines go on in a row below.
const wrapFrom = 15

var levels = [...]string{"debug", "info", "warn", "error"}

const (
	maxOwn     = 200
	usualLevel = 1 // info
)

func newLog(d *Shared) *logPane {
	return &logPane{base: base{d: d, id: Log}, level: usualLevel, view: widget.Scroll{Follow: true}}
}

func (p *logPane) Scopes() []keys.Scope   { return []keys.Scope{keys.InLog, keys.InList} }
func (p *logPane) Filter() (string, bool) { return p.text, true }

func (p *logPane) Keys() []*keys.Binding {
	return []*keys.Binding{
		{ID: "level", Keys: []string{"L"}, Title: "level", Doc: "the least level shown", In: []keys.Scope{keys.InLog}, Bar: 35, Run: p.cycleLevel},
		{ID: "follow", Keys: []string{"f"}, Title: "follow", Doc: "stay at the end", In: []keys.Scope{keys.InLog}, Bar: 34, Run: func() tea.Cmd { return p.Move(widget.Bottom) }},
	}
}

func (p *logPane) SetFilter(t string) {
	p.text = t
	p.view.Follow = true
	p.bump()
}

func (p *logPane) Remember(to *Memory) { to.Level = p.level }

func (p *logPane) Recall(from Memory) {
	if from.Level >= 0 && from.Level < len(levels) {
		p.level = from.Level
	}
}

// Tell adds a line of the console itself.
func (p *logPane) Tell(level, text string) {
	p.own = append(p.own, view.LogLine{At: p.d.Today(), Level: level, Job: record.NoJob, Text: text})
	if len(p.own) > maxOwn {
		p.own = p.own[1:]
	}
	p.bump()
}

func (p *logPane) Title() (string, string) {
	st := p.d.St
	right := st.Label.S("from " + levels[p.level])
	if !p.view.Follow {
		right += " " + st.Accent.S(fmt.Sprintf("stopped, %d below", max(0, p.view.N-p.view.Off-p.view.H)))
	}
	return p.heading("5", "Log"), right
}

func (p *logPane) cycleLevel() tea.Cmd {
	p.level = (p.level + 1) % len(levels)
	p.bump()
	return nil
}

func (p *logPane) Move(m widget.Motion) tea.Cmd {
	p.view.Follow = false
	p.view.Move(m)
	p.view.Follow = p.view.AtEnd()
	p.bump()
	return nil
}

// sel is the job of the last line shown.
func (p *logPane) Selected() Selection {
	s := Nothing()
	if i := min(p.view.Off+p.view.H, len(p.lines)) - 1; i >= 0 && i < len(p.lines) && p.lines[i].Job > 0 {
		s.Job = p.lines[i].Job
	}
	return s
}

func rankOf(level string) int {
	for i, l := range levels {
		if l == level {
			return i
		}
	}
	return 1
}

// gather merges the engine's lines with the console's by time, in rows of room
// cells; room 0 leaves every line whole.
func (p *logPane) gather(room int) {
	p.lines = p.lines[:0]
	keep := func(l *view.LogLine, text string) {
		if rankOf(l.Level) < p.level || !widget.Fits(p.text, text, l.Level, l.Job.String()) {
			return
		}
		if room <= 0 || len(text) <= room {
			row := logRow{LogLine: *l}
			row.Text = text
			p.lines = append(p.lines, row)
			return
		}
		for i, t := range widget.WrapText(text, room) {
			row := logRow{LogLine: *l, more: i > 0}
			row.Text = t
			p.lines = append(p.lines, row)
		}
	}
	log, own := p.once(byTime(p.d.Snap.Log)), p.own
	if p.d.Past { // what the console said was later
		own = nil
	}
	for len(log) > 0 || len(own) > 0 {
		if len(log) > 0 && (len(own) == 0 || !own[0].At.Before(log[0].At)) {
			keep(&log[0], p.d.Told(log[0].Text))
			log = log[1:]
			continue
		}
		keep(&own[0], own[0].Text)
		own = own[1:]
	}
}

// byTime are lines in the order in which what they tell happened: who looks on hears of some of it late.
func byTime(log []view.LogLine) []view.LogLine {
	earlier := func(a, b view.LogLine) int { return a.At.Compare(b.At) }
	if slices.IsSortedFunc(log, earlier) {
		return log
	}
	log = slices.Clone(log)
	slices.SortStableFunc(log, earlier)
	return log
}

// once tells what was said of several jobs one time, where it was said last, with how
// many it is true of. A search goes through every line.
func (p *logPane) once(log []view.LogLine) []view.LogLine {
	times := map[string]int{}
	for i := range log {
		if text := log[i].OfAnyJob(); text != "" {
			times[text]++
		}
	}
	if p.text != "" || len(times) == len(log) {
		return log
	}
	var out []view.LogLine
	for _, l := range slices.Backward(log) {
		text := l.OfAnyJob()
		switch n := times[text]; {
		case text == "" || n == 1:
			out = append(out, l)
		case n > 1:
			l.Text = fmt.Sprintf("%s; %s so far", l.Text, widget.Plural(n, "job", "jobs"))
			out = append(out, l)
			times[text] = 0
		}
	}
	slices.Reverse(out)
	return out
}

func (p *logPane) Body(w, h int, focus bool) []string {
	room := 0
	if h >= wrapFrom {
		room = w - 24 // clock, level, job
	}
	p.gather(room)
	p.view.Set(len(p.lines), h)
	var out []string
	for i := p.view.Off; i < min(len(p.lines), p.view.Off+h); i++ {
		out = append(out, p.row(&p.lines[i], w))
	}
	if len(p.lines) == 0 {
		for _, t := range widget.WrapText(p.empty(), w-1) {
			out = append(out, " "+p.d.St.Label.S(t))
		}
	}
	return out
}

// empty says why no line is shown.
func (p *logPane) empty() string {
	switch s := p.d.Snap; {
	case s.Loading:
		return "loading"
	case p.text != "":
		return "no line fits"
	case s.OwnerPID != 0 && !s.Owner:
		return fmt.Sprintf("nothing was found yet; what process %d, which runs it, says of itself stands where it was started", s.OwnerPID)
	}
	return "nothing logged"
}

func (p *logPane) row(g *logRow, w int) string {
	st := p.d.St
	var l widget.Line
	l.Gap(1).Add(st.Label, widget.Clock(g.At)).Gap(1)
	if g.more {
		l = widget.Line{}
		l.Gap(10)
	}
	text := st.Plain
	switch g.Level {
	case "error":
		l.Col(st.Bad, widget.Unless(g.more, "error"), 6)
		text = st.Bad
	case "warn":
		l.Col(st.Warn, widget.Unless(g.more, "warn"), 6)
	case "debug":
		text = st.Label
	}
	if g.Job > 0 && !g.more && !strings.Contains(g.Text, g.Job.String()) && w > 70 {
		l.Add(st.Ident, g.Job.String()).Gap(1)
	}
	if p.text == "" || p.text[0] == '!' {
		return l.Fit(text, g.Text, w-l.W).String()
	}
	return l.Raw(widget.Highlight(text, st.Match, plot.Fit(plot.Clean(g.Text), w-l.W), p.text)).String()
}
