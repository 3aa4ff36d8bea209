package language

import "bytes"

// Kind sorts tokens by what an edit may do with them.
type Kind uint8

const (
	Word   Kind = iota // names and keywords
	Number             // a numeric literal, with its sign where it can only be one
	String
	Op
	Open  // ( [ {
	Close // ) ] }
	Other // versions, dates, hashes and other things with digits
)

// Token is a token of any language; comments and white space are none.
type Token struct {
	Kind       Kind
	Start, End int
	Line       int // from 0
}

func (t Token) Text(src []byte) string { return string(src[t.Start:t.End]) }

// lexer splits source of any language into tokens. It accepts every input.
type lexer struct {
	src  []byte
	l    *Language
	i    int
	line int
	toks []Token
}

// Lex returns the tokens of src.
func Lex(src []byte, l *Language) []Token {
	x := &lexer{src: src, l: l, toks: make([]Token, 0, len(src)/4+8)}
	if bytes.HasPrefix(src, []byte("#!")) {
		x.toLineEnd()
	}
	for x.i < len(x.src) {
		x.next()
	}
	return x.toks
}

func (x *lexer) next() {
	c := x.src[x.i]
	switch {
	case c == '\n':
		x.line++
		x.i++
	case c <= ' ':
		x.i++
	case x.comment():
	case x.quoted():
	case IsDigit(c) || c == '.' && x.digitAt(x.i+1) && !x.glued():
		x.number(x.i)
	case c == '-' && x.l.Minus && (x.digitAt(x.i+1) || x.at(x.i+1) == '.' && x.digitAt(x.i+2)) && x.operandDue():
		x.number(x.i + 1)
	case isWordByte(c) || x.l.dollar && c == '$' || c == '@' && x.l.unitWord:
		x.word()
	case c == '#' && (x.l.block == stars && isWordByte(x.at(x.i+1))):
		x.word() // #include, and colours of style sheets
	case c == '(' || c == '[' || c == '{':
		x.emit(Open, x.i+1)
	case c == ')' || c == ']' || c == '}':
		x.emit(Close, x.i+1)
	default:
		x.emit(Op, x.i+operatorLen(x.src[x.i:]))
	}
}

func (x *lexer) emit(k Kind, end int) {
	x.toks = append(x.toks, Token{k, x.i, end, x.line})
	for _, c := range x.src[x.i:end] {
		if c == '\n' {
			x.line++
		}
	}
	x.i = end
}

func (x *lexer) at(i int) byte {
	if i < 0 || i >= len(x.src) {
		return 0
	}
	return x.src[i]
}

func (x *lexer) digitAt(i int) bool { return IsDigit(x.at(i)) }

func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || IsDigit(c) || c >= 0x80
}

// glued reports whether the byte before belongs to an operand: x.5 is no
// number.
func (x *lexer) glued() bool {
	p := x.at(x.i - 1)
	return x.i > 0 && (isWordByte(p) || p == ')' || p == ']')
}

func (x *lexer) toLineEnd() {
	if n := bytes.IndexByte(x.src[x.i:], '\n'); n >= 0 {
		x.i += n
		return
	}
	x.i = len(x.src)
}

// comment skips a comment that starts here.
func (x *lexer) comment() bool {
	rest := x.src[x.i:]
	if open := x.l.block[0]; open != "" && bytes.HasPrefix(rest, []byte(open)) {
		end := len(rest)
		if n := bytes.Index(rest[len(open):], []byte(x.l.block[1])); n >= 0 {
			end = len(open) + n + len(x.l.block[1])
		}
		x.line += bytes.Count(rest[:end], []byte{'\n'})
		x.i += end
		return true
	}
	for _, s := range x.l.line {
		if len(rest) < len(s) || string(rest[:len(s)]) != s {
			continue
		}
		if s == "#" && x.i > 0 && x.src[x.i-1] > ' ' && x.l.Layout != LayoutIndent {
			continue // a#b and $# are no comments
		}
		if s == ";" && x.l.Layout == LayoutData && x.i > 0 && x.src[x.i-1] > ' ' {
			continue
		}
		x.toLineEnd()
		return true
	}
	return false
}

