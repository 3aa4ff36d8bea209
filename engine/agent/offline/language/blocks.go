package language

// Unit is a named part of a source that can be taken as a whole.
type Unit struct {
	name       string
	Full       string // with the type or class it belongs to
	Start, End int
}

// Functions lists the functions (and in Go the other declarations) of a
// source, outer before inner.
func Functions(s *Source) []Unit {
	switch {
	case s.Lang.Name == "go":
		return goUnits(s.Data)
	case s.Lang.Layout == LayoutIndent:
		return indentUnits(s)
	case s.Lang.Layout == LayoutBrace || s.Lang.Name == "shell":
		return braceUnits(s)
	}
	return nil
}

// SymbolSpan returns the bytes of the function or type called name.
func SymbolSpan(s *Source, name string) (lo, hi int, ok bool) {
	for _, u := range Functions(s) {
		if u.name == name || u.Full == name {
			return u.Start, u.End, true
		}
	}
	return 0, 0, false
}

// LineStart returns the offset of the line that holds i.
func LineStart(src []byte, i int) int {
	for i > 0 && src[i-1] != '\n' {
		i--
	}
	return i
}

// LineEnd returns the offset after the line that holds i, its line end
// included.
func LineEnd(src []byte, i int) int {
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
	for j := LineStart(src, i); j < i; j++ {
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
func indentUnits(s *Source) []Unit {
	lines := LogicalLines(s.Data, s.Toks)
	var out []Unit
	type open struct {
		indent int
		full   string
	}
	var stack []open
	for i, ln := range lines {
		for len(stack) > 0 && ln.Indent <= stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		k := ln.First
		if s.Toks[k].Text(s.Data) == "async" && k+1 < ln.last {
			k++
		}
		word := s.Toks[k].Text(s.Data)
		if word != "def" && word != "class" || k+1 >= ln.last {
			continue
		}
		name := s.Toks[k+1].Text(s.Data)
		full := name
		if len(stack) > 0 {
			full = stack[len(stack)-1].full + "." + name
		}
		end := i + 1
		for end < len(lines) && lines[end].Indent > ln.Indent {
			end++
		}
		out = append(out, Unit{name, full, LineStart(s.Data, ln.Start), lines[end-1].End})
		stack = append(stack, open{ln.Indent, full})
	}
	return out
}

// braceUnits finds name(...) ... { ... } outside of control statements, and
// name = (...) => { ... }.
func braceUnits(s *Source) []Unit {
	match := Brackets(s.Data, s.Toks)
	var out []Unit
	for i := 0; i+1 < len(s.Toks); i++ {
		t := s.Toks[i]
		if at := arrowParameters(s, match, i); at >= 0 {
			name := s.Toks[at].Text(s.Data)
			out = append(out, Unit{name, name, unitStart(s, at), s.Toks[match[i+1]].End})
			continue
		}
		if t.Kind != Word || s.Toks[i+1].Text(s.Data) != "(" || controlWord(t.Text(s.Data)) {
			continue
		}
		if i > 0 && s.Toks[i-1].Text(s.Data) == "." {
			continue
		}
		closing := match[i+1]
		if closing < 0 {
			continue
		}
		for k := closing + 1; k < min(len(s.Toks), closing+24); k++ {
			switch text := s.Toks[k].Text(s.Data); {
			case text == "{" && match[k] >= 0:
				name := nameBefore(s, i)
				out = append(out, Unit{name, name, unitStart(s, i), s.Toks[match[k]].End})
				k = len(s.Toks)
			case text == ";" || text == "}" || text == "=" || text == ")" || text == "=>":
				k = len(s.Toks)
			}
		}
	}
	return out
}

// arrowParameters returns the token that names the function whose body follows the arrow at token
// i, as in "name = async (a, b) => {" or "name: a => {", and -1 where there is none.
func arrowParameters(s *Source, match []int, i int) int {
	text := func(k int) string { return s.Toks[k].Text(s.Data) }
	if i == 0 || text(i) != "=>" || text(i+1) != "{" || match[i+1] < 0 {
		return -1
	}
	at := i - 1
	if text(at) == ")" {
		at = match[at]
	} else if s.Toks[at].Kind != Word {
		return -1
	}
	if at > 0 && text(at-1) == "async" {
		at--
	}
	return givenTo(s, at)
}

// givenTo returns the token that names what a function without a name, which begins at token i, is
// given to: x of "x = function" and "x: function"; -1 for none.
func givenTo(s *Source, i int) int {
	if i < 2 || s.Toks[i-2].Kind != Word {
		return -1
	}
	switch s.Toks[i-1].Text(s.Data) {
	case "=", ":":
		return i - 2
	}
	return -1
}

// nameBefore is the name of the function whose parameters follow token i: the word
// itself, or what a function without a name is given to.
func nameBefore(s *Source, i int) string {
	name := s.Toks[i].Text(s.Data)
	if at := givenTo(s, i); name == "function" && at >= 0 {
		return s.Toks[at].Text(s.Data)
	}
	return name
}

// unitStart is the start of the line of token i, without its indentation.
func unitStart(s *Source, i int) int {
	for i > 0 && s.Toks[i-1].Line == s.Toks[i].Line {
		switch s.Toks[i-1].Text(s.Data) {
		case ";", "}", "{":
			return s.Toks[i].Start
		}
		i--
	}
	return s.Toks[i].Start
}

func controlWord(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "match", "return", "foreach", "using", "lock", "with", "when", "sizeof", "elif", "else", "do", "fn":
		return true
	}
	return false
}

// Brackets pairs opening and closing tokens; -1 where there is no partner.
func Brackets(src []byte, toks []Token) []int {
	match := make([]int, len(toks))
	var stack []int
	for i, t := range toks {
		match[i] = -1
		switch t.Kind {
		case Open:
			stack = append(stack, i)
		case Close:
			if n := len(stack); n > 0 && pairs(src[toks[stack[n-1]].Start], src[t.Start]) {
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
	First, last int // tokens first to last-1
	Start, End  int // bytes from its first token to the end of its last line
	Indent      int
}

// LogicalLines joins lines inside brackets and after a backslash.
func LogicalLines(src []byte, toks []Token) []logicalLine {
	var out []logicalLine
	depth := 0
	for i, t := range toks {
		fresh := i == 0 || depth == 0 && startsLine(src, toks, i)
		if fresh {
			out = append(out, logicalLine{First: i, Start: t.Start, Indent: indentOf(src, t.Start)})
		}
		switch t.Kind {
		case Open:
			depth++
		case Close:
			depth = max(0, depth-1)
		}
		ln := &out[len(out)-1]
		ln.last, ln.End = i+1, LineEnd(src, t.End)
	}
	return out
}

// startsLine reports whether token i is the first after a line end that no
// backslash escapes.
func startsLine(src []byte, toks []Token, i int) bool {
	gap := src[toks[i-1].End:toks[i].Start]
	for k := len(gap) - 1; k >= 0; k-- {
		if gap[k] == '\n' {
			return k == 0 || gap[k-1] != '\\'
		}
	}
	return false
}
