package widget

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"atoll/tui/plot"
)

// Item is one line of a menu. A line that is off stays in its place and says
// why.
type Item struct {
	Group string
	Key   string
	Title string
	Note  string
	Off   string
	Run   func() tea.Cmd
}

// Menu is a list to choose from by typing: the command palette, the help, the
// copy menu, reasons. own turns what was typed into a line of its own.
type Menu struct {
	title string
	items []Item
	in    textinput.Model
	Own   func(text string) *Item
	First bool  // own text comes before the lines that fit it
	none  *Item // what enter does while nothing is chosen; nil: the first line is chosen
	found []Item
	cur   int
	off   int
	rows  int
}

func NewMenu(title string, items []Item) *Menu {
	m := &Menu{title: title, items: items, in: NewInput("")}
	m.filter()
	return m
}

func (m *Menu) filter() {
	text := strings.TrimSpace(m.in.Value())
	m.found = m.found[:0]
	if text == "" {
		m.found = append(m.found, m.items...)
	} else {
		for _, i := range rankBy(len(m.items), text, func(i int) string { return m.items[i].Title + " " + m.items[i].Note }) {
			m.found = append(m.found, m.items[i])
		}
		slices.SortStableFunc(m.found, func(x, y Item) int { // whose whole name is typed is meant
			return cmp.Compare(named(y, text), named(x, text))
		})
		if m.Own != nil {
			if it := m.Own(text); it != nil {
				at := len(m.found)
				if m.First {
					at = 0
				}
				m.found = slices.Insert(m.found, at, *it)
			}
		}
	}
	m.cur, m.off = 0, 0
	if m.none != nil && text == "" {
		m.cur = -1
	}
}

// named is 1 for an item of this name, else 0.
func named(it Item, name string) int {
	if strings.EqualFold(it.Title, name) {
		return 1
	}
	return 0
}

// Unchosen leaves every line unchosen at first; enter alone does it instead.
func (m *Menu) Unchosen(it Item) {
	m.none = &it
	m.filter()
}

func (m *Menu) Key(k tea.KeyPressMsg) Answer {
	switch k.String() {
	case "esc":
		return Answer{Close: true}
	case "up", "ctrl+p", "shift+tab":
		m.step(-1)
	case "down", "ctrl+n", "tab":
		m.step(1)
	case "pgup":
		m.step(-max(1, m.rows-1))
	case "pgdown":
		m.step(max(1, m.rows-1))
	case "enter":
		return m.pick()
	default:
		before := m.in.Value()
		Typed(&m.in, k)
		if m.in.Value() != before {
			m.filter()
		}
	}
	return Answer{}
}

func (m *Menu) step(by int) { m.cur = max(0, min(m.cur+by, len(m.found)-1)) }

func (m *Menu) pick() Answer {
	if m.cur >= len(m.found) {
		return Answer{}
	}
	if m.cur < 0 {
		return Answer{Close: true, Run: m.none.Run}
	}
	it := m.found[m.cur]
	if it.Off != "" {
		return Answer{Why: it.Title + ": " + it.Off}
	}
	return Answer{Close: true, Run: it.Run}
}

func (m *Menu) Paste(text string) {
	Typed(&m.in, tea.PasteMsg{Content: text})
	m.filter()
}

func (m *Menu) Wheel(by int) { m.step(by) }

func (m *Menu) Click(x, y int) Answer {
	lines := m.lines()
	if i := m.off + y - 3; y >= 3 && i < len(lines) && lines[i] >= 0 {
		if m.cur == lines[i] {
			return m.pick()
		}
		m.cur = lines[i]
	}
	return Answer{}
}

// lines maps lines to items; -1 is a heading.
func (m *Menu) lines() []int {
	var out []int
	group := ""
	for i, it := range m.found {
		if it.Group != group && m.in.Value() == "" {
			group = it.Group
			out = append(out, -1-i)
		}
		out = append(out, i)
	}
	return out
}

func (m *Menu) View(st *Styles, w, h int) []string {
	width := min(78, w-6)
	told := m.told(width)
	m.rows = max(3, min(h-8-told, 24))
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
	body := []string{" " + st.Accent.S("▸") + " " + m.in.View(), st.Border.Wrap(strings.Repeat("─", width))}
	keyW := 0
	for _, it := range m.items {
		keyW = max(keyW, plot.Width(it.Key))
	}
	for i := m.off; i < min(len(lines), m.off+m.rows); i++ {
		body = append(body, m.row(st, lines[i], width, min(keyW, 18)))
	}
	if len(m.found) == 0 {
		body = append(body, " "+st.Label.S("nothing fits"))
	}
	return dialogBox(st, m.title, st.Label.S("enter · esc"), width, append(body, m.footer(st, width, told)...))
}

// mostTold is how many lines of a note are told below the rows.
const mostTold = 3

// told is how many lines the longest note takes, so that the rows stand still
// whichever is told.
func (m *Menu) told(width int) int {
	most := 1
	for _, it := range m.items {
		for _, t := range [...]string{it.Note, it.Off} {
			if plot.Width(t) > width-2 { // which wrapping costs more to say
				most = max(most, len(WrapText(t, width-2)))
			}
		}
	}
	return min(most, mostTold)
}

// footer is the whole note of the row under the cursor in n lines: rows are short.
func (m *Menu) footer(sty *Styles, width, n int) []string {
	st, note := sty.Label, ""
	switch {
	case m.cur >= len(m.found):
	case m.cur < 0:
		note = m.none.Title
	case m.found[m.cur].Off != "":
		st, note = sty.Warn, m.found[m.cur].Off
	default:
		note = m.found[m.cur].Note
	}
	lines := WrapText(note, width-2)
	out := make([]string, n)
	for i := range out {
		var l Line
		switch {
		case i >= len(lines):
			continue
		case i == n-1: // what has no room is cut
			l.Gap(1).Fit(st, strings.Join(lines[i:], " "), width-1)
		default:
			l.Gap(1).Add(st, lines[i])
		}
		out[i] = l.String()
	}
	return out
}

func (m *Menu) row(sty *Styles, i, width, keyW int) string {
	if i < 0 {
		return " " + sty.Label.S(m.found[-1-i].Group)
	}
	it := m.found[i]
	st, note := sty.Plain, it.Note
	if it.Off != "" {
		st, note = sty.Off, it.Off
	}
	var l Line
	l.Gap(1)
	if keyW > 0 {
		l.Fit(sty.Key, it.Key, keyW).Gap(2)
	}
	rest := width - l.W - 1
	column := 26
	if rest < 2*column { // the note begins sooner, or there would be no room for it
		column = rest / 3
	}
	title := min(plot.Width(plot.Clean(it.Title)), rest)
	l.Fit(st, it.Title, max(title, column)).Gap(2)
	room := width - l.W - 1
	l.Fit(sty.Label, clauses(plot.Clean(note), room), room)
	if i >= 0 && i == m.cur {
		return Pick(sty.Selected, l.String(), width)
	}
	return l.String()
}

// clauses are as many of a text as fit w cells, else as many words: the whole is told
// below the rows.
func clauses(text string, w int) string {
	if plot.Width(text) <= w {
		return text
	}
	for i := len(text) - 1; i > 0; i-- {
		if (text[i] == ',' || text[i] == ';') && plot.Width(text[:i]) <= w {
			return text[:i]
		}
	}
	if w < leastClause {
		return ""
	}
	return CutWords(text, w-2) + " …"
}

// leastClause is the width in which the beginning of a text says something.
const leastClause = 12

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