// quoted takes a string or a regular expression that starts here.
func (x *lexer) quoted() bool {
	c := x.src[x.i]
	switch {
	case x.l.raw != 0 && c == x.l.raw:
		x.emit(String, x.stringEnd(x.i+1, c, true))
	case x.l.chars && c == '\'':
		if x.at(x.i+1) != '\\' && x.at(x.i+2) != '\'' {
			x.emit(Op, x.i+1) // a lifetime
			return true
		}
		x.emit(String, x.stringEnd(x.i+1, c, false))
	case bytes.IndexByte([]byte(x.l.quotes), c) >= 0:
		if x.l.Layout == LayoutData && x.glued() {
			return false
		}
		if x.l.triple && x.at(x.i+1) == c && x.at(x.i+2) == c {
			end := len(x.src)
			if n := bytes.Index(x.src[x.i+3:], []byte{c, c, c}); n >= 0 {
				end = x.i + 3 + n + 3
			}
			x.emit(String, end)
			return true
		}
		x.emit(String, x.stringEnd(x.i+1, c, x.l.span))
	case c == '/' && x.l.regex && x.operandDue() && x.at(x.i+1) > ' ':
		end := x.stringEnd(x.i+1, '/', false)
		if x.at(end-1) != '/' || end == x.i+1 {
			return false
		}
		x.emit(String, end)
	default:
		return false
	}
	return true
}

// stringEnd returns the position after the quote that closes a string, or the
// end of the line (of the source) of one that is not closed.
func (x *lexer) stringEnd(i int, quote byte, lines bool) int {
	raw := quote == '`' && x.l.Name == "go"
	for ; i < len(x.src); i++ {
		switch c := x.src[i]; {
		case c == quote:
			return i + 1
		case c == '\\' && !raw:
			i++
		case c == '\n' && !lines:
			return i
		}
	}
	return len(x.src)
}

// operandDue reports whether the grammar asks for an operand here, so that a
// minus is a sign.
func (x *lexer) operandDue() bool {
	if len(x.toks) == 0 {
		return true
	}
	if x.l.Layout == LayoutData || x.l.Layout == LayoutText {
		p := x.at(x.i - 1)
		return p <= ' ' || p == ',' || p == '(' || p == '[' || p == ':' || p == '='
	}
	last := x.toks[len(x.toks)-1]
	switch last.Kind {
	case Open:
		return true
	case Op:
		s := last.Text(x.src)
		return s != "++" && s != "--" && s != "."
	case Word:
		return beforeOperand(last.Text(x.src))
	}
	return false
}

// beforeOperand reports keywords after which an operand follows.
func beforeOperand(w string) bool {
	switch w {
	case "return", "in", "and", "or", "not", "else", "if", "elif", "while", "case", "yield", "typeof", "of", "then", "do",
		"print", "assert", "lambda", "await", "throw", "until", "unless", "when", "is":
		return true
	}
	return false
}

func (x *lexer) word() {
	j := x.i + 1
	for j < len(x.src) && isWordByte(x.src[j]) {
		j++
	}
	x.emit(Word, j)
}

// operators of more than one byte, longest first.
var operators = []string{
	">>>=", "<<=", ">>=", "**=", "//=", "...", "===", "!==", ">>>", "&&=", "||=", "??=", "..=", "<=>", "&^=",
	"&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", ":=", "->", "=>", "::", "++", "--", "**",
	"<<", ">>", "..", "?.", "??", "|=", "&=", "^=", "<-", "&^", "//",
}

func operatorLen(s []byte) int {
	for _, op := range operators {
		if len(s) >= len(op) && s[0] == op[0] && string(s[:len(op)]) == op {
			return len(op)
		}
	}
	return 1
}
