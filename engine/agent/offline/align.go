package offline

import (
	"bytes"

	"atoll/engine/agent/offline/language"
)

// structure is the sequence of tokens of a source in which all numbers are
// alike: two versions of a file that differ in numbers alone have the same.
func structure(src []byte, toks []language.Token, s symbols) []int32 {
	out := make([]int32, len(toks))
	for i, t := range toks {
		if t.Kind != language.Number {
			out[i] = s.of(src[t.Start:t.End])
		}
	}
	return out
}

// sameStructure reports whether two sources differ in numbers, white space and
// comments alone.
func sameStructure(a []byte, at []language.Token, b []byte, bt []language.Token) bool {
	if len(at) != len(bt) {
		return false
	}
	for i, t := range at {
		u := bt[i]
		if t.Kind != u.Kind || t.Kind != language.Number && !bytes.Equal(a[t.Start:t.End], b[u.Start:u.End]) {
			return false
		}
	}
	return true
}

// alignTokens returns, for each token of a, the index of the token of b that
// it corresponds to by a longest common subsequence of the two structures, or
// -1.
func alignTokens(a []byte, at []language.Token, b []byte, bt []language.Token) []int {
	pairs := make([]int, len(at))
	if sameStructure(a, at, b, bt) {
		for i := range pairs {
			pairs[i] = i
		}
		return pairs
	}
	s := symbols{}
	hunks := diffSymbols(structure(a, at, s), structure(b, bt, s))
	i, j := 0, 0
	for _, h := range append(hunks, hunk{len(at), len(at), len(bt), len(bt)}) {
		for i < h.a0 {
			pairs[i] = j
			i, j = i+1, j+1
		}
		for i < h.a1 {
			pairs[i] = -1
			i++
		}
		j = h.b1
	}
	return pairs
}
