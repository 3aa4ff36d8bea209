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
	logH := m.logHeight()
	top := m.h - logH - 2
	left := m.w
	if !m.small() {
		left = m.w * 3 / 5
	}
	var body []string
	switch {
	case m.help:
		body = widget.Box(m.st, "Keys", "", left, top, true, m.keys(left-2))
	case m.small() && m.page == onFigures:
		body = widget.Box(m.st, "Figures", "", left, top, true, m.window(m.figures(left-2), top-2))
	case m.small() && m.page == onProposals:
		body = widget.Box(m.st, m.waitingTitle(), "", left, top, true, m.proposals(left-2))
	case m.open && m.task < len(m.board.Tasks):
		body = widget.Box(m.st, m.title(), "", left, top, true, m.detail(left-2))
	default:
		body = widget.Box(m.st, "Backlog", m.counts(), left, top, m.page == onBacklog, m.backlog(left-2, top-2))
	}
	if left < m.w {
		body = widget.Beside(body, m.side(m.w-left-1, top), left, 1)
	}
	out := append([]string{m.header()}, body...)
	if logH > 0 {
		out = append(out, widget.Box(m.st, "Log", "", m.w, logH, false, m.events(m.w-2, logH-2))...)
	}
	return widget.Fill(append(out, m.hint()), m.w, m.h)
}

// What the figures need beside the backlog, with three proposals below them.
const (
	sideW = 100 // columns of the whole screen
	sideH = 20  // rows within the frame
)

// small reports whether the backlog fills the screen, and the rest has pages of its own.
func (m *model) small() bool { return m.w < sideW || m.h-m.h/4-4 < sideH }

// logHeight is the height of the log, 0 on the pages that have none.
func (m *model) logHeight() int {
	if m.small() && (m.page != onBacklog || m.help) {
		return 0
	}
	return max(4, m.h/4)
}

