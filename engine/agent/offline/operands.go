package offline

import (
	"bytes"

	"atoll/engine/agent/offline/language"
)

// keyword reports words that are no operand in any language at hand.
func keyword(w string) bool {
	switch w {
	case "if", "else", "elif", "for", "while", "do", "return", "in", "and", "or", "not", "is", "lambda", "yield", "def", "class",
		"import", "from", "as", "with", "try", "except", "finally", "raise", "pass", "break", "continue", "global", "nonlocal", "del",
		"assert", "async", "await", "switch", "case", "default", "new", "delete", "typeof", "instanceof", "void", "var", "let", "const",
		"function", "static", "public", "private", "protected", "struct", "enum", "interface", "extends", "implements", "throw", "throws",
		"catch", "goto", "sizeof", "typedef", "unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "boolean",
		"byte", "auto", "string", "String", "fn", "mut", "pub", "impl", "match", "use", "mod", "where", "loop", "ref", "move", "dyn",
		"then", "end", "fi", "done", "local", "until", "unless", "begin", "rescue", "ensure", "module", "require", "print", "type",
		"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize", "isize", "of", "export", "self", "this", "super", "val", "fun", "func", "inline", "constexpr", "template", "typename", "using", "namespace", "operator", "final", "override", "abstract", "final_", "readonly", "undefined", "None", "nil", "null":
		return true
	}
	return false
}

// findOperands lists operands with what is known of them.
func (m *tokenMutator) findOperands() {
	toks := m.s.Toks
	frozen := m.frozen()
	loops := m.comprehensions()
	for i := range toks {
		if !m.s.Within(toks[i].Start, toks[i].End) || m.endsOperand(i-1) && toks[i].Kind == language.Open {
			continue
		}
		if p := m.text(i - 1); p == "." || p == "::" || p == "?." || p == "->" {
			continue
		}
		last, ok := m.operandEnd(i)
		if !ok {
			continue
		}
		o := operand{first: i, last: last, fn: m.functionAt(toks[i].Start), loop: loops[i]}
		o.value = !frozen[i] && m.valuePlace(i, last)
		o.numeric = m.arithmetic(i-1) || m.arithmetic(last) || last == i+1 && toks[i].Kind == language.Number
		m.operands = append(m.operands, o)
	}
	type name struct {
		fn   int
		text string
	}
	numeric := map[name]bool{}
	for _, o := range m.operands {
		if o.numeric && toks[o.first].Kind == language.Word {
			numeric[name{fn: o.fn, text: m.source(o)}] = true
		}
	}
	for i := range m.operands {
		o := &m.operands[i]
		o.numeric = o.numeric || numeric[name{fn: o.fn, text: m.source(*o)}]
	}
}

// operandEnd returns the token after the operand that starts at i.
func (m *tokenText) operandEnd(i int) (int, bool) {
	toks := m.s.Toks
	j := i
	switch toks[i].Kind {
	case language.Number:
		return i + 1, true
	case language.Word:
		if keyword(m.text(i)) && m.text(i) != "self" && m.text(i) != "this" {
			return 0, false
		}
		j = i + 1
	case language.Open:
		if m.text(i) != "(" || m.match[i] < 0 || m.match[i] == i+1 {
			return 0, false
		}
		j = m.match[i] + 1
	default:
		return 0, false
	}
	for j < len(toks) {
		switch text := m.text(j); {
		case (text == "." || text == "::" || text == "?.") && m.kind(j+1) == language.Word && toks[j].Start == toks[j-1].End:
			j += 2
		case (text == "(" || text == "[") && m.match[j] > 0 && toks[j].Start == toks[j-1].End:
			j = m.match[j] + 1
		default:
			return j, true
		}
	}
	return j, true
}

// arithmetic reports an operator that wants numbers.
func (m *tokenText) arithmetic(i int) bool {
	if m.kind(i) != language.Op {
		return false
	}
	switch m.text(i) {
	case "-", "*", "/", "**", "//", "<", ">", "<=", ">=", "-=", "*=", "/=":
		return m.endsOperand(i-1) && m.startsOperand(i+1)
	}
	return false
}

