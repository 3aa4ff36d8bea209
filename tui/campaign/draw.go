package campaign

import (
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
	"atoll/tui/widget"
)

// least is the smallest screen that shows anything.
const (
	leastW = 40
	leastH = 12
)

// View implements [tea.Model].
func (m *model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	v.WindowTitle = "atoll campaign"
	return v
}

// lines are the rows of the screen, exactly as many as it has.
func (m *model) lines() []string {
	if m.w < leastW || m.h < leastH {
		return widget.Fill([]string{fmt.Sprintf("at least %dx%d, please", leastW, leastH)}, m.w, m.h)
	}
	logH := max(4, m.h/4)
	top := m.h - logH - 2
	left := m.w
	if m.w >= 100 {
		left = m.w * 3 / 5
	}
	var body []string
	switch {
	case m.beside && left == m.w:
		body = m.side(m.w, top)
	case m.open && m.task < len(m.board.Tasks):
		body = widget.Box(m.st, m.title(), "", left, top, true, m.detail(left-2))
	default:
		body = widget.Box(m.st, "Backlog", m.counts(), left, top, !m.beside, m.backlog(left-2, top-2))
	}
	if left < m.w {
		body = widget.Beside(body, m.side(m.w-left-1, top), left, 1)
	}
	out := append([]string{m.header()}, body...)
	out = append(out, widget.Box(m.st, "Log", "", m.w, logH, false, m.events(m.w-2, logH-2))...)
	return widget.Fill(append(out, m.help()), m.w, m.h)
}

func (m *model) header() string {
	b := &m.board
	text := "campaign"
	if b.Head != "" {
		text += " · branch at " + b.Head
	}
	if b.Spent != "" {
		text += " · " + b.Spent
	}
	if b.Ended != "" {
		text += " · ended: " + b.Ended
	}
	return m.st.Strong.Fit(text, m.w)
}

func (m *model) counts() string {
	n := map[string]int{}
	for _, t := range m.board.Tasks {
		n[t.Status]++
	}
	return fmt.Sprintf("%d done · %d failed · %d open", n["done"], n["failed"], n["ready"]+n["pending"]+n["running"])
}

// backlog are the rows of the list around the cursor.
func (m *model) backlog(w, h int) []string {
	if len(m.board.Tasks) == 0 {
		return []string{m.st.Label.S("nothing to do yet; atoll backlog add TITLE")}
	}
	from := min(max(0, m.task-h+1), max(0, len(m.board.Tasks)-h))
	var out []string
	for i := from; i < len(m.board.Tasks) && len(out) < h; i++ {
		t := &m.board.Tasks[i]
		var l widget.Line
		l.Fit(m.st.Ident, fmt.Sprintf("t%d", t.ID), 5)
		l.Fit(m.status(t.Status), t.Status, 8).Gap(1)
		wide := max(12, (w-16)/2)
		l.Fit(m.st.Plain, t.Title, wide).Gap(1)
		rest := w - 15 - wide
		why := t.Why
		if t.Gain != "" {
			why = t.Gain + "  " + why
		}
		l.Fit(m.st.Label, why, max(0, rest))
		row := l.String()
		if i == m.task && !m.beside {
			row = widget.Pick(m.st.Selected, row, w)
		}
		out = append(out, row)
	}
	return out
}

func (m *model) status(word string) widget.Style {
	switch word {
	case "done":
		return m.st.Good
	case "failed", "blocked":
		return m.st.Bad
	case "running":
		return m.st.Accent
	case "ready":
		return m.st.Strong
	}
	return m.st.Label
}

func (m *model) title() string {
	t := m.board.Tasks[m.task]
	return fmt.Sprintf("t%d %s", t.ID, t.Title)
}

// detail is one task in full.
func (m *model) detail(w int) []string {
	t := m.board.Tasks[m.task]
	out := []string{m.status(t.Status).S(t.Status)}
	if t.After != "" {
		out = append(out, m.st.Label.S("after "+t.After))
	}
	if t.Gain != "" {
		out = append(out, m.st.Good.S("gain "+t.Gain))
	}
	for _, line := range widget.WrapText(t.Why, w) {
		out = append(out, m.st.Plain.S(line))
	}
	for _, c := range t.Checks {
		for _, line := range widget.WrapText(c, w) {
			out = append(out, m.st.Plain.S(line))
		}
	}
	return out
}

