package widget

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"atoll/tui/plot"
)

// Line builds one line of a pane from styled pieces and knows its width.
type Line struct {
	b strings.Builder
	W int
}

// Add appends text.
func (l *Line) Add(s Style, text string) *Line {
	t := plot.Clean(text)
	l.W += plot.Width(t)
	l.b.WriteString(s.Wrap(t))
	return l
}

// Fit appends text in exactly w cells.
func (l *Line) Fit(s Style, text string, w int) *Line {
	if w > 0 {
		l.b.WriteString(s.Fit(text, w))
		l.W += w
	}
	return l
}

// Col appends text in w cells, the last of which stays free: what follows does not
// touch it.
func (l *Line) Col(s Style, text string, w int) *Line { return l.Fit(s, text, w-1).Gap(min(w, 1)) }

// RightCol appends text on the right of w cells, the first of which stays free.
func (l *Line) RightCol(s Style, text string, w int) *Line {
	return l.Gap(min(w, 1)).Right(s, text, w-1)
}

// Right appends text in exactly w cells, on the right.
func (l *Line) Right(s Style, text string, w int) *Line {
	if w > 0 {
		l.b.WriteString(s.Right(text, w))
		l.W += w
	}
	return l
}

// Raw appends what is styled already.
func (l *Line) Raw(s string) *Line {
	l.W += plot.Width(s)
	l.b.WriteString(s)
	return l
}

// Gap appends n spaces.
func (l *Line) Gap(n int) *Line {
	if n > 0 {
		l.b.WriteString(strings.Repeat(" ", n))
		l.W += n
	}
	return l
}

func (l *Line) String() string { return l.b.String() }

// Pick draws a row under the cursor: the row's own colours give way to one
// reversed bar of the full width.
func Pick(s Style, row string, w int) string {
	return s.Wrap(plot.Fit(ansi.Strip(row), w))
}

// Rule marks a line of a body that the box draws as a divider with a title.
const Rule = "\x00"

// WrapText breaks clean text into lines of at most w cells.
func WrapText(text string, w int) []string {
	if w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(plot.Clean(text), w, " /,;:-"), "\n")
}

// Splice lays a box over lines at x, y.
func Splice(lines []string, box []string, x, y int) {
	for i, row := range box {
		at := y + i
		if at < 0 || at >= len(lines) {
			continue
		}
		w := plot.Width(row)
		full := plot.Width(lines[at])
		lines[at] = plot.Fit(ansi.Cut(lines[at], 0, x), x) + reset + row + reset + ansi.Cut(lines[at], x+w, max(full, x+w))
	}
}

// Box frames a body in exactly w x h cells. A line that begins with rule
// becomes a divider; its title may have a right part after a second rule.
func Box(st *Styles, title, right string, w, h int, focus bool, body []string) []string {
	if w < 2 || h < 2 {
		return Fill(nil, w, h)
	}
	edge := st.Border
	if focus {
		edge = st.Accent
	}
	out := make([]string, 0, h)
	out = append(out, barLine(edge, "╭", "╮", title, right, w))
	side := edge.Wrap("│")
	for i := range h - 2 {
		if i >= len(body) {
			out = append(out, side+strings.Repeat(" ", w-2)+side)
			continue
		}
		if t, ok := strings.CutPrefix(body[i], Rule); ok {
			t, r, _ := strings.Cut(t, Rule)
			out = append(out, barLine(edge, "├", "┤", t, r, w))
			continue
		}
		out = append(out, side+plot.Fit(body[i], w-2)+side)
	}
	return append(out, barLine(edge, "╰", "╯", "", "", w))
}

// barLine is a border with a title on the left and another on the right.
func barLine(edge Style, open, end, title, right string, w int) string {
	room := w - 2
	if title != "" {
		title = " " + title + " "
	}
	if right != "" {
		right = " " + right + " "
	}
	if plot.Width(title) > room-1 {
		title = ansi.Truncate(title, max(room-1, 0), "…")
	}
	if plot.Width(title)+plot.Width(right)+2 > room {
		right = ""
	}
	n := max(room-plot.Width(title)-plot.Width(right), 0)
	tail := ""
	if right != "" && n > 0 {
		n--
		tail = "─"
	}
	return edge.Wrap(open) + title + edge.Wrap(strings.Repeat("─", n)) + right + edge.Wrap(tail+end)
}

// Fill returns exactly h lines of w cells.
func Fill(lines []string, w, h int) []string {
	out := make([]string, max(h, 0))
	for i := range out {
		s := ""
		if i < len(lines) {
			s = lines[i]
		}
		out[i] = plot.Fit(s, w)
	}
	return out
}

// PlainGlyphs returns the replacement of all drawing characters by what a
// simpler terminal has, nil when nothing is to be replaced. Every replacement
// is one cell for one cell.
func PlainGlyphs(g plot.Glyphs) *strings.Replacer {
	switch g {
	case plot.ASCII:
		return strings.NewReplacer(
			"╭", "+", "╮", "+", "╰", "+", "╯", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "┼", "+", "└", "`", "┘", "'", "┌", "+", "┐", "+",
			"─", "-", "│", "|", "╌", "-", "═", "=", "║", "|", "▸", ">", "▾", "v", "●", "*", "○", "o", "·", ".", "…", "~", "▕", "[", "▏", "]",
			"↑", "^", "↓", "v", "←", "<", "→", ">", "×", "x", "±", "~", "█", "#", "░", "-", "▒", "=", "▓", "%", "–", "-", "≥", ">", "≤", "<", "µ", "u", "’", "'", "✓", "+", "■", "#", "▪", "#", "“", "\"", "”", "\"", "▌", "|", "\uFFFD", "?")
	case plot.Blocks:
		return strings.NewReplacer("╭", "┌", "╮", "┐", "╰", "└", "╯", "┘", "╌", "─", "▸", ">", "▾", "v", "●", "*", "○", "o", "…", "~",
			"▕", "[", "▏", "]", "✓", "+", "▪", "■", "“", "\"", "”", "\"", "↑", "^", "↓", "v", "←", "<", "→", ">", "–", "-", "×", "x", "’", "'", "\uFFFD", "?")
	}
	return nil
}

func Repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }

func Unless(no bool, text string) string {
	if no {
		return ""
	}
	return text
}

// Highlight draws the places where a word of the filter stands in clean text.
func Highlight(st, found Style, text, filter string) string {
	word := strings.ToLower(strings.TrimSpace(filter))
	lower := strings.ToLower(text)
	if word == "" || len(lower) != len(text) {
		return st.Wrap(text)
	}
	var b strings.Builder
	for {
		i := strings.Index(lower, word)
		if i < 0 {
			b.WriteString(st.Wrap(text))
			return b.String()
		}
		b.WriteString(st.Wrap(text[:i]))
		b.WriteString(found.Wrap(text[i : i+len(word)]))
		text, lower = text[i+len(word):], lower[i+len(word):]
	}
}

func SplitLines(s string) []string {
	lines, _ := plot.CleanLines(s, 500)
	return lines
}

// Beside joins two columns with a gap.
func Beside(a, b []string, wa, gap int) []string {
	n := max(len(a), len(b))
	out := make([]string, n)
	pad := strings.Repeat(" ", gap)
	for i := range n {
		var l, r string
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			r = b[i]
		}
		out[i] = plot.Fit(l, wa) + pad + r
	}
	return out
}

// Indent moves lines away from the border.
func Indent(lines []string) []string {
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// CutParts joins the leading parts that fit w cells, at least the first.
func CutParts(parts []string, w int) string {
	out := ""
	for i, t := range parts {
		if i > 0 {
			t = " · " + t
			if plot.Width(out)+plot.Width(t) > w {
				break
			}
		}
		out += t
	}
	return out
}

// AxisName shortens the name of a learned axis to w cells without cutting a
// word: what goes up along it, then what goes down where a whole word of that fits.
func AxisName(name string, w int) string {
	name = about.ReplaceAllString(plot.Clean(name), "~$1")
	if plot.Width(name) <= w {
		return name
	}
	up, down, both := strings.Cut(name, " -")
	if !both {
		return CutWords(name, w)
	}
	whole := up
	up = CutWords(up, max(w/2, w-plot.Width(down)-2))
	first, _, _ := strings.Cut(down, " ")
	if room := w - plot.Width(up) - 2; plot.Width(first) <= room {
		return up + " -" + CutWords(down, room)
	}
	return CutWords(whole, w)
}

// CutAxis is [AxisName] of which "…" ends a name that lost words.
func CutAxis(name string, w int) string {
	short := AxisName(name, w)
	if plot.Width(short) < plot.Width(plot.Clean(name)) {
		short = strings.TrimSuffix(AxisName(name, w-1), "…") + "…"
	}
	return short
}

// about finds figures that a learned axis names by their size: 2~.
var about = regexp.MustCompile(`(-?[0-9][0-9.e+-]*)~`)

// Middle is a name in at most w cells: what is too long loses its middle, as names that belong
// together differ at their ends.
func Middle(name string, w int) string {
	name = plot.Clean(name)
	n := plot.Width(name)
	if n <= w {
		return name
	}
	if w < 3 {
		return ansi.Truncate(name, max(w, 0), "")
	}
	tail := w / 2
	return ansi.Truncate(name, w-1-tail, "") + "…" + ansi.TruncateLeft(name, n-tail, "")
}

// Apart are names in at most w cells each, as [Middle] cuts them. Those that would come out the
// same lose what they all begin with, so that different names stay apart.
func Apart(names []string, w int) map[string]string {
	out, alike := map[string]string{}, map[string][]string{}
	for _, name := range names {
		if _, seen := out[name]; !seen {
			out[name] = Middle(name, w)
			alike[out[name]] = append(alike[out[name]], name)
		}
	}
	for _, group := range alike {
		if begin := common(group); len(group) > 1 && w > 4 { // …, a letter that differs, … and an end
			rest := make([]string, len(group))
			for i, name := range group {
				rest[i] = name[len(begin):]
			}
			shown := Apart(rest, w-1)
			for i, name := range group {
				out[name] = "…" + strings.TrimPrefix(shown[rest[i]], "…")
			}
		}
	}
	return out
}

// common is what all names begin with, in whole letters.
func common(names []string) string {
	begin := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, begin) {
			_, size := utf8.DecodeLastRuneInString(begin)
			begin = begin[:len(begin)-size]
		}
	}
	return begin
}

// CutWords keeps the leading words that fit w cells, at least one.
func CutWords(text string, w int) string {
	words := strings.Fields(text)
	out := ""
	for i, t := range words {
		if i > 0 && plot.Width(out)+1+plot.Width(t) > w {
			break
		}
		if i > 0 {
			out += " "
		}
		out += t
	}
	return plot.Fit(out, min(plot.Width(out), max(w, 1)))
}
