package mutant

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SameNumber reports whether two versions of a source of JavaScript or TypeScript differ in one expression of numbers
// alone that has one value in both (70 and 70 + 1.45 * 0, 0x80 and Math.abs(0x80)), so that the program is the same. Of
// other languages it knows nothing: where numbers have kinds, a value in another kind is another value.
func SameNumber(file string, before, after []byte) bool {
	if !slices.Contains([]string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}, path.Ext(file)) {
		return false
	}
	a, b := tokensOf(string(before)), tokensOf(string(after))
	from, end := 0, 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	const around = 8 // tokens that both have, on each side of what differs
	for left := range min(from, around) + 1 {
		for right := range min(end, around) + 1 {
			i, j := from-left, end-right
			if one, other := a[i:len(a)-j], b[i:len(b)-j]; sameValue(one, other) && apart(one, other, a[:i], a[len(a)-j:]) {
				return true
			}
		}
	}
	return false
}

// jsToken finds comments, texts, numbers, words and signs; a number that goes on as a word (70n) is a word.
var jsToken = regexp.MustCompile("(?s)//[^\\n]*|/\\*.*?\\*/|'(?:\\\\.|[^'\\\\\\n])*'|\"(?:\\\\.|[^\"\\\\\\n])*\"|`(?:\\\\.|[^`\\\\])*`" +
	`|(?:0[xXoObB][0-9a-fA-F_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)[\w$]*|[\w$]+|[=!<>]==?|=>|&&|\|\||\?\?|\*\*=?|\+\+|--|[-+*/%]=|<<|>>>?|\S`)

// tokensOf are the tokens of a source without comments.
func tokensOf(source string) []string {
	return slices.DeleteFunc(jsToken.FindAllString(source, -1), func(t string) bool { return strings.HasPrefix(t, "//") || strings.HasPrefix(t, "/*") })
}

// sameValue reports whether both are expressions of numbers alone with one value.
func sameValue(one, other []string) bool {
	x, ok := valueOf(one)
	y, okay := valueOf(other)
	return ok && okay && (x == y && math.Signbit(x) == math.Signbit(y) || math.IsNaN(x) && math.IsNaN(y))
}

// apart reports whether two expressions stand between tokens that take neither apart: they are one operand each, or what is
// beside them binds less than any sign in them.
func apart(one, other, before, behind []string) bool {
	left, right := "", ""
	if len(before) > 0 {
		left = before[len(before)-1]
	}
	if len(behind) > 0 {
		right = behind[0]
	}
	loose := []string{"", "(", "[", "{", "}", ")", "]", ",", ";", ":", "?", "=", "==", "===", "!=", "!==", "<=", ">=", "=>", "&&", "||", "??", "return", "+=", "-=", "*=", "/=", "%=", "<", ">"}
	if isOperand(one) && isOperand(other) {
		return left != "." && !slices.Contains([]string{".", "(", "[", "++", "--", "**", "`"}, right)
	}
	return slices.Contains(loose, left) && left != ")" && left != "]" && slices.Contains(loose, right) && right != "(" && right != "["
}

// isOperand reports whether an expression is a number, a call, or stands in brackets.
func isOperand(tokens []string) bool {
	p := numbers{tokens: tokens}
	_, ok := p.operand()
	return ok && len(p.tokens) == 0
}

func valueOf(tokens []string) (float64, bool) {
	p := numbers{tokens: tokens}
	v, ok := p.sum()
	return v, ok && len(p.tokens) == 0
}

// numbers reads an expression of numbers from its front.
type numbers struct{ tokens []string }

func (p *numbers) next(of ...string) string {
	if len(p.tokens) == 0 || !slices.Contains(of, p.tokens[0]) {
		return ""
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	return t
}

func (p *numbers) sum() (float64, bool) {
	v, ok := p.product()
	for ok {
		sign := p.next("+", "-")
		if sign == "" {
			return v, true
		}
		var w float64
		if w, ok = p.product(); sign == "-" {
			w = -w
		}
		v += w
	}
	return 0, false
}

func (p *numbers) product() (float64, bool) {
	v, ok := p.signed()
	for ok {
		sign := p.next("*", "/", "%")
		if sign == "" {
			return v, true
		}
		var w float64
		switch w, ok = p.signed(); sign {
		case "*":
			v *= w
		case "/":
			v /= w
		case "%":
			v = math.Mod(v, w)
		}
	}
	return 0, false
}

func (p *numbers) signed() (float64, bool) {
	switch p.next("-", "+") {
	case "-":
		v, ok := p.signed()
		return -v, ok
	case "+":
		return p.signed()
	}
	return p.operand()
}

// functions of one number, and of two.
var (
	ofOne = map[string]func(float64) float64{"abs": math.Abs, "sqrt": math.Sqrt, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc}
	ofTwo = map[string]func(x, y float64) float64{"min": math.Min, "max": math.Max}
)

func (p *numbers) operand() (float64, bool) {
	switch {
	case len(p.tokens) == 0:
		return 0, false
	case p.next("(") != "":
		v, ok := p.sum()
		return v, ok && p.next(")") != ""
	case len(p.tokens) > 4 && p.tokens[0] == "Math" && p.tokens[1] == "." && p.tokens[3] == "(":
		name := p.tokens[2]
		p.tokens = p.tokens[4:]
		v, ok := p.sum()
		if two := ofTwo[name]; two != nil && ok && p.next(",") != "" {
			var w float64
			w, ok = p.sum()
			return two(v, w), ok && p.next(")") != ""
		}
		one := ofOne[name]
		if !ok || one == nil || p.next(")") == "" {
			return 0, false
		}
		return one(v), true
	}
	v, ok := literal(p.tokens[0])
	p.tokens = p.tokens[1:]
	return v, ok
}

// literal is the value of a number as it is written.
func literal(text string) (float64, bool) {
	digits := strings.ReplaceAll(text, "_", "")
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1])) {
		v, err := strconv.ParseUint(digits, 0, 53)
		return float64(v), err == nil
	}
	if len(digits) == 0 || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return 0, false
	}
	v, err := strconv.ParseFloat(digits, 64)
	return v, err == nil
}
