package behavior

import (
	"math"
	"path"
	"strconv"
	"strings"
)

// style is how a language writes comments.
type style string

const (
	styleC    style = "c"    // to the end of the line from //, and /* */
	styleHash style = "hash" // from #
	styleDash style = "dash" // from --, and /* */
	styleSemi style = "semi" // from ;
	stylePct  style = "pct"  // from %
	styleNone style = "none"
)

// styleOf goes by the name of a file.
func styleOf(name string) style {
	base := strings.ToLower(path.Base(name))
	switch base {
	case "makefile", "dockerfile", "gemfile", "rakefile", "justfile", "cmakelists.txt", "build", "workspace":
		return styleHash
	}
	switch strings.TrimPrefix(path.Ext(base), ".") {
	case "go", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "cu", "cuh", "m", "mm", "java", "kt", "kts", "scala",
		"js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "cs", "rs", "swift", "php", "dart", "zig", "v", "sv",
		"proto", "sol", "glsl", "hlsl", "wgsl", "metal", "cl", "groovy", "gradle", "d", "fs", "fsx", "css", "scss",
		"less", "odin", "thrift", "vue", "svelte":
		return styleC
	case "py", "pyi", "pyx", "rb", "sh", "bash", "zsh", "fish", "pl", "pm", "r", "jl", "nim", "ex", "exs", "cr",
		"yaml", "yml", "toml", "tf", "hcl", "mk", "cmake", "ps1", "awk", "tcl", "coffee", "gd", "nix", "bzl", "star":
		return styleHash
	case "sql", "lua", "hs", "elm", "ada", "adb", "ads", "vhd", "vhdl":
		return styleDash
	case "lisp", "lsp", "cl2", "clj", "cljs", "cljc", "scm", "ss", "rkt", "el", "asm", "s":
		return styleSemi
	case "erl", "hrl", "tex", "pro", "prolog":
		return stylePct
	}
	return styleNone
}

type tokenKind uint8

const (
	wordToken tokenKind = iota
	numberToken
	signToken // an operator; brackets and separators are left out
)

// token is a piece of source. Text is valid until the next one.
type token struct {
	kind  tokenKind
	text  []byte
	value float64 // of a number, with its sign
}

// scanner cuts source text of any language into tokens and drops comments. It
// knows no grammar: where it guesses wrong it is wrong until the end of the
// line.
type scanner struct {
	src   []byte
	pos   int
	style style
	quote byte // open string, 0 outside
	triple,
	blank bool // only white space so far on this line
	operand bool // the last token was an operand, so that - is a subtraction
	minus   bool // the last sign was a - before a number
}

func newScanner(name string, src []byte) *scanner {
	return &scanner{src: src, style: styleOf(name), blank: true}
}

// next returns the next token; false at the end.
func (s *scanner) next() (token, bool) {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '\n':
			s.newline()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			s.pos++
		case s.quote != 0 && s.closes(c), s.quote == 0 && s.comment(), s.quote == 0 && s.opens(c):
		case isDigit(c) || c == '.' && !s.operand && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1]):
			return s.number(), true
		case isWord(c):
			return s.word(), true
		default:
			if t, ok := s.sign(c); ok {
				return t, true
			}
		}
	}
	return token{}, false
}

func (s *scanner) newline() {
	s.pos++
	s.blank, s.operand, s.minus = true, false, false
	if s.quote == '"' && !s.triple || s.quote == '\'' && !s.triple {
		s.quote = 0
	}
}

// closes handles the end of a string and escapes in one.
func (s *scanner) closes(c byte) bool {
	if c == '\\' && s.quote != '`' {
		s.pos += 2
		return true
	}
	if c != s.quote {
		return false
	}
	if s.triple && !s.has(string([]byte{c, c, c})) {
		s.pos++
		return true
	}
	if s.triple {
		s.pos += 2
	}
	s.pos++
	s.quote, s.triple, s.operand, s.blank = 0, false, true, false
	return true
}

// opens handles the begin of a string.
func (s *scanner) opens(c byte) bool {
	switch c {
	case '"':
	case '\'':
		if s.style == styleC && !s.charLiteral() || s.style == styleSemi || s.style == styleNone {
			s.pos++
			return true
		}
	case '`':
		if s.style != styleC {
			s.pos++
			return true
		}
	default:
		return false
	}
	if c != '`' && s.style == styleHash && s.has(string([]byte{c, c, c})) {
		if s.blank { // a text that is no operand of anything: documentation
			s.skipTo(string([]byte{c, c, c}), 3)
			return true
		}
		s.triple = true
		s.pos += 2
	}
	s.pos++
	s.quote, s.blank, s.operand = c, false, false
	return true
}

// charLiteral reports whether a ' closes soon: else it is a lifetime, a digit
// separator or an apostrophe.
func (s *scanner) charLiteral() bool {
	for i := s.pos + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		if s.src[i] == '\\' {
			i++
			continue
		}
		if s.src[i] == '\'' {
			return true
		}
	}
	return false
}

