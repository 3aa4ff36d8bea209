package guard

import (
	"fmt"
	"regexp"
	"strings"
)

// An outcome tells several things behind each other: what a call gave, what became of its arguments, what other calls
// give then. They are parted by [stepMark] outside of quotes and brackets.
const stepMark = "; "

// behind tells of two outcomes in which what the call itself gave is equal what that is, and the first thing behind it
// that is told in another way, or by the candidate alone; ok is false where it is not equal, where they cannot be parted,
// and where what differs has no name.
func behind(root, candidate string) (told string, ok bool) {
	a, b := stepsOf(root), stepsOf(candidate)
	if a == nil || b == nil || a[0] != b[0] {
		return "", false
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			told, ok := toldApart(a[i], b[i])
			return answered(inLine(a[0])) + stepMark + told, ok
		}
	}
	if len(b) > len(a) {
		return answered(inLine(a[0])) + ", and now " + inLine(b[len(a)]), true
	}
	return "", false
}

// toldApart says in what two tellings of one thing differ: what a call gives, what something is then, what was printed.
func toldApart(root, candidate string) (string, bool) {
	for _, way := range []struct{ mark, sentence string }{
		{")=", "then %s) gave %s and gives %s"}, {" after it ", "then %s was %s and is %s"}, {"printed ", "it printed%s %s and prints %s"},
	} {
		what, was, found := strings.Cut(root, way.mark)
		other, is, also := strings.Cut(candidate, way.mark)
		if found && also && what == other && (what == "") == (way.mark == "printed ") {
			was, is = apart(was, is)
			return fmt.Sprintf(way.sentence, what, was, is), true
		}
	}
	return "", false
}

// unlike leaves out what two outcomes tell alike behind the last thing in which they differ.
func unlike(root, candidate string) (string, string) {
	a, b := stepsOf(root), stepsOf(candidate)
	for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if a == nil || b == nil {
		return root, candidate
	}
	return strings.Join(a, stepMark), strings.Join(b, stepMark)
}

// testPlace begins what a test that is played tells: a line of Go that gave something, or a call of Python.
var testPlace = regexp.MustCompile(`^(\S+\.go:\d+) gave |^([\w.]+\(.*?\)): `)

// inTest is the place in a test that is played, where both trees tell something else of the same.
func inTest(d Difference) (place, root, candidate string, ok bool) {
	a, b := testPlace.FindString(d.Root), testPlace.FindString(d.Candidate)
	if a == "" || a != b || !strings.Contains(d.Input, " with ") {
		return "", "", "", false
	}
	return strings.TrimSuffix(strings.TrimSuffix(a, " gave "), ": "), d.Root[len(a):], d.Candidate[len(b):], true
}

// stepsOf parts an outcome; nil where quotes or brackets do not close.
func stepsOf(text string) []string {
	var steps []string
	var quote byte
	depth, begin := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '`' || c == '\'' && (i == 0 || !isLetter(text[i-1])): // not that of "can't"
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], stepMark):
			steps, begin = append(steps, text[begin:i]), i+len(stepMark)
		}
	}
	if quote != 0 || depth != 0 {
		return nil
	}
	return append(steps, text[begin:])
}
