package edit

import (
	"fmt"
	"slices"
	"strings"

	"atoll/engine/agent/clean"
)

// textFile is a file as lines. Each line keeps its own end, so that what is
// not edited stays as it is.
type textFile struct {
	lines []string
	ends  []string   // "\n", "\r\n", or "" for a last line without end
	keys  [][]string // of the lines, by level; nil = not asked for yet
}

func newTextFile(data string) *textFile {
	f := &textFile{}
	for len(data) > 0 {
		i := strings.IndexByte(data, '\n')
		line, end := data, ""
		switch {
		case i < 0:
			data = ""
		case i > 0 && data[i-1] == '\r':
			line, end, data = data[:i-1], "\r\n", data[i+1:]
		default:
			line, end, data = data[:i], "\n", data[i+1:]
		}
		f.lines, f.ends = append(f.lines, line), append(f.ends, end)
	}
	return f
}

func (f *textFile) String() string {
	var b strings.Builder
	for i, l := range f.lines {
		b.WriteString(l)
		b.WriteString(f.ends[i])
	}
	return b.String()
}

// end is the line end that most lines have.
func (f *textFile) end() string {
	crlf := 0
	for _, e := range f.ends {
		if e == "\r\n" {
			crlf++
		}
	}
	if crlf*2 > len(f.ends) {
		return "\r\n"
	}
	return "\n"
}

// replace puts text in the place of n lines. Whether the file ends with a line
// end stays as it was.
func (f *textFile) replace(at, n int, text []string) {
	end := f.end()
	last := end
	if len(f.ends) > 0 {
		last = f.ends[len(f.ends)-1]
	}
	ends := make([]string, len(text))
	for i := range ends {
		ends[i] = end
	}
	f.lines = slices.Replace(f.lines, at, at+n, text...)
	f.ends = slices.Replace(f.ends, at, at+n, ends...)
	for level, keys := range f.keys {
		if keys != nil {
			f.keys[level] = slices.Replace(keys, at, at+n, keysOf(text, levels()[level])...)
		}
	}
	for i := range f.ends {
		if f.ends[i] == "" {
			f.ends[i] = end
		}
	}
	if len(f.ends) > 0 {
		f.ends[len(f.ends)-1] = last
	}
}

// found is where lines were found, and how text of the model is indented there.
type found struct {
	at, n int
	shift func(string) string
}

// The ways to compare a line with what the model wrote, from strict to loose.
// Each is tried on the whole file before the next.
func levels() []func(string) string {
	return []func(string) string{
		func(s string) string { return s },
		func(s string) string { return strings.TrimRight(s, " \t\r") },
		strings.TrimSpace,
		func(s string) string { return strings.Join(strings.Fields(s), " ") },
		func(s string) string { return strings.Join(strings.Fields(s), "") },
	}
}

// find looks for the lines want. near is where they should be, from 0, and
// decides between several places; -1: there must be one place only, and blank
// lines at the ends of want need not be there.
func (f *textFile) find(want []string, near int) (found, *Error) {
	return f.look(want, near, true)
}

func (f *textFile) look(want []string, near int, trim bool) (found, *Error) {
	tries := [][]string{want}
	if inner := trimBlank(want); trim && len(inner) > 0 && len(inner) < len(want) {
		tries = append(tries, inner)
	}
	for level, key := range levels() {
		for _, w := range tries {
			if allBlank(w) && level > 0 {
				continue
			}
			places := places(f.keysAt(level), keysOf(w, key))
			if len(places) == 0 {
				continue
			}
			at := places[0]
			if len(places) > 1 {
				if near < 0 {
					return found{}, editProblem("the lines to search for occur %d times (at lines %s): add lines around them until they occur once", len(places), lineNumbers(places))
				}
				at = nearest(places, near)
			}
			return found{at, len(w), shiftOf(w, f.lines[at:at+len(w)])}, nil
		}
	}
	return found{}, editProblem("the lines to search for are not in the file%s", f.closest(want))
}

func allBlank(lines []string) bool { return len(trimBlank(lines)) == 0 }

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func keysOf(lines []string, key func(string) string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = key(l)
	}
	return out
}