// comment skips a comment that begins here.
func (s *scanner) comment() bool {
	line := ""
	switch s.style {
	case styleC:
		line = "//"
	case styleHash:
		line = "#"
	case styleDash:
		line = "--"
	case styleSemi:
		line = ";"
	case stylePct:
		line = "%"
	}
	if (s.style == styleC || s.style == styleDash) && s.has("/*") {
		s.skipTo("*/", 2)
		return true
	}
	if line == "" || !s.has(line) {
		return false
	}
	for s.pos < len(s.src) && s.src[s.pos] != '\n' {
		s.pos++
	}
	return true
}

func (s *scanner) has(prefix string) bool {
	return len(s.src)-s.pos >= len(prefix) && string(s.src[s.pos:s.pos+len(prefix)]) == prefix
}

// skipTo moves behind the next end, which lies at least from bytes ahead.
func (s *scanner) skipTo(end string, from int) {
	for s.pos += from; s.pos < len(s.src); s.pos++ {
		if s.has(end) {
			s.pos += len(end)
			return
		}
	}
	s.pos = len(s.src)
}

func (s *scanner) word() token {
	from := s.pos
	for s.pos < len(s.src) && (isWord(s.src[s.pos]) || isDigit(s.src[s.pos])) {
		s.pos++
	}
	s.blank, s.minus = false, false
	text := s.src[from:s.pos]
	s.operand = string(text) != "return" && string(text) != "case" && string(text) != "in"
	return token{kind: wordToken, text: text}
}

func (s *scanner) sign(c byte) (token, bool) {
	from := s.pos
	s.pos++
	s.blank = false
	switch c {
	case ')', ']', '}':
		s.operand = true
		return token{}, false
	case '+', '-', '*', '/', '%', '<', '>', '=', '!', '&', '|', '^', '~', '?', ':', '@':
	default:
		s.operand, s.minus = false, false
		return token{}, false
	}
	s.minus = c == '-' && !s.operand
	if s.minus {
		return token{}, false // part of the operand that follows
	}
	for s.pos < len(s.src) && s.pos-from < 3 && strings.IndexByte("=<>&|:+-", s.src[s.pos]) >= 0 {
		if s.src[s.pos] == '-' && s.src[s.pos-1] != '-' { // x=-1: a sign of its own
			break
		}
		s.pos++
	}
	s.operand = false
	return token{kind: signToken, text: s.src[from:s.pos]}, true
}

// number reads a literal: decimal with fraction and exponent, or 0x, 0o, 0b.
// Digit separators count for nothing; a unit or type behind it is left out.
func (s *scanner) number() token {
	from := s.pos
	hex := s.has("0x") || s.has("0X")
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case isDigit(c) || c == '_' || c < 0x80 && isWord(c) && c != '$':
		case c == '.' && s.pos+1 < len(s.src) && (isWord(s.src[s.pos+1]) || s.src[s.pos+1] == '.'):
			return s.numberOf(from)
		case c == '.':
		case (c == '+' || c == '-') && !hex && (s.src[s.pos-1]|0x20) == 'e' && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1]):
		default:
			return s.numberOf(from)
		}
		s.pos++
	}
	return s.numberOf(from)
}

func (s *scanner) numberOf(from int) token {
	text := s.src[from:s.pos]
	v := parseNumber(string(text))
	if s.minus {
		v = -v
	}
	s.blank, s.operand, s.minus = false, true, false
	return token{kind: numberToken, text: text, value: v}
}

// parseNumber returns the value of the longest beginning that is a number.
func parseNumber(text string) float64 {
	text = strings.ReplaceAll(strings.ToLower(text), "_", "")
	if len(text) > 2 && text[0] == '0' {
		base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]]
		for end := len(text); base > 0 && end > 2; end-- {
			if v, err := strconv.ParseUint(text[2:end], base, 64); err == nil {
				return float64(v)
			}
		}
	}
	end := 0
	digits := func() {
		for end < len(text) && isDigit(text[end]) {
			end++
		}
	}
	digits()
	if end < len(text) && text[end] == '.' {
		end++
		digits()
	}
	mantissa := end
	if end+1 < len(text) && text[end] == 'e' {
		end++
		if text[end] == '+' || text[end] == '-' {
			end++
		}
		if at := end; true {
			digits()
			if end == at {
				end = mantissa
			}
		}
	}
	v, err := strconv.ParseFloat(text[:end], 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}

// subTokens calls visit with the parts of an identifier in lower case:
// parseHTTP2_go gives parse, http, 2 and go. Buf is scratch space.
func subTokens(word, buf []byte, visit func(part []byte)) []byte {
	flush := func() {
		if len(buf) > 0 {
			visit(buf)
			buf = buf[:0]
		}
	}
	for i, c := range word {
		if c == '_' || c == '$' {
			flush()
			continue
		}
		if i > 0 {
			p := word[i-1]
			upper := c >= 'A' && c <= 'Z'
			switch {
			case upper && !(p >= 'A' && p <= 'Z'), isDigit(c) != isDigit(p):
				flush()
			case upper && i+1 < len(word) && word[i+1] >= 'a' && word[i+1] <= 'z':
				flush()
			}
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if len(buf) < 64 {
			buf = append(buf, c)
		}
	}
	flush()
	return buf[:0]
}
