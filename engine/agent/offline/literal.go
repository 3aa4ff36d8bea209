package offline

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"atoll/engine/agent/offline/language"
)

// literal is one number in a source that may be tuned.
type literal struct {
	tok        int // index of its token
	start, end int
	line       int
	value      float64
	format     numberFormat
	weight     float64 // how likely it is worth tuning, 0..1
	table      bool    // one of a list of numbers
}

// numberFormat is how a number is written, so that a new value is written the
// same way.
type numberFormat struct {
	integer  bool
	base     int    // 16, 8, 2 for prefixed integers, else 10
	prefix   string // 0x and so on
	upper    bool   // hexadecimal digits in capitals
	decimals int    // digits after the point
	exponent byte   // 'e' or 'E' when there is one, else 0
	group    bool   // digits in groups of three by _
	suffix   string // f64, px
	signed   bool   // a sign is part of it
}

// maxLiterals bounds the work on one file.
const maxLiterals = 4096

// literals returns the numbers of src that may be tuned, in order.
func literals(src []byte, l *language.Language, toks []language.Token) []literal {
	n := 0
	for _, t := range toks {
		if t.Kind == language.Number {
			n++
		}
	}
	out := make([]literal, 0, min(n, maxLiterals))
	pinnedLine, line, first := false, -1, 0
	for i, t := range toks {
		if t.Line != line {
			line, first = t.Line, i
			pinnedLine = pinnedAt(src, l, toks, first)
		}
		if t.Kind != language.Number || pinnedLine || len(out) == maxLiterals || pinnedKey(src, l, toks, i) {
			continue
		}
		lit, ok := parseLiteral(src, t)
		if !ok {
			continue
		}
		lit.tok = i
		lit.weight = literalWeight(src, l, toks, i, &lit)
		out = append(out, lit)
	}
	return out
}

// pinnedAt reports whether the line that starts at token i imports something
// or names a version.
func pinnedAt(src []byte, l *language.Language, toks []language.Token, i int) bool {
	word := toks[i].Text(src)
	for _, w := range l.Imports {
		if w == word && !(w == "export" && !lineHas(src, toks, i, "from")) {
			return true
		}
	}
	for j := i; j < len(toks) && toks[j].Line == toks[i].Line; j++ {
		if toks[j].Kind == language.Word && (l.Layout != language.LayoutData || j == i) && namesVersion(src, toks[j], l.Layout == language.LayoutData) {
			return true
		}
	}
	return false
}

// namesVersion reports a name whose value stays as it is.
func namesVersion(src []byte, t language.Token, data bool) bool {
	s := bytes.ToLower(src[t.Start:min(t.End, t.Start+64)])
	for _, w := range [...]string{"version", "edition", "revision", "copyright", "schema", "checksum", "sha256"} {
		if bytes.Contains(s, []byte(w)) {
			return true
		}
	}
	return data && (bytes.Contains(s, []byte("uses")) || bytes.Contains(s, []byte("image")))
}

// pinnedKey reports a number of a data format whose key names a version.
func pinnedKey(src []byte, l *language.Language, toks []language.Token, i int) bool {
	if l.Layout != language.LayoutData || i < 2 {
		return false
	}
	sep := toks[i-1].Text(src)
	return (sep == ":" || sep == "=") && namesVersion(src, toks[i-2], true)
}

func lineHas(src []byte, toks []language.Token, i int, word string) bool {
	for j := i; j < len(toks) && toks[j].Line == toks[i].Line; j++ {
		if toks[j].Text(src) == word {
			return true
		}
	}
	return false
}

// parseLiteral reads a number token. It refuses what tuning would break:
// octal modes, integers that a float64 cannot hold, anything not finite.
func parseLiteral(src []byte, t language.Token) (literal, bool) {
	s := string(src[t.Start:t.End])
	lit := literal{start: t.Start, end: t.End, line: t.Line}
	f := &lit.format
	f.base = 10
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	f.signed = neg
	f.group = strings.Contains(s, "_") && !strings.HasPrefix(s, "_")
	if len(s) > 2 && s[0] == '0' && (s[1]|0x20 == 'x' || s[1]|0x20 == 'b' || s[1]|0x20 == 'o') {
		return parsePrefixed(lit, s, neg)
	}
	n := 0
	for n < len(s) && (language.IsDigit(s[n]) || s[n] == '_' || s[n] == '.') {
		n++
	}
	mantissa := s[:n]
	if n < len(s) && s[n]|0x20 == 'e' && n+1 < len(s) && (language.IsDigit(s[n+1]) || s[n+1] == '-' || s[n+1] == '+') {
		f.exponent = s[n]
		n++
		for n < len(s) && (language.IsDigit(s[n]) || s[n] == '-' || s[n] == '+') {
			n++
		}
	}
	f.suffix = s[n:]
	if mantissa != strings.TrimRight(mantissa, "_") { // 1_f64
		k := len(strings.TrimRight(mantissa, "_"))
		f.suffix = s[k:]
		mantissa, n = mantissa[:k], k
		f.exponent = 0
		f.group = strings.Contains(mantissa, "_")
	}
	point := strings.IndexByte(mantissa, '.')
	f.integer = point < 0 && f.exponent == 0 && !strings.HasPrefix(strings.TrimLeft(f.suffix, "_"), "f")
	if point >= 0 {
		f.decimals = len(strings.ReplaceAll(mantissa[point+1:], "_", ""))
	}
	if point < 0 && len(mantissa) > 1 && mantissa[0] == '0' {
		return lit, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(s[:n], "_", ""), 64)
	if err != nil || math.IsInf(v, 0) || f.integer && v > 1<<53 {
		return lit, false
	}
	if neg {
		v = -v
	}
	lit.value = v
	return lit, true
}

