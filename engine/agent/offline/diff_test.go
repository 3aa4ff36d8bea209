package offline

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"atoll/engine/agent/clean"
)

func TestTakingAllHunksGivesTheOtherText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func() string { return strings.Repeat("ab"[rng.IntN(2):][:1], 1+rng.IntN(3)) + "\n" }
	for n := range 2000 {
		var x, y strings.Builder
		for range rng.IntN(12) {
			x.WriteString(word())
		}
		for range rng.IntN(12) {
			y.WriteString(word())
		}
		a, b := splitLines([]byte(x.String())), splitLines([]byte(y.String()))
		hunks := diffLines(a, b)
		all, none := make([]bool, len(hunks)), make([]bool, len(hunks))
		for i := range all {
			all[i] = true
		}
		if got := takeHunks(a, b, hunks, all); string(got) != y.String() {
			t.Fatalf("%d: %q to %q by %v gave %q", n, x.String(), y.String(), hunks, got)
		}
		if got := takeHunks(a, b, hunks, none); string(got) != x.String() {
			t.Fatalf("%d: no hunk of %q gave %q", n, x.String(), got)
		}
		if hunks := refine(hunks); string(takeHunks(a, b, hunks, trues(len(hunks)))) != y.String() {
			t.Fatalf("%d: refined hunks %v do not give the other text", n, hunks)
		}
	}
}

func trues(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}

func TestTheScriptIsShortest(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		changed int // lines removed and added
	}{
		{"a b c a b b a", "c b a b a c", 5},
		{"a b c", "a x c", 2},
		{"a b c d", "b c d e", 2},
		{"", "a", 1},
		{"a", "a", 0},
	} {
		lines := func(s string) [][]byte {
			var out [][]byte
			for _, f := range strings.Fields(s) {
				out = append(out, []byte(f+"\n"))
			}
			return out
		}
		n := 0
		for _, h := range diffLines(lines(c.a), lines(c.b)) {
			n += h.a1 - h.a0 + h.b1 - h.b0
		}
		if n != c.changed {
			t.Errorf("%s to %s: %d lines changed, want %d", c.a, c.b, n, c.changed)
		}
	}
}

func TestOverlappingEditsDropTheLater(t *testing.T) {
	got := applyEdits([]byte("abcdef"), []textEdit{{4, 5, "E"}, {1, 3, "BC"}, {2, 4, "x"}, {6, 6, "!"}})
	if !bytes.Equal(got, []byte("aBCdEf!")) {
		t.Errorf("got %s", got)
	}
}

func TestOneLineIsPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"a\n\tb":       "a b",
		"x\x1b[31my":   "x [31my",
		"abcdefghijkl": "abcdefg...",
		"ääääääääää":   "äää...",
		"\x00":         "",
	} {
		if got := clean.Short(in, 10); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
