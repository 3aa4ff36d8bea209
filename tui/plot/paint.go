package plot

import "strings"

// painter joins pieces of text with SGR parameters and writes a code only
// where the parameters change.
type painter struct {
	b   strings.Builder
	cur string
}

// put appends text in the given parameters ("38;5;1;7"; "" is plain).
func (p *painter) put(sgr, text string) {
	if sgr != p.cur {
		if p.cur != "" || sgr == "" {
			p.b.WriteString("\x1b[m")
		}
		if sgr != "" {
			p.b.WriteString("\x1b[")
			p.b.WriteString(sgr)
			p.b.WriteByte('m')
		}
		p.cur = sgr
	}
	p.b.WriteString(text)
}

// line ends the line and returns it.
func (p *painter) line() string {
	if p.cur != "" {
		p.b.WriteString("\x1b[m")
		p.cur = ""
	}
	s := p.b.String()
	p.b.Reset()
	return s
}

func sgr(parts ...string) string {
	out := ""
	for _, s := range parts {
		if s == "" {
			continue
		}
		if out != "" {
			out += ";"
		}
		out += s
	}
	return out
}

func blank(w, h int) []string {
	lines := make([]string, max(h, 0))
	pad := strings.Repeat(" ", max(w, 0))
	for i := range lines {
		lines[i] = pad
	}
	return lines
}