func parsePrefixed(lit literal, s string, neg bool) (literal, bool) {
	f := &lit.format
	f.integer, f.prefix = true, s[:2]
	f.base = map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]|0x20]
	digits := strings.ReplaceAll(s[2:], "_", "")
	f.upper = strings.ToUpper(digits) == digits && strings.ToLower(digits) != digits
	f.group = false
	v, err := strconv.ParseUint(digits, f.base, 53)
	if err != nil {
		return lit, false
	}
	lit.value = float64(v)
	if neg {
		lit.value = -lit.value
	}
	return lit, true
}

// literalWeight guesses how likely a number is a parameter rather than
// structure: one in a table or after a name is, while 0, 1 and 2, indices and
// sizes of formats rarely are.
func literalWeight(src []byte, l *language.Language, toks []language.Token, i int, lit *literal) float64 {
	prev, next := "", ""
	if i > 0 {
		prev = toks[i-1].Text(src)
	}
	if i+1 < len(toks) {
		next = toks[i+1].Text(src)
	}
	if prev == "[" && next == "]" && i > 1 && (toks[i-2].Kind == language.Word || toks[i-2].Kind == language.Close) {
		return 0.03
	}
	if prev == "[" && next == "]" && l.Layout == language.LayoutBrace && i+2 < len(toks) && toks[i+2].Kind == language.Word {
		return 0.03 // the size of an array
	}
	lit.table = inTable(src, toks, i)
	if lit.table && lit.format.integer && lit.format.base == 10 && inFloats(src, l, toks, i) {
		lit.format.integer = false
	}
	data := l.Layout == language.LayoutData || l.Layout == language.LayoutText
	small := math.Abs(lit.value) <= 2 && lit.value == math.Trunc(2*lit.value)/2
	w := 1.0
	switch {
	case lit.table || data:
	case prev == "=" || prev == ":=" || prev == ":":
	case small:
		w = 0.15
	default:
		w = 0.6
	}
	if lit.format.exponent != 0 && math.Abs(lit.value) < 1e-6 {
		w *= 0.2 // a tolerance
	}
	if lit.format.integer {
		w *= 0.5
		if lit.format.base != 10 || prev == "<<" || prev == ">>" || prev == "%" {
			w *= 0.2
		}
	}
	return w
}

// inTable reports a number in a list or a tuple with others.
func inTable(src []byte, toks []language.Token, i int) bool {
	edge := func(k int, edges string) bool {
		return k >= 0 && k < len(toks) && toks[k].End-toks[k].Start == 1 && bytes.IndexByte([]byte(edges), src[toks[k].Start]) >= 0
	}
	number := func(k int) bool { return k >= 0 && k < len(toks) && toks[k].Kind == language.Number }
	if !edge(i-1, "([{,") || !edge(i+1, ")]},") {
		return false
	}
	return edge(i-1, ",") && number(i-2) || edge(i+1, ",") && number(i+2)
}

// inFloats reports a number in a table whose type says that its numbers have fractions,
// where they may be written without: []float64{1, 2}, double t[] = {1, 2}.
func inFloats(src []byte, l *language.Language, toks []language.Token, i int) bool {
	if l.Layout != language.LayoutBrace {
		return false
	}
	depth := 0
	for k := i - 1; k > 0; k-- {
		switch toks[k].Kind {
		case language.Close:
			depth++
			continue
		case language.Open:
		default:
			continue
		}
		if depth > 0 {
			depth--
			continue
		}
		before := toks[k-1].Text(src)
		switch {
		case before == "{" || before == "[" || before == ",":
			continue // a row of a table
		case l.Name == "go":
			return before == "float64" || before == "float32"
		case before != "=":
			return false
		}
		for ; k > 0 && toks[k-1].Line == toks[k].Line; k-- {
			if w := toks[k-1].Text(src); w == "double" || w == "float" {
				return true
			}
		}
		return false
	}
	return false
}
