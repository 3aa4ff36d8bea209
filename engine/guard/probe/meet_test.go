package probe

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// sidesOf gives a probe a function whose comparisons tell their sides, and what it reached.
func sidesOf(f func(told func(a, b any)) any, changed bool) API {
	var pairs []Pair
	watch := make([]byte, 8)
	told := func(a, b any) {
		pairs = append(pairs, Pair{1, changed, a, b})
		watch[0] = 1
	}
	return API{
		Watch: watch, Funcs: []Func{{"f", reflect.ValueOf(f(told))}},
		Pairs: func() []Pair { out := pairs; pairs = nil; return out },
	}
}

func TestTheTwoSidesOfAComparisonAreBroughtTogether(t *testing.T) {
	for name, c := range map[string]struct {
		changed bool
		lits    Literals
		f       func(told func(a, b any), met *bool) any
	}{
		"a number and a quotient of constants in a text with a unit": {true, Literals{Strings: []string{"1TB", "20 KB"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				n, unit, _ := strings.Cut(text, "T")
				if v, err := strconv.ParseUint(n, 10, 64); err == nil && unit == "B" {
					told(v, uint64(math.MaxUint64/(1<<40)))
					*met = *met || v == math.MaxUint64/(1<<40)
				}
			}
		}},
		"a threshold and a distance that the call computes": {true, Literals{}, func(told func(a, b any), met *bool) any {
			return func(a, b string, threshold float64) {
				d := 1 / (1 + math.Abs(float64(len(a)-len(b))))
				if d != 1 {
					told(d, threshold)
					*met = *met || d == threshold
				}
			}
		}},
		"a sum of arguments and a rare number": {false, Literals{}, func(told func(a, b any), met *bool) any {
			return func(a, b int) {
				told(a+b, 7_654_321)
				*met = *met || a+b == 7_654_321
			}
		}},
		"a multiple of an argument": {false, Literals{}, func(told func(a, b any), met *bool) any {
			return func(seconds uint32) {
				told(uint64(seconds)*1000, uint64(98_765_000))
				*met = *met || seconds == 98_765
			}
		}},
		"the length of a text": {false, Literals{Strings: []string{"abc"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				told(len(text), 477)
				*met = *met || len(text) == 477
			}
		}},
		"the length of a word in a text": {true, Literals{Strings: []string{"1.2.3-beta"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				if _, word, ok := strings.Cut(text, "-"); ok {
					told(len(word), 33)
					*met = *met || len(word) == 33
				}
			}
		}},
		"the first digits of a number": {true, Literals{Strings: []string{"0.5s"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				_, digits, _ := strings.Cut(text, ".")
				if n := len(digits) - 2; n > 0 {
					if v, err := strconv.Atoi(digits[:n]); err == nil {
						told(v, 92_233_720_368)
						*met = *met || v == 92_233_720_368
					}
				}
			}
		}},
		"a number of two digits within a longer run": {true, Literals{Strings: []string{"at 19970902T090000"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				_, date, _ := strings.Cut(text, " ")
				if date, _, ok := strings.Cut(date, "T"); ok && len(date) == 8 {
					if month, err := strconv.Atoi(date[4:6]); err == nil {
						told(month, 73)
						*met = *met || month == 73
					}
				}
			}
		}},
		"a text within a text": {false, Literals{Strings: []string{"key=val"}}, func(told func(a, b any), met *bool) any {
			return func(text string) {
				if key, _, ok := strings.Cut(text, "="); ok {
					told(key, "Zürich-7")
					*met = *met || key == "Zürich-7"
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			const seeds = 5
			of := 0
			for seed := range uint64(seeds) {
				met, kept := false, 0
				api := sidesOf(func(told func(a, b any)) any { return c.f(told, &met) }, c.changed)
				for _, a := range mustAnswer(t, api, Request{Mode: Explore, Seed: seed, Count: 600, Groups: []string{"f"}, Literals: c.lits}) {
					if a.Kind == AnswerKeep {
						kept++
					}
				}
				if met && kept > 0 {
					of++
				}
			}
			if 2*of < seeds { // a few hundred inputs leave much to chance
				t.Errorf("they met, and inputs were kept, with %d of %d seeds", of, seeds)
			}
		})
	}
}

func TestWhatIsSpelledIsMade(t *testing.T) {
	lib := newLibrary(API{}, Literals{})
	for name, c := range map[string]struct {
		p       place
		choices func(p *place) []uint64
		make    func(g *maker) any
		want    any
	}{
		"a number":                  {place{kind: edgeInt, signed: true}, func(p *place) []uint64 { return p.spellWhole(-77) }, func(g *maker) any { return g.integer(63, true) }, int64(-77)},
		"one above the largest":     {place{kind: edgeInt}, func(p *place) []uint64 { return p.spellWhole(-2) }, func(g *maker) any { return uint64(g.integer(64, false)) }, uint64(math.MaxUint64 - 1)},
		"a length of time":          {place{kind: edgeDuration}, func(p *place) []uint64 { return p.spellWhole(1234567) }, func(g *maker) any { return int64(g.duration()) }, int64(1234567)},
		"a fraction":                {place{kind: edgeFloat}, func(*place) []uint64 { return []uint64{spelledFloat, math.Float64bits(0.8625)} }, func(g *maker) any { return g.float() }, 0.8625},
		"a text":                    {place{kind: edgeText}, func(p *place) []uint64 { return p.spellText("a\x00é\xff") }, func(g *maker) any { return g.text() }, "a\x00é\xff"},
		"a text behind another one": {place{kind: edgeText, near: true}, func(p *place) []uint64 { return p.spellText("12TB") }, func(g *maker) any { g.texts = []string{"x"}; return g.text() }, "12TB"},
	} {
		g := &maker{d: replayed(c.choices(&c.p)), lib: lib}
		if got := c.make(g); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if len(g.places) != 1 || g.places[0].kind != c.p.kind || g.places[0].to != len(c.choices(&c.p)) {
			t.Errorf("%s: its places are %+v", name, g.places)
		}
	}
}

func TestAFractionIsOnlyHitWhereTheComparisonChanged(t *testing.T) {
	p := place{kind: edgeFloat, float: 0.25}
	from, to := operand{kind: edgeFloat, float: 0.25}, operand{kind: edgeFloat, float: 0.8}
	hits := func(exact bool) bool {
		held, _ := p.meet(from, to, exact, func(int64) bool { return true })
		for _, c := range held {
			if math.Float64frombits(c[1]) == to.float {
				return true
			}
		}
		return false
	}
	if !hits(true) || hits(false) {
		t.Errorf("hit where it changed %t, where it did not %t", hits(true), hits(false))
	}
}

// rack is full at three, and its maker refuses what is empty.
type rack struct{ held []string }

func newRack(first string) (*rack, error) {
	if first == "" {
		return nil, errOdd
	}
	return &rack{[]string{first}}, nil
}

func (s *rack) Put(other *rack) int { s.held = append(s.held, other.held...); return len(s.held) }

func TestWhatWasToldBeforeAPanicCounts(t *testing.T) {
	api := API{
		Funcs: []Func{{"newRack", reflect.ValueOf(newRack)}}, Types: []Type{{"rack", reflect.TypeFor[rack]()}},
	}
	q := Request{Mode: Detail}
	for i := range 400 {
		q.Cases = append(q.Cases, Case{Group: "rack.Put", Index: i})
	}
	both := false
	for _, a := range mustAnswer(t, api, q) {
		both = both || strings.HasPrefix(a.Out, "2") && strings.Contains(a.Out, "; no value: newRack")
	}
	if !both {
		t.Error("no case told the first call and that a later one had no value")
	}
}

func TestInputsAroundOneAreOfTheSameKind(t *testing.T) {
	large := func(s string) bool {
		_, digits, _ := strings.Cut(s, "-")
		v, err := strconv.ParseUint(digits, 10, 64)
		return err == nil && v > math.MaxUint32
	}
	seen, both := 0, 0
	api := API{Funcs: []Func{{"f", reflect.ValueOf(func(a, b string) bool {
		if seen++; large(a) && large(b) && a != b && (len(a) > len(b)) != (a > b) {
			both++
		}
		return true
	})}}}
	lits := Literals{Strings: []string{"v-1", "v-22"}}
	p := place{kind: edgeText}
	one := append(p.spellText("v-22"), (&place{kind: edgeText, near: true}).spellText("v-4294967297")...)
	mustAnswer(t, api, Request{Mode: Survey, Count: 1500, Literals: lits, Around: true, Corpus: map[string][][]uint64{"f": {one}}})
	if both == 0 {
		t.Errorf("of %d inputs around one with a large number none had two", seen)
	}
	both = 0
	mustAnswer(t, api, Request{Mode: Survey, Count: 1500, Literals: lits})
	if both > 3 {
		t.Errorf("%d inputs had two large numbers without it: the test shows nothing", both)
	}
}
