package probe

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// edgesOf are constants of changed code.
func edgesOf(values ...any) Tuple {
	var out Tuple
	for _, v := range values {
		switch v := v.(type) {
		case int:
			n := int64(v)
			out = append(out, Constant{Int: &n})
		case float64:
			out = append(out, Constant{Float: &v})
		case string:
			out = append(out, Constant{Str: &v})
		}
	}
	return out
}

// outcomesOf are those of a survey of one function, with what the inputs were.
func outcomesOf(t *testing.T, f any, lits Literals, seed uint64, count int) map[int][2]string {
	t.Helper()
	api := API{Funcs: []Func{{"f", reflect.ValueOf(f)}}}
	out := map[int][2]string{}
	for _, a := range mustAnswer(t, api, Request{Mode: Survey, Seed: seed, Count: count, Literals: lits}) {
		if a.Kind == AnswerCase {
			out[a.Index] = [2]string{a.In, a.Out}
		}
	}
	return out
}

type parcel struct {
	Name  string
	Count int32
	Lines []string
}

func ordinal(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	return "st"
}

func quoted(s string) string {
	if strings.ContainsAny(s, " \\'") {
		return "'" + s + "'"
	}
	return s
}

func unescaped(s string) string {
	_, rest, ok := strings.Cut(s, "\\")
	if !ok {
		return s
	}
	_, n := utf8.DecodeRuneInString(rest)
	return rest[:n]
}

func TestEdgesAreTriedWhateverTheSeed(t *testing.T) {
	for _, tt := range []struct {
		name       string
		consts     Tuple
		was, is    any
		refactored any
	}{
		{"a bound far from what is drawn", edgesOf(5000, 100, 11, 12, 13), ordinal, func(n int) string {
			if n > 5000 && n < 5100 {
				return "st"
			}
			return ordinal(n)
		}, func(n int) string {
			if m := n % 100; m < 11 || m > 13 {
				return "st"
			}
			return "th"
		}},
		{"a sum of two constants", edgesOf(70_000, 11), func(n int) bool { return false }, func(n int) bool { return n == 70_011 }, func(n int) bool { return n > 70_011 && n < 0 }},
		{"a number below zero", edgesOf(-731), func(n int64) bool { return n <= -731 }, func(n int64) bool { return n < -731 }, func(n int64) bool { return !(n > -731) }},
		{"a bound of a byte", nil, func(n uint32) uint32 { return n }, func(n uint32) uint32 { return min(n, 65535) }, func(n uint32) uint32 { return n + 0 }},
		{"a number with a fraction", edgesOf(0.8125), func(f float64) bool { return f < 0.8125 }, func(f float64) bool { return f <= 0.8125 }, func(f float64) bool { return !(f >= 0.8125) && !math.IsNaN(f) }},
		{"a long text of what is special", edgesOf(700, "'", " ", "\\"), quoted, func(s string) string {
			if len(s) > 700 {
				return s
			}
			return quoted(s)
		}, func(s string) string { return quoted(strings.Clone(s)) }},
		{"no UTF-8 behind a special character", edgesOf("\\"), unescaped, func(s string) string {
			return strings.ToValidUTF8(unescaped(s), "?")
		}, func(s string) string { return unescaped(s + "") }},
		{"a special character at the end", edgesOf(int('~')), func(s string) bool { return false }, func(s string) bool { return len(s) > 1 && strings.HasSuffix(s, "~") }, func(s string) bool { return strings.Count(s, "~") > len(s) }},
		{
			"another case of a prefix", edgesOf("http://"), func(s string) bool { return strings.HasPrefix(s, "http://") }, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "http://") },
			func(s string) bool { return len(s) >= 7 && s[:7] == "http://" },
		},
		{"a number in a text", edgesOf(8191), func(s string) bool { return s == "" }, func(s string) bool { return s == "" || s == "8192" }, func(s string) bool { return len(s) == 0 }},
		{"a length of time", edgesOf(90), func(d time.Duration) bool { return d > 90*time.Minute }, func(d time.Duration) bool { return d >= 90*time.Minute }, func(d time.Duration) bool { return 90*time.Minute < d }},
		{"a size of a list", edgesOf(129), func(l []int) bool { return len(l) > 129 }, func(l []int) bool { return len(l) >= 129 }, func(l []int) bool { return 129 < len(l) }},
		{"a size of a table", edgesOf(77), func(m map[string]bool) bool { return len(m) > 77 }, func(m map[string]bool) bool { return len(m) > 76 }, func(m map[string]bool) bool { return 77 < len(m) }},
		{"a field", edgesOf(4321), func(o parcel) bool { return o.Count > 4321 }, func(o parcel) bool { return o.Count >= 4321 }, func(o parcel) bool { return 4321 < o.Count }},
		{"a list in a field", edgesOf(61), func(o *parcel) bool { return o != nil && len(o.Lines) == 61 }, func(o *parcel) bool { return false }, func(o *parcel) bool { return o != nil && !(len(o.Lines) != 61) }},
		{"the second argument", edgesOf(9973), func(s string, n int) bool { return n > 9973 }, func(s string, n int) bool { return n >= 9973 }, func(s string, n int) bool { return 9973 < n }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lits := Literals{Edges: tt.consts, Strings: []string{"key 12", "don't", "plain"}}
			for seed := range uint64(4) {
				const count = 900
				root := outcomesOf(t, tt.was, lits, seed, count)
				differ := func(f any) int {
					n := 0
					for i, o := range outcomesOf(t, f, lits, seed, count) {
						if o != root[i] {
							n++
						}
					}
					return n
				}
				if differ(tt.is) == 0 {
					t.Errorf("seed %d: not noticed", seed)
				}
				if n := differ(tt.refactored); n > 0 || len(root) < count || len(root) > count+count/stretchedShare {
					t.Errorf("seed %d: %d of %d cases of a refactoring differ", seed, n, len(root))
				}
			}
		})
	}
}