// window is what of rows fits a page, from the one on that was scrolled to.
func (m *model) window(rows []string, h int) []string {
	m.scroll = min(m.scroll, max(0, len(rows)-h))
	return rows[m.scroll:min(len(rows), m.scroll+h)]
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
	return fmt.Sprintf("%d done · %d failed · %d open", n["done"], n["failed"], n["ready"]+n["pending"]+n["running"]+n["blocked"])
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
		l.Col(m.st.Ident, fmt.Sprintf("t%d", t.ID), 6)
		l.Fit(m.status(t.Status), t.Status, 8).Gap(1)
		wide := max(12, (w-17)/2)
		l.Fit(m.st.Plain, t.Title, wide).Gap(1)
		rest := w - 16 - wide
		why := t.Why
		if t.Gain != "" {
			why = t.Gain + "  " + why
		}
		l.Fit(m.st.Label, why, max(0, rest))
		row := l.String()
		if i == m.task && m.page == onBacklog {
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

// side is the right column of a large screen: the figures and the proposals, those first
// where they are answered.
func (m *model) side(w, h int) []string {
	waiting := m.proposals(w - 2)
	if m.page == onProposals {
		return widget.Box(m.st, m.waitingTitle(), "", w, h, true, append(append(waiting, widget.Rule+"Now"), m.figures(w-2)...))
	}
	out := m.figures(w - 2)
	if len(m.board.Proposals) > 0 {
		out = append(append(out, widget.Rule+m.waitingTitle()), waiting...)
	}
	return widget.Box(m.st, "Now", "", w, h, false, out)
}

func (m *model) waitingTitle() string {
	return fmt.Sprintf("Proposals that wait: %d", len(m.board.Proposals))
}

// proposals are their rows, the one under the cursor in full and none above it but the
// one before.
func (m *model) proposals(w int) []string {
	if len(m.board.Proposals) == 0 {
		return []string{m.st.Off.Fit("no proposal waits", w)}
	}
	var out []string
	for i := max(0, m.proposal-1); i < len(m.board.Proposals); i++ {
		p := m.board.Proposals[i]
		row := fmt.Sprintf("%d %s", p.ID, p.Text)
		if m.page != onProposals || i != m.proposal {
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

// figures are what runs, the burn-down, health and the ranker.
func (m *model) figures(inner int) []string {
	var out []string
	section := func(title string) { out = append(out, widget.Rule+title) }
	if r := m.search; r != nil {
		out = append(out, m.st.Plain.Fit(fmt.Sprintf("t%d: %s of %s jobs", r.Task, widget.Thousands(r.Jobs), widget.Thousands(r.Max)), inner))
		out = append(out, m.st.Plain.Fit(r.Best, inner), m.st.Label.Fit("root "+r.Root, inner))
		out = append(out, m.st.Lines[0].Wrap(plot.Sparkline(r.Values, inner, m.glyphs)))
	} else if m.board.Ended != "" {
		for _, line := range widget.WrapText("ended: "+m.board.Ended, inner) {
			out = append(out, m.st.Plain.S(line))
		}
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
	authority := fmt.Sprintf("authority %.2f of 1", r.Authority)
	if r.Most != nil && *r.Most < 1 {
		authority = fmt.Sprintf("authority %.2f, at most %g", min(r.Authority, *r.Most), *r.Most)
	}
	out = append(out, m.st.Plain.Fit(authority, inner))
	if r.Asked == 0 {
		out = append(out, m.st.Off.Fit("no opinion yet", inner))
	} else {
		out = append(out, m.st.Label.Fit(fmt.Sprintf("evidence %+.2f ± %.2f from %d tasks", r.Evidence, r.Error, r.Judged), inner))
		out = append(out, m.st.Label.Fit(fmt.Sprintf("as the formula in %.0f %% of %d plans", 100*r.Agrees, r.Asked), inner))
	}
	return out
}

// trend is a named sparkline with its last value.
func (m *model) trend(name string, values []float64, w int) string {
	var l widget.Line
	l.Col(m.st.Label, name, 17)
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
		l.Col(m.st.Label, e.At.Format("15:04:05"), 9)
		l.Col(m.st.Ident, e.Who, 9)
		style := m.st.Plain
		if e.Bad {
			style = m.st.Warn
		}
		l.Fit(style, e.Text, max(0, w-18))
		out = append(out, l.String())
	}
	return out
}

// bindings are all keys, in the order in which the help has them.
func (m *model) bindings() [][2]string {
	turn := "between the backlog and the proposals"
	if m.small() {
		turn = "the next page: backlog, figures, proposals"
	}
	return [][2]string{
		{"tab", turn},
		{"↑ ↓, k j", "the task or proposal above or below; scroll the figures"},
		{"enter", "the task in full, with what its acceptance came to"},
		{"esc", "back"},
		{"X", "drop the task"},
		{"a, x", "accept or reject the proposal"},
		{"0", "the formula alone orders the tasks: the ranker's authority is 0"},
		{"?", "these keys"},
		{"q", "leave: what was begun is carried out, the next run goes on"},
	}
}

func (m *model) keys(w int) []string {
	var out []string
	for _, b := range m.bindings() {
		for i, line := range widget.WrapText(b[1], max(8, w-10)) {
			key := b[0]
			if i > 0 {
				key = ""
			}
			var l widget.Line
			l.Fit(m.st.Ident, key, 10)
			out = append(out, l.String()+m.st.Plain.S(line))
		}
	}
	return out
}

// hint is the last row: what was said, else the keys that matter on this page, as many
// as fit.
func (m *model) hint() string {
	if m.said != "" {
		return m.st.Accent.Fit(m.said, m.w)
	}
	const last = "? keys · q leave"
	text := ""
	for _, word := range m.hints() {
		if plot.Width(text+word+" · "+last) > m.w {
			break
		}
		text += word + " · "
	}
	return m.st.Label.Fit(text+last, m.w)
}

// hints are the keys of a page, the ones that matter most first.
func (m *model) hints() []string {
	waiting := len(m.board.Proposals)
	answer := []string{}
	if waiting > 0 && m.page != onProposals {
		answer = []string{"a answer proposals"}
	}
	switch {
	case m.help:
		return []string{"esc back"}
	case m.page == onProposals && waiting > 0:
		return []string{"tab backlog", "a accept", "x reject", "↑↓ proposal"}
	case m.page == onProposals:
		return []string{"tab backlog"}
	case m.page == onFigures:
		return append(answer, "tab next page", "0 formula alone", "↑↓ scroll")
	case m.small():
		answer = append(answer, "tab figures")
	case waiting > 0:
		answer = append(answer, "tab proposals")
	}
	if m.open {
		answer = append(answer, "esc back")
	}
	return append(answer, "↑↓ task", "enter whole", "X drop", "0 formula alone")
}
