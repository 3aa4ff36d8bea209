package idiom

import (
	"slices"
	"strings"

	"atoll/engine/agent/offline/language"
)

// pyLoop is a for loop with one simple statement in it, that may hang on one condition.
type pyLoop struct {
	targets, iter, cond [2]int // tokens
	body                int    // line
	end                 int    // line after it
}

// loop reads the loop at a line that a comprehension can stand for.
func (x *python) loop(k int) (l pyLoop, ok bool) {
	if k >= len(x.lines) || x.text(x.lines[k].first) != "for" {
		return l, false
	}
	line := x.lines[k]
	in := x.top(line.first, line.end, "in")
	if in < 0 || x.text(line.end-1) != ":" || in+1 >= line.end-1 {
		return l, false
	}
	l.targets, l.iter, l.end, l.body = [2]int{line.first + 1, in}, [2]int{in + 1, line.end - 1}, x.blockEnd(k), k+1
	for i := line.first + 1; i < in; i++ {
		if t := x.text(i); x.s.Toks[i].Kind != language.Word && t != "," && t != "(" && t != ")" {
			return l, false
		}
	}
	if l.end < len(x.lines) && x.lines[l.end].indent == line.indent && x.text(x.lines[l.end].first) == "else" {
		return l, false
	}
	if first := x.lines[min(k+1, len(x.lines)-1)]; l.end == k+3 && x.text(first.first) == "if" && x.text(first.end-1) == ":" && x.lines[k+2].indent > first.indent {
		l.cond, l.body = [2]int{first.first + 1, first.end - 1}, k+2
	}
	if l.end != l.body+1 || x.remarked(line.first, x.lines[l.body].end) || x.hasWord(line.first, x.lines[l.body].end, strange...) || x.top(x.lines[l.body].first, x.lines[l.body].end, ";") >= 0 {
		return l, false
	}
	return l, true
}

// own reports whether what the loop assigns is seen by nothing but the loop: not behind
// it, not by another turn of a loop around it, not by a function in the function.
func (x *python) own(l pyLoop, k int, d *pyDef, name string) bool {
	from, end := x.lines[k].first, x.lines[l.end-1].end
	outside := func(word string) bool {
		for j := d.first; j < d.end; j++ {
			line := x.lines[j]
			if j >= k && j < l.end || !x.mentions(line.first, line.end, word) {
				continue
			}
			if !x.assignedAround(j, k, d, word) {
				return false
			}
		}
		return true
	}
	for i := l.targets[0]; i < l.targets[1]; i++ {
		if x.s.Toks[i].Kind != language.Word {
			continue
		}
		if word := x.text(i); word == name || x.mentions(l.iter[0], l.iter[1], word) || !outside(word) {
			return false
		}
	}
	for j := d.first + 1; j < d.end; j++ {
		line := x.lines[j]
		word := x.text(line.first)
		inner := word == "def" || word == "class" || x.hasWord(line.first, line.end, "lambda")
		if (word == "global" || word == "nonlocal" || word == "async") && x.mentions(line.first, line.end, name) {
			return false
		}
		if inner && x.mentions(line.first, x.lines[max(j, x.blockEnd(j)-1)].end, name) {
			return false
		}
	}
	return !x.mentions(l.iter[0], l.iter[1], name) && !x.hasWord(from, end, "locals") && !x.hasWord(x.lines[d.first].first, x.lines[d.end-1].end, "locals", "vars", "exec", "eval")
}

// assignedAround reports whether a line that has a name lies in another loop over it.
func (x *python) assignedAround(j, k int, d *pyDef, name string) bool {
	for up := j; up > d.first; up-- {
		l := x.lines[up]
		if x.text(l.first) != "for" || x.blockEnd(up) <= j || up < k && k < x.blockEnd(up) {
			continue
		}
		if in := x.top(l.first, l.end, "in"); in > 0 && x.mentions(l.first, in, name) && !x.mentions(in, l.end, name) {
			return true
		}
	}
	return false
}