func TestEdgesAreTheSameForEverySeedAndEndInTime(t *testing.T) {
	lits := Literals{Edges: edgesOf(5000, 17, "quote", 0.5)}
	f := func(s string, n int) int { return n }
	a, b := outcomesOf(t, f, lits, 1, 300), outcomesOf(t, f, lits, 2, 300)
	same := 0
	for i, o := range a {
		if o == b[i] && i < 300 {
			same++
		}
		if o != b[i] && i >= 300 {
			t.Errorf("the text that is made long of case %d hangs on the seed", i)
		}
	}
	if same < 300/edgeShare || same > 300/2 {
		t.Errorf("%d of 300 cases are the same for two seeds, want %d", same, 300/edgeShare)
	}
}

func TestAnEdgeIsReplayedByItsChoices(t *testing.T) {
	api := API{Funcs: []Func{{"f", reflect.ValueOf(func(s []string, o parcel, d time.Duration, x any, f ...float64) int { return len(s) })}}}
	q := Request{Mode: Detail, Count: 300, Literals: Literals{Edges: edgesOf(50, "quote", 0.5)}}
	for i := range 300 {
		q.Cases = append(q.Cases, Case{Group: "f", Index: i})
	}
	for range 2 {
		for _, a := range mustAnswer(t, api, q) {
			if a.Kind != AnswerCase {
				continue
			}
			if c := &q.Cases[a.Index]; len(c.Choices) == 0 {
				c.Choices = a.Choices
			} else if !reflect.DeepEqual(c.Choices, a.Choices) && len(a.Choices) < maxChoices {
				t.Errorf("%s took other choices", a.In)
			}
		}
	}
}

// machineEnds are numbers that only the ends of the machine explain.
func machineEnds(e *edges) []any {
	var out []any
	for _, v := range e.ints {
		if v > largestMade || v < -largestMade {
			out = append(out, v)
		}
	}
	for _, v := range e.floats {
		if math.Abs(v) > largestMade && !math.IsInf(v, 0) || v != 0 && math.Abs(v) < math.SmallestNonzeroFloat32 {
			out = append(out, v)
		}
	}
	for _, v := range e.durations {
		if v > longestSpan+24*time.Hour || v < -longestSpan-24*time.Hour {
			out = append(out, v)
		}
	}
	return out
}

func TestEndsOfTheMachineAreEdgesOnlyWhereTheCodeNamesThem(t *testing.T) {
	for _, consts := range []Tuple{nil, edgesOf(0, 2), edgesOf(5000, 90_000_000, 1<<40, 0.5, 1e12)} {
		if ends := machineEnds(newEdges(&Literals{Edges: consts})); len(ends) > 0 {
			t.Errorf("edges of %d constants are %v", len(consts), ends)
		}
	}
	e := newEdges(&Literals{Edges: edgesOf(math.MaxInt64, math.MaxFloat64)})
	if !slices.Contains(e.ints, math.MaxInt64) || !slices.Contains(e.ints, -math.MaxInt64) || !slices.Contains(e.floats, math.MaxFloat64) {
		t.Errorf("the largest numbers are constants and no edges: %v", machineEnds(e))
	}
}

