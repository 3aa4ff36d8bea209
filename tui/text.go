package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"atoll/tui/plot"
)

// line builds one line of a pane from styled pieces and knows its width.
type line struct {
	b strings.Builder
	w int
}

// add appends text.
func (l *line) add(s style, text string) *line {
	t := plot.Clean(text)
	l.w += plot.Width(t)
	l.b.WriteString(s.wrap(t))
	return l
}

// fit appends text in exactly w cells.
func (l *line) fit(s style, text string, w int) *line {
	if w > 0 {
		l.b.WriteString(s.Fit(text, w))
		l.w += w
	}
	return l
}

// right appends text in exactly w cells, on the right.
func (l *line) right(s style, text string, w int) *line {
	if w > 0 {
		l.b.WriteString(s.Right(text, w))
		l.w += w
	}
	return l
}

// raw appends what is styled already.
func (l *line) raw(s string) *line {
	l.w += plot.Width(s)
	l.b.WriteString(s)
	return l
}

// gap appends n spaces.
func (l *line) gap(n int) *line {
	if n > 0 {
		l.b.WriteString(strings.Repeat(" ", n))
		l.w += n
	}
	return l
}

func (l *line) String() string { return l.b.String() }

// pick draws a row under the cursor: the row's own colours give way to one
// reversed bar of the full width.
func pick(s style, row string, w int) string {
	return s.wrap(plot.Fit(ansi.Strip(row), w))
}

// rule marks a line of a body that the box draws as a divider with a title.
const rule = "\x00"

// wrapText breaks clean text into lines of at most w cells.
func wrapText(text string, w int) []string {
	if w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(plot.Clean(text), w, " /,;:-"), "\n")
}

// splice lays a box over lines at x, y.
func splice(lines []string, box []string, x, y int) {
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

// box frames a body in exactly w x h cells. A line that begins with rule
// becomes a divider; its title may have a right part after a second rule.
func box(st *Styles, title, right string, w, h int, focus bool, body []string) []string {
	if w < 2 || h < 2 {
		return fill(nil, w, h)
	}
	edge := st.Border
	if focus {
		edge = st.Accent
	}
	out := make([]string, 0, h)
	out = append(out, barLine(edge, "╭", "╮", title, right, w))
	side := edge.wrap("│")
	for i := range h - 2 {
		if i >= len(body) {
			out = append(out, side+strings.Repeat(" ", w-2)+side)
			continue
		}
		if t, ok := strings.CutPrefix(body[i], rule); ok {
			t, r, _ := strings.Cut(t, rule)
			out = append(out, barLine(edge, "├", "┤", t, r, w))
			continue
		}
		out = append(out, side+plot.Fit(body[i], w-2)+side)
	}
	return append(out, barLine(edge, "╰", "╯", "", "", w))
}

// barLine is a border with a title on the left and another on the right.
func barLine(edge style, open, end, title, right string, w int) string {
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
	return edge.wrap(open) + title + edge.wrap(strings.Repeat("─", n)) + right + edge.wrap(tail+end)
}

// fill returns exactly h lines of w cells.
func fill(lines []string, w, h int) []string {
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

// plainGlyphs returns the replacement of all drawing characters by what a
// simpler terminal has, nil when nothing is to be replaced. Every replacement
// is one cell for one cell.
func plainGlyphs(g plot.Glyphs) *strings.Replacer {
	switch g {
	case plot.ASCII:
		return strings.NewReplacer(
			"╭", "+", "╮", "+", "╰", "+", "╯", "+", "├", "+", "┤", "+", "┬", "+", "┴", "+", "┼", "+", "└", "`", "┘", "'", "┌", "+", "┐", "+",
			"─", "-", "│", "|", "╌", "-", "═", "=", "║", "|", "▸", ">", "▾", "v", "●", "*", "○", "o", "·", ".", "…", "~", "▕", "[", "▏", "]",
			"↑", "^", "↓", "v", "←", "<", "→", ">", "×", "x", "±", "~", "█", "#", "░", "-", "▒", "=", "▓", "%", "–", "-", "≥", ">", "≤", "<", "µ", "u", "’", "'", "✓", "+", "■", "#", "▪", "#", "“", "\"", "”", "\"", "▌", "|", "\uFFFD", "?")
	case plot.Blocks:
		return strings.NewReplacer("╭", "┌", "╮", "┐", "╰", "└", "╯", "┘", "╌", "─", "▸", ">", "▾", "v", "●", "*", "○", "o", "…", "~",
			"▕", "[", "▏", "]", "✓", "+", "▪", "■", "“", "\"", "”", "\"", "↑", "^", "↓", "v", "←", "<", "→", ">", "\uFFFD", "?")
	}
	return nil
}

func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }
