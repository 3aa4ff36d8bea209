package agent

import (
	"bytes"
	"fmt"
	"strings"
)

// tokenMutator edits languages without a parser here, by tokens: operands and
// operators are found by brackets and neighbours, statements by lines. It is
// light on types: an operand counts as a number when it stands beside
// arithmetic somewhere in the function.
type tokenMutator struct {
	e        *editing
	s        *source
	match    []int
	funcs    []unit
	operands []operand
	lits     []literal
	flags    []int // true, false, yes, no, on, off
	stmts    []statement
}

// operand is a value in an expression: a name with its selectors, calls and
// indices, a number, a string or a group.
type operand struct {
	first, last int // tokens first to last-1
	numeric     bool
	value       bool // may be replaced
	fn          int  // index of the function around it, -1 = none
	loop        int  // opening token of the comprehension around it, -1 = none
}

// newTokenMutator returns nil when there is nothing to mutate.
func newTokenMutator(e *editing, s *source) *tokenMutator {
	m := &tokenMutator{e: e, s: s, match: brackets(s.data, s.toks)}
	for _, lit := range literals(s.data, s.l, s.toks) {
		if s.within(lit.start, lit.end) {
			m.lits = append(m.lits, lit)
		}
	}
	for i, t := range s.toks {
		if t.kind == tokWord && s.within(t.start, t.end) && opposite(t.text(s.data)) != "" {
			m.flags = append(m.flags, i)
		}
	}
	if m.code() {
		m.funcs = functions(s)
		m.findOperands()
		m.stmts = statements(s, m.match)
	}
	if len(m.lits)+len(m.flags)+len(m.operands)+len(m.stmts) == 0 {
		return nil
	}
	return m
}

func (m *tokenMutator) code() bool {
	switch m.s.l.layout {
	case layoutIndent, layoutBrace:
		return true
	}
	return m.s.l.layout == layoutLines && m.s.l.name != "shell"
}

func (m *tokenMutator) text(i int) string {
	if i < 0 || i >= len(m.s.toks) {
		return ""
	}
	return m.s.toks[i].text(m.s.data)
}

func (m *tokenMutator) kind(i int) tokenKind {
	if i < 0 || i >= len(m.s.toks) {
		return tokOther
	}
	return m.s.toks[i].kind
}

func (m *tokenMutator) span(o operand) (int, int) {
	return m.s.toks[o.first].start, m.s.toks[o.last-1].end
}

func (m *tokenMutator) source(o operand) string {
	lo, hi := m.span(o)
	return string(m.s.data[lo:hi])
}

func (m *tokenMutator) line(i int) int { return m.s.toks[i].line + 1 }

// accept keeps data that still has the form of its language.
func (m *tokenMutator) accept(data []byte, _ mutation) ([]byte, bool) {
	return data, m.e.valid(m.s, data)
}

var tokenForms = []struct {
	weight float64
	make   func(*tokenMutator) (mutation, bool)
}{
	{0.16, (*tokenMutator).constant},
	{0.14, (*tokenMutator).operator},
	{0.16, (*tokenMutator).replace},
	{0.18, (*tokenMutator).term},
	{0.09, (*tokenMutator).wrap},
	{0.07, (*tokenMutator).unwrap},
	{0.04, (*tokenMutator).flag},
	{0.05, (*tokenMutator).remove},
	{0.04, (*tokenMutator).copyStmt},
	{0.04, (*tokenMutator).swap},
	{0.03, (*tokenMutator).move},
}

func (m *tokenMutator) propose() (mutation, bool) {
	i := drawIndex(m.e.rng, len(tokenForms), func(i int) float64 { return tokenForms[i].weight })
	return tokenForms[i].make(m)
}

// mutationOf replaces the bytes of an operand.
func (m *tokenMutator) mutationOf(o operand, text, verb string) (mutation, bool) {
	lo, hi := m.span(o)
	if old := m.source(o); old == text || len(text) > 300 {
		return mutation{}, false
	}
	return mutation{
		edits:  []textEdit{{lo, hi, text}},
		intent: fmt.Sprintf("%s at line %d: %s -> %s", verb, m.line(o.first), oneLine(m.source(o), 60), oneLine(text, 80)),
	}, true
}

// constant nudges a number.
func (m *tokenMutator) constant() (mutation, bool) {
	if len(m.lits) == 0 {
		return mutation{}, false
	}
	lit := m.lits[drawIndex(m.e.rng, len(m.lits), func(i int) float64 { return 0.05 + m.lits[i].weight })]
	text, ok := m.e.nudged(lit, false)
	if !ok {
		return mutation{}, false
	}
	return mutation{
		edits:  []textEdit{{lit.start, lit.end, text}},
		intent: fmt.Sprintf("nudge constant at line %d: %s -> %s", lit.line+1, m.s.data[lit.start:lit.end], text),
	}, true
}

// opposite returns the other value of a switch.
func opposite(w string) string {
	pairs := [...][2]string{{"true", "false"}, {"True", "False"}, {"TRUE", "FALSE"}, {"yes", "no"}, {"on", "off"}, {"enabled", "disabled"}}
	for _, p := range pairs {
		switch w {
		case p[0]:
			return p[1]
		case p[1]:
			return p[0]
		}
	}
	return ""
}

// flag turns a switch, or a condition, around.
func (m *tokenMutator) flag() (mutation, bool) {
	var usable []int
	for _, i := range m.flags {
		w := m.text(i)
		if m.code() && !strings.EqualFold(w, "true") && !strings.EqualFold(w, "false") {
			continue // yes and on are switches in data only
		}
		if !m.code() && (m.kind(i-1) == tokWord || m.kind(i+1) == tokWord && m.s.toks[i+1].line == m.s.toks[i].line) {
			continue // a word of a sentence
		}
		usable = append(usable, i)
	}
	if len(usable) == 0 {
		return mutation{}, false
	}
	i := pickOne(m.e, usable)
	t := m.s.toks[i]
	to := opposite(m.text(i))
	return mutation{[]textEdit{{t.start, t.end, to}}, fmt.Sprintf("switch %s to %s at line %d", m.text(i), to, m.line(i)), false}, true
}

// exchange lists operators that may stand for each other.
var exchange = [][]string{
	{"+", "-", "*", "/"}, {"<", "<=", ">", ">="}, {"==", "!="}, {"===", "!=="}, {"&&", "||"}, {"and", "or"},
	{"+=", "-=", "*="}, {"++", "--"}, {"min", "max"}, {"floor", "ceil"}, {"sin", "cos"}, {"fmin", "fmax"}, {"<<", ">>"},
}

// operator exchanges an operator or a function for one like it.
func (m *tokenMutator) operator() (mutation, bool) {
	for range 24 {
		i := m.e.rng.IntN(len(m.s.toks))
		t := m.s.toks[i]
		if !m.code() || t.kind != tokOp && t.kind != tokWord || !m.s.within(t.start, t.end) {
			continue
		}
		set := setOf(t.text(m.s.data))
		if set == nil || t.kind == tokOp && !m.isOperator(i) {
			continue
		}
		to := pickOne(m.e, set)
		if to == t.text(m.s.data) {
			continue
		}
		lo, hi := lineStart(m.s.data, t.start), lineEnd(m.s.data, t.end)
		return mutation{[]textEdit{{t.start, t.end, to}},
			fmt.Sprintf("change operator at line %d: %s -> %s in %s", m.line(i), t.text(m.s.data), to, oneLine(string(m.s.data[lo:hi]), 80)), false}, true
	}
	return mutation{}, false
}

func setOf(op string) []string {
	for _, set := range exchange {
		for _, o := range set {
			if o == op {
				return set
			}
		}
	}
	return nil
}

// isOperator reports an operator between two operands, and not a pointer, a
// reference, a type argument or a default.
func (m *tokenMutator) isOperator(i int) bool {
	if op := m.text(i); op == "++" || op == "--" || strings.HasSuffix(op, "=") && len(op) == 2 && strings.Contains("+-*", op[:1]) {
		return true
	}
	if m.match == nil || !m.endsOperand(i-1) || !m.startsOperand(i+1) {
		return false
	}
	t := m.s.toks[i]
	spaced := t.start > 0 && m.s.data[t.start-1] == ' ' && t.end < len(m.s.data) && m.s.data[t.end] == ' '
	return spaced || m.s.l.layout == layoutIndent && !isParameterLine(m.lineWord(i))
}

func (m *tokenMutator) endsOperand(i int) bool {
	switch m.kind(i) {
	case tokNumber, tokString:
		return true
	case tokClose:
		return m.match[i] >= 0
	case tokWord:
		return !keyword(m.text(i))
	}
	return false
}

func (m *tokenMutator) startsOperand(i int) bool {
	switch m.kind(i) {
	case tokNumber, tokString, tokOpen:
		return m.text(i) != "{"
	case tokWord:
		return !keyword(m.text(i)) || m.text(i) == "not"
	case tokOp:
		return m.text(i) == "-" || m.text(i) == "!"
	}
	return false
}

// lineWord returns the first token of the physical line of token i.
func (m *tokenMutator) lineWord(i int) string {
	for i > 0 && m.s.toks[i-1].line == m.s.toks[i].line {
		i--
	}
	return m.text(i)
}

func isParameterLine(word string) bool {
	switch word {
	case "def", "class", "import", "from", "global", "nonlocal", "del", "async", "@", "function", "interface", "type", "struct", "enum",
		"fn", "pub", "impl", "use", "mod", "trait", "package", "using", "namespace", "template", "typedef", "#include", "#define", "export",
		"public", "private", "protected", "static", "extern", "fun", "func", "case", "default", "goto", "require":
		return true
	}
	return false
}

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
	toks := m.s.toks
	frozen := m.frozen()
	loops := m.comprehensions()
	for i := range toks {
		if !m.s.within(toks[i].start, toks[i].end) || m.endsOperand(i-1) && toks[i].kind == tokOpen {
			continue
		}
		if p := m.text(i - 1); p == "." || p == "::" || p == "?." || p == "->" {
			continue
		}
		last, ok := m.operandEnd(i)
		if !ok {
			continue
		}
		o := operand{first: i, last: last, fn: m.functionAt(toks[i].start), loop: loops[i]}
		o.value = !frozen[i] && m.valuePlace(i, last)
		o.numeric = m.arithmetic(i-1) || m.arithmetic(last) || last == i+1 && toks[i].kind == tokNumber
		m.operands = append(m.operands, o)
	}
	type name struct {
		fn   int
		text string
	}
	numeric := map[name]bool{}
	for _, o := range m.operands {
		if o.numeric && toks[o.first].kind == tokWord {
			numeric[name{o.fn, m.source(o)}] = true
		}
	}
	for i := range m.operands {
		o := &m.operands[i]
		o.numeric = o.numeric || numeric[name{o.fn, m.source(*o)}]
	}
}

// operandEnd returns the token after the operand that starts at i.
func (m *tokenMutator) operandEnd(i int) (int, bool) {
	toks := m.s.toks
	j := i
	switch toks[i].kind {
	case tokNumber:
		return i + 1, true
	case tokWord:
		if keyword(m.text(i)) && m.text(i) != "self" && m.text(i) != "this" {
			return 0, false
		}
		j = i + 1
	case tokOpen:
		if m.text(i) != "(" || m.match[i] < 0 || m.match[i] == i+1 {
			return 0, false
		}
		j = m.match[i] + 1
	default:
		return 0, false
	}
	for j < len(toks) {
		switch text := m.text(j); {
		case (text == "." || text == "::" || text == "?.") && m.kind(j+1) == tokWord && toks[j].start == toks[j-1].end:
			j += 2
		case (text == "(" || text == "[") && m.match[j] > 0 && toks[j].start == toks[j-1].end:
			j = m.match[j] + 1
		default:
			return j, true
		}
	}
	return j, true
}

