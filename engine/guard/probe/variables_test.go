package probe

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

type style struct {
	Width int
	mark  string
}

func TestOtherValuesAreMadeOfWhatCallersSet(t *testing.T) {
	cyclic := &struct{ Next any }{}
	cyclic.Next = cyclic
	var (
		text, long = "-", "0123456789abcdef"
		number     = 7
		small      = uint8(255)
		ready      = false
		share      = 0.5
		words      = []string{"of", "the"}
		none       []string
		table      = [4]int{1, 2, 3, 4}
		marks      = map[string]int{"a": 1}
		expr       = regexp.MustCompile("a+")
		fold       = strings.ToUpper
		wait       = time.Second
		began      = time.Unix(0, 0)
		value      = style{Width: 3, mark: "x"}
		pointer    = &style{Width: 3}
		gone       = errors.New("gone")
		lock       sync.Mutex
		pool       = &sync.Pool{}
		anything   any
		signal     chan int
	)
	lib := newLibrary(API{Types: []Type{{"style", reflect.TypeFor[style]()}}}, Literals{})
	for _, tt := range []struct {
		name string
		at   any
		want string // how the settings begin; "": it is left alone
	}{
		{"a text", &text, "X = \""},
		{"a long text", &long, "X = \""},
		{"a number", &number, "X = "},
		{"a number of eight bits", &small, "X = "},
		{"a truth", &ready, "X = true"},
		{"a fraction", &share, "X = "},
		{"a list", &words, "X = []string{"},
		{"an empty list", &none, "X = []string{"},
		{"an array", &table, "X = [4]int{"},
		{"a table", &marks, "X = map[string]int{"},
		{"an expression", &expr, "X = regexp.MustCompile("},
		{"a function", &fold, "X = func"},
		{"a length of time", &wait, "X = "},
		{"a moment", &began, "X = time "},
		{"a struct, by its fields", &value, "X.Width = "},
		{"a struct behind a pointer", &pointer, "X"},
		{"an error", &gone, ""},
		{"a lock", &lock, ""},
		{"what another package keeps to itself", &pool, ""},
		{"a value of any type", &anything, ""},
		{"a channel", &signal, ""},
		{"a struct that holds itself", &cyclic, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := variable{"X", reflect.ValueOf(tt.at).Elem()}
			if got := v.settable(lib); got != (tt.want != "") {
				t.Fatalf("settable is %t", got)
			}
			if tt.want == "" {
				return
			}
			was := (&shower{lib: lib, plain: true}).show(v.at)
			for n := range mostValues {
				s, ok := v.another(changer{&maker{d: seeded(uint64(n)), lib: lib, tame: true, small: true}}, n)
				if !ok {
					t.Fatalf("number %d is none", n)
				}
				restore := s.apply()
				now := (&shower{lib: lib, plain: true}).show(v.at)
				restore()
				if text := s.path + " = " + s.text; !strings.HasPrefix(text, tt.want) || now == was && v.at.Kind() != reflect.Func {
					t.Errorf("number %d is %s, which is told as %s", n, text, now)
				}
				if back := (&shower{lib: lib, plain: true}).show(v.at); back != was {
					t.Fatalf("%s was put back as %s", was, back)
				}
			}
		})
	}
}

// A package with a variable, and a table made of it at the first call.
var (
	between = "-"
	first   sync.Once
	built   string
)

func join(a, b string) string {
	if a == "\x00" {
		panic("no text")
	}
	return a + between + b
}

func joinLate(a string) string {
	first.Do(func() { built = between })
	return a + built
}

func TestSettingsOfVariables(t *testing.T) {
	api := API{Funcs: []Func{{"join", reflect.ValueOf(join)}, {"late", reflect.ValueOf(joinLate)}}, Variables: []Sentinel{{"Between", &between}}}
	reads := map[string]Reads{"join": {Changed: []string{"Between"}}, "late": {Others: []string{"Between"}}}
	q := Request{Mode: Survey, Seed: 3, Count: 160, Variables: reads}
	plain := q
	plain.Variables = nil
	with, without := asked(t, api, q), asked(t, api, plain)
	t.Run("come behind all other cases, which stay what they were", func(t *testing.T) {
		if len(with) != len(without)+2*160/setShare {
			t.Fatalf("%d cases with and %d without", len(with), len(without))
		}
		for i, a := range without {
			if !reflect.DeepEqual(a, with[i]) {
				t.Fatalf("case %d is %v and was %v", i, with[i], a)
			}
		}
	})
	detail := q
	detail.Mode = Detail
	for _, a := range with[len(without):] {
		detail.Cases = append(detail.Cases, Case{Group: a.Group, Index: a.Index})
	}
	told := asked(t, api, detail)
	t.Run("are told before the call", func(t *testing.T) {
		for _, a := range told {
			if !strings.HasPrefix(a.In, "Between = \"") {
				t.Errorf("%s", a.In)
			}
		}
	})
	t.Run("hold in the call and not behind it", func(t *testing.T) {
		for _, a := range told {
			if set, _, _ := strings.Cut(strings.TrimPrefix(a.In, "Between = \""), "\""); a.Group == "join" && !a.Void && !strings.Contains(a.Out, set) {
				t.Errorf("%s gave %s", a.In, a.Out)
			}
		}
		if between != "-" {
			t.Errorf("the variable is %q now", between)
		}
	})
	t.Run("leave alone what the first call makes", func(t *testing.T) {
		if built != "-" {
			t.Errorf("it was made of %q", built)
		}
	})
	t.Run("say nothing where the code panics", func(t *testing.T) {
		q := detail
		q.Cases = []Case{{Group: "join", Choices: append([]uint64{setMark, 0, 0}, (&place{kind: edgeText}).spellText("\x00")...)}, {Group: "join", Choices: (&place{kind: edgeText}).spellText("\x00")}}
		if got := asked(t, api, q); !got[0].Void || got[1].Void {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("are made again by their choices, and left out where these are cut", func(t *testing.T) {
		q := detail
		alone := told[slices.IndexFunc(told, func(a Answer) bool { return a.Choices[2] < mostValues })]
		q.Cases = []Case{{Group: "join", Choices: alone.Choices}, {Group: "join", Choices: alone.Choices[lengthOfSet:]}}
		if got := asked(t, api, q); got[0].In != alone.In || !strings.HasSuffix(alone.In, "; "+got[1].In) {
			t.Errorf("%s became %s and %s", alone.In, got[0].In, got[1].In)
		}
	})
	t.Run("have texts near to them in the call", func(t *testing.T) {
		near := slices.IndexFunc(told, func(a Answer) bool {
			set, rest, _ := strings.Cut(strings.TrimPrefix(a.In, "Between = \""), "\"")
			return a.Choices[2] >= mostValues && set != "" && strings.Contains(rest, set)
		})
		if near < 0 {
			t.Error("none has")
		}
	})
}

// asked are the cases with which a request is answered.
func asked(t *testing.T, api API, q Request) (out []Answer) {
	t.Helper()
	for _, a := range mustAnswer(t, api, q) {
		if a.Kind == AnswerCase {
			out = append(out, a)
		}
	}
	return out
}
