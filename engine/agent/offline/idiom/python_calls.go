package idiom

import (
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// lesser compares two names instead of calling min or max for them: the first of two
// equal ones is the answer of both.
func (x *python) lesser(i int) {
	op, ok := map[string]string{"min": "<", "max": ">"}[x.text(i)]
	if !ok || x.text(i+1) != "(" || x.text(i+3) != "," || x.text(i+5) != ")" || slices.Contains([]string{".", "def", "class"}, x.text(i-1)) || !x.builtin(x.text(i)) {
		return
	}
	a, b, d := x.text(i+2), x.text(i+4), x.def(x.at[i])
	for _, t := range x.s.Toks[i+2 : i+5] {
		if t.Text(x.s.Data) != "," && t.Kind != language.Word && t.Kind != language.Number {
			return
		}
	}
	if d == nil || a == b || x.remarked(i, i+5) {
		return
	}
	text := b + " if " + b + " " + op + " " + a + " else " + a
	if line := x.lines[x.at[i]]; i+6 != line.end || x.text(i-1) != "return" && (i != line.first+2 || x.text(i-1) != "=") {
		text = "(" + text + ")"
	}
	x.offer("a comparison for "+x.text(i), x.at[i], d, 0, 2, Edit{x.s.Toks[i].Start, x.s.Toks[i+5].End, text})
}

// pairs makes a comprehension of a dict that is called for with pairs, and of a set or
// list that is called for with a list.
func (x *python) pairs(i int) {
	word, open := x.text(i), i+1
	if !slices.Contains([]string{"dict", "set", "list"}, word) || x.text(open) != "(" || slices.Contains([]string{".", "def", "class"}, x.text(i-1)) || !x.builtin(word) {
		return
	}
	end, d := x.closing(open), x.def(x.at[i])
	if end < 0 || d == nil || x.hasWord(open, end, strange...) || x.remarked(i, end) {
		return
	}
	first, last := open+1, end
	if x.text(first) == "[" && x.closing(first) == end-1 {
		first, last = first+1, end-1
	} else if word != "dict" { // a generator: listed
		return
	}
	loop := x.top(first, last, "for")
	if loop < 0 || x.top(first, loop, ",", "=", "*") >= 0 {
		return
	}
	element, brackets := x.source(first, loop), map[string]string{"dict": "{}", "set": "{}", "list": "[]"}[word]
	if word == "dict" {
		comma := x.top(first+1, loop-1, ",")
		if x.text(first) != "(" || x.closing(first) != loop-1 || comma < 0 || x.top(comma+1, loop-1, ",") >= 0 || x.text(first+1) == "*" || x.text(comma+1) == "*" || comma+1 == loop-1 {
			return
		}
		element = x.source(first+1, comma) + ": " + x.source(comma+1, loop-1)
	}
	x.offer("a comprehension for a call", x.at[i], d, 0, 2, Edit{x.s.Toks[i].Start, x.s.Toks[end].End, brackets[:1] + element + " " + x.source(loop, last) + brackets[1:]})
}

// mapped makes a comprehension of a function that map calls for each element, where all
// of them are read at once.
func (x *python) mapped(i int) {
	if x.text(i) != "map" || x.text(i+1) != "(" || x.text(i+2) != "lambda" || x.text(i+4) != ":" || x.text(i-1) != "(" || x.s.Toks[i+3].Kind != language.Word || !x.builtin("map") {
		return
	}
	end, d := x.closing(i+1), x.def(x.at[i])
	if end < 0 || d == nil || x.closing(i-1) != end+1 || x.remarked(i, end) {
		return
	}
	word, at := x.text(i-2), i-2
	ofText := word == "join" && x.text(i-3) == "." && i > 4 && x.s.Toks[i-4].Kind == language.String
	if !ofText && (!slices.Contains([]string{"list", "tuple", "set", "sorted", "frozenset"}, word) || slices.Contains([]string{".", "def", "class"}, x.text(i-3)) || !x.builtin(word)) {
		return
	}
	comma := x.top(i+5, end, ",")
	if comma < 0 || x.top(comma+1, end, ",", "*", "=") >= 0 || x.hasWord(i+5, end, strange...) || x.top(comma+1, end, "if") >= 0 {
		return
	}
	text := "[" + x.source(i+5, comma) + " for " + x.text(i+3) + " in " + x.source(comma+1, end) + "]"
	if word == "list" {
		x.offer("a comprehension for map", x.at[i], d, 0, 2, Edit{x.s.Toks[at].Start, x.s.Toks[end+1].End, text})
		return
	}
	x.offer("a comprehension for map", x.at[i], d, 0, 2, Edit{x.s.Toks[i].Start, x.s.Toks[end].End, text})
}

// old reports whether a file is written for Python 2, too.
func (x *python) old() bool {
	for _, l := range x.lines {
		if x.text(l.first) == "from" && x.text(l.first+1) == "__future__" && !x.hasWord(l.first, l.end, "annotations") {
			return true
		}
	}
	return x.hasWord(0, len(x.s.Toks), "unicode", "basestring", "xrange", "six")
}

// formats writes a formatted text instead of calling format of one: values that cannot
// change one another while they are read, each where it stands.
func (x *python) formats(i int) {
	text, d := x.text(i), x.def(x.at[i])
	if x.s.Toks[i].Kind != language.String || x.text(i+1) != "." || x.text(i+2) != "format" || x.text(i+3) != "(" || d == nil || len(text) < 2 || strings.HasPrefix(text[1:], text[:1]) && len(text) > 2 ||
		x.formatted(i) || i > 0 && (x.s.Toks[i-1].End == x.s.Toks[i].Start && x.s.Toks[i-1].Kind == language.Word || x.s.Toks[i-1].Kind == language.String) || text[0] != '"' && text[0] != '\'' || strings.Contains(text, `\N`) || x.old() {
		return
	}
	end := x.closing(i + 3)
	if end < 0 || x.remarked(i, end) {
		return
	}
	values, ok := x.values(i+4, end)
	if !ok {
		return
	}
	out, ok := filled(text, values)
	if ok {
		x.offer("a formatted text for format", x.at[i], d, 0, 2, Edit{x.s.Toks[i].Start, x.s.Toks[end].End, "f" + out})
	}
}

// values reads arguments that can be read in any order: names, attributes of names and
// numbers, by their position or name.
func (x *python) values(from, end int) (map[string]string, bool) {
	out := map[string]string{}
	for i, n := from, 0; i < end; n++ {
		next := x.top(i, end, ",")
		if next < 0 {
			next = end
		}
		key := fmt.Sprint(n)
		if x.text(i+1) == "=" {
			key, i = x.text(i), i+2
		}
		if i >= next {
			return nil, false
		}
		for j := i; j < next; j++ {
			t := x.s.Toks[j]
			if (j-i)%2 == 1 && x.text(j) != "." || (j-i)%2 == 0 && t.Kind != language.Word && (t.Kind != language.Number || next-i > 1) || x.text(j) == "lambda" || x.text(j) == "yield" {
				return nil, false
			}
		}
		if (next-i)%2 == 0 {
			return nil, false
		}
		out[key] = x.source(i, next)
		i = next + 1
	}
	return out, len(out) > 0
}

// filled puts values into the fields of a text; ok is false where a field is more than
// a number or name with a form, or a value is used nowhere.
func filled(text string, values map[string]string) (string, bool) {
	var out strings.Builder
	used, n := map[string]bool{}, 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '{' || c == '}' {
			if i+1 < len(text) && text[i+1] == c {
				out.WriteString(text[i : i+2])
				i++
				continue
			}
			size := strings.IndexAny(text[i+1:], "{}")
			if c == '}' || size < 0 || text[i+1+size] != '}' {
				return "", false
			}
			field := text[i+1:][:size]
			name, form := field, ""
			if k := strings.IndexAny(field, "!:"); k >= 0 {
				name, form = field[:k], field[k:]
			}
			if name == "" {
				name = fmt.Sprint(n)
				n++
			} else if n > 0 {
				return "", false // some are counted
			}
			value, ok := values[name]
			if !ok || strings.ContainsAny(form, `\`) {
				return "", false
			}
			used[name] = true
			out.WriteString("{" + value + form + "}")
			i += size + 1
			continue
		}
		out.WriteByte(c)
		if c == '\\' && i+1 < len(text) {
			i++
			out.WriteByte(text[i])
		}
	}
	return out.String(), len(used) == len(values)
}

// tables makes dicts of constants once.
type tables struct{ *python }

// table makes a dict of constants once for the module, where a function only looks into it.
func (x tables) table(i int) {
	if x.text(i) != "{" {
		return
	}
	end, d := x.closing(i), x.def(x.at[i])
	if end < 0 || d == nil || x.remarked(i, end) || !x.constants(i, end) {
		return
	}
	line := x.lines[x.at[i]]
	switch {
	case x.looked(end + 1): // {...}.get(key)
	case x.text(line.first+1) == "=" && line.first+2 == i && end == line.end-1 && x.onlyLooked(x.text(line.first), line.first, d):
	default:
		return
	}
	name := ""
	for n := 1; name == "" || strings.Contains(string(x.s.Data), name); n++ {
		name = fmt.Sprintf("_TABLE_%d", n)
	}
	top := x.at[i]
	for top > 0 && (x.lines[top].indent > 0 || x.text(x.lines[top-1].first) == "@" && x.lines[top-1].indent == 0) {
		top--
	}
	at := x.lines[top].start
	text := strings.Join(strings.Fields(x.source(i, end+1)), " ")
	if strings.Contains(x.source(i, end+1), "\n") {
		text = x.source(i, end+1)
	}
	x.offer("a table made once", x.at[i], d, 0, 3, Edit{at, at, name + " = " + text + "\n\n\n"}, Edit{x.s.Toks[i].Start, x.s.Toks[end].End, name})
}

// constants reports whether the braces at two tokens hold keys and values that are
// texts, numbers and the like, two of them at least.
func (x tables) constants(open, end int) bool {
	n := 0
	for j := open + 1; j < end; j++ {
		t := x.s.Toks[j]
		plain := t.Kind == language.Number || t.Kind == language.String && !x.formatted(j) || slices.Contains([]string{"None", "True", "False"}, x.text(j))
		if want := []string{"", ":", "", ","}[(j-open-1)%4]; want == "" && !plain || want != "" && x.text(j) != want {
			return false
		}
		if (j-open-1)%4 == 1 {
			n++
		}
	}
	return n >= 2 && (end-open-1)%4 != 1 && (end-open-1)%4 != 2
}

// looked reports whether the token behind a dict begins a look into it.
func (x tables) looked(i int) bool {
	if x.text(i) == "." {
		return slices.Contains([]string{"get", "items"}, x.text(i+1)) && x.text(i+2) == "("
	}
	if x.text(i) != "[" {
		return false
	}
	end := x.closing(i)
	return end > 0 && !assigns(x.text(end+1))
}

// assigns reports whether an operator changes what stands left of it.
func assigns(op string) bool {
	return strings.HasSuffix(op, "=") && !slices.Contains([]string{"==", "!=", "<=", ">="}, op)
}

// onlyLooked reports whether a function assigns a name once, at a token, and otherwise
// looks into what it holds.
func (x tables) onlyLooked(name string, at int, d *pyDef) bool {
	from, end := x.lines[d.first].first, x.lines[d.end-1].end
	if x.hasWord(from, end, "locals", "vars", "exec", "eval") {
		return false
	}
	for i := from; i < end; i++ {
		if i == at || !x.mentions(i, i+1, name) {
			continue
		}
		line := x.lines[x.at[i]]
		if x.top(i, line.end, "=") >= 0 || x.text(line.first) == "for" && x.top(line.first, line.end, "in") > i { // it is assigned to
			return false
		}
		if x.s.Toks[i].Kind == language.String || x.text(x.lines[x.at[i]].first) == "del" || !x.looked(i+1) && (x.text(i-1) != "in" || x.text(i+1) == "." || x.text(x.lines[x.at[i]].first) == "for") {
			return false
		}
	}
	return true
}