// clauses writes the loop as the end of a comprehension.
func (x *python) clauses(l pyLoop) string {
	iter := x.source(l.iter[0], l.iter[1])
	if x.top(l.iter[0], l.iter[1], ",", "if") >= 0 {
		iter = "(" + iter + ")"
	}
	text := " for " + x.source(l.targets[0], l.targets[1]) + " in " + iter
	if l.cond[1] > 0 {
		cond := x.source(l.cond[0], l.cond[1])
		if x.top(l.cond[0], l.cond[1], "if") >= 0 {
			cond = "(" + cond + ")"
		}
		text += " if " + cond
	}
	return text
}

// empty reads the assignment of an empty list, dict, set or text.
func (x *python) empty(k int) (name, value string) {
	l := x.lines[k]
	if l.end-l.first < 3 || x.s.Toks[l.first].Kind != language.Word || x.text(l.first+1) != "=" {
		return "", ""
	}
	value = strings.ReplaceAll(x.source(l.first+2, l.end), `"`, "'")
	if value == "set()" && !x.builtin("set") {
		return "", ""
	}
	return x.text(l.first), value
}

// region is an assignment with the loop behind it, where both can become one expression.
func (x *python) region(k int, values ...string) (name, value string, l pyLoop, d *pyDef) {
	name, value = x.empty(k)
	if !slices.Contains(values, value) || k+1 >= len(x.lines) || x.lines[k+1].indent != x.lines[k].indent || x.remarked(x.lines[k].first, x.lines[k+1].end) {
		return "", "", l, nil
	}
	l, ok := x.loop(k + 1)
	if d = x.def(k); !ok || d == nil || x.shielded(k, d) || !x.own(l, k, d, name) || l.cond[1] > 0 && x.mentions(l.cond[0], l.cond[1], name) {
		return "", "", l, nil
	}
	return name, value, l, d
}

// whole replaces the lines of a region.
func (x *python) whole(k int, l pyLoop, text string) Edit {
	return Edit{x.lines[k].start, x.lines[l.end-1].stop, text}
}

// collect makes a comprehension of a loop that fills a list, a set or a dict.
func (x *python) collect(k int) {
	name, value, l, d := x.region(k, "[]", "{}", "set()")
	if d == nil {
		return
	}
	b := x.lines[l.body]
	element, brackets := "", "{}"
	switch method := map[string]string{"[]": "append", "set()": "add"}[value]; {
	case value == "{}":
		// The key is read after the value in the loop and before it in the comprehension.
		if b.end-b.first < 6 || x.text(b.first) != name || x.text(b.first+1) != "[" || x.text(b.first+3) != "]" || x.text(b.first+4) != "=" || x.s.Toks[b.first+2].Kind != language.Word ||
			x.mentions(b.first+5, b.end, name) || x.top(b.first+5, b.end, ",", "=") >= 0 || x.text(b.first+5) == "*" {
			return
		}
		element = x.text(b.first+2) + ": " + x.source(b.first+5, b.end)
	case b.end-b.first < 6 || x.text(b.first) != name || x.text(b.first+1) != "." || x.text(b.first+2) != method || x.text(b.first+3) != "(" || x.closing(b.first+3) != b.end-1:
		return
	case x.mentions(b.first+4, b.end-1, name) || x.top(b.first+4, b.end-1, ",", "=", "*") == b.first+4 || x.top(b.first+4, b.end-1, ",", "=") >= 0:
		return
	default:
		element = x.source(b.first+4, b.end-1)
		if x.top(b.first+4, b.end-1, "for") >= 0 {
			element = "(" + element + ")"
		}
		if value == "[]" {
			brackets = "[]"
		}
	}
	x.offer("a comprehension", k, d, 1, 3, x.whole(k, l, name+" = "+brackets[:1]+element+x.clauses(l)+brackets[1:]))
}

