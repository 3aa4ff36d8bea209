package idiom

import (
	"slices"
	"strconv"
	"strings"

	"atoll/engine/agent/offline/language"
)

// asking makes loops of what any and all are asked.
type asking struct{ *python }

// pyQuestion is a call of any or all with a generator: any(test for targets in iter if cond).
type pyQuestion struct {
	all                       bool
	test, targets, iter, cond [2]int // tokens
	end                       int    // token behind the call
}

// question reads the call of any or all that begins at a token.
func (x asking) question(i int) (q pyQuestion, ok bool) {
	word := x.text(i)
	if word != "any" && word != "all" || x.text(i+1) != "(" || x.text(i-1) == "." || !x.builtin(word) {
		return q, false
	}
	end := x.closing(i + 1)
	if end < 0 {
		return q, false
	}
	loop := x.top(i+2, end, "for")
	if loop < 0 || x.hasWord(i, end, strange...) || x.remarked(i, end) || x.top(i+2, loop, ",", "=", "*") >= 0 {
		return q, false
	}
	in := x.top(loop, end, "in")
	if in < 0 || x.top(in+1, end, "for", "else", ",") >= 0 {
		return q, false
	}
	q = pyQuestion{word == "all", [2]int{i + 2, loop}, [2]int{loop + 1, in}, [2]int{in + 1, end}, [2]int{}, end + 1}
	if cond := x.top(in+1, end, "if"); cond >= 0 {
		q.iter[1], q.cond = cond, [2]int{cond + 1, end}
		if x.top(cond+1, end, "if") >= 0 {
			return q, false
		}
	}
	for j := q.targets[0]; j < q.targets[1]; j++ {
		if t := x.text(j); x.s.Toks[j].Kind != language.Word && t != "," && t != "(" && t != ")" {
			return q, false
		}
	}
	if iter := x.source(q.iter[0], q.iter[1]); strings.Contains(iter, "\n") {
		return q, false
	}
	return q, q.test[0] < q.test[1] && q.targets[0] < q.targets[1] && q.iter[0] < q.iter[1]
}

// asked writes the head of the loop and the test whose outcome decides, for a place in a
// function. The names of the loop get others where the function has them, too.
func (x asking) asked(q pyQuestion, d *pyDef) (head, test string, ok bool) {
	from, end := x.lines[d.first].first, x.lines[d.end-1].end
	if x.hasWord(from, end, "locals", "vars", "exec", "eval") {
		return "", "", false
	}
	renamed := map[string]string{}
	for j := q.targets[0]; j < q.targets[1]; j++ {
		name := x.text(j)
		if x.s.Toks[j].Kind != language.Word || !x.elsewhere(q, from, end, name) {
			continue
		}
		for n := 2; ; n++ {
			if fresh := name + "_" + strconv.Itoa(n); !strings.Contains(string(x.s.Data), fresh) {
				renamed[name] = fresh
				break
			}
		}
	}
	parts := make([]string, 0, 3)
	for _, span := range [][2]int{q.targets, q.test, q.cond} {
		text, ok := x.renaming(span, renamed)
		if !ok {
			return "", "", false
		}
		parts = append(parts, text)
	}
	test = parts[1]
	if q.all {
		test = "not (" + test + ")"
	}
	if parts[2] != "" {
		test = "(" + parts[2] + ") and (" + test + ")"
	}
	return "for " + parts[0] + " in " + x.source(q.iter[0], q.iter[1]) + ":", test, true
}

// elsewhere reports whether the tokens from to end-1 have a name outside of the part of a
// generator in which it is its own.
func (x asking) elsewhere(q pyQuestion, from, end int, name string) bool {
	own := [][2]int{q.test, q.targets, q.cond}
	for i := from; i < end; i++ {
		if k := slices.IndexFunc(own, func(s [2]int) bool { return s[0] <= i && i < s[1] }); k >= 0 {
			i = own[k][1] - 1
			continue
		}
		if x.mentions(i, i+1, name) {
			return true
		}
	}
	return false
}

