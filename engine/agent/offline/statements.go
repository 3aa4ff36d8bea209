package offline

import "atoll/engine/agent/offline/language"

// statement is a statement on lines of its own.
type statement struct {
	start, end int // bytes, whole lines
	line       int // from 1
	block      int // statements of the same block share it
	simple     bool
}

// statements lists what may be deleted, copied, swapped or moved.
func statements(s *language.Source, match []int) []statement {
	if s.Lang.Layout == language.LayoutIndent {
		return indentStatements(s)
	}
	var out []statement
	depth, block := 0, 0
	blocks := []int{0}
	next := 1
	for i := 0; i < len(s.Toks); {
		j := i
		open := 0
		for j < len(s.Toks) && (s.Toks[j].Line == s.Toks[i].Line || open > 0) {
			switch s.Toks[j].Kind {
			case language.Open:
				open++
			case language.Close:
				open--
			}
			j++
			if s.Toks[j-1].Text(s.Data) == "{" {
				break
			}
		}
		braces := false
		for k := i; k < j; k++ {
			switch s.Toks[k].Text(s.Data) {
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
			lo, hi := language.LineStart(s.Data, s.Toks[i].Start), language.LineEnd(s.Data, s.Toks[j-1].End)
			if s.Within(lo, hi) {
				out = append(out, statement{lo, hi, s.Toks[i].Line + 1, block, true})
			}
		}
		i = max(j, i+1)
	}
	return out
}

// simpleLine reports a statement that is complete on its lines.
func simpleLine(s *language.Source, i, j int) bool {
	first, last := s.Toks[i].Text(s.Data), s.Toks[j-1].Text(s.Data)
	switch first {
	case "return", "break", "continue", "case", "default", "else", "if", "for", "while", "do", "end", "then", "fi", "done", "local", "let", "var", "const", ".", ")", "]", "?", ":", "def", "class", "module", "begin", "function", "fn", "pub", "struct", "import", "use", "using", "throw", "catch":
		return false
	}
	if s.Toks[i].Kind == language.Op && first != "*" && first != "++" && first != "--" {
		return false
	}
	if last == ";" {
		return true
	}
	if s.Lang.Name == "c" || s.Lang.Name == "rust" || s.Lang.Name == "php" {
		return false
	}
	if s.Toks[j-1].Kind == language.Op && last != "++" && last != "--" || last == "do" || last == "then" {
		return false
	}
	if j < len(s.Toks) {
		if n := s.Toks[j].Text(s.Data); n == "." || n == "?" || n == ":" || n == "?." || n == "{" || s.Toks[j].Kind == language.Op && n != "*" && n != "!" {
			return false
		}
	}
	return true
}

// indentStatements lists the logical lines of Python functions with their
// blocks.
func indentStatements(s *language.Source) []statement {
	lines := language.LogicalLines(s.Data, s.Toks)
	var out []statement
	type level struct{ indent, block int }
	stack := []level{{-1, 0}}
	next := 1
	for i, ln := range lines {
		for len(stack) > 1 && ln.Indent < stack[len(stack)-1].indent {
			stack = stack[:len(stack)-1]
		}
		if ln.Indent > stack[len(stack)-1].indent {
			stack = append(stack, level{ln.Indent, next})
			next++
		}
		word := s.Toks[ln.First].Text(s.Data)
		switch word {
		case "def", "class", "import", "from", "@", "else", "elif", "except", "finally", "async", "global", "nonlocal", "case":
			continue
		}
		if ln.Indent == 0 || s.Toks[ln.First].Kind == language.String {
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end].Indent > ln.Indent {
			end++
		}
		if end < len(lines) && lines[end].Indent == ln.Indent {
			switch s.Toks[lines[end].First].Text(s.Data) {
			case "else", "elif", "except", "finally":
				continue
			}
		}
		lo, hi := language.LineStart(s.Data, ln.Start), lines[end-1].End
		if s.Within(lo, hi) && hi-lo < 2000 {
			out = append(out, statement{lo, hi, s.Toks[ln.First].Line + 1, stack[len(stack)-1].block, end == i+1})
		}
	}
	return out
}