// arithmetic reports an operator that wants numbers.
func (m *tokenMutator) arithmetic(i int) bool {
	if m.kind(i) != tokOp {
		return false
	}
	switch m.text(i) {
	case "-", "*", "/", "**", "//", "<", ">", "<=", ">=", "-=", "*=", "/=":
		return m.endsOperand(i-1) && m.startsOperand(i+1)
	}
	return false
}

// valuePlace reports whether tokens i to j-1 stand where any value may.
func (m *tokenMutator) valuePlace(i, j int) bool {
	if i == 0 || isParameterLine(m.lineWord(i)) {
		return false
	}
	next := m.text(j)
	switch next {
	case "=", ":=", "=>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "//=", "**=", "::", "!", "?", "|=", "&=", ".", "{":
		return false
	case ":":
		return m.s.l.layout == layoutIndent && m.s.toks[i].kind != tokString && m.blockHead(i)
	}
	if j < len(m.s.toks) && m.s.toks[j].line == m.s.toks[j-1].line && (m.kind(j) == tokWord && !operatorWord(next) || m.kind(j) == tokString || m.kind(j) == tokNumber) {
		return false // a type before its name, a macro
	}
	switch m.kind(i - 1) {
	case tokOpen:
		return m.text(i-1) != "{"
	case tokOp:
		switch p := m.text(i - 1); p {
		case "=", "+", "-", "*", "/", "%", "**", "//", "<", "<=", ">", ">=", "==", "!=", "===", "!==", "&&", "||", ",", "+=", "-=", "*=", "/=", "?":
			return m.endsOperand(i-2) || p == "=" || p == ","
		}
		return false
	case tokWord:
		switch m.text(i - 1) {
		case "return", "in", "and", "or", "not", "if", "elif", "while", "else", "yield":
			return m.s.toks[i-1].line == m.s.toks[i].line
		}
	}
	return false
}

// blockHead reports a line of Python that ends in a colon of its own.
func (m *tokenMutator) blockHead(i int) bool { return blockWord(m.lineWord(i)) }

func operatorWord(w string) bool {
	switch w {
	case "and", "or", "in", "is", "not", "if", "else", "for", "as", "then", "do":
		return true
	}
	return false
}

// frozen marks tokens that name new variables: before an assignment, after
// for, and the parameters of a lambda.
func (m *tokenMutator) frozen() []bool {
	out := make([]bool, len(m.s.toks))
	mark := func(lo, hi int) {
		for k := lo; k < min(hi, len(out)); k++ {
			out[k] = true
		}
	}
	lineFirst, depth := 0, 0
	for i, t := range m.s.toks {
		if i > 0 && t.line != m.s.toks[i-1].line && depth == 0 {
			lineFirst = i
		}
		switch text := t.text(m.s.data); {
		case t.kind == tokOpen && text != "{":
			depth++
		case t.kind == tokClose && text != "}":
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
func (m *tokenMutator) comprehensions() []int {
	out := make([]int, len(m.s.toks))
	var stack []int
	loop := map[int]bool{}
	for i, t := range m.s.toks {
		switch t.kind {
		case tokOpen:
			stack = append(stack, i)
		case tokClose:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case tokWord:
			if len(stack) > 0 && (bytes.Equal(m.s.data[t.start:t.end], []byte("for")) || t.text(m.s.data) == "lambda") {
				loop[stack[len(stack)-1]] = true
			}
		}
	}
	stack = stack[:0]
	for i, t := range m.s.toks {
		if t.kind == tokClose && len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
		out[i] = -1
		for k := len(stack) - 1; k >= 0; k-- {
			if loop[stack[k]] {
				out[i] = stack[k]
				break
			}
		}
		if t.kind == tokOpen {
			stack = append(stack, i)
		}
	}
	return out
}

// functionAt returns the innermost function around an offset.
func (m *tokenMutator) functionAt(at int) int {
	best := -1
	for i, f := range m.funcs {
		if at >= f.start && at < f.end {
			best = i
		}
	}
	return best
}
