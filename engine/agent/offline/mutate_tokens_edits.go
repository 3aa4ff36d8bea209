package offline

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
	"atoll/engine/agent/offline/language"
)

// drawOperand picks an operand that satisfies ok.
func (m *tokenMutator) drawOperand(ok func(operand) bool) (operand, bool) {
	for range 24 {
		if len(m.operands) == 0 {
			break
		}
		if o := pickOne(m.e, m.operands); ok(o) {
			return o, true
		}
	}
	return operand{}, false
}

// material draws an operand that surely has a value where o stands: one that
// is used before it in the same function, or a parameter.
func (m *tokenMutator) material(o operand, numeric bool) (string, bool) {
	x, ok := m.drawOperand(func(x operand) bool {
		lo, hi := m.span(x)
		return x.numeric == numeric && x.fn == o.fn && x.first < o.first && x.last <= o.first && (x.loop < 0 || x.loop == o.loop) &&
			hi-lo < 80 && !bytes.ContainsRune(m.s.Data[lo:hi], '\n') && (x.value || m.s.Toks[x.first].Kind == language.Word) && !m.called(x)
	})
	if !ok {
		return "", false
	}
	return m.source(x), true
}

// called reports the name of a function in its own definition.
func (m *tokenText) called(o operand) bool {
	switch m.text(o.first - 1) {
	case "def", "class", "fn", "function", "func", "fun", "new", "import", "from", "as":
		return true
	}
	return false
}

// replace exchanges an operand for another one.
func (m *tokenMutator) replace() (mutation, bool) {
	o, ok := m.drawOperand(func(o operand) bool { return o.value })
	if !ok {
		return mutation{}, false
	}
	text, ok := m.material(o, o.numeric)
	if !ok {
		return mutation{}, false
	}
	return m.mutationOf(o, text, "replace")
}

// term adds a term or a factor to a number.
func (m *tokenMutator) term() (mutation, bool) {
	o, ok := m.drawOperand(func(o operand) bool { return o.value && o.numeric })
	if !ok {
		return mutation{}, false
	}
	other, ok := m.material(o, true)
	if !ok {
		return mutation{}, false
	}
	x := m.source(o)
	switch k := m.e.rng.IntN(6); {
	case k < 4 || m.text(o.first-1) == "[":
		other = fmt.Sprintf("(%s %s %s * %s)", x, pickOne(m.e, []string{"+", "-"}), m.e.factor(), other)
	default:
		other = fmt.Sprintf("(%s %s %s)", x, pickOne(m.e, []string{"+", "-", "*"}), other)
	}
	return m.mutationOf(o, other, "add term")
}

// wrap puts a number into a call that the language is sure to have.
func (m *tokenMutator) wrap() (mutation, bool) {
	o, ok := m.drawOperand(func(o operand) bool { return o.value && o.numeric })
	if !ok {
		return mutation{}, false
	}
	x := m.source(o)
	if m.e.rng.IntN(4) == 0 {
		return m.mutationOf(o, "(-"+x+")", "negate")
	}
	one, two := m.calls()
	if len(one) > 0 && m.e.rng.IntN(2) == 0 {
		return m.mutationOf(o, fmt.Sprintf(pickOne(m.e, one), x), "wrap")
	}
	other, ok := m.material(o, true)
	if !ok || len(two) == 0 {
		return mutation{}, false
	}
	return m.mutationOf(o, fmt.Sprintf(pickOne(m.e, two), x, other), "wrap")
}

// calls returns formats of functions of one and of two numbers.
func (m *tokenText) calls() (one, two []string) {
	has := func(s string) bool { return bytes.Contains(m.s.Data, []byte(s)) }
	switch {
	case m.s.Lang.Name == "python":
		one, two = []string{"abs(%s)"}, []string{"min(%s, %s)", "max(%s, %s)"}
		if has("import math") {
			one = append(one, "math.sqrt(abs(%s))", "math.tanh(%s)", "math.log1p(abs(%s))")
		}
	case m.s.Lang.Name == "javascript" || m.s.Lang.Name == "c" && has("Math."):
		one, two = []string{"Math.abs(%s)", "Math.sqrt(Math.abs(%s))"}, []string{"Math.min(%s, %s)", "Math.max(%s, %s)"}
	case m.s.Lang.Name == "rust":
		one, two = []string{"(%s).abs()"}, []string{"(%s).min(%s)", "(%s).max(%s)"}
	case m.s.Lang.Name == "c" && (has("math.h") || has("cmath")):
		one, two = []string{"fabs(%s)", "sqrt(fabs(%s))"}, []string{"fmin(%s, %s)", "fmax(%s, %s)"}
	case m.s.Lang.Name == "lua":
		one, two = []string{"math.abs(%s)"}, []string{"math.min(%s, %s)", "math.max(%s, %s)"}
	}
	return one, two
}

// unwrap drops one side of an operation, or a call around a single argument.
func (m *tokenMutator) unwrap() (mutation, bool) {
	if m.e.rng.IntN(2) == 0 {
		return m.dropTerm()
	}
	o, ok := m.drawOperand(func(o operand) bool {
		close := o.last - 1
		open := m.match[max(close, 0)]
		return o.value && m.text(close) == ")" && open > o.first && open+1 < close
	})
	if !ok {
		return mutation{}, false
	}
	args := m.arguments(m.match[o.last-1], o.last-1)
	if len(args) == 0 {
		return mutation{}, false
	}
	return m.mutationOf(o, "("+pickOne(m.e, args)+")", "unwrap")
}

