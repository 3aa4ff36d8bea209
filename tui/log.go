package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/engine/view"
	"atoll/store/record"
	"atoll/tui/plot"
)

// logPane is the engine's log with the console's own messages. It follows the
// end until the person scrolls up.
type logPane struct {
	base
	level int // index into levels: the least shown
	text  string
	view  scroll
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

const maxOwn = 200

func newLog(d *desk) *logPane {
	return &logPane{base: base{d: d, id: paneLog}, level: 1, view: scroll{follow: true}}
}

func (p *logPane) scopes() []scope        { return []scope{inLog, inList} }
func (p *logPane) filter() (string, bool) { return p.text, true }

func (p *logPane) setFilter(t string) {
	p.text = t
	p.view.follow = true
	p.bump()
}

// tell adds a line of the console itself.
func (p *logPane) tell(level, text string) {
	p.own = append(p.own, view.LogLine{At: p.d.now(), Level: level, Job: record.NoJob, Text: text})
	if len(p.own) > maxOwn {
		p.own = p.own[1:]
	}
	p.bump()
}

func (p *logPane) title() (string, string) {
	st := p.d.st
	right := st.Label.S("from " + levels[p.level])
	if !p.view.follow {
		right += " " + st.Accent.S(fmt.Sprintf("stopped, %d below", max(0, p.view.n-p.view.off-p.view.h)))
	}
	return p.heading("5", "Log"), right
}

func (p *logPane) cycleLevel() tea.Cmd {
	p.level = (p.level + 1) % len(levels)
	p.bump()
	return nil
}

func (p *logPane) move(m motion) tea.Cmd {
	p.view.follow = false
	p.view.move(m)
	p.view.follow = p.view.atEnd()
	p.bump()
	return nil
}

// sel is the job of the last line shown.
func (p *logPane) sel() selection {
	s := nothing()
	if i := min(p.view.off+p.view.h, len(p.lines)) - 1; i >= 0 && i < len(p.lines) && p.lines[i].Job > 0 {
		s.job = p.lines[i].Job
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
	keep := func(l *view.LogLine) {
		if rankOf(l.Level) < p.level || !fits(p.text, l.Text, l.Level, l.Job.String()) {
			return
		}
		if room <= 0 || len(l.Text) <= room {
			p.lines = append(p.lines, logRow{LogLine: *l})
			return
		}
		for i, t := range wrapText(l.Text, room) {
			row := logRow{LogLine: *l, more: i > 0}
			row.Text = t
			p.lines = append(p.lines, row)
		}
	}
	log, own := p.d.snap.Log, p.own
	for len(log) > 0 || len(own) > 0 {
		if len(log) > 0 && (len(own) == 0 || !own[0].At.Before(log[0].At)) {
			keep(&log[0])
			log = log[1:]
			continue
		}
		keep(&own[0])
		own = own[1:]
	}
}

func (p *logPane) body(w, h int, focus bool) []string {
	room := 0
	if h >= wrapFrom {
		room = w - 24 // clock, level, job
	}
	p.gather(room)
	p.view.set(len(p.lines), h)
	var out []string
	for i := p.view.off; i < min(len(p.lines), p.view.off+h); i++ {
		out = append(out, p.row(&p.lines[i], w))
	}
	if len(p.lines) == 0 {
		text := "nothing logged"
		if p.d.snap.Loading {
			text = "loading"
		} else if p.text != "" {
			text = "no line fits"
		}
		out = append(out, " "+p.d.st.Label.S(text))
	}
	return out
}

func (p *logPane) row(g *logRow, w int) string {
	st := p.d.st
	var l line
	l.gap(1).add(st.Label, clock(g.At)).gap(1)
	if g.more {
		l = line{}
		l.gap(10)
	}
	text := st.Plain
	switch g.Level {
	case "error":
		l.fit(st.Bad, unless(g.more, "error"), 6)
		text = st.Bad
	case "warn":
		l.fit(st.Warn, unless(g.more, "warn"), 6)
	case "debug":
		text = st.Label
	}
	if g.Job > 0 && !g.more && !strings.Contains(g.Text, g.Job.String()) && w > 70 {
		l.add(st.Ident, g.Job.String()).gap(1)
	}
	if p.text == "" || p.text[0] == '!' {
		return l.fit(text, g.Text, w-l.w).String()
	}
	return l.raw(highlight(text, st.Match, plot.Fit(plot.Clean(g.Text), w-l.w), p.text)).String()
}

func unless(no bool, text string) string {
	if no {
		return ""
	}
	return text
}

// highlight draws the places where a word of the filter stands in clean text.
func highlight(st, found style, text, filter string) string {
	word := strings.ToLower(strings.TrimSpace(filter))
	lower := strings.ToLower(text)
	if word == "" || len(lower) != len(text) {
		return st.wrap(text)
	}
	var b strings.Builder
	for {
		i := strings.Index(lower, word)
		if i < 0 {
			b.WriteString(st.wrap(text))
			return b.String()
		}
		b.WriteString(st.wrap(text[:i]))
		b.WriteString(found.wrap(text[i : i+len(word)]))
		text, lower = text[i+len(word):], lower[i+len(word):]
	}
}