// joined makes a join of a loop that adds texts to a text.
func (x *python) joined(k int) {
	name, _, l, d := x.region(k, "''")
	if d == nil {
		return
	}
	b := x.lines[l.body]
	if b.end-b.first < 3 || x.text(b.first) != name || x.text(b.first+1) != "+=" || !x.surelyText(b.first+2, b.end) || x.mentions(b.first+2, b.end, name) {
		return
	}
	x.offer("join", k, d, 1, 2, x.whole(k, l, name+" = ''.join(["+x.source(b.first+2, b.end)+x.clauses(l)+"])"))
}

// surelyText reports whether an expression is a str: a formatted literal, a call of a
// function that returns nothing else, or of join or format of a literal.
func (x *python) surelyText(from, end int) bool {
	switch first := x.s.Toks[from]; {
	case end-from == 1:
		return first.Kind == language.String && !strings.ContainsAny(strings.ToLower(x.text(from)[:1]), "b")
	case end-from == 2 && x.s.Toks[from+1].Kind == language.String: // with a prefix
		return !strings.ContainsAny(strings.ToLower(x.text(from)), "b") && first.End == x.s.Toks[from+1].Start
	case slices.Contains([]string{"str", "chr", "repr", "hex", "oct", "bin", "ascii"}, x.text(from)):
		return x.text(from+1) == "(" && x.closing(from+1) == end-1 && x.builtin(x.text(from))
	case first.Kind == language.String && x.text(from+1) == "." && (x.text(from+2) == "join" || x.text(from+2) == "format"):
		return x.text(from+3) == "(" && x.closing(from+3) == end-1
	}
	return false
}

// bound reads the method append of a list once before a loop. It pays in interpreters
// before 3.11 alone.
func (x *python) bound(k int) {
	name, value := x.empty(k)
	d := x.def(k)
	if value != "[]" || d == nil {
		return
	}
	j := k + 1
	for ; j < d.end && x.lines[j].indent == x.lines[k].indent; j++ {
		l := x.lines[j]
		if word := x.text(l.first); word == "for" || word == "while" {
			break
		} else if x.text(l.end-1) == ":" || x.mentions(l.first, l.end, name) {
			return
		}
	}
	if j >= d.end || x.lines[j].indent != x.lines[k].indent || x.mentions(x.lines[j].first, x.lines[j].end, name) {
		return
	}
	as := name + "_append"
	loop := x.lines[j]
	edits := []Edit{{loop.start, loop.start, as + " = " + name + ".append\n" + indentText(x.s.Data, loop.start)}}
	end := x.lines[x.blockEnd(j)-1].end
	for i := loop.end; i < end; i++ {
		if x.s.Toks[i].Kind == language.String && x.formatted(i) && strings.Contains(x.text(i), name) {
			return
		}
		if x.text(i) != name || x.text(i-1) == "." {
			continue
		}
		if x.text(i+1) != "." || x.text(i+2) != "append" || x.text(i+3) != "(" {
			return
		}
		edits = append(edits, Edit{x.s.Toks[i].Start, x.s.Toks[i+2].End, as})
	}
	if len(edits) == 1 || x.mentions(0, len(x.s.Toks), as) || x.hasWord(loop.first, end, "def", "lambda", "class", "exec", "eval", "locals") {
		return
	}
	x.offer("append read once", k, d, 0, 0.5, edits...)
}

func indentText(data []byte, at int) string {
	return string(data[language.LineStart(data, at):at])
}

// listed makes a comprehension of a generator that is read to its end anyway.
func (x *python) listed(i int) {
	open := i + 1
	if x.text(open) != "(" || x.s.Toks[i].Kind != language.Word {
		return
	}
	end := x.closing(open)
	if end < open+4 {
		return
	}
	word, before := x.text(i), x.text(i-1)
	ofText := word == "join" && before == "." && i > 1 && x.s.Toks[i-2].Kind == language.String
	if !ofText && (!slices.Contains([]string{"list", "tuple", "set", "sorted", "frozenset"}, word) || before == "." || before == "def" || before == "class") {
		return
	}
	loop := x.top(open+1, end, "for")
	if loop < 0 || x.top(open+1, loop, ",", "=", "*") >= 0 || x.hasWord(open, end, strange...) || !ofText && !x.builtin(word) {
		return
	}
	d := x.def(x.at[i])
	if d == nil {
		return
	}
	o, c := x.s.Toks[open], x.s.Toks[end]
	edits := []Edit{{o.End, o.End, "["}, {c.Start, c.Start, "]"}}
	switch word {
	case "list":
		edits = []Edit{{x.s.Toks[i].Start, o.End, "["}, {c.Start, c.End, "]"}}
	case "set":
		edits = []Edit{{x.s.Toks[i].Start, o.End, "{"}, {c.Start, c.End, "}"}}
	}
	x.offer("a comprehension for a generator", x.at[i], d, 0, 2, edits...)
}