func TestAnEdgeOfHalfAWordLeavesRoomForSums(t *testing.T) {
	e := newEdges(&Literals{Edges: edgesOf(7, -math.MaxInt32)})
	for i, v := range e.ints {
		if w := e.whole(i, 31, true); w != v && (e.own[v] || int64(int32(w)) != w) || !e.own[v] && (w > 1<<30 || w < -1<<30) {
			t.Errorf("%d is %d", v, w)
		}
		if w := e.whole(i, 64, false); w < 0 {
			t.Errorf("%d without a sign is %d", v, uint64(w))
		}
	}
	if !slices.ContainsFunc(e.ints, func(v int64) bool { return v == 1<<32 }) {
		t.Error("1<<32 is no edge")
	}
}

func TestNoEndOfTheMachineStandsBesideAnEdge(t *testing.T) {
	lib := newLibrary(API{}, Literals{Edges: edgesOf(0, 2, 0.5)})
	f := func([]float64, []int64, uint64, time.Duration) {}
	for i := range 5000 {
		m := &maker{d: aimed("f", i, aim{kind: edgeSize, place: i % 2, index: i % len(lib.edges.sizes)}), lib: lib}
		args, text := m.arguments(reflect.TypeOf(f), 0, nil)
		beyond := args[2].Uint() > largestMade || args[3].Int() > int64(longestSpan) || slices.ContainsFunc(args[1].Interface().([]int64), func(v int64) bool { return v > largestMade || v < -largestMade })
		if beyond || slices.ContainsFunc(args[0].Interface().([]float64), func(v float64) bool { return math.Abs(v) > largestMade && !math.IsInf(v, 0) }) {
			t.Fatal(text)
		}
	}
}

// control reports a character below a space in what stands between quotes.
func control(s string, from, to int) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for i, c := range []byte(s[1 : len(s)-1]) {
		if c < ' ' && i >= from && i < to {
			return true
		}
	}
	return false
}

func TestWhatIsAskedOfTheFirstBytesAloneIsNoticedBehindALongRun(t *testing.T) {
	for _, tt := range []struct {
		name       string
		consts     Tuple
		was, is    any
		refactored any
	}{
		{"a control character in a quoted text", edgesOf(300, int(' '), int('"')), func(s string) bool { return control(s, 0, len(s)) }, func(s string) bool { return control(s, 0, 300) }, func(s string) bool { return control(s, 0, 1<<20) }},
		{"bytes", edgesOf(513, int(' '), int('"')), func(b []byte) bool { return control(string(b), 0, len(b)) }, func(b []byte) bool { return control(string(b), 0, 513) }, func(b []byte) bool { return control(string(b)+"", 0, 1<<20) }},
		{"the first byte behind the bound", edgesOf(200, int(' '), int('"')), func(s string) bool { return control(s, 0, 201) }, func(s string) bool { return control(s, 0, 200) }, func(s string) bool { return control(s, 0, 201) && s != "" }},
		{"a word within a text of the tests", edgesOf(100, int('='), "\\x"), func(s string) bool {
			key, value, ok := strings.Cut(s, "=")
			return ok && key == "key" && strings.Contains(value, "\\x")
		}, func(s string) bool {
			key, value, ok := strings.Cut(s, "=")
			return ok && key == "key" && strings.Contains(value[:min(100, len(value))], "\\x")
		}, func(s string) bool { return strings.HasPrefix(s, "key=") && strings.Contains(s, "\\x") }},
		{"a letter behind many digits", edgesOf(64, int('0'), int('9')), func(s string) bool {
			return strings.HasPrefix(s, "12") && strings.ContainsAny(s, ":/")
		}, func(s string) bool {
			return strings.HasPrefix(s, "12") && strings.ContainsAny(s[:min(64, len(s))], ":/")
		}, func(s string) bool { return len(s) > 1 && s[:2] == "12" && strings.ContainsAny(s, "/:") }},
		{"a text in a list", edgesOf(250, int(' '), int('"')), func(l []string) bool {
			return slices.ContainsFunc(l, func(s string) bool { return control(s, 0, len(s)) })
		}, func(l []string) bool {
			return slices.ContainsFunc(l, func(s string) bool { return control(s, 0, 250) })
		}, func(l []string) bool {
			return slices.ContainsFunc(l, func(s string) bool { return control(s, 0, 1<<20) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lits := Literals{Edges: tt.consts, Strings: []string{"plain", "key=value", "12", "don't"}}
			root, is, refactored := outcomesOf(t, tt.was, lits, 1, 1500), outcomesOf(t, tt.is, lits, 1, 1500), outcomesOf(t, tt.refactored, lits, 1, 1500)
			found := false
			for i, o := range root {
				found = found || is[i] != o
				if refactored[i] != o {
					t.Errorf("a refactoring gives %s of %s", refactored[i][1], o[0])
				}
			}
			if !found {
				t.Error("not noticed")
			}
		})
	}
}
