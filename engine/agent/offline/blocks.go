package offline

// unit is a named part of a source that can be taken as a whole.
type unit struct {
	name       string
	full       string // with the type or class it belongs to
	start, end int
}

// functions lists the functions (and in Go the other declarations) of a
// source, outer before inner.
func functions(s *source) []unit {
	switch {
	case s.l.name == "go":
		return goUnits(s.data)
	case s.l.layout == layoutIndent:
		return indentUnits(s)
	case s.l.layout == layoutBrace || s.l.name == "shell":
		return braceUnits(s)
	}
	return nil
}

// symbolSpan returns the bytes of the function or type called name.
func symbolSpan(s *source, name string) (lo, hi int, ok bool) {
	for _, u := range functions(s) {
		if u.name == name || u.full == name {
			return u.start, u.end, true
		}
	}
	return 0, 0, false
}

// lineStart returns the offset of the line that holds i.
func lineStart(src []byte, i int) int {
	for i > 0 && src[i-1] != '\n' {
		i--
	}
	return i
}

// lineEnd returns the offset after the line that holds i, its line end
// included.
func lineEnd(src []byte, i int) int {
	for i < len(src) {
		if src[i] == '\n' {
			return i + 1
		}
		i++
	}
	return i
}

// indentOf counts the white space before i on its line; a tab counts 8.
func indentOf(src []byte, i int) int {
	n := 0
	for j := lineStart(src, i); j < i; j++ {
		switch src[j] {
		case '\t':
			n += 8 - n%8
		case ' ':
			n++
		default:
			return n
		}
	}
	return n
}

// indentUnits lists def and class blocks by indentation.
func indentUnits(s *source) []unit {
	lines := logicalLines(s.data, s.toks)
	var out []unit
	type open struct {
		indent int
		full   string
	}
	var stack []open
	for i, ln := range lines {
		for len(stack) > 0 && ln.indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		k := ln.first
		if s.toks[k].text(s.data) == "async" && k+1 < ln.last {
			k++
		}
		word := s.toks[k].text(s.data)
		if word != "def" && word != "class" || k+1 >= ln.last {
			continue
		}
		name := s.toks[k+1].text(s.data)
		full := name
		if len(stack) > 0 {
			full = stack[len(stack)-1].full + "." + name
		}
		end := i + 1
		for end < len(lines) && lines[end].indent > ln.indent {
			end++
		}
		out = append(out, unit{name, full, lineStart(s.data, ln.start), lines[end-1].end})
		stack = append(stack, open{ln.indent, full})
	}
	return out
}

// braceUnits finds name(...) ... { ... } outside of control statements.
func braceUnits(s *source) []unit {
	match := brackets(s.data, s.toks)
	var out []unit
	for i := 0; i+1 < len(s.toks); i++ {
		t := s.toks[i]
		if t.kind != tokWord || s.toks[i+1].text(s.data) != "(" || controlWord(t.text(s.data)) {
			continue
		}
		if i > 0 && s.toks[i-1].text(s.data) == "." {
			continue
		}
		closing := match[i+1]
		if closing < 0 {
			continue
		}
		for k := closing + 1; k < min(len(s.toks), closing+24); k++ {
			switch text := s.toks[k].text(s.data); {
			case text == "{" && match[k] >= 0:
				out = append(out, unit{t.text(s.data), t.text(s.data), unitStart(s, i), s.toks[match[k]].end})
				k = len(s.toks)
			case text == ";" || text == "}" || text == "=" || text == ")" || text == "=>":
				k = len(s.toks)
			}
		}
	}
	return out
}

// unitStart is the start of the line of token i, without its indentation.
func unitStart(s *source, i int) int {
	for i > 0 && s.toks[i-1].line == s.toks[i].line {
		switch s.toks[i-1].text(s.data) {
		case ";", "}", "{":
			return s.toks[i].start
		}
		i--
	}
	return s.toks[i].start
}

func controlWord(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "match", "return", "foreach", "using", "lock", "with", "when", "sizeof", "elif", "else", "do", "fn":
		return true
	}
	return false
}

// brackets pairs opening and closing tokens; -1 where there is no partner.
func brackets(src []byte, toks []lexeme) []int {
	match := make([]int, len(toks))
	var stack []int
	for i, t := range toks {
		match[i] = -1
		switch t.kind {
		case tokOpen:
			stack = append(stack, i)
		case tokClose:
			if n := len(stack); n > 0 && pairs(src[toks[stack[n-1]].start], src[t.start]) {
				match[i], match[stack[n-1]] = stack[n-1], i
				stack = stack[:n-1]
			}
		}
	}
	return match
}

func pairs(open, close byte) bool {
	return open == '(' && close == ')' || open == '[' && close == ']' || open == '{' && close == '}'
}

// logicalLine is a line of code with those that continue it.
type logicalLine struct {
	first, last int // tokens first to last-1
	start, end  int // bytes from its first token to the end of its last line
	indent      int
}

// logicalLines joins lines inside brackets and after a backslash.
func logicalLines(src []byte, toks []lexeme) []logicalLine {
	var out []logicalLine
	depth := 0
	for i, t := range toks {
		fresh := i == 0 || depth == 0 && startsLine(src, toks, i)
		if fresh {
			out = append(out, logicalLine{first: i, start: t.start, indent: indentOf(src, t.start)})
		}
		switch t.kind {
		case tokOpen:
			depth++
		case tokClose:
			depth = max(0, depth-1)
		}
		ln := &out[len(out)-1]
		ln.last, ln.end = i+1, lineEnd(src, t.end)
	}
	return out
}

// startsLine reports whether token i is the first after a line end that no
// backslash escapes.
func startsLine(src []byte, toks []lexeme, i int) bool {
	gap := src[toks[i-1].end:toks[i].start]
	for k := len(gap) - 1; k >= 0; k-- {
		if gap[k] == '\n' {
			return k == 0 || gap[k-1] != '\\'
		}
	}
	return false
}