// renaming writes tokens with some names changed. ok is false where a name stands in a
// text or may be that of an argument.
func (x asking) renaming(span [2]int, names map[string]string) (string, bool) {
	if span[0] >= span[1] {
		return "", true
	}
	var out strings.Builder
	at := x.s.Toks[span[0]].Start
	for i := span[0]; i < span[1]; i++ {
		for old, fresh := range names {
			switch {
			case !x.mentions(i, i+1, old):
			case x.s.Toks[i].Kind == language.String || x.text(i+1) == "=":
				return "", false
			default:
				out.Write(x.s.Data[at:x.s.Toks[i].Start])
				out.WriteString(fresh)
				at = x.s.Toks[i].End
			}
		}
	}
	out.Write(x.s.Data[at:x.s.Toks[span[1]-1].End])
	text := out.String()
	return text, !strings.Contains(text, "\n")
}

// asks makes a loop of a generator that any or all reads: no frame is made for it. It
// may be what a function returns, what a name becomes, or what an if hangs on.
func (x asking) asks(k int) {
	line, d := x.lines[k], x.def(k)
	if d == nil || x.top(line.first, line.end, ";") >= 0 || x.text(x.lines[d.first].first) == "async" {
		return
	}
	at, not := line.first+1, false
	if x.text(line.first+1) == "=" && x.s.Toks[line.first].Kind == language.Word {
		at++
	}
	if x.text(at) == "not" {
		at, not = at+1, true
	}
	q, ok := x.question(at)
	if !ok {
		return
	}
	head, test, ok := x.asked(q, d)
	if !ok {
		return
	}
	indent := indentText(x.s.Data, line.start)
	step := "    "
	if body := indentText(x.s.Data, x.lines[d.first+1].start); strings.HasPrefix(body, "\t") {
		step = "\t"
	}
	truth := func(yes bool) string {
		if yes != not {
			return "True"
		}
		return "False"
	}
	text := ""
	switch name := x.text(line.first); {
	case name == "return" && q.end == line.end:
		text = head + "\n" + indent + step + "if " + test + ":\n" + indent + step + step + "return " + truth(!q.all) + "\n" + indent + "return " + truth(q.all)
	case x.text(line.first+1) == "=" && q.end == line.end:
		text = head + "\n" + indent + step + "if " + test + ":\n" + indent + step + step + name + " = " + truth(!q.all) + "\n" + indent + step + step + "break\n" +
			indent + "else:\n" + indent + step + name + " = " + truth(q.all)
	case name == "if" && q.end == line.end-1 && x.text(q.end) == ":":
		text = x.hangs(k, head, test, step, q.all != not)
	}
	if text == "" {
		return
	}
	stop := line.stop
	if name := x.text(line.first); name == "if" && q.all == not { // its body is in the text
		stop = x.lines[k+1].stop
	}
	x.offer("a loop for "+x.text(at), k, d, 1, 3, Edit{line.start, stop, text})
}

// hangs writes what hangs on a question; "" where a loop cannot stand for it. With the
// body behind a question that no element answered it stays where it is, as an else.
func (x asking) hangs(k int, head, test, step string, behind bool) string {
	end := x.blockEnd(k)
	if end < len(x.lines) && x.lines[end].indent == x.lines[k].indent && slices.Contains([]string{"else", "elif"}, x.text(x.lines[end].first)) || end == k+1 {
		return ""
	}
	indent := indentText(x.s.Data, x.lines[k].start)
	if behind {
		return head + "\n" + indent + step + "if " + test + ":\n" + indent + step + step + "break\n" + indent + "else:"
	}
	body := x.lines[k+1]
	if word := x.text(body.first); end != k+2 || word != "return" && word != "raise" || x.remarked(x.lines[k].end-1, body.end) || strings.Contains(x.source(body.first, body.end), "\n") {
		return ""
	}
	return head + "\n" + indent + step + "if " + test + ":\n" + indent + step + step + x.source(body.first, body.end)
}
