package offline

import (
	"bytes"
	"slices"
)

// textEdit replaces src[start:end] by text.
type textEdit struct {
	start, end int
	text       string
}

// applyEdits returns src with the edits made. They are sorted first; of two
// that overlap the later one is dropped.
func applyEdits(src []byte, edits []textEdit) []byte {
	slices.SortStableFunc(edits, func(a, b textEdit) int { return a.start - b.start })
	n := len(src)
	for _, e := range edits {
		n += len(e.text)
	}
	out := make([]byte, 0, n)
	at := 0
	for _, e := range edits {
		if e.start < at || e.end > len(src) {
			continue
		}
		out = append(append(out, src[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, src[at:]...)
}

// hunk says that a[a0:a1] became b[b0:b1].
type hunk struct {
	a0, a1, b0, b1 int
}

// maxEditScript bounds the edit script that diffSymbols looks for; sequences
// that differ more become one hunk between their common ends.
const maxEditScript = 600

// diffSymbols returns the hunks of a shortest edit script from a to b (Myers
// 1986, "An O(ND) difference algorithm and its variations"), in order.
func diffSymbols(a, b []int32) []hunk {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	ea, eb := len(a), len(b)
	for ea > lo && eb > lo && a[ea-1] == b[eb-1] {
		ea, eb = ea-1, eb-1
	}
	switch {
	case lo == ea && lo == eb:
		return nil
	case lo == ea || lo == eb:
		return []hunk{{lo, ea, lo, eb}}
	}
	hunks, ok := myers(a[lo:ea], b[lo:eb])
	if !ok {
		return []hunk{{lo, ea, lo, eb}}
	}
	for i := range hunks {
		h := &hunks[i]
		h.a0, h.a1, h.b0, h.b1 = h.a0+lo, h.a1+lo, h.b0+lo, h.b1+lo
	}
	return hunks
}

func myers(a, b []int32) ([]hunk, bool) {
	limit := min(len(a)+len(b), maxEditScript)
	v := make([]int32, 2*limit+2)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(v[limit-d:limit+d+1]))
		for k := -d; k <= d; k += 2 {
			var x int
			if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
				x = int(v[limit+k+1])
			} else {
				x = int(v[limit+k-1]) + 1
			}
			y := x - k
			for x < len(a) && y < len(b) && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[limit+k] = int32(x)
			if x >= len(a) && y >= len(b) {
				return backtrack(trace, len(a), len(b)), true
			}
		}
	}
	return nil, false
}

// backtrack walks the trace of myers from the end; trace[d] holds the furthest
// points before step d for diagonals -d..d.
func backtrack(trace [][]int32, x, y int) []hunk {
	var hunks []hunk
	for d := len(trace) - 1; d > 0; d-- {
		at := func(k int) int {
			if k < -d || k > d {
				return -1
			}
			return int(trace[d][d+k])
		}
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px := at(prev)
		py := px - prev
		sx, sy := px, py // where the single step ends
		if prev == k-1 {
			sx++
		} else {
			sy++
		}
		if n := len(hunks); n > 0 && hunks[n-1].a0 == sx && hunks[n-1].b0 == sy {
			hunks[n-1].a0, hunks[n-1].b0 = px, py
		} else {
			hunks = append(hunks, hunk{px, sx, py, sy})
		}
		x, y = px, py
	}
	slices.Reverse(hunks)
	return hunks
}

// symbols gives equal texts equal numbers.
type symbols map[string]int32

func (s symbols) of(text []byte) int32 {
	if n, ok := s[string(text)]; ok {
		return n
	}
	n := int32(len(s)) + 1
	s[string(text)] = n
	return n
}

// splitLines cuts src into lines that keep their line ends.
func splitLines(src []byte) [][]byte {
	if len(src) == 0 {
		return nil
	}
	return slices.Collect(bytes.Lines(src))
}

// diffLines returns the hunks between two texts in line numbers from 0.
func diffLines(a, b [][]byte) []hunk {
	s := symbols{}
	number := func(lines [][]byte) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			out[i] = s.of(l)
		}
		return out
	}
	return diffSymbols(number(a), number(b))
}

// takeHunks returns a with the chosen hunks replaced by their lines in b.
func takeHunks(a, b [][]byte, hunks []hunk, chosen []bool) []byte {
	var out bytes.Buffer
	at := 0
	put := func(lines [][]byte) {
		for _, l := range lines {
			if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
				out.WriteByte('\n') // a last line without its end moved up
			}
			out.Write(l)
		}
	}
	for i, h := range hunks {
		if !chosen[i] {
			continue
		}
		put(a[at:h.a0])
		put(b[h.b0:h.b1])
		at = h.a1
	}
	put(a[at:])
	return out.Bytes()
}
