package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
)

// item is one line of a menu. A line that is off stays in its place and says
// why.
type item struct {
	group string
	key   string
	title string
	note  string
	off   string
	run   func(a *app) tea.Cmd
}

// menu is a list to choose from by typing: the command palette, the help, the
// copy menu, reasons. own turns what was typed into a line of its own.
type menu struct {
	title string
	items []item
	in    textinput.Model
	own   func(text string) *item
	found []item
	cur   int
	off   int
	rows  int
}

func newMenu(title string, items []item) *menu {
	m := &menu{title: title, items: items, in: newInput("")}
	m.filter()
	return m
}

func (m *menu) filter() {
	text := strings.TrimSpace(m.in.Value())
	m.found = m.found[:0]
	if text == "" {
		m.found = append(m.found, m.items...)
	} else {
		for _, i := range rankBy(len(m.items), text, func(i int) string { return m.items[i].title + " " + m.items[i].note }) {
			m.found = append(m.found, m.items[i])
		}
		if m.own != nil {
			if it := m.own(text); it != nil {
				m.found = append(m.found, *it)
			}
		}
	}
	m.cur, m.off = 0, 0
}

func (m *menu) key(a *app, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "esc":
		a.pop()
		return nil
	case "up", "ctrl+p", "shift+tab":
		m.step(-1)
	case "down", "ctrl+n", "tab":
		m.step(1)
	case "pgup":
		m.step(-max(1, m.rows-1))
	case "pgdown":
		m.step(max(1, m.rows-1))
	case "enter":
		return m.pick(a)
	default:
		before := m.in.Value()
		typed(&m.in, k)
		if m.in.Value() != before {
			m.filter()
		}
	}
	return nil
}

func (m *menu) step(by int) { m.cur = max(0, min(m.cur+by, len(m.found)-1)) }

func (m *menu) pick(a *app) tea.Cmd {
	if m.cur >= len(m.found) {
		return nil
	}
	it := m.found[m.cur]
	if it.off != "" {
		return a.warn(it.title + ": " + it.off)
	}
	a.pop()
	if it.run == nil {
		return nil
	}
	return it.run(a)
}

func (m *menu) paste(text string) {
	typed(&m.in, tea.PasteMsg{Content: text})
	m.filter()
}

func (m *menu) wheel(by int) { m.step(by) }

func (m *menu) click(a *app, x, y int) tea.Cmd {
	lines := m.lines()
	if i := m.off + y - 3; y >= 3 && i < len(lines) && lines[i] >= 0 {
		if m.cur == lines[i] {
			return m.pick(a)
		}
		m.cur = lines[i]
	}
	return nil
}

// lines maps lines to items; -1 is a heading.
func (m *menu) lines() []int {
	var out []int
	group := ""
	for i, it := range m.found {
		if it.group != group && m.in.Value() == "" {
			group = it.group
			out = append(out, -1-i)
		}
		out = append(out, i)
	}
	return out
}

func (m *menu) view(d *desk, w, h int) []string {
	width := min(78, w-6)
	m.rows = max(3, min(h-9, 24))
	lines := m.lines()
	at := 0
	for i, l := range lines {
		if l == m.cur {
			at = i
		}
	}
	if at < m.off+1 {
		m.off = max(0, at-1)
	}
	if at >= m.off+m.rows {
		m.off = at - m.rows + 1
	}
	m.in.SetWidth(width - 4)
	body := []string{" " + d.st.Accent.S("▸") + " " + m.in.View(), d.st.Border.wrap(strings.Repeat("─", width))}
	keyW := 0
	for _, it := range m.items {
		keyW = max(keyW, plot.Width(it.key))
	}
	for i := m.off; i < min(len(lines), m.off+m.rows); i++ {
		body = append(body, m.row(d, lines[i], width, min(keyW, 18)))
	}
	if len(m.found) == 0 {
		body = append(body, " "+d.st.Label.S("nothing fits"))
	}
	return dialogBox(d, m.title, d.st.Label.S("enter · esc"), width, append(body, m.footer(d, width)))
}

// footer is the whole note of the row under the cursor: rows are short.
func (m *menu) footer(d *desk, width int) string {
	if m.cur >= len(m.found) {
		return ""
	}
	it := m.found[m.cur]
	st, note := d.st.Label, it.note
	if it.off != "" {
		st, note = d.st.Warn, it.off
	}
	var l line
	return l.gap(1).fit(st, note, width-1).String()
}

func (m *menu) row(d *desk, i, width, keyW int) string {
	if i < 0 {
		return " " + d.st.Label.S(m.found[-1-i].group)
	}
	it := m.found[i]
	st, note := d.st.Plain, it.note
	if it.off != "" {
		st, note = d.st.Off, it.off
	}
	var l line
	l.gap(1)
	if keyW > 0 {
		l.fit(d.st.Key, it.key, keyW).gap(2)
	}
	rest := width - l.w - 1
	title := min(plot.Width(plot.Clean(it.title)), rest)
	l.fit(st, it.title, max(title, min(rest, 26))).gap(1)
	l.fit(d.st.Label, note, max(0, width-l.w-1))
	if i == m.cur {
		return pick(d.st.Selected, l.String(), width)
	}
	return l.String()
}

// rankBy returns the numbers of the texts that contain the letters of pattern
// in order, the closest first: letters side by side and at the start of a
// word count most.
func rankBy(n int, pattern string, text func(i int) string) []int {
	type hit struct{ i, score int }
	var hits []hit
	for i := range n {
		if s, ok := fuzzy(strings.ToLower(pattern), strings.ToLower(text(i))); ok {
			hits = append(hits, hit{i, s})
			for j := len(hits) - 1; j > 0 && hits[j].score > hits[j-1].score; j-- {
				hits[j], hits[j-1] = hits[j-1], hits[j]
			}
		}
	}
	out := make([]int, len(hits))
	for i, h := range hits {
		out[i] = h.i
	}
	return out
}

// fuzzy scores pattern as a subsequence of text.
func fuzzy(pattern, text string) (score int, ok bool) {
	if at := strings.Index(text, pattern); at >= 0 {
		score = 1000 - at
		if at == 0 || text[at-1] == ' ' {
			score += 500
		}
		return score, true
	}
	rest, run, word := []rune(pattern), 0, true
	for i, r := range text {
		if len(rest) == 0 {
			break
		}
		if r == rest[0] {
			rest = rest[1:]
			run++
			score += 4 * run
			if word {
				score += 12
			}
			score -= i / 8
		} else {
			run = 0
		}
		word = r == ' ' || r == '-' || r == '.'
	}
	return score, len(rest) == 0
}