// keysAt returns the keys of all lines at a level. They are kept, as many edits
// of one file ask for them.
func (f *textFile) keysAt(level int) []string {
	if f.keys == nil {
		f.keys = make([][]string, len(levels()))
	}
	if f.keys[level] == nil {
		f.keys[level] = keysOf(f.lines, levels()[level])
	}
	return f.keys[level]
}

// places are the indexes where w stands in lines (Knuth, Morris and Pratt 1977,
// so that repeated lines cost no more). They do not overlap.
func places(lines, w []string) []int {
	if len(w) == 0 || len(w) > len(lines) {
		return nil
	}
	back := make([]int, len(w))
	for i, k := 1, 0; i < len(w); i++ {
		for k > 0 && w[i] != w[k] {
			k = back[k-1]
		}
		if w[i] == w[k] {
			k++
		}
		back[i] = k
	}
	var out []int
	k := 0
	for i, l := range lines {
		for k > 0 && l != w[k] {
			k = back[k-1]
		}
		if l == w[k] {
			k++
		}
		if k == len(w) {
			out = append(out, i-len(w)+1)
			k = 0
		}
	}
	return out
}

func nearest(places []int, near int) int {
	best := places[0]
	for _, p := range places {
		if abs(p-near) < abs(best-near) {
			best = p
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func lineNumbers(places []int) string {
	var parts []string
	for i, p := range places {
		if i == 5 {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprint(p+1))
	}
	return strings.Join(parts, ", ")
}

func leadOf(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

// shiftOf returns how lines written beside want are indented in the file: each
// indentation of the model stands for the one that the file has there, and
// deeper ones are deeper by as much.
func shiftOf(want, have []string) func(string) string {
	var from, to []string
	same := true
	for i := range want {
		w, h := leadOf(want[i]), leadOf(have[i])
		if strings.TrimSpace(want[i]) == "" || strings.TrimSpace(have[i]) == "" || slices.Contains(from, w) {
			continue
		}
		same = same && w == h
		from, to = append(from, w), append(to, h)
	}
	if same {
		return func(s string) string { return s }
	}
	return func(s string) string {
		in, best := leadOf(s), -1
		if strings.TrimSpace(s) == "" {
			return s
		}
		for i, w := range from {
			if strings.HasPrefix(in, w) && (best < 0 || len(w) > len(from[best])) {
				best = i
			}
		}
		switch {
		case best >= 0:
			return to[best] + s[len(from[best]):]
		case strings.HasPrefix(from[0], in) && strings.HasSuffix(to[0], from[0][len(in):]):
			return to[0][:len(to[0])-len(from[0])+len(in)] + s[len(in):] // less deep than all that was searched
		}
		return s
	}
}

// The largest search for the closest place, in lines of file times lines wanted.
const maxClosest = 4_000_000

// closest describes the place that is most like want, to help the model.
func (f *textFile) closest(want []string) string {
	want = trimBlank(want)
	if len(want) == 0 || len(f.lines) == 0 || len(f.lines)*len(want) > maxClosest {
		return ""
	}
	keys := make([]string, len(f.lines))
	for i, l := range f.lines {
		keys[i] = strings.TrimSpace(l)
	}
	w := make([]string, len(want))
	for i, l := range want {
		w[i] = strings.TrimSpace(l)
	}
	best, score := 0, 0
	for at := range keys {
		same := 0
		for k := 0; k < len(w) && at+k < len(keys); k++ {
			if w[k] != "" && w[k] == keys[at+k] {
				same++
			}
		}
		if same > score {
			best, score = at, same
		}
	}
	if score == 0 {
		return fmt.Sprintf("; its first line is %q", clean.Short(want[0], 120))
	}
	for k := range w {
		if best+k >= len(keys) || w[k] != keys[best+k] {
			have := "the end of the file"
			if best+k < len(keys) {
				have = fmt.Sprintf("%q", clean.Short(f.lines[best+k], 120))
			}
			return fmt.Sprintf("; the closest place is line %d, where line %d of the search is %q and the file has %s", best+1, k+1, clean.Short(want[k], 120), have)
		}
	}
	return fmt.Sprintf("; the closest place is line %d", best+1)
}
