package pane

import (
	"path"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"

	"atoll/engine/view"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// seg is a stretch of clean text in one style.
type seg struct {
	text string
	st   widget.Style
}

// syntax colours the lines of a difference. A hunk is read once, each side as
// a whole, and kept; what is never in view is never read.
type syntax struct {
	gen   uint64
	hunks map[[2]int][][]seg
	lex   map[int]chroma.Lexer
}

const (
	maxSyntaxLines = 2000 // hunks longer than this are shown without colours
	maxName        = 200  // bytes at the end of a file name that tell its language
)

// line returns the segments of line i of a hunk.
func (s *syntax) line(d *Shared, p *view.FilePatch, file, hunk, i int) []seg {
	if s.hunks == nil || s.gen != d.Gen {
		s.gen, s.hunks, s.lex = d.Gen, map[[2]int][][]seg{}, map[int]chroma.Lexer{}
	}
	key := [2]int{file, hunk}
	got, ok := s.hunks[key]
	if !ok {
		got = s.read(d.St, p, file, &p.Hunks[hunk])
		s.hunks[key] = got
	}
	return got[i]
}

func (s *syntax) read(st *widget.Styles, p *view.FilePatch, file int, h *view.PatchHunk) [][]seg {
	out := make([][]seg, len(h.Lines))
	for i, l := range h.Lines {
		out[i] = []seg{{plot.Clean(l.Text), st.Plain}}
	}
	lex, ok := s.lex[file]
	if !ok {
		name := path.Base(plot.Clean(p.Path))
		lex = lexers.Match(name[max(0, len(name)-maxName):]) // tried against a thousand patterns
		s.lex[file] = lex
	}
	if lex == nil || len(h.Lines) > maxSyntaxLines {
		return out
	}
	for _, skip := range []byte{'+', '-'} {
		var text []string
		var at []int
		for i, l := range h.Lines {
			if l.Kind != skip {
				text = append(text, out[i][0].text)
				at = append(at, i)
			}
		}
		lines := tokens(st, lex, text)
		for k, i := range at {
			if k < len(lines) && (h.Lines[i].Kind != ' ' || skip == '-') {
				out[i] = lines[k]
			}
		}
	}
	return out
}

// tokens colours lines that belong together. Nothing comes back when the lexer
// does not give the text back as it was.
func tokens(st *widget.Styles, lex chroma.Lexer, text []string) [][]seg {
	it, err := lex.Tokenise(nil, strings.Join(text, "\n")+"\n")
	if err != nil {
		return nil
	}
	out := make([][]seg, 0, len(text))
	var cur []seg
	for t := it(); t != chroma.EOF; t = it() {
		col := tokenStyle(st, t.Type)
		rest := t.Value
		for {
			part, after, more := strings.Cut(rest, "\n")
			if part != "" {
				cur = append(cur, seg{part, col})
			}
			if !more {
				break
			}
			out = append(out, cur)
			cur, rest = nil, after
		}
	}
	if len(cur) > 0 {
		out = append(out, cur)
	}
	for i := range out {
		if i >= len(text) || joinSegs(out[i]) != text[i] {
			return nil
		}
	}
	return out
}

func joinSegs(segs []seg) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteString(s.text)
	}
	return b.String()
}

func tokenStyle(st *widget.Styles, t chroma.TokenType) widget.Style {
	switch {
	case t.InCategory(chroma.Keyword):
		return st.Syntax.Keyword
	case t.InCategory(chroma.Comment):
		return st.Syntax.Comment
	case t.InSubCategory(chroma.LiteralString):
		return st.Syntax.Text
	case t.InSubCategory(chroma.LiteralNumber):
		return st.Syntax.Number
	case t == chroma.NameFunction, t == chroma.NameClass, t == chroma.NameBuiltin:
		return st.Syntax.Name
	}
	return st.Plain
}

// drawSegs draws segments from column col in exactly w cells over a
// background; tail ends what is cut there, "" where it goes on below.
func drawSegs(segs []seg, col, w int, back, search, tail string, st *widget.Styles) string {
	var b strings.Builder
	used := 0
	for _, s := range segs {
		text := s.text
		n := plot.Width(text)
		if col >= n {
			col -= n
			continue
		}
		if col > 0 {
			text, col = ansi.Cut(text, col, n), 0
		}
		if n = plot.Width(text); used+n > w {
			text = ansi.Truncate(text, w-used, tail)
			n = plot.Width(text)
		}
		used += n
		on := widget.Style{SGR: widget.Join(back, s.st.SGR)} // what a stretch has of its own wins
		if search != "" {
			b.WriteString(widget.Highlight(on, st.Match, text, search))
		} else {
			b.WriteString(on.Wrap(text))
		}
		if used >= w {
			break
		}
	}
	if used < w {
		b.WriteString(widget.Style{SGR: back}.Wrap(strings.Repeat(" ", w-used)))
	}
	return b.String()
}