// valuePlace reports whether tokens i to j-1 stand where any value may.
func (m *tokenText) valuePlace(i, j int) bool {
	if i == 0 || isParameterLine(m.lineWord(i)) {
		return false
	}
	next := m.text(j)
	switch next {
	case "=", ":=", "=>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "//=", "**=", "::", "!", "?", "|=", "&=", ".", "{":
		return false
	case ":":
		return m.s.Lang.Layout == language.LayoutIndent && m.s.Toks[i].Kind != language.String && m.blockHead(i)
	}
	if j < len(m.s.Toks) && m.s.Toks[j].Line == m.s.Toks[j-1].Line && (m.kind(j) == language.Word && !operatorWord(next) || m.kind(j) == language.String || m.kind(j) == language.Number) {
		return false // a type before its name, a macro
	}
	switch m.kind(i - 1) {
	case language.Open:
		return m.text(i-1) != "{"
	case language.Op:
		switch p := m.text(i - 1); p {
		case "=", "+", "-", "*", "/", "%", "**", "//", "<", "<=", ">", ">=", "==", "!=", "===", "!==", "&&", "||", ",", "+=", "-=", "*=", "/=", "?":
			return m.endsOperand(i-2) || p == "=" || p == ","
		}
		return false
	case language.Word:
		switch m.text(i - 1) {
		case "return", "in", "and", "or", "not", "if", "elif", "while", "else", "yield":
			return m.s.Toks[i-1].Line == m.s.Toks[i].Line
		}
	}
	return false
}

// blockHead reports a line of Python that ends in a colon of its own.
func (m *tokenText) blockHead(i int) bool { return language.BlockWord(m.lineWord(i)) }

func operatorWord(w string) bool {
	switch w {
	case "and", "or", "in", "is", "not", "if", "else", "for", "as", "then", "do":
		return true
	}
	return false
}

// frozen marks tokens that name new variables: before an assignment, after
// for, and the parameters of a lambda.
func (m *tokenText) frozen() []bool {
	out := make([]bool, len(m.s.Toks))
	mark := func(lo, hi int) {
		for k := lo; k < min(hi, len(out)); k++ {
			out[k] = true
		}
	}
	lineFirst, depth := 0, 0
	for i, t := range m.s.Toks {
		if i > 0 && t.Line != m.s.Toks[i-1].Line && depth == 0 {
			lineFirst = i
		}
		switch text := t.Text(m.s.Data); {
		case t.Kind == language.Open && text != "{":
			depth++
		case t.Kind == language.Close && text != "}":
			depth = max(0, depth-1)
		case text == "{" || text == "}" || text == ";":
			depth, lineFirst = 0, i+1
		case (text == "=" || text == ":=") && depth == 0:
			mark(lineFirst, i)
		case text == "for" || text == "lambda":
			end := "in"
			if text == "lambda" {
				end = ":"
			}
			for k := i + 1; k < min(len(out), i+24); k++ {
				if m.text(k) == end {
					mark(i, k)
					break
				}
			}
		case text == "=>":
			if c := i - 1; c >= 0 && m.match[c] >= 0 {
				mark(m.match[c], i)
			}
		}
	}
	return out
}

// comprehensions gives each token the innermost bracket around it that holds a
// for, or -1.
func (m *tokenText) comprehensions() []int {
	out := make([]int, len(m.s.Toks))
	var stack []int
	loop := map[int]bool{}
	for i, t := range m.s.Toks {
		switch t.Kind {
		case language.Open:
			stack = append(stack, i)
		case language.Close:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case language.Word:
			if len(stack) > 0 && (bytes.Equal(m.s.Data[t.Start:t.End], []byte("for")) || t.Text(m.s.Data) == "lambda") {
				loop[stack[len(stack)-1]] = true
			}
		}
	}
	stack = stack[:0]
	for i, t := range m.s.Toks {
		if t.Kind == language.Close && len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
		out[i] = -1
		for k := len(stack) - 1; k >= 0; k-- {
			if loop[stack[k]] {
				out[i] = stack[k]
				break
			}
		}
		if t.Kind == language.Open {
			stack = append(stack, i)
		}
	}
	return out
}

// functionAt returns the innermost function around an offset.
func (m *tokenText) functionAt(at int) int {
	best := -1
	for i, f := range m.funcs {
		if at >= f.Start && at < f.End {
			best = i
		}
	}
	return best
}