// arguments splits the tokens between two brackets at commas; none when they
// hold a keyword argument or a comprehension.
func (m *tokenText) arguments(open, close int) []string {
	var out []string
	from := open + 1
	for i := open + 1; i <= close; i++ {
		switch text := m.text(i); {
		case i == close || text == ",":
			if from < i {
				out = append(out, string(m.s.Data[m.s.Toks[from].Start:m.s.Toks[i-1].End]))
			}
			from = i + 1
		case m.kind(i) == language.Open && m.match[i] > i:
			i = m.match[i]
		case text == "=" || text == "for" || text == "*" && from == i || text == "**" && from == i:
			return nil
		}
	}
	return out
}

// dropTerm removes an operator with the operand after it.
func (m *tokenMutator) dropTerm() (mutation, bool) {
	o, ok := m.drawOperand(func(o operand) bool {
		return o.value && m.kind(o.first-1) == language.Op && setOf(m.text(o.first-1)) != nil && m.isOperator(o.first-1) &&
			!strings.HasSuffix(m.text(o.first-1), "=") && m.binds(o)
	})
	if !ok {
		return mutation{}, false
	}
	lo, hi := m.s.Toks[o.first-2].End, m.s.Toks[o.last-1].End
	return mutation{[]textEdit{{lo, hi, ""}}, fmt.Sprintf("drop term at line %d: %s", m.line(o.first), clean.Short(string(m.s.Data[lo:hi]), 80))}, true
}

// binds reports that what follows an operand does not bind to it harder than
// what stands before it.
func (m *tokenText) binds(o operand) bool {
	switch m.text(o.last) {
	case "*", "/", "**", "%", "//", "<", ">", "<=", ">=", "==", "!=", "in", "is", "not":
		return false
	}
	return true
}

func (m *tokenMutator) drawStmt() (statement, bool) {
	if len(m.stmts) == 0 {
		return statement{}, false
	}
	return pickOne(m.e, m.stmts), true
}

func (m *tokenText) stmtText(st statement) string {
	return clean.Short(string(m.s.Data[st.start:st.end]), 80)
}

// remove deletes a statement; Python keeps a pass in a block that would be
// empty.
func (m *tokenMutator) remove() (mutation, bool) {
	st, ok := m.drawStmt()
	if !ok {
		return mutation{}, false
	}
	text := ""
	if m.s.Lang.Layout == language.LayoutIndent {
		alone := !slices.ContainsFunc(m.stmts, func(o statement) bool { return o.block == st.block && o.start != st.start })
		if alone {
			indent := m.indent(st)
			text = indent + "pass\n"
		}
	}
	return mutation{[]textEdit{{st.start, st.end, text}}, fmt.Sprintf("delete line %d: %s", st.line, m.stmtText(st))}, true
}

// indent is the white space a statement starts with.
func (m *tokenText) indent(st statement) string {
	i := st.start
	for i < st.end && (m.s.Data[i] == ' ' || m.s.Data[i] == '\t') {
		i++
	}
	return string(m.s.Data[st.start:i])
}

// placed returns a simple statement's text with the indentation of another.
func (m *tokenText) placed(st, at statement) string {
	text := strings.TrimLeft(string(m.s.Data[st.start:st.end]), " \t")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return m.indent(at) + text
}

// copyStmt repeats a simple statement before another one.
func (m *tokenMutator) copyStmt() (mutation, bool) {
	st, ok := m.drawStmt()
	to, ok2 := m.drawStmt()
	if !ok || !ok2 || !st.simple {
		return mutation{}, false
	}
	return mutation{
		[]textEdit{{to.start, to.start, m.placed(st, to)}},
		fmt.Sprintf("copy line %d before line %d: %s", st.line, to.line, m.stmtText(st)),
	}, true
}

// swap exchanges two neighbours of a block.
func (m *tokenMutator) swap() (mutation, bool) {
	if len(m.stmts) < 2 {
		return mutation{}, false
	}
	i := m.e.rng.IntN(len(m.stmts) - 1)
	for j := i + 1; j < len(m.stmts); j++ {
		a, b := m.stmts[i], m.stmts[j]
		if a.block != b.block || b.start < a.end {
			continue
		}
		if !bytes.HasSuffix(m.s.Data[b.start:b.end], []byte("\n")) {
			return mutation{}, false
		}
		text := string(m.s.Data[b.start:b.end]) + string(m.s.Data[a.end:b.start]) + string(m.s.Data[a.start:a.end])
		return mutation{[]textEdit{{a.start, b.end, text}}, fmt.Sprintf("swap lines %d and %d", a.line, b.line)}, true
	}
	return mutation{}, false
}

// move takes a simple statement elsewhere in its function.
func (m *tokenMutator) move() (mutation, bool) {
	st, ok := m.drawStmt()
	to, ok2 := m.drawStmt()
	if !ok || !ok2 || !st.simple || to.start >= st.start && to.start <= st.end || m.functionAt(st.start) != m.functionAt(to.start) {
		return mutation{}, false
	}
	same := slices.ContainsFunc(m.stmts, func(o statement) bool { return o.block == st.block && o.start != st.start })
	if m.s.Lang.Layout == language.LayoutIndent && !same {
		return mutation{}, false
	}
	return mutation{
		[]textEdit{{st.start, st.end, ""}, {to.start, to.start, m.placed(st, to)}},
		fmt.Sprintf("move line %d before line %d: %s", st.line, to.line, m.stmtText(st)),
	}, true
}