// side is the right column: what runs, the burn-down, health, ranker, proposals.
func (m *model) side(w, h int) []string {
	inner := w - 2
	var out []string
	section := func(title string) { out = append(out, widget.Rule+title) }
	if n := len(m.board.Proposals); m.beside && n > 0 { // first, where they are answered
		out = append(m.waiting(inner)[1:], widget.Rule+"Now")
	}
	if r := m.search; r != nil {
		out = append(out, m.st.Plain.Fit(fmt.Sprintf("t%d: %s of %s jobs", r.Task, widget.Thousands(r.Jobs), widget.Thousands(r.Max)), inner))
		out = append(out, m.st.Plain.Fit(r.Best, inner), m.st.Label.Fit("root "+r.Root, inner))
		out = append(out, m.st.Lines[0].Wrap(plot.Sparkline(r.Values, inner, m.glyphs)))
	} else {
		text := "nothing runs"
		for _, t := range m.board.Tasks {
			if t.Status == "running" {
				text = fmt.Sprintf("t%d is made ready, or looked through", t.ID)
			}
		}
		out = append(out, m.st.Label.Fit(text, inner))
	}
	section("Open tasks")
	out = append(out, m.trend("open", m.board.Open, inner))
	section("Health of the source")
	hl := &m.board.Health
	out = append(out, m.trend("worst complexity", hl.Worst, inner), m.trend("mean complexity", hl.Mean, inner), m.trend("findings", hl.Findings, inner), m.trend("lines", hl.Lines, inner))
	section("Ranker")
	r := &m.board.Ranker
	out = append(out, m.st.Plain.Fit(fmt.Sprintf("authority %.2f of 1", r.Authority), inner))
	if r.Asked == 0 {
		out = append(out, m.st.Off.Fit("no opinion yet", inner))
	} else {
		out = append(out, m.st.Label.Fit(fmt.Sprintf("evidence %+.2f ± %.2f from %d tasks", r.Evidence, r.Error, r.Judged), inner))
		out = append(out, m.st.Label.Fit(fmt.Sprintf("as the formula in %.0f %% of %d plans", 100*r.Agrees, r.Asked), inner))
	}
	if !m.beside {
		out = append(out, m.waiting(inner)...)
	}
	title := "Now"
	if m.beside && len(m.board.Proposals) > 0 {
		title = m.waitingTitle()
	}
	return widget.Box(m.st, title, "", w, h, m.beside, out)
}

func (m *model) waitingTitle() string {
	return fmt.Sprintf("Proposals that wait: %d", len(m.board.Proposals))
}

// waiting are the proposals under their title, the one under the cursor in full and none
// above it but the one before.
func (m *model) waiting(w int) []string {
	if len(m.board.Proposals) == 0 {
		return nil
	}
	out := []string{widget.Rule + m.waitingTitle()}
	for i := max(0, m.proposal-1); i < len(m.board.Proposals); i++ {
		p := m.board.Proposals[i]
		row := fmt.Sprintf("%d %s", p.ID, p.Text)
		if !m.beside || i != m.proposal {
			out = append(out, m.st.Plain.Fit(row, w))
			continue
		}
		for k, line := range widget.WrapText(row, w) {
			if k == 0 {
				line = widget.Pick(m.st.Selected, line, w)
			}
			out = append(out, line)
		}
	}
	return out
}

// trend is a named sparkline with its last value.
func (m *model) trend(name string, values []float64, w int) string {
	var l widget.Line
	l.Fit(m.st.Label, name, 17)
	if len(values) == 0 {
		l.Fit(m.st.Off, "not measured yet", max(0, w-17))
		return l.String()
	}
	last := values[len(values)-1]
	text := widget.Number(last)
	if last == math.Trunc(last) {
		text = widget.Count(int64(last))
	}
	l.Right(m.st.Plain, text, 8).Gap(1)
	l.Raw(m.st.Lines[1].Wrap(plot.Sparkline(values, max(1, w-26), m.glyphs)))
	return l.String()
}

func (m *model) events(w, h int) []string {
	var out []string
	for _, e := range m.log[max(0, len(m.log)-h):] {
		var l widget.Line
		l.Fit(m.st.Label, e.At.Format("15:04:05"), 9)
		l.Fit(m.st.Ident, e.Who, 9)
		style := m.st.Plain
		if e.Bad {
			style = m.st.Warn
		}
		l.Fit(style, e.Text, max(0, w-18))
		out = append(out, l.String())
	}
	return out
}

func (m *model) help() string {
	if m.said != "" {
		return m.st.Accent.Fit(m.said, m.w)
	}
	text := "↑↓ task · enter whole · esc back · X drop · tab now · 0 formula alone · q leave"
	switch n := len(m.board.Proposals); {
	case m.beside && n > 0:
		text = "↑↓ proposal · a accept · x reject · tab backlog · 0 formula alone · q leave"
	case m.beside:
		text = "tab backlog · 0 formula alone · q leave"
	case n > 0:
		text = "a answer proposals · " + text
	}
	return m.st.Label.Fit(text, m.w)
}
