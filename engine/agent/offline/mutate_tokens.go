package offline

import (
	"fmt"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/offline/language"
)

// tokenMutator edits languages without a parser here, by tokens: operands and
// operators are found by brackets and neighbours, statements by lines. It is
// light on types: an operand counts as a number when it stands beside
// arithmetic somewhere in the function.
type tokenMutator struct {
	*tokenText
	e        *editing
	operands []operand
	lits     []literal
	flags    []int // true, false, yes, no, on, off
	stmts    []statement
}

// tokenText is a text in tokens, with what brackets and functions tell of it.
type tokenText struct {
	s     *language.Source
	match []int // the other bracket of a token, -1 = none
	funcs []language.Unit
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
func newTokenMutator(e *editing, s *language.Source) *tokenMutator {
	m := &tokenMutator{e: e, tokenText: &tokenText{s: s, match: language.Brackets(s.Data, s.Toks)}}
	for _, lit := range literals(s.Data, s.Lang, s.Toks) {
		if s.Within(lit.start, lit.end) {
			m.lits = append(m.lits, lit)
		}
	}
	for i, t := range s.Toks {
		if t.Kind == language.Word && s.Within(t.Start, t.End) && opposite(t.Text(s.Data)) != "" {
			m.flags = append(m.flags, i)
		}
	}
	if m.code() {
		m.funcs = language.Functions(s)
		m.findOperands()
		m.stmts = statements(s, m.match)
	}
	if len(m.lits)+len(m.flags)+len(m.operands)+len(m.stmts) == 0 {
		return nil
	}
	return m
}

func (m *tokenText) code() bool {
	switch m.s.Lang.Layout {
	case language.LayoutIndent, language.LayoutBrace:
		return true
	}
	return m.s.Lang.Layout == language.LayoutLines && m.s.Lang.Name != "shell"
}

func (m *tokenText) text(i int) string {
	if i < 0 || i >= len(m.s.Toks) {
		return ""
	}
	return m.s.Toks[i].Text(m.s.Data)
}

func (m *tokenText) kind(i int) language.Kind {
	if i < 0 || i >= len(m.s.Toks) {
		return language.Other
	}
	return m.s.Toks[i].Kind
}

func (m *tokenText) span(o operand) (int, int) {
	return m.s.Toks[o.first].Start, m.s.Toks[o.last-1].End
}

func (m *tokenText) source(o operand) string {
	lo, hi := m.span(o)
	return string(m.s.Data[lo:hi])
}

func (m *tokenText) line(i int) int { return m.s.Toks[i].Line + 1 }

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
		intent: fmt.Sprintf("%s at line %d: %s -> %s", verb, m.line(o.first), clean.Short(m.source(o), 60), clean.Short(text, 80)),
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
		intent: fmt.Sprintf("nudge constant at line %d: %s -> %s", lit.line+1, m.s.Data[lit.start:lit.end], text),
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
		if !m.code() && (m.kind(i-1) == language.Word || m.kind(i+1) == language.Word && m.s.Toks[i+1].Line == m.s.Toks[i].Line) {
			continue // a word of a sentence
		}
		usable = append(usable, i)
	}
	if len(usable) == 0 {
		return mutation{}, false
	}
	i := pickOne(m.e, usable)
	t := m.s.Toks[i]
	to := opposite(m.text(i))
	return mutation{[]textEdit{{t.Start, t.End, to}}, fmt.Sprintf("switch %s to %s at line %d", m.text(i), to, m.line(i))}, true
}

// exchange lists operators that may stand for each other.
var exchange = [][]string{
	{"+", "-", "*", "/"},
	{"<", "<=", ">", ">="},
	{"==", "!="},
	{"===", "!=="},
	{"&&", "||"},
	{"and", "or"},
	{"+=", "-=", "*="},
	{"++", "--"},
	{"min", "max"},
	{"floor", "ceil"},
	{"sin", "cos"},
	{"fmin", "fmax"},
	{"<<", ">>"},
}

// operator exchanges an operator or a function for one like it.
func (m *tokenMutator) operator() (mutation, bool) {
	for range 24 {
		i := m.e.rng.IntN(len(m.s.Toks))
		t := m.s.Toks[i]
		if !m.code() || t.Kind != language.Op && t.Kind != language.Word || !m.s.Within(t.Start, t.End) {
			continue
		}
		set := setOf(t.Text(m.s.Data))
		if set == nil || t.Kind == language.Op && !m.isOperator(i) {
			continue
		}
		to := pickOne(m.e, set)
		if to == t.Text(m.s.Data) {
			continue
		}
		lo, hi := language.LineStart(m.s.Data, t.Start), language.LineEnd(m.s.Data, t.End)
		return mutation{
			[]textEdit{{t.Start, t.End, to}},
			fmt.Sprintf("change operator at line %d: %s -> %s in %s", m.line(i), t.Text(m.s.Data), to, clean.Short(string(m.s.Data[lo:hi]), 80)),
		}, true
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
func (m *tokenText) isOperator(i int) bool {
	if op := m.text(i); op == "++" || op == "--" || strings.HasSuffix(op, "=") && len(op) == 2 && strings.Contains("+-*", op[:1]) {
		return true
	}
	if m.match == nil || !m.endsOperand(i-1) || !m.startsOperand(i+1) {
		return false
	}
	t := m.s.Toks[i]
	spaced := t.Start > 0 && m.s.Data[t.Start-1] == ' ' && t.End < len(m.s.Data) && m.s.Data[t.End] == ' '
	return spaced || m.s.Lang.Layout == language.LayoutIndent && !isParameterLine(m.lineWord(i))
}

func (m *tokenText) endsOperand(i int) bool {
	switch m.kind(i) {
	case language.Number, language.String:
		return true
	case language.Close:
		return m.match[i] >= 0
	case language.Word:
		return !keyword(m.text(i))
	}
	return false
}

func (m *tokenText) startsOperand(i int) bool {
	switch m.kind(i) {
	case language.Number, language.String, language.Open:
		return m.text(i) != "{"
	case language.Word:
		return !keyword(m.text(i)) || m.text(i) == "not"
	case language.Op:
		return m.text(i) == "-" || m.text(i) == "!"
	}
	return false
}

// lineWord returns the first token of the physical line of token i.
func (m *tokenText) lineWord(i int) string {
	for i > 0 && m.s.Toks[i-1].Line == m.s.Toks[i].Line {
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
