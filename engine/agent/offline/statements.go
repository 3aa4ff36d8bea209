package offline

// statement is a statement on lines of its own.
type statement struct {
	start, end int // bytes, whole lines
	line       int // from 1
	block      int // statements of the same block share it
	simple     bool
}

// statements lists what may be deleted, copied, swapped or moved.
func statements(s *source, match []int) []statement {
	if s.l.layout == layoutIndent {
		return indentStatements(s)
	}
	var out []statement
	depth, block := 0, 0
	blocks := []int{0}
	next := 1
	for i := 0; i < len(s.toks); {
		j := i
		open := 0
		for j < len(s.toks) && (s.toks[j].line == s.toks[i].line || open > 0) {
			switch s.toks[j].kind {
			case tokOpen:
				open++
			case tokClose:
				open--
			}
			j++
			if s.toks[j-1].text(s.data) == "{" {
				break
			}
		}
		braces := false
		for k := i; k < j; k++ {
			switch s.toks[k].text(s.data) {
			case "{":
				braces = true
				depth++
				blocks = append(blocks, next)
				next++
			case "}":
				braces = true
				if len(blocks) > 1 {
					depth--
					blocks = blocks[:len(blocks)-1]
				}
			}
		}
		block = blocks[len(blocks)-1]
		if !braces && open == 0 && depth > 0 && simpleLine(s, i, j) {
			lo, hi := lineStart(s.data, s.toks[i].start), lineEnd(s.data, s.toks[j-1].end)
			if s.within(lo, hi) {
				out = append(out, statement{lo, hi, s.toks[i].line + 1, block, true})
			}
		}
		i = max(j, i+1)
	}
	return out
}

// simpleLine reports a statement that is complete on its lines.
func simpleLine(s *source, i, j int) bool {
	first, last := s.toks[i].text(s.data), s.toks[j-1].text(s.data)
	switch first {
	case "return", "break", "continue", "case", "default", "else", "if", "for", "while", "do", "end", "then", "fi", "done", "local", "let", "var", "const", ".", ")", "]", "?", ":", "def", "class", "module", "begin", "function", "fn", "pub", "struct", "import", "use", "using", "throw", "catch":
		return false
	}
	if s.toks[i].kind == tokOp && first != "*" && first != "++" && first != "--" {
		return false
	}
	if last == ";" {
		return true
	}
	if s.l.name == "c" || s.l.name == "rust" || s.l.name == "php" {
		return false
	}
	if s.toks[j-1].kind == tokOp && last != "++" && last != "--" || last == "do" || last == "then" {
		return false
	}
	if j < len(s.toks) {
		if n := s.toks[j].text(s.data); n == "." || n == "?" || n == ":" || n == "?." || n == "{" || s.toks[j].kind == tokOp && n != "*" && n != "!" {
			return false
		}
	}
	return true
}

// indentStatements lists the logical lines of Python functions with their
// blocks.
func indentStatements(s *source) []statement {
	lines := logicalLines(s.data, s.toks)
	var out []statement
	type level struct{ indent, block int }
	stack := []level{{-1, 0}}
	next := 1
	for i, ln := range lines {
		for len(stack) > 1 && ln.indent < stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		if ln.indent > stack[len(stack)-1].indent {
			stack = append(stack, level{ln.indent, next})
			next++
		}
		word := s.toks[ln.first].text(s.data)
		switch word {
		case "def", "class", "import", "from", "@", "else", "elif", "except", "finally", "async", "global", "nonlocal", "case":
			continue
		}
		if ln.indent == 0 || s.toks[ln.first].kind == tokString {
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end].indent > ln.indent {
			end++
		}
		if end < len(lines) && lines[end].indent == ln.indent {
			switch s.toks[lines[end].first].text(s.data) {
			case "else", "elif", "except", "finally":
				continue
			}
		}
		lo, hi := lineStart(s.data, ln.start), lines[end-1].end
		if s.within(lo, hi) && hi-lo < 2000 {
			out = append(out, statement{lo, hi, s.toks[ln.first].line + 1, stack[len(stack)-1].block, end == i+1})
		}
	}
	return out
}
