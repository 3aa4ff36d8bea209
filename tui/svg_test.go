package tui

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// pen is how a cell is drawn.
type pen struct {
	fg, bg        string
	bold, reverse bool
}

// Cells of a picture, in its units: those of DejaVu Sans Mono, so that lines that are
// drawn with characters meet.
const (
	cellW, cellH = 8, 15.4
	fontSize     = 13.29
	baseline     = 12.2
)

// svg draws a frame: a rectangle for each run of a background, a span for each run of
// a colour. Terminals without 24 bit have the colours of a usual one.
func svg(frame string, l look) string {
	paper, ink := "#14161b", "#c9ccd4"
	switch {
	case l.name == "light":
		paper, ink = "#ffffff", "#33363d"
	case l.profile == colorprofile.ANSI:
		paper, ink = "#000000", "#aaaaaa"
	}
	num := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	var b, text strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="%v"><rect width="100%%" height="100%%" fill="%s"/>`+"\n", num(float64(l.w)*cellW), num(float64(l.h)*cellH), fontSize, paper)
	for y, row := range strings.Split(frame, "\n") {
		x := 0
		top := float64(int(float64(y)*cellH*10)) / 10
		line := ""
		runs(row, func(p pen, s string) {
			fg, bg := p.fg, p.bg
			if p.reverse {
				if fg == "" {
					fg = ink
				}
				if bg == "" {
					bg = paper
				}
				fg, bg = bg, fg
			}
			n := ansi.StringWidth(s)
			if bg != "" {
				fmt.Fprintf(&b, `<rect x="%d" y="%s" width="%d" height="%v" fill="%s"/>`, x*cellW, num(top), n*cellW, cellH+0.2, bg)
			}
			line += spans(s, x, fg, p.bold)
			x += n
		})
		if line != "" {
			fmt.Fprintf(&text, `<text y="%s" fill="%s" xml:space="preserve">%s</text>`+"\n", num(top+baseline), ink, line)
		}
	}
	return b.String() + "\n" + text.String() + "</svg>\n"
}

// spans draws the text of one pen that begins at column x, apart where it has gaps.
func spans(s string, x int, fg string, bold bool) string {
	attrs := ""
	if fg != "" {
		attrs += ` fill="` + fg + `"`
	}
	if bold {
		attrs += ` font-weight="bold"`
	}
	out := ""
	for s != "" {
		blank := len(s) - len(strings.TrimLeft(s, " "))
		x, s = x+blank, s[blank:]
		part, rest, gap := strings.Cut(s, "   ")
		if gap {
			rest = "   " + rest
		}
		part = strings.TrimRight(part, " ")
		if n := ansi.StringWidth(part); n > 0 {
			length := ""
			if n > 3 { // fonts differ in how wide they are
				length = fmt.Sprintf(` textLength="%d"`, n*cellW)
			}
			out += fmt.Sprintf(`<tspan x="%d"%s%s>%s</tspan>`, x*cellW, attrs, length, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(part))
			x += ansi.StringWidth(s[:len(s)-len(rest)])
		}
		s = rest
	}
	return out
}

// runs calls fn for the parts of a line that are drawn alike.
func runs(line string, fn func(p pen, text string)) {
	var p pen
	for line != "" {
		at := strings.Index(line, "\x1b[")
		if at < 0 {
			fn(p, line)
			return
		}
		if at > 0 {
			fn(p, line[:at])
		}
		end := strings.IndexByte(line[at:], 'm')
		if end < 0 {
			return
		}
		p.set(strings.Split(line[at+2:at+end], ";"))
		line = line[at+end+1:]
	}
}

// set takes SGR parameters: 16 colours, 256 or 24 bit.
func (p *pen) set(params []string) {
	for i := 0; i < len(params); i++ {
		n, _ := strconv.Atoi(params[i]) // an empty one is 0
		switch {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 7:
			p.reverse = true
		case n >= 30 && n <= 37:
			p.fg = web(ansi.BasicColor(n - 30))
		case n >= 90 && n <= 97:
			p.fg = web(ansi.BasicColor(n - 90 + 8))
		case n >= 40 && n <= 47:
			p.bg = web(ansi.BasicColor(n - 40))
		case n >= 100 && n <= 107:
			p.bg = web(ansi.BasicColor(n - 100 + 8))
		case (n == 38 || n == 48) && i+2 < len(params):
			var v [3]int
			for k := range v {
				if i+2+k < len(params) {
					v[k], _ = strconv.Atoi(params[i+2+k])
				}
			}
			c := web(ansi.IndexedColor(v[0]))
			if params[i+1] == "2" {
				c = web(color.RGBA{uint8(v[0]), uint8(v[1]), uint8(v[2]), 255})
				i += 2
			}
			i += 2
			if n == 38 {
				p.fg = c
			} else {
				p.bg = c
			}
		}
	}
}

// web is a colour as pages write it.
func web(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func TestPicturesHaveTheColoursOfEveryTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[31mx":                  `<tspan x="0" fill="#800000">x</tspan>`,
		"\x1b[38;5;196mx":            `<tspan x="0" fill="#ff0000">x</tspan>`,
		"\x1b[1;38;2;1;2;3m x":       `<tspan x="8" fill="#010203" font-weight="bold">x</tspan>`,
		"\x1b[48;2;1;2;3m<\x1b[0m y": `<tspan x="0">&lt;</tspan><tspan x="16">y</tspan>`,
	} {
		if got := svg(in, look{w: 4, h: 1}); !strings.Contains(got, ">"+want+"<") {
			t.Errorf("%q is drawn as %s", in, got)
		}
	}
}
