package offline

import (
	"bytes"
	"math"
	"strconv"
	"strings"
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

// number emits the number (or the thing with digits) that starts at i; x.i is
// there or at its sign.
func (x *lexer) number(i int) {
	end, ok := x.numberEnd(i)
	if i == x.i && x.i > 0 {
		switch p := x.src[x.i-1]; {
		case p == '.' && x.at(x.i-2) != '.', p == '$', p == '&', p == '@', p == '#', p == '~', p == '^' && x.l.layout == layoutData:
			ok = false // a field, a parameter, a reference
		case x.l.name == "shell" && (p == '>' || p == '<' || x.at(end) == '>' || x.at(end) == '<'): // a file descriptor
			ok = false
		case (p == '-' || p == '/' || p == ':') && x.l.layout != layoutBrace && x.l.layout != layoutIndent:
			ok = ok && !isWordByte(x.at(x.i-2)) && x.at(x.i-2) != '-'
		}
	}
	if ok {
		x.emit(tokNumber, end)
	} else {
		x.emit(tokOther, max(end, x.i+1))
	}
}

// numberEnd returns the end of the number at i, and whether it is one.
func (x *lexer) numberEnd(i int) (int, bool) {
	j := i
	if x.src[j] == '0' && (x.at(j+1)|0x20 == 'x' || x.at(j+1)|0x20 == 'b' || x.at(j+1)|0x20 == 'o') && isWordByte(x.at(j+2)) {
		for j < len(x.src) && isWordByte(x.src[j]) {
			j++
		}
		return j, x.at(j) != '.'
	}
	j = x.digits(j)
	if x.at(j) == '.' && x.at(j+1) != '.' && !isNameStart(x.at(j+1)) {
		j = x.digits(j + 1)
		if x.at(j) == '.' && x.digitAt(j+1) {
			return x.clump(j), false // 1.2.3
		}
	}
	if x.at(j)|0x20 == 'e' {
		k := j + 1
		if x.at(k) == '+' || x.at(k) == '-' {
			k++
		}
		if x.digitAt(k) {
			j = x.digits(k)
		}
	}
	k := j
	for k < len(x.src) && isWordByte(x.src[k]) {
		k++
	}
	if k > j && !x.suffix(string(x.src[j:k])) {
		return x.clump(k), false
	}
	if x.dated(i, k) {
		return x.clump(k), false
	}
	return k, true
}

func isNameStart(c byte) bool { return isWordByte(c) && !isDigit(c) }

func (x *lexer) digits(j int) int {
	for j < len(x.src) && (isDigit(x.src[j]) || x.src[j] == '_' && x.digitAt(j+1)) {
		j++
	}
	return j
}

// clump returns the end of a run of word characters, points, colons and
// dashes that hang together.
func (x *lexer) clump(j int) int {
	for j < len(x.src) && (isWordByte(x.src[j]) || (x.src[j] == '.' || x.src[j] == ':' || x.src[j] == '-') && isWordByte(x.at(j+1))) {
		j++
	}
	return j
}

// dated reports dates and times: 2024-01-02, 12:30.
func (x *lexer) dated(i, j int) bool {
	if j-i == 4 && x.at(j) == '-' && x.digitAt(j+1) && x.digitAt(j+2) && x.at(j+3) == '-' && x.digitAt(j+4) {
		return true
	}
	return x.at(j) == ':' && x.digitAt(j+1) && x.digitAt(j+2) && !x.digitAt(j+3) && (x.l.layout == layoutData || x.l.layout == layoutText)
}

// codeSuffix reports the suffixes that numbers have in code.
func codeSuffix(s string) bool {
	switch s {
	case "f", "F", "l", "L", "u", "U", "ul", "UL", "ull", "ULL", "ll", "LL", "d", "D", "n", "m",
		"f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
		"_f32", "_f64", "_i32", "_i64", "_u32", "_u64", "_usize":
		return true
	}
	return false
}

// unitSuffix reports the units that numbers have in style sheets and settings.
func unitSuffix(s string) bool {
	switch s {
	case "px", "em", "rem", "vh", "vw", "fr", "pt", "deg", "rad", "s", "ms", "us", "ns", "m", "h", "d",
		"k", "K", "M", "G", "T", "Ki", "Mi", "Gi", "kb", "mb", "gb", "kB", "KB", "MB", "GB", "B":
		return true
	}
	return false
}

func (x *lexer) suffix(s string) bool {
	if x.l.unitWord {
		return unitSuffix(s)
	}
	return (x.l.layout == layoutBrace || x.l.layout == layoutText) && codeSuffix(s)
}

// maxLiterals bounds the work on one file.
const maxLiterals = 4096

// literals returns the numbers of src that may be tuned, in order.
func literals(src []byte, l *lang, toks []lexeme) []literal {
	n := 0
	for _, t := range toks {
		if t.kind == tokNumber {
			n++
		}
	}
	out := make([]literal, 0, min(n, maxLiterals))
	pinnedLine, line, first := false, -1, 0
	for i, t := range toks {
		if t.line != line {
			line, first = t.line, i
			pinnedLine = pinnedAt(src, l, toks, first)
		}
		if t.kind != tokNumber || pinnedLine || len(out) == maxLiterals || pinnedKey(src, l, toks, i) {
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
func pinnedAt(src []byte, l *lang, toks []lexeme, i int) bool {
	word := toks[i].text(src)
	for _, w := range l.imports {
		if w == word && !(w == "export" && !lineHas(src, toks, i, "from")) {
			return true
		}
	}
	for j := i; j < len(toks) && toks[j].line == toks[i].line; j++ {
		if toks[j].kind == tokWord && (l.layout != layoutData || j == i) && namesVersion(src, toks[j], l.layout == layoutData) {
			return true
		}
	}
	return false
}

// namesVersion reports a name whose value stays as it is.
func namesVersion(src []byte, t lexeme, data bool) bool {
	s := bytes.ToLower(src[t.start:min(t.end, t.start+64)])
	for _, w := range [...]string{"version", "edition", "revision", "copyright", "schema", "checksum", "sha256"} {
		if bytes.Contains(s, []byte(w)) {
			return true
		}
	}
	return data && (bytes.Contains(s, []byte("uses")) || bytes.Contains(s, []byte("image")))
}

// pinnedKey reports a number of a data format whose key names a version.
func pinnedKey(src []byte, l *lang, toks []lexeme, i int) bool {
	if l.layout != layoutData || i < 2 {
		return false
	}
	sep := toks[i-1].text(src)
	return (sep == ":" || sep == "=") && namesVersion(src, toks[i-2], true)
}

func lineHas(src []byte, toks []lexeme, i int, word string) bool {
	for j := i; j < len(toks) && toks[j].line == toks[i].line; j++ {
		if toks[j].text(src) == word {
			return true
		}
	}
	return false
}

// parseLiteral reads a number token. It refuses what tuning would break:
// octal modes, integers that a float64 cannot hold, anything not finite.
func parseLiteral(src []byte, t lexeme) (literal, bool) {
	s := string(src[t.start:t.end])
	lit := literal{start: t.start, end: t.end, line: t.line}
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
	for n < len(s) && (isDigit(s[n]) || s[n] == '_' || s[n] == '.') {
		n++
	}
	mantissa := s[:n]
	if n < len(s) && s[n]|0x20 == 'e' && n+1 < len(s) && (isDigit(s[n+1]) || s[n+1] == '-' || s[n+1] == '+') {
		f.exponent = s[n]
		n++
		for n < len(s) && (isDigit(s[n]) || s[n] == '-' || s[n] == '+') {
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
func literalWeight(src []byte, l *lang, toks []lexeme, i int, lit *literal) float64 {
	prev, next := "", ""
	if i > 0 {
		prev = toks[i-1].text(src)
	}
	if i+1 < len(toks) {
		next = toks[i+1].text(src)
	}
	if prev == "[" && next == "]" && i > 1 && (toks[i-2].kind == tokWord || toks[i-2].kind == tokClose) {
		return 0.03
	}
	if prev == "[" && next == "]" && l.layout == layoutBrace && i+2 < len(toks) && toks[i+2].kind == tokWord {
		return 0.03 // the size of an array
	}
	lit.table = inTable(src, toks, i)
	data := l.layout == layoutData || l.layout == layoutText
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
func inTable(src []byte, toks []lexeme, i int) bool {
	edge := func(k int, edges string) bool {
		return k >= 0 && k < len(toks) && toks[k].end-toks[k].start == 1 && bytes.IndexByte([]byte(edges), src[toks[k].start]) >= 0
	}
	number := func(k int) bool { return k >= 0 && k < len(toks) && toks[k].kind == tokNumber }
	if !edge(i-1, "([{,") || !edge(i+1, ")]},") {
		return false
	}
	return edge(i-1, ",") && number(i-2) || edge(i+1, ",") && number(i+2)
}
