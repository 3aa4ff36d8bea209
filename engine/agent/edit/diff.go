package edit

import (
	"strconv"
	"strings"
)

// isDiffHeader reports the two lines that begin a file of a unified diff, or a
// lone hunk header.
func isDiffHeader(lines []string, i int) bool {
	l := lines[i]
	if strings.HasPrefix(l, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ ") {
		return true
	}
	return strings.HasPrefix(l, "@@ ") && strings.Contains(l[3:], "@@")
}

// diffName reads the path of a "---" or "+++" line; "" for /dev/null.
func diffName(line string) (name string, none bool) {
	name, _, _ = strings.Cut(line[4:], "\t")
	name = strings.TrimSpace(name)
	if unquoted, err := strconv.Unquote(name); err == nil {
		name = unquoted
	}
	if name == "/dev/null" {
		return "", true
	}
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest, false
		}
	}
	return strings.TrimPrefix(name, "./"), false
}

// parseDiff reads a unified diff. The counts of hunk headers are not believed:
// a hunk ends where something else begins.
func parseDiff(lines []string) ([]Edit, error) {
	var edits []Edit
	for i := 0; i < len(lines); {
		switch {
		case strings.HasPrefix(lines[i], "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			old, created := diffName(lines[i])
			name, deleted := diffName(lines[i+1])
			if deleted {
				name = old
			}
			edits = append(edits, Edit{Path: name, Line: i + 1, Create: created, Delete: deleted && !created})
			i += 2
		case isDiffHeader(lines, i):
			if len(edits) == 0 {
				edits = append(edits, Edit{Line: i + 1})
			}
			h, next := readHunk(lines, i)
			if e := &edits[len(edits)-1]; len(h.Ops) > 0 {
				e.Hunks = append(e.Hunks, h)
			}
			i = next
		default:
			i++
		}
	}
	for _, e := range edits {
		if len(e.Hunks) == 0 && !e.Delete && !e.Create {
			return nil, editProblem("the diff of %s has no hunk", e.Path)
		}
	}
	return edits, nil
}

// readHunk reads the hunk whose header is line at, and returns the line after.
func readHunk(lines []string, at int) (Hunk, int) {
	var h Hunk
	want := 0
	h.Start, want = hunkStart(lines[at])
	i := at + 1
	old := 0
	for ; i < len(lines); i++ {
		l := lines[i]
		if isDiffHeader(lines, i) || strings.HasPrefix(l, "diff --git ") {
			break
		}
		if fence, _ := fenceOf(l); fence != "" && !strings.HasPrefix(l, " ") {
			break
		}
		if strings.HasPrefix(l, "\\") {
			continue // no newline at end of file
		}
		op := Op{Kind: ' '}
		switch {
		case l == "":
			if old >= want && !moreOps(lines, i+1) {
				return h.trimmed(), i
			}
		case l[0] == ' ' || l[0] == '+' || l[0] == '-':
			op = Op{Kind: l[0], Text: l[1:]}
		default:
			return h.trimmed(), i
		}
		if op.Kind != '+' {
			old++
		}
		h.Ops = append(h.Ops, op)
	}
	return h.trimmed(), i
}

// moreOps reports whether the hunk goes on after an empty line.
func moreOps(lines []string, i int) bool {
	for ; i < len(lines); i++ {
		if lines[i] != "" {
			return (lines[i][0] == ' ' || lines[i][0] == '+' || lines[i][0] == '-') && !isDiffHeader(lines, i)
		}
	}
	return false
}

// trimmed drops the empty lines that an answer leaves at the end of a hunk.
func (h Hunk) trimmed() Hunk {
	for n := len(h.Ops); n > 0 && h.Ops[n-1] == (Op{Kind: ' '}); n-- {
		h.Ops = h.Ops[:n-1]
	}
	return h
}

// hunkStart reads "@@ -12,4 +12,6 @@": the old line, 0 without one, and how
// many lines of the old file it should hold.
func hunkStart(line string) (start, count int) {
	_, rest, ok := strings.Cut(line, "-")
	if !ok {
		return 0, 0
	}
	rest, _, _ = strings.Cut(rest, " ")
	first, second, both := strings.Cut(rest, ",")
	start, err := strconv.Atoi(first)
	if err != nil || start < 0 {
		return 0, 0
	}
	count = 1
	if both {
		if count, err = strconv.Atoi(second); err != nil || count < 0 {
			count = 0
		}
	}
	return start, count
}

// old returns the lines that the hunk expects.
func (h Hunk) old() []string {
	var out []string
	for _, op := range h.Ops {
		if op.Kind != '+' {
			out = append(out, op.Text)
		}
	}
	return out
}

// maxFuzz is how many lines of context at either end a hunk may lack, as with
// patch(1).
const maxFuzz = 2

// without returns the hunk with n lines of context less at each end.
func (h Hunk) without(n int) Hunk {
	ops := h.Ops
	start := h.Start
	for k := 0; k < n && len(ops) > 0 && ops[0].Kind == ' '; k++ {
		ops = ops[1:]
		start++
	}
	for k := 0; k < n && len(ops) > 0 && ops[len(ops)-1].Kind == ' '; k++ {
		ops = ops[:len(ops)-1]
	}
	if h.Start == 0 {
		start = 0
	}
	return Hunk{Start: start, Ops: ops}
}

// applyHunk makes one hunk in f. drift is how far earlier hunks lay from where
// they said; the new drift is returned.
func (f *textFile) applyHunk(h Hunk, drift int) (int, *Error) {
	old := h.old()
	if len(old) == 0 {
		at := len(f.lines)
		if h.Start > 0 {
			at = min(max(0, h.Start+drift), len(f.lines))
		}
		f.replace(at, 0, added(h.Ops, func(s string) string { return s }, nil))
		return drift, nil
	}
	var first *Error
	for fuzz := 0; fuzz <= maxFuzz; fuzz++ {
		try := h.without(fuzz)
		want := try.old()
		if len(want) == 0 || fuzz > 0 && len(want) == len(h.without(fuzz-1).old()) {
			break
		}
		near := -1
		if try.Start > 0 {
			near = try.Start - 1 + drift
		}
		m, err := f.look(want, near, false)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		f.replace(m.at, m.n, added(try.Ops, m.shift, f.lines[m.at:m.at+m.n]))
		if near >= 0 {
			drift += m.at - near
		}
		return drift + len(added(try.Ops, m.shift, want)) - m.n, nil
	}
	return drift, first
}

// added returns the new lines of a hunk: kept ones as the file has them.
func added(ops []Op, shift func(string) string, kept []string) []string {
	var out []string
	k := 0
	for _, op := range ops {
		switch op.Kind {
		case '+':
			out = append(out, shift(op.Text))
		case '-':
			k++
		default:
			if k < len(kept) {
				out = append(out, kept[k])
			}
			k++
		}
	}
	return out
}