// display writes an empty list, dict or tuple instead of calling for it.
func (x *python) display(i int) {
	text, ok := map[string]string{"list": "[]", "dict": "{}", "tuple": "()"}[x.text(i)]
	if !ok || x.text(i+1) != "(" || x.text(i+2) != ")" || slices.Contains([]string{".", "@", "def", "class"}, x.text(i-1)) || !x.builtin(x.text(i)) {
		return
	}
	if d := x.def(x.at[i]); d != nil && x.text(i+3) != "." {
		x.offer("a display for a call", x.at[i], d, 0, 1, Edit{x.s.Toks[i].Start, x.s.Toks[i+2].End, text})
	}
}

// The words between which a comparison stands alone.
var (
	beforeTest = []string{"if", "elif", "while", "and", "or", "not", "return", "(", "[", "=", ","}
	behindTest = []string{":", "and", "or", ")", "]", "if", "else", ",", "for"}
)

// members looks a text or a number up in a set instead of comparing it with each of some
// constants. What is looked up has to be of a kind that sets take.
func (x *python) members(i int) {
	if x.text(i) != "in" || x.text(i+1) != "(" && x.text(i+1) != "[" {
		return
	}
	open := i + 1
	end := x.closing(open)
	d := x.def(x.at[i])
	if end < 0 || d == nil || x.at[end] == x.at[i] && end+1 < x.lines[x.at[i]].end && !slices.Contains(behindTest, x.text(end+1)) {
		return
	}
	count, kind := 0, x.s.Toks[open+1].Kind
	for j := open + 1; j < end; j++ {
		t := x.s.Toks[j]
		switch {
		case (j-open)%2 == 0 && x.text(j) == ",":
		case (j-open)%2 == 1 && t.Kind == kind && (kind == language.String || kind == language.Number && !strings.ContainsAny(x.text(j), ".eEjJ")):
			count++
		default:
			return
		}
	}
	last := i - 1
	if x.text(last) == "not" {
		last--
	}
	if count < 3 || x.text(last) != ")" || !x.surelyPlain(last) {
		return
	}
	o, c := x.s.Toks[open], x.s.Toks[end]
	x.offer("a set for a list of constants", x.at[i], d, 0, 2, Edit{o.Start, o.End, "{"}, Edit{c.Start, c.End, "}"})
}

// surelyPlain reports whether the call that ends at a token gives a text or a number,
// and is all of what stands left of a comparison.
func (x *python) surelyPlain(last int) bool {
	open := last
	for depth := 0; open >= 0; open-- {
		switch x.s.Toks[open].Kind {
		case language.Close:
			depth++
		case language.Open:
			depth--
		}
		if depth == 0 {
			break
		}
	}
	i := open - 1
	switch word := x.text(i); {
	case slices.Contains([]string{"len", "ord", "chr", "str", "repr", "hex", "oct", "bin", "ascii", "type", "id", "hash"}, word) && x.text(i-1) != ".":
		return slices.Contains(beforeTest, x.text(i-1)) && x.builtin(word)
	case slices.Contains([]string{"lower", "upper", "casefold", "title", "capitalize", "swapcase"}, word) && x.text(i-1) == "." && open+1 == last:
		i -= 2
	default:
		return false
	}
	for i > 1 && x.s.Toks[i].Kind == language.Word && x.text(i-1) == "." {
		i -= 2
	}
	return x.s.Toks[i].Kind == language.Word && slices.Contains(beforeTest, x.text(i-1))
}
