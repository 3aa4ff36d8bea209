package pane

import (
	"unicode"
	"unicode/utf8"

	"atoll/engine/view"
	"atoll/tui/plot"
	"atoll/tui/widget"
)

// span is a stretch of a line in bytes of its clean text.
type span struct{ from, to int }

// wordChanges remembers, for each hunk that was in view, which stretches of its
// lines differ from the line that each stands for.
type wordChanges map[[2]int][][]span

// of returns the stretches of the lines of a hunk.
func (c *wordChanges) of(files []view.FilePatch, file, hunk int) [][]span {
	key := [2]int{file, hunk}
	if got, ok := (*c)[key]; ok {
		return got
	}
	if *c == nil {
		*c = wordChanges{}
	}
	got := changedWords(files[file].Hunks[hunk].Lines)
	(*c)[key] = got
	return got
}

// changedWords compares removed lines with the added ones that follow them, the
// first with the first and so on. Lines that have little in common are wholly
// new, and nothing in them stands out.
func changedWords(lines []view.PatchLine) [][]span {
	out := make([][]span, len(lines))
	for i := 0; i < len(lines); {
		if lines[i].Kind != '-' {
			i++
			continue
		}
		added := i
		for added < len(lines) && lines[added].Kind == '-' {
			added++
		}
		end := added
		for end < len(lines) && lines[end].Kind == '+' {
			end++
		}
		for k := range min(added-i, end-added) {
			out[i+k], out[added+k] = wordsOf(plot.Clean(lines[i+k].Text), plot.Clean(lines[added+k].Text))
		}
		i = max(end, i+1)
	}
	return out
}

// maxWords bounds the words of a line that are compared: the work grows with
// their square.
const maxWords = 400

// wordsOf returns the stretches in which two lines differ, word by word: all
// that is not in their longest common subsequence.
func wordsOf(old, now string) (gone, added []span) {
	a, b := splitWords(old), splitWords(now)
	if len(a) > maxWords || len(b) > maxWords {
		return nil, nil
	}
	keptA, keptB := common(old, now, a, b)
	if shared(old, a, keptA)*3 < min(inked(old), inked(now)) {
		return nil, nil
	}
	return spansOf(old, a, keptA), spansOf(now, b, keptB)
}

// splitWords cuts a line into words, stretches of space, and single signs.
func splitWords(s string) []span {
	var out []span
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '.':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 3
	}
	last := 0
	for i, r := range s {
		k := kind(r)
		if n := len(out); n > 0 && k == last && k != 3 {
			out[n-1].to = i + utf8.RuneLen(r)
		} else {
			out = append(out, span{i, i + utf8.RuneLen(r)})
		}
		last = k
	}
	return out
}

// common marks the words of a and b that are in their longest common
// subsequence (dynamic programming, Wagner and Fischer 1974).
func common(old, now string, a, b []span) (inA, inB []bool) {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	same := func(i, j int) bool { return old[a[i].from:a[i].to] == now[b[j].from:b[j].to] }
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if best[i][j] = max(best[i+1][j], best[i][j+1]); same(i, j) {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case same(i, j):
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// inked counts the characters that are no space.
func inked(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

func shared(s string, words []span, kept []bool) int {
	n := 0
	for i, w := range words {
		if kept[i] {
			n += inked(s[w.from:w.to])
		}
	}
	return n
}

// spansOf joins the words that were not kept, with the space between them.
func spansOf(s string, words []span, kept []bool) []span {
	var out []span
	for i, w := range words {
		if kept[i] {
			continue
		}
		if n := len(out); n > 0 && inked(s[out[n-1].to:w.from]) == 0 {
			out[n-1].to = w.to
		} else {
			out = append(out, w)
		}
	}
	return out
}

// stress draws the changed stretches of a line in a style of their own.
func stress(segs []seg, spans []span, word widget.Style) []seg {
	if len(spans) == 0 {
		return segs
	}
	var out []seg
	at := 0
	for _, g := range segs {
		from := 0 // in g
		for _, sp := range spans {
			lo, hi := max(sp.from-at, from), min(sp.to-at, len(g.text))
			if lo >= hi {
				continue
			}
			if lo > from {
				out = append(out, seg{g.text[from:lo], g.st})
			}
			out = append(out, seg{g.text[lo:hi], widget.Style{SGR: widget.Join(g.st.SGR, word.SGR)}})
			from = hi
		}
		if from < len(g.text) {
			out = append(out, seg{g.text[from:], g.st})
		}
		at += len(g.text)
	}
	return out
}
