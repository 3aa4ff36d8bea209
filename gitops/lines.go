package gitops

import "strings"

// span is a stretch of old lines [oldFrom, oldTo) that new lines [newFrom,
// newTo) replace.
type span struct{ oldFrom, oldTo, newFrom, newTo int }

// lineSearch bounds the steps of one comparison, about a tenth of a second.
// Past it the rest counts as replaced: right, but longer than it could be.
const lineSearch = 30_000_000

// compareLines finds a shortest list of spans that turns old into now.
//
// Algorithm: E. W. Myers, An O(ND) Difference Algorithm and Its Variations,
// Algorithmica 1 (1986), the variant in linear space (section 4b). Lines that
// occur on one side only cannot be common and are set aside first.
func compareLines(old, now []string) []span {
	ids := make(map[string]int32, len(old))
	sides := make(map[int32]int, len(old)) // 1 old, 2 new, 3 both
	number := func(lines []string, bit int) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = int32(len(ids))
				ids[l] = id
			}
			sides[id] |= bit
			out[i] = id
		}
		return out
	}
	a, b := number(old, 1), number(now, 2)
	m := matcher{budget: lineSearch, gone: make([]bool, len(a)), come: make([]bool, len(b))}
	m.a, m.aAt = m.common(a, sides, m.gone)
	m.b, m.bAt = m.common(b, sides, m.come)
	m.match(0, len(m.a), 0, len(m.b))
	slide(a, m.gone)
	slide(b, m.come)
	return spans(m.gone, m.come)
}

// matcher marks the lines that have no partner on the other side.
type matcher struct {
	a, b       []int32 // lines that occur on both sides
	aAt, bAt   []int   // where they stand in the whole text
	gone, come []bool  // lines of the whole texts without a partner
	budget     int
	fore, back []int // furthest points by diagonal
}

// common picks the lines that occur on both sides and marks the others.
func (m *matcher) common(lines []int32, sides map[int32]int, alone []bool) (ids []int32, at []int) {
	for i, id := range lines {
		if sides[id] != 3 {
			alone[i] = true
			continue
		}
		ids, at = append(ids, id), append(at, i)
	}
	return ids, at
}

// match compares a[a0:a1] with b[b0:b1].
func (m *matcher) match(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 < a1 && b0 < b1 {
		if x, y, ok := m.middle(m.a[a0:a1], m.b[b0:b1]); ok {
			m.match(a0, a0+x, b0, b0+y)
			m.match(a0+x, a1, b0+y, b1)
			return
		}
	}
	for i := a0; i < a1; i++ {
		m.gone[m.aAt[i]] = true
	}
	for i := b0; i < b1; i++ {
		m.come[m.bAt[i]] = true
	}
}

// middle finds a point in the middle of a shortest path from the start of
// both to their end, searching from both sides at once. Both are non-empty and
// differ in their first and last lines. False: the budget is spent.
func (m *matcher) middle(a, b []int32) (x, y int, ok bool) {
	n, l := len(a), len(b)
	most := (n + l + 1) / 2
	if size := 2*most + 2; len(m.fore) < size {
		m.fore, m.back = make([]int, size), make([]int, size)
	}
	fore, back := m.fore[:2*most+2], m.back[:2*most+2]
	for i := range fore {
		fore[i], back[i] = -1, -1
	}
	fore[most+1], back[most+1] = 0, 0
	delta := n - l
	f, r := sweep{v: fore, off: most}, sweep{v: back, off: most}
	for d := range most {
		if m.budget -= 2*d + 1; m.budget < 0 {
			return 0, 0, false
		}
		for k := -d + f.low; k <= d-f.high; k += 2 {
			x, y, inside := f.step(d, k, n, l, func(x, y int) bool { return a[x] == b[y] })
			if j := most + delta - k; inside && delta&1 != 0 && j >= 0 && j < len(back) && back[j] >= 0 && x >= n-back[j] {
				return x, y, true
			}
		}
		for k := -d + r.low; k <= d-r.high; k += 2 {
			x, y, inside := r.step(d, k, n, l, func(x, y int) bool { return a[n-1-x] == b[l-1-y] })
			if j := most + delta - k; inside && delta&1 == 0 && j >= 0 && j < len(fore) && fore[j] >= 0 && fore[j] >= n-x {
				return n - x, l - y, true
			}
		}
	}
	return 0, 0, false
}

// sweep is one of the two searches of middle. low and high leave out
// diagonals that have run past an end.
type sweep struct {
	v         []int
	off       int
	low, high int
}

// step advances diagonal k to its furthest point with d differences.
func (s *sweep) step(d, k, n, l int, same func(x, y int) bool) (x, y int, inside bool) {
	at := s.off + k
	if k == -d || k != d && s.v[at-1] < s.v[at+1] {
		x = s.v[at+1]
	} else {
		x = s.v[at-1] + 1
	}
	y = x - k
	for x < n && y < l && same(x, y) {
		x, y = x+1, y+1
	}
	s.v[at] = x
	switch {
	case x > n:
		s.high += 2
	case y > l:
		s.low += 2
	default:
		return x, y, true
	}
	return x, y, false
}

// slide moves each run of marked lines as far down as equal lines allow, so
// that an added function ends with its own closing line.
func slide(lines []int32, marked []bool) {
	for from := len(marked) - 1; from >= 0; from-- {
		if !marked[from] || from > 0 && marked[from-1] {
			continue
		}
		to := from
		for to < len(marked) && marked[to] {
			to++
		}
		for at := from; to < len(marked) && lines[at] == lines[to]; at++ {
			marked[at], marked[to] = false, true
			for to++; to < len(marked) && marked[to]; {
				to++
			}
		}
	}
}

// spans reads the marks of both sides in step.
func spans(gone, come []bool) []span {
	var out []span
	i, j := 0, 0
	for i < len(gone) || j < len(come) {
		s := span{oldFrom: i, newFrom: j}
		for i < len(gone) && gone[i] {
			i++
		}
		for j < len(come) && come[j] {
			j++
		}
		if s.oldTo, s.newTo = i, j; s.oldFrom < i || s.newFrom < j {
			out = append(out, s)
		}
		i, j = i+1, j+1
	}
	return out
}

// splitLines cuts a text after each newline.
func splitLines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// AddedLines returns the numbers, from 1, of the lines of a text that an older
// one does not have at their place.
func AddedLines(old, now []byte) []int {
	var out []int
	for _, s := range compareLines(splitLines(old), splitLines(now)) {
		for i := s.newFrom; i < s.newTo; i++ {
			out = append(out, i+1)
		}
	}
	return out
}
